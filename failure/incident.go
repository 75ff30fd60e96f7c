package failure

import (
	"context"
	"fmt"
	"io"
	"math"

	"schedmate"
	"schedmate/logs"
)

// Log is one log of an incident: what a rank wrote, a kernel's messages, the
// events of a scheduler.
type Log struct {
	Name string
	Open func() (io.ReadCloser, error) // its errors name the log
	// Record: nobody but the scheduler wrote it, whose words are believed here only.
	Record bool
	// Steps says, after the log was read to its end and closed, how far the job had
	// come by this log: somebody else's reading, who knows counters better. Nil: the
	// handler goes by the numbers that it saw rise.
	Steps func() Steps
}

// Steps is how far a job had come; what nobody can tell is nil.
type Steps struct {
	Last  *schedmate.Reading // the newest value of the step counter
	Total *schedmate.Reading // of the run
}

// Incident is what the logs of one failed job say, for a report.
type Incident struct {
	Diagnosis schedmate.Diagnosis
	Kind      *Kind   // of the verdict, with its texts in each language; nil without a root
	Restart   Restart // of the verdict; empty without a root
	OnlyEnded bool    // the verdict says how something ended, and not why
	Unstarted bool    // the job did not start, so that it has left no checkpoint
	// CalledWell: the scheduler calls the job completed.
	CalledWell bool
	// Unwitnessed: nothing but the job's own output speaks against the node.
	Unwitnessed bool
	RanOn       string           // the one node of the job by the scheduler's record; may be empty
	Meaning     string           // of the code that the root's line has, as its table says; may be empty
	Frame       string           // of the root's stack, the innermost that is of nothing installed: "train.py:88, load_batch"; may be empty
	Kinds       map[string]*Kind // of the other roots and other readings, by name, as far as the rules have them
	Logs        []ReadLog
	Lanes       []Lane  // one for each process that wrote, in the order of their first lines
	Groups      []Group // what was found: the root with what it explains, other roots, what the job got over
	Lines       int64
	Bytes       int64
	Total       *schedmate.Reading // steps of the whole run, where the log of the last step tells
	RanOut      bool               // nothing failed, nothing says how it ended, and it looks as if all work was done
	Dropped     int                // findings that were one too many to keep
	Context     Context
}

// Context is the part of a log to read, for a person or a model: the lines around
// the root, or around where the failure begins when nothing is determined.
type Context struct {
	Log         string
	First, Last int64 // lines; 0 when there are none
	Chunks      int   // of the logs
	Looked      int   // of them looked at to find it
}

// ReadLog is a log as it was read.
type ReadLog struct {
	Name  string
	Bytes int64
	Lines int64
}

// Lane is what one process wrote over time.
type Lane struct {
	Log          int // which of the logs
	Rank         *int
	Host         string
	First, Last  Moment
	LastProgress *Moment // the last rise of its step counter
	Step         float64 // at that moment
	Marks        []Mark
}

// Moment is a place in a log, with its time when the log prints one.
type Moment struct {
	Line       int64
	Sequence   int64 // of all lines of all logs, in reading order
	StampNanos int64 // Unix time; 0 when not printed
}

// Mark is a finding on a lane.
type Mark struct {
	Moment
	Kind string
	Role Role
}

// Role is what a finding is in the incident.
type Role string

const (
	RoleRoot      Role = "root"
	RoleAlso      Role = "also"      // another root
	RoleFallout   Role = "fallout"   // explained by a root
	RoleRecovered Role = "recovered" // the job got over it
)

// Group is a finding that nothing explains, and what it explains.
type Group struct {
	Role    Role
	Kind    *Kind
	Quote   schedmate.Quote
	Times   int // lines that say the same
	Effects []Effect
}

// Effect is what a root brought about: findings of one kind.
type Effect struct {
	Kind  *Kind
	First schedmate.Quote
	Lines int
	Ranks int    // that say it; 0 when no rank is named
	Why   string // the root brings it about
}

// Diagnose reads the logs of one incident and works out what happened. It ends
// early with the context's error.
func Diagnose(ctx context.Context, rules *RuleSet, incident []Log) (*Incident, error) {
	if len(rules.Rules) == 0 {
		return nil, ErrNoRules
	}
	s := NewScanner(rules)
	for _, log := range incident {
		if err := s.readLog(ctx, log); err != nil {
			return nil, err
		}
	}
	return s.Incident(), nil
}

func (s *Scanner) readLog(ctx context.Context, log Log) error {
	in, err := log.Open()
	if err != nil {
		return err
	}
	err = s.read(&source{name: log.Name, record: log.Record}, contextReader{ctx, in})
	in.Close() // it was only read
	if err != nil {
		return fmt.Errorf("read %s: %w", log.Name, err)
	}
	if log.Steps != nil {
		s.sources[len(s.sources)-1].steps = log.Steps()
	}
	return nil
}

