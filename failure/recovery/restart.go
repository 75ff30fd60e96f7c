package recovery

import (
	"fmt"
	"math"
	"slices"

	"schedmate"
	"schedmate/failure"
)

// sameStep is how far two steps of "the same place" lie apart, at most: 1 %.
const sameStep = 0.01

// patternOf compares a failure with those before it.
//
// Deterministic asks for the same shape and kind, at the same step within 1 %,
// on nodes of which none is the same: then it cannot be a node. A step that is
// not known is not the same as any.
func (m *maker) patternOf() Pattern {
	in := m.in
	if !in.failed() {
		return ""
	}
	now := in.try(m.p.Verdict)
	again, elsewhere := false, false
	for _, t := range in.earlier() {
		if t.Template != now.Template || t.Kind != now.Kind {
			continue
		}
		at := samePlace(t.Step, now.Step)
		switch {
		case at && m.disjoint(t.Nodes, now.Nodes) && m.p.Verdict != ServiceOut: // what is out is out for all nodes
			return Deterministic
		case t.Step != nil && now.Step != nil && !at:
			elsewhere = true
		default:
			again = true
		}
	}
	if (again || elsewhere) && in.Diagnosis.Class != schedmate.InfrastructureFailure {
		return Repeated
	}
	if m.stays(now.Template) {
		return OneNode
	}
	switch {
	case again:
		return Again
	case elsewhere:
		return Flaky
	}
	return FirstTime
}

// stays tells whether the ledger has the same shape on the named node, for
// another user's job.
func (m *maker) stays(template string) bool {
	r := m.w.Ledger.Record(m.node)
	if m.place == nil || r == nil {
		return false
	}
	return slices.ContainsFunc(r.Hits, func(h Hit) bool {
		return h.Template == template && h.Kind == m.in.Diagnosis.Subclass && h.Incident != m.in.ID && h.Job != m.in.Job &&
			h.User != "" && m.in.User != "" && h.User != m.in.User && h.At <= m.w.Now && h.At >= m.in.At-m.w.Limits.Quarantine.WitnessWindow
	})
}

func samePlace(a, b *float64) bool {
	return a != nil && b != nil && math.Abs(*a-*b) <= sameStep*max(*a, *b)
}

// disjoint tells whether two attempts had no node in common. Nodes that are not
// known may be the same.
func (m *maker) disjoint(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	had := make(map[string]bool, len(a))
	for _, n := range a {
		had[m.w.name(n)] = true
	}
	return !slices.ContainsFunc(b, func(n string) bool { return had[m.w.name(n)] })
}

