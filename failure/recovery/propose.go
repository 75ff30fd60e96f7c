package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedmate"
	"schedmate/failure"
)

// Propose works out what should be done about an incident. For an incident and
// revision that a proposal was made for, it returns that proposal. It changes
// nothing; [World.With] makes the proposal count.
func Propose(w *World, in *Incident) (*Proposal, error) {
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("propose for incident %q: world: %w: mend the input", in.ID, err)
	}
	if err := in.Validate("incident"); err != nil {
		return nil, fmt.Errorf("propose for incident %q: %w: mend the input", in.ID, err)
	}
	if in.At > w.Now {
		return nil, fmt.Errorf("propose for incident %q: %w: mend the clock of whoever reports it", in.ID,
			fieldErr("incident.at_s", "must not lie after now_s %d, got %d", w.Now, in.At))
	}
	for i := range w.Made {
		switch made := &w.Made[i]; {
		case made.Incident != in.ID:
		case made.Revision == in.Revision:
			again := *made
			return &again, nil
		case made.Revision > in.Revision:
			return nil, fmt.Errorf("propose for incident %q: %w: propose for the latest revision", in.ID,
				fieldErr("incident.revision", "is %d, but %d has been proposed for", in.Revision, made.Revision))
		}
	}
	m := newMaker(w, in)
	m.make()
	if err := m.p.Validate("proposal"); err != nil {
		panic(fmt.Sprintf("BUG: recovery: invalid proposal for incident %q: %v", in.ID, err))
	}
	return m.p, nil
}

// maker makes one proposal.
type maker struct {
	w  *World
	in *Incident
	p  *Proposal

	node  string // the named one, as the cluster calls it
	place *Place // its place; nil when there is none
	pool  *Pool  // likewise
	cause *cause
	taken bool // the node is proposed for quarantine
	old   bool // what happened there is no news

	hits  []Hit // other users' on the node
	tests []Test
}

func newMaker(w *World, in *Incident) *maker {
	m := &maker{w: w, in: in, p: &Proposal{
		APIVersion: schedmate.APIVersion, Kind: ProposalKind, Incident: in.ID, Revision: in.Revision, Job: in.Job, Now: w.Now, Limits: w.Limits,
		Steps: []Step{},
	}}
	if n := in.Diagnosis.Node; n != "" {
		m.node = n
		if m.place = w.place(n); m.place != nil {
			m.node, m.pool = m.place.Node, w.pool(m.place.Pool)
		}
	}
	if in.failed() && in.Diagnosis.Class == schedmate.InfrastructureFailure {
		m.cause = w.commonCause(in)
	}
	m.p.Verdict = m.verdict()
	m.p.Pattern = m.patternOf()
	m.p.Hits = w.hits(in)
	m.clear()
	if m.p.Verdict != NoFailure {
		t := in.try(m.p.Verdict)
		m.p.Try = &t
	}
	m.count()
	return m
}

// verdict is what the diagnosis means for action.
func (m *maker) verdict() Verdict {
	d := &m.in.Diagnosis
	shared := d.Component == schedmate.ComponentStorage || d.Component == schedmate.ComponentExternalService
	manyNodes := m.cause != nil && m.cause.part != "user"
	switch {
	case !d.Determined:
		return Undetermined
	case d.Class == schedmate.NoFailure:
		return NoFailure
	case d.Class == schedmate.UserFailure:
		return UserFault
	case d.Class == schedmate.FrameworkFailure:
		return FrameworkFault
	case shared && manyNodes:
		return ServiceOut // several nodes cannot all have a bad mount
	case d.Quarantine:
		return Device
	case d.Component == schedmate.ComponentScheduler:
		return Scheduling
	case d.Component == schedmate.ComponentUnknown:
		return Timeout
	case shared && (m.in.Grade == failure.QuarantineNo || d.Node == ""):
		return ServiceOut
	}
	return Suspected
}

// make puts the steps in their order: find out, contain, go on, tell.
func (m *maker) make() {
	if m.p.Pattern == Deterministic && m.in.Diagnosis.Class == schedmate.InfrastructureFailure {
		m.quarantine() // both are held, with the reason
		m.mayRestart()
		m.report(Submitter)
		m.report(StackOwner)
		return
	}
	switch m.p.Verdict {
	case NoFailure:
	case Scheduling:
		if m.mayRestart() {
			m.restart("", "the scheduler ended it, and not for a fault")
		}
	case UserFault:
		m.mayRestart()
		m.report(Submitter)
	case FrameworkFault:
		if m.mayRestart() {
			m.restart("", "worth one try")
		}
		m.report(StackOwner)
		m.report(Submitter)
	case Undetermined:
		m.diagnose("the stacks of all ranks, and the kernel log of each node", "the logs do not tell: this would")
		if m.mayRestart() {
			m.restart("", "one try, as nothing speaks against it")
		}
		m.report(OnCall)
	case Timeout:
		m.timeout()
	case ServiceOut:
		m.service()
	case Device, Suspected:
		m.nodeFault()
	}
}

func (m *maker) timeout() {
	if !m.mayRestart() {
		why := "it came back: halves of the nodes against each other find the one at fault"
		if s := m.shared(); len(s) > 0 {
			why += "; in every failed attempt: " + strings.Join(s[:min(len(s), 8)], ", ")
		}
		m.add(Step{Kind: StepDiagnose, Nodes: m.in.Nodes, Test: "all_reduce_perf over halves of the nodes", Reason: why, Evidence: m.evidence(), Undo: "cancel the test"})
		m.report(OnCall)
		m.report(Submitter)
		return
	}
	m.diagnose("the stacks of all ranks and the flight recorder", "a timeout names no one: the rank that is silent or behind does")
	m.restart("", "once, as a timeout alone blames no node")
	m.report(OnCall)
}