// contextReader ends with the context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// Incident is the diagnosis with all that a report shows.
func (s *Scanner) Incident() *Incident {
	c := s.reason()
	in := &Incident{Diagnosis: s.diagnosis(c), Bytes: s.bytes, Dropped: s.dropped, RanOn: s.recorded.only()}
	in.RanOut = !in.Diagnosis.Determined && in.Diagnosis.ErrorLines == 0 && s.ranOut()
	if steps := s.furthest(); in.Diagnosis.LastStep != nil && steps.Last == in.Diagnosis.LastStep {
		in.Total = steps.Total
	}
	for _, from := range s.sources {
		in.Logs = append(in.Logs, ReadLog{Name: from.name, Bytes: from.bytes, Lines: from.lines})
	}
	for _, st := range s.ordered { // the last line may have no end
		in.Logs[st.source].Lines = max(in.Logs[st.source].Lines, st.last.line)
	}
	for _, log := range in.Logs {
		in.Lines += log.Lines
	}
	roles := map[*event]Role{}
	for i, e := range c.roots {
		role := RoleAlso
		if i == 0 {
			role = RoleRoot
			v := s.inContext(e, c)
			in.Kind, in.Restart, in.Meaning = v.rule.kind.coded(e.captures), v.rule.Restart, e.rule.Meaning
			in.OnlyEnded = e.tier() >= TierReaper && v.rule.Kind == e.rule.Kind
			switch in.CalledWell = s.calledWell(e); {
			case in.CalledWell:
				in.Restart, in.Kind = RestartNo, in.Kind.advised(lookAtTheResult)
			case in.Diagnosis.HeldBack != "" && in.Diagnosis.Node != "" && v.rule.Quarantine == QuarantineYes: // whose advice is to take it out
				in.Kind = in.Kind.advised(lookAtTheNode)
			}
			in.Unstarted = v.rule.kind != nil && v.rule.kind.Unstarted || s.recorded.neverRan()
			if e.exception != nil {
				in.Frame = e.exception.own
			}
		}
		roles[e] = role
		in.Groups = append(in.Groups, s.group(c, e, role))
	}
	for _, e := range c.alive {
		if roles[e] == "" {
			roles[e] = RoleFallout
		}
	}
	for _, e := range c.recovered {
		roles[e] = RoleRecovered
		in.Groups = append(in.Groups, Group{Role: RoleRecovered, Kind: e.rule.kind, Quote: s.quote(e), Times: e.times})
	}
	in.Kinds = map[string]*Kind{}
	name := func(kind string) {
		if k := s.rules.Kinds[kind]; k != nil {
			in.Kinds[kind] = k
		}
	}
	for _, f := range in.Diagnosis.Also {
		name(f.Subclass)
	}
	for _, a := range in.Diagnosis.Alternatives {
		name(a.Subclass)
	}
	marks := map[*stream][]Mark{}
	for _, e := range c.events {
		marks[e.stream] = append(marks[e.stream], Mark{e.moment(), e.rule.Kind, roles[e]})
	}
	for _, st := range s.ordered {
		in.Lanes = append(in.Lanes, st.lane(s.sources[st.source], marks[st]))
	}
	in.Context = s.context(c)
	return in
}

// contextLines is how many lines a reader is given: what the paper's models were.
const contextLines = 400

// context finds the lines to read. The root is known when there is one; else the
// chunk where the lines begin to look like a failure is found by bisection.
func (s *Scanner) context(c *causes) Context {
	out := Context{Chunks: len(s.chunks.list)}
	index, looked, ok := s.chunks.locate(s.chunks.from(s.lastTick))
	out.Looked = looked
	var at place
	switch {
	case len(c.roots) > 0:
		at = c.roots[0].place
	case ok:
		at = s.chunks.list[index].at
	default:
		return out
	}
	out.Log = s.sources[at.source].name
	out.First = max(1, at.line-contextLines/2)
	out.Last = min(at.line+contextLines/2, max(s.sources[at.source].lines, at.line))
	return out
}

func (s *Scanner) group(c *causes, root *event, role Role) Group {
	g := Group{Role: role, Kind: root.rule.kind, Quote: s.quote(root), Times: root.times}
	at := map[string]int{}
	ranks := map[string]map[int32]bool{}
	for _, e := range c.alive {
		if e == root || c.rootOf(e) != root {
			continue
		}
		i, ok := at[e.rule.Kind]
		if !ok {
			i = len(g.Effects)
			at[e.rule.Kind] = i
			ranks[e.rule.Kind] = map[int32]bool{}
			g.Effects = append(g.Effects, Effect{Kind: e.rule.kind, First: s.quote(e), Why: c.reasons[e].why})
		}
		g.Effects[i].Lines += e.times
		if e.stream.rank != logs.NoRank {
			ranks[e.rule.Kind][e.stream.rank] = true
			g.Effects[i].Ranks = len(ranks[e.rule.Kind])
		}
	}
	return g
}

// rootOf follows what explains an event to its root.
func (c *causes) rootOf(e *event) *event {
	for range len(c.alive) {
		if c.why[e] == nil {
			return e
		}
		e = c.why[e]
	}
	return e
}

func (p place) moment() Moment { return Moment{p.line, p.sequence, p.stamp} }

func (st *stream) lane(from *source, marks []Mark) Lane {
	l := Lane{Log: st.source, Host: st.host, First: st.first.moment(), Last: st.last.moment(), Marks: marks}
	if st.rank != logs.NoRank {
		rank := int(st.rank)
		l.Rank = &rank
	}
	l.Last.StampNanos = stampOf(st.tail, st.label)
	step := st.reached()
	if from.steps.Last != nil && from.busiest == st {
		step = from.steps.Last.Value
	}
	if st.ticks > 0 && !math.IsNaN(step) {
		m := st.lastTick.moment()
		m.StampNanos = stampOf(st.record, logs.Label{})
		l.LastProgress, l.Step = &m, step
	}
	return l
}