// shared are the nodes that all failed attempts of the same kind had, this one
// included; none when this is the first.
func (m *maker) shared() []string {
	var tries [][]string
	for _, t := range m.in.earlier() {
		if t.Kind == m.in.Diagnosis.Subclass && len(t.Nodes) > 0 {
			tries = append(tries, t.Nodes)
		}
	}
	if len(tries) == 0 {
		return nil
	}
	var out []string
	for _, n := range m.in.Nodes {
		if !slices.ContainsFunc(tries, func(t []string) bool { return !slices.ContainsFunc(t, func(o string) bool { return sameHost(o, n) }) }) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// mayRestart tells whether the job gets another try; if not, the guard is held.
func (m *maker) mayRestart() bool {
	in, d, c, r := m.in, &m.in.Diagnosis, &m.p.Counts, &m.w.Limits.Restarts
	for _, t := range in.earlier() {
		if t.At > in.At-r.Window {
			c.RestartsTotal++
			if t.Verdict == m.p.Verdict {
				c.Restarts++
			}
		}
	}
	hold := func(guard Guard, override, format string, args ...any) bool {
		m.p.Held = append(m.p.Held, Held{Kind: StepRestart, Job: in.Job, Guard: guard, Why: fmt.Sprintf(format, args...), Override: override})
		return false
	}
	byHand := "restart the job by hand"
	budget := r.budget(m.p.Verdict)
	switch {
	case m.p.Pattern == Deterministic:
		return hold(GuardDeterministic, byHand+" after a change", "the same failure at the same step on other nodes: it would fail there again")
	case m.p.Pattern == Repeated:
		return hold(GuardRepeated, byHand+" after a change", "the same failure of class %s for the second time", d.Class)
	case m.p.Verdict == UserFault:
		return hold(GuardNoRestart, byHand+" after a change", "what the user has written or asked for fails again unless it is changed")
	case m.p.Verdict != Undetermined && in.Restart == failure.RestartNo:
		return hold(GuardNoRestart, byHand+" once it is mended", "%s does not go away by itself", d.Subclass)
	case m.p.Verdict != Undetermined && in.Restart == failure.RestartOnce && m.tried():
		return hold(GuardRepeated, byHand+" after a change", "%s is worth one try, and had it", d.Subclass)
	case c.Restarts+1 > budget:
		return hold(GuardBudget, byHand+", or raise limits.restarts."+string(m.p.Verdict), "restarts for this verdict within %d s: %d of %d", r.Window, c.Restarts, budget)
	case c.RestartsTotal+1 > r.Total:
		return hold(GuardTotal, byHand+", or raise limits.restarts.total", "restarts within %d s: %d of %d", r.Window, c.RestartsTotal, r.Total)
	}
	return true
}

// tried tells whether the job has had a restart for this kind of failure.
func (m *maker) tried() bool {
	return slices.ContainsFunc(m.in.earlier(), func(t Try) bool {
		return t.Kind == m.in.Diagnosis.Subclass && t.At > m.in.At-m.w.Limits.Restarts.Window
	})
}

// restart proposes the next try.
func (m *maker) restart(gate string, reason string) {
	in, w := m.in, m.w
	r := &w.Limits.Restarts
	s := Step{
		Kind: StepRestart, Job: in.Job, Checkpoint: m.checkpoint(), Exclude: m.exclusions(),
		NotBefore: in.At + doubled(r.Delay, m.p.Counts.RestartsTotal, r.MaxDelay),
		Evidence:  in.Diagnosis.Evidence,
		Reason:    fmt.Sprintf("%s; restart %d of %d for this verdict", reason, m.p.Counts.Restarts+1, r.budget(m.p.Verdict)),
		Undo:      "hold or cancel the job",
	}
	if gate != "" {
		g := w.gate(gate)
		if g != nil && !g.closed() && in.At < g.Opened { // the outage is over
			s.NotBefore = max(s.NotBefore, w.Now+jitter(gate, g.Since, in.Job, w.Limits.Gate.Spread))
		} else {
			since := w.Now
			if g != nil && g.closed() {
				since = g.Since
			}
			s.NotBefore, s.Gate, s.Delay = 0, gate, jitter(gate, since, in.Job, w.Limits.Gate.Spread)
		}
	}
	m.add(s)
}

// checkpoint is where to begin again.
func (m *maker) checkpoint() *Checkpoint {
	d := &m.in.Diagnosis
	if d.LastCheckpoint == nil {
		return &Checkpoint{From: "unknown"}
	}
	step := d.LastCheckpoint.Value
	if d.Component == schedmate.ComponentCheckpoint {
		return &Checkpoint{From: "before_last", Step: &step}
	}
	return &Checkpoint{From: "last", Step: &step}
}

// maxSuspects is how many nodes a restart keeps away from on suspicion alone:
// the most suspect ones, so that the list stays short enough to be read.
const maxSuspects = 8

// exclusions are where the next try should not go. Only a node with proof
// against it is shut out; from others the job stays away if it can.
func (m *maker) exclusions() []Exclusion {
	in, d, w := m.in, &m.in.Diagnosis, m.w
	if d.Class != schedmate.InfrastructureFailure || m.p.Verdict == Scheduling {
		return nil
	}
	var out []Exclusion
	seen := map[string]bool{}
	add := func(node string, hard bool, why string) {
		if !seen[node] {
			seen[node] = true
			out = append(out, Exclusion{Node: node, Hard: hard, Why: why})
		}
	}
	if m.place != nil && in.ranOn(d.Node) {
		switch {
		case m.taken:
			add(m.node, true, "in quarantine")
		case m.old:
			add(m.node, false, "had "+d.Subclass+" before it was tested or came back")
		case m.p.Verdict == Device:
			add(m.node, true, "proof against it")
		case m.p.Verdict == Suspected:
			add(m.node, false, "suspected of "+d.Subclass)
		}
	}
	if m.cause != nil && m.cause.part != "user" {
		out = append(out, Exclusion{Part: m.cause.part + ":" + m.cause.name, Why: "its nodes fail alike"})
	}
	if m.p.Pattern == Again && m.p.Verdict != ServiceOut {
		for _, n := range in.Nodes {
			add(w.name(n), false, "had this failure; other nodes tell whether it follows the job")
		}
	}
	ledger := w.Ledger.With(w.hits(in), nil, nil)
	suspects := ledger.Suspects(w.Now, w.Limits.Prior, w.Limits.SuspectAt)
	for _, r := range suspects[:min(len(suspects), maxSuspects)] {
		add(r.Node, false, fmt.Sprintf("independent failures on record: %d in %.0f h at work", r.Hits, r.Hours))
	}
	return out
}
