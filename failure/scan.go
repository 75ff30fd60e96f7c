package failure

import (
	"bytes"
	"io"
	"math"

	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// Scanner reads the logs of one incident, one after another, and keeps what
// speaks of failures. Its memory does not grow with the logs.
type Scanner struct {
	rules    *RuleSet
	classes  *lineclass.Model
	decoder  *logs.Decoder
	sources  []string
	sizes    []int64 // bytes of each
	lines    []int64 // of each
	bytes    int64
	sequence int64
	records  int64 // of progress of the busiest stream
	lastTick place
	shapes   map[uint64]*shape
	streams  map[streamName]*stream
	ordered  []*stream
	events   []*event
	recent   map[recentKey]*event // the last event of each kind of line, by which repeats are known
	alike    map[*Rule]int        // events of each rule
	dropped  int                  // events that were one too many
	hosts    hostFinder
	ended    ending
	watches  watchdogs
	chunks   chunks
	saved    savedCheckpoint
	saving   place // the last line that tells of a checkpoint being written
	scratch  matchScratch
	fields   []logs.Field
}

// streamName tells streams of one incident apart: what one process wrote into
// one file, as far as labels tell.
type streamName struct {
	source int
	rank   int32
	host   string
}

// stream is what one process wrote.
type stream struct {
	streamName
	first        place
	last         place
	ticks        int64 // records of progress
	lastTick     place
	step         float64 // the counter at the last of them that was read
	field        int     // which of the numbers of a record it is
	record       []byte  // the last of them
	tail         []byte  // where the last line begins
	label        logs.Label
	block        *exception
	done         *exception // the block that ended at the line before
	chained      bool       // the next block came of the last one
	surroundings surroundings
}

// recentKey tells what repeats what: the same rule in one stream.
type recentKey struct {
	stream    *stream // nil: in any
	rule      *Rule
	exception bool
}

// recoveredAfter is how many records of progress after an error show that the
// job got over it.
const recoveredAfter = 10

// maxShapes bounds what is remembered of lines; maxStreams the processes.
const (
	maxShapes  = 1 << 16
	maxStreams = 1 << 14
)

// NewScanner returns a scanner that goes by the given rules.
func NewScanner(rules *RuleSet) *Scanner {
	return &Scanner{
		rules: rules, classes: lineclass.Default(), shapes: map[uint64]*shape{},
		streams: map[streamName]*stream{}, recent: map[recentKey]*event{}, alike: map[*Rule]int{},
	}
}

// Read takes one log from its beginning to its end.
func (s *Scanner) Read(name string, r io.Reader) error {
	s.sources = append(s.sources, name)
	s.sizes, s.lines = append(s.sizes, 0), append(s.lines, 0)
	s.decoder = logs.NewDecoder(s.take)
	buffer := make([]byte, 256<<10)
	for {
		n, err := r.Read(buffer)
		s.decoder.Write(buffer[:n], 0)
		s.bytes += int64(n)
		s.sizes[len(s.sizes)-1] += int64(n)
		if err == io.EOF {
			s.decoder.Peek()
			s.closeBlocks()
			s.lines[len(s.lines)-1] = s.decoder.Line() - 1
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// shape is what is known of all lines of one template.
type shape struct {
	first    place // the first line of it
	lines    int64
	rules    []int // of which a literal is in it
	class    lineclass.Class
	sure     lineclass.Confidence
	opens    bool // has the head of a stack
	chains   bool
	counters []counter
	rises    int64
	known    bool // a counter in it rises from line to line: each is a record of progress
	names    bool // it may tell hosts or ends
	told     int  // lines of it that were asked for hosts and ends
	loose    bool // an exception is told in it
	watches  bool // it tells what a watchdog waits for
	saves    bool // it tells of a checkpoint being written
	saved    bool // or of one that was
	tried    int  // lines of it that the rules were tried on
	matched  bool // one did
}

const (
	toldOften   = 512 // lines of one shape that tell hosts: more tell nothing new
	movesOften  = 16  // rises that make a counter known
	triedOften  = 3   // lines after which a rule that looks at no number has had its say,
	triedEnough = 256 // and any rule when none matched
)

// counter is the last value of a number in lines of one shape.
type counter struct {
	value float64
	rises int
	falls int
}

func (s *Scanner) shape(text []byte, at place) *shape {
	h := logs.Template(text)
	if sh := s.shapes[h]; sh != nil {
		sh.lines++
		return sh
	}
	if len(s.shapes) >= maxShapes {
		clear(s.shapes)
	}
	s.scratch.lower = appendLower(s.scratch.lower[:0], text)
	class, sure := s.classes.Classify(text[:min(len(text), maxText)])
	sh := &shape{
		first: at, lines: 1, class: class, sure: sure,
		rules:   append([]int(nil), s.rules.index.rules(s.scratch.rules[:0], s.scratch.lower)...),
		opens:   bytes.Contains(text, tracebackHead),
		chains:  containsAny(text, chainMarks),
		names:   tellsHost(s.scratch.lower) || tellsEnd(s.scratch.lower),
		loose:   looseException.Match(text),
		watches: tellsWatch(s.scratch.lower),
		saves:   tellsSaving(s.scratch.lower),
		saved:   tellsSaved(s.scratch.lower),
	}
	s.shapes[h] = sh
	return sh
}

func containsAny(text []byte, marks [][]byte) bool {
	for _, m := range marks {
		if bytes.Contains(text, m) {
			return true
		}
	}
	return false
}

// take is given every line.
func (s *Scanner) take(seg *logs.Segment) {
	text := seg.Text
	s.sequence++
	at := place{source: len(s.sources) - 1, line: seg.Line, byte: seg.Byte, sequence: s.sequence}
	st := s.stream(seg.Label, text, at)
	st.last = at
	st.tail, st.label = append(st.tail[:0], text[:min(len(text), stampReach)]...), seg.Label
	sh := s.shape(text, at)
	if sh.names && sh.told < toldOften {
		sh.told++
		s.hosts.read(text, st)
		s.ended.read(text, at, st)
	}
	if sh.watches {
		s.watches.read(text, at, st)
	}
	if sh.saves {
		s.saving = at
	}
	if sh.saved {
		s.saved.read(text, at)
	}
	interesting := len(sh.rules) > 0 || sh.opens || st.block != nil || sh.chains
	if interesting {
		at.stamp = stampOf(text, seg.Label)
	}
	progress := s.progress(sh, st, text, at)
	s.chunks.add(at, sh.lines == 1 && sh.looksBad() || len(sh.rules) > 0 && sh.matched)
	if b := st.block; b != nil {
		if b.state == inMessage && (progress || sh.chains || !sh.opens && startsRecord(text, b)) {
			s.closeBlock(st)
		} else if b.take(text, at) {
			if b.state == inMessage {
				s.found(st, sh, text, at, b)
			}
			return
		} else if b.state == closed {
			s.closeBlock(st)
		}
	}
	if sh.chains {
		st.chained = true
		return
	}
	if sh.opens {
		if b := openBlock(text, at); b != nil {
			if st.chained {
				b.cause = st.done
			}
			st.block, st.chained = b, false
			return
		}
	}
	st.surroundings.read(text)
	if !sh.known { // an error that is glued to a record makes another shape of it
		s.found(st, sh, text, at, nil)
	}
}

// stream is the one a line belongs to.
func (s *Scanner) stream(label logs.Label, text []byte, at place) *stream {
	name := streamName{at.source, label.Rank, label.Host}
	if st := s.streams[name]; st != nil {
		return st
	}
	if len(s.streams) >= maxStreams { // labels that are none
		name = streamName{source: at.source, rank: logs.NoRank}
		if st := s.streams[name]; st != nil {
			return st
		}
	}
	at.stamp = stampOf(text, label)
	st := &stream{streamName: name, first: at, last: at}
	s.streams[name] = st
	s.ordered = append(s.ordered, st)
	return st
}

// progress takes the counters of a line, and tells whether it is a record of
// progress.
func (s *Scanner) progress(sh *shape, st *stream, text []byte, at place) bool {
	if sh.class != lineclass.ProgressMetric || len(sh.rules) > 0 && sh.lines < 3 {
		return false
	}
	if sh.known {
		s.tick(st, at)
		st.record = append(st.record[:0], text[:min(len(text), maxRecord)]...)
		return true
	}
	stamp, _ := logs.FindStamp(text)
	s.fields = logs.Fields(s.fields[:0], text, stamp)
	rose, step, field := false, math.NaN(), 0
	for i := range s.fields[:min(len(s.fields), 6)] {
		f := &s.fields[i]
		if i == len(sh.counters) {
			sh.counters = append(sh.counters, counter{value: math.NaN()})
		}
		c := &sh.counters[i]
		switch {
		case f.Integer && f.Value > c.value:
			c.rises++
			if c.falls*4 <= c.rises && !rose {
				rose, step, field = true, f.Value, i
			}
		case f.Value < c.value:
			c.falls++
		}
		c.value = f.Value
	}
	if rose {
		s.tick(st, at)
		st.step, st.field = step, field
		sh.rises++
		sh.known = sh.rises >= movesOften
		st.record = append(st.record[:0], text[:min(len(text), maxRecord)]...)
	}
	return rose
}

// stampReach is how far into a line its stamp is looked for.
const stampReach = 96

// maxRecord is how much of the last record of a stream is kept.
const maxRecord = 512

// reached is the counter at the last record of progress.
func (st *stream) reached() float64 {
	stamp, _ := logs.FindStamp(st.record)
	fields := logs.Fields(nil, st.record, stamp)
	if st.field < len(fields) && fields[st.field].Integer {
		return fields[st.field].Value
	}
	return st.step
}

// tick counts a record of progress.
func (s *Scanner) tick(st *stream, at place) {
	st.ticks++
	s.records = max(s.records, st.ticks)
	st.lastTick, s.lastTick = at, at
}