func (m *maker) service() {
	service := m.w.serviceOf(m.in)
	owner := ServiceOwner
	if m.in.Diagnosis.Component == schedmate.ComponentStorage {
		owner = Storage
	}
	if !m.mayRestart() {
		m.report(owner)
		m.report(Submitter)
		return
	}
	l := &m.w.Limits.Gate
	g := m.w.gate(service)
	if over := g != nil && !g.closed() && m.in.At < g.Opened; !over {
		why := fmt.Sprintf("%s is out: the job would fail again", service)
		m.add(Step{Kind: StepHold, Job: m.in.Job, Gate: service, Reason: why, Evidence: m.evidence(), Undo: "open the gate, or restart the job, by hand"})
		if g == nil || !g.closed() {
			m.add(Step{
				Kind: StepProbe, Gate: service, Nodes: m.in.Nodes, Test: m.test("read and write a small file through it"), NotBefore: m.w.Now + l.ProbeEvery,
				Reason: fmt.Sprintf("from a healthy node; %d good ones in a row open the gate, after a bad one the next waits twice as long, up to %d s", l.GoodProbes, l.MaxProbe),
				Undo:   "open the gate by hand",
			})
		}
	}
	m.restart(service, "when the service is back, spread over "+fmt.Sprint(l.Spread)+" s")
	m.report(owner)
}

func (m *maker) nodeFault() {
	known := m.place != nil && m.in.ranOn(m.in.Diagnosis.Node)
	if known {
		m.diagnose(nodeTest(m.in.Diagnosis.Component), "confirms or clears the node")
	}
	m.quarantine()
	if m.mayRestart() {
		why := "the fault is not the job's"
		switch {
		case m.p.Pattern == Flaky:
			why = "it comes at different places, so a try may pass"
		case known:
			why = "other nodes do not have the fault"
		}
		m.restart("", why)
	}
	m.report(m.owner())
}

// nodeTest is the quick test of a node when the diagnosis names none.
func nodeTest(c schedmate.Component) string {
	switch c {
	case schedmate.ComponentNetwork:
		return "link counters and cables at both ends"
	case schedmate.ComponentStorage:
		return "read and write a small file on the node's mount"
	case schedmate.ComponentGPU, schedmate.ComponentNVLink, schedmate.ComponentNVSwitch, schedmate.ComponentDriver, schedmate.ComponentPCIe:
		return "dcgmi diag -r 2"
	}
	return "the site's node health check"
}

// owner is who looks after what is at fault.
func (m *maker) owner() Recipient {
	switch {
	case m.cause != nil:
		return m.cause.owner
	case m.in.Diagnosis.Component == schedmate.ComponentNetwork:
		return Network
	case m.in.Diagnosis.Component == schedmate.ComponentStorage:
		return Storage
	}
	return OnCall
}

func (m *maker) add(s Step) { m.p.Steps = append(m.p.Steps, s) }

// diagnose asks for the test that the diagnosis names, or for the usual one.
func (m *maker) diagnose(usual, reason string) {
	s := Step{Kind: StepDiagnose, Test: m.test(usual), Reason: reason, Evidence: m.evidence(), Undo: "cancel the test"}
	if m.place != nil && (m.p.Verdict == Device || m.p.Verdict == Suspected) {
		s.Node = m.node
		ledger := m.w.Ledger.With(m.p.Hits, nil, nil)
		rate := ledger.Rate(m.node, m.w.Now, m.w.Limits.Prior)
		s.Reason += fmt.Sprintf("; independent failures on record: %d in %.0f h at work, suspicion %.3f", rate.Hits, rate.Hours, rate.Suspicion)
	} else {
		s.Nodes = m.in.Nodes
	}
	m.add(s)
}

func (m *maker) test(usual string) string { return cmp.Or(m.in.Diagnosis.NextTest, usual) }

// evidence is what the diagnosis quotes.
func (m *maker) evidence() []schedmate.Quote {
	d := &m.in.Diagnosis
	if len(d.Evidence) > 0 {
		return d.Evidence
	}
	if d.Root != nil {
		return []schedmate.Quote{*d.Root}
	}
	return nil
}

func (m *maker) report(to Recipient) {
	d := &m.in.Diagnosis
	var reason string
	switch {
	case m.p.Verdict == Undetermined:
		reason = "nobody can tell from the logs why the job ended"
	case m.cause != nil && to == m.cause.owner:
		reason = d.Subclass + ": " + m.cause.String()
		if out := m.takenBefore(); len(out) > 0 {
			reason += "; in quarantine by us since before this was clear, think of returning them: " + strings.Join(out, ", ")
		}
	case m.p.Pattern == Deterministic:
		reason = d.Subclass + ": the same at the same step on other nodes, so it is the program or its data"
	case m.p.Pattern == Repeated:
		reason = d.Subclass + ": for the second time, so retrying does not help"
	default:
		reason = fmt.Sprintf("%s (%s, %s)", d.Subclass, d.Class, d.Component)
	}
	if s := d.LastStep; s != nil {
		reason += fmt.Sprintf("; at step %.0f", s.Value)
	}
	if slices.ContainsFunc(m.p.Held, func(h Held) bool {
		return h.Kind == StepQuarantine && h.Guard != GuardStanding && h.Guard != GuardOwner
	}) && to == m.owner() {
		reason += "; no node is quarantined, see what was held"
	}
	m.add(Step{Kind: StepReport, To: to, Reason: reason, Evidence: m.evidence(), Undo: "none is needed: a report changes nothing"})
}
