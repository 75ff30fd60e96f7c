package recovery

import (
	"fmt"

	"schedmate"
)

// Review works out what is due for what stands: nodes of ours whose time is up
// are tested and returned, or kept when they fail; services that are out are
// probed, and their jobs let go. What others have set is not looked at.
func Review(w *World) (*Proposal, error) {
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("review: %w: mend the input", err)
	}
	p := &Proposal{APIVersion: schedmate.APIVersion, Kind: ProposalKind, Now: w.Now, Limits: w.Limits, Steps: []Step{}}
	for i := range w.Quarantines {
		if q := &w.Quarantines[i]; q.ours() && q.State == Standing && q.Until <= w.Now {
			p.reviewNode(w, q)
		}
	}
	for i := range w.Gates {
		if g := &w.Gates[i]; g.closed() {
			p.reviewGate(w, g)
		}
	}
	if err := p.Validate("proposal"); err != nil {
		panic(fmt.Sprintf("BUG: recovery: invalid review: %v", err))
	}
	return p, nil
}

// reviewNode looks at a quarantine whose time is up. Only a test that was run
// since then counts.
func (p *Proposal) reviewNode(w *World, q *Quarantine) {
	var last *Test
	if r := w.Ledger.Record(w.name(q.Node)); r != nil {
		for i := range r.Tests {
			if t := &r.Tests[i]; t.At >= q.Until && t.At <= w.Now && (last == nil || t.At > last.At || !t.Passed) {
				last = t
			}
		}
	}
	l := &w.Limits.Quarantine
	switch {
	case last == nil:
		p.Steps = append(p.Steps, Step{
			Kind: StepDiagnose, Node: q.Node, Test: l.Retest, Incident: q.Incident,
			Reason: fmt.Sprintf("its quarantine for incident %s ran until %d: the test decides whether it returns", q.Incident, q.Until),
			Undo:   "return the node, or keep it, by hand",
		})
	case last.Passed:
		p.Steps = append(p.Steps, Step{
			Kind: StepReturn, Node: q.Node, Incident: q.Incident, Tests: []Test{*last},
			Reason: fmt.Sprintf("it passed %q at %d", last.Name, last.At), Undo: "drain the node by hand",
		})
	case q.Renewals < l.MaxRenewals:
		p.Steps = append(p.Steps, Step{
			Kind: StepExtend, Node: q.Node, Incident: q.Incident, Until: w.Now + l.Term, Tests: []Test{*last},
			Reason: fmt.Sprintf("it failed %q at %d; extension %d of %d", last.Name, last.At, q.Renewals+1, l.MaxRenewals), Undo: "return the node by hand",
		})
	default:
		p.Held = append(p.Held, Held{
			Kind: StepExtend, Node: q.Node, Guard: GuardRenewals, Override: "repair the node, or return it by hand",
			Why: fmt.Sprintf("it failed %q at %d after %d extensions: it does not heal by waiting, and stays out until a person decides", last.Name, last.At, q.Renewals),
		})
		p.Steps = append(p.Steps, Step{
			Kind: StepReport, Node: q.Node, To: OnCall, Tests: []Test{*last},
			Reason: "a node in quarantine needs repair: see what was held", Undo: "none is needed: a report changes nothing",
		})
	}
}

func (p *Proposal) reviewGate(w *World, g *Gate) {
	l := &w.Limits.Gate
	n, good, _ := g.streak(w.Now)
	if good && n >= l.GoodProbes {
		p.Steps = append(p.Steps, Step{Kind: StepOpen, Gate: g.Service, Reason: fmt.Sprintf("%s is back: %d good probes in a row", g.Service, n), Undo: "close the gate by hand"})
		for _, h := range g.Held {
			p.Steps = append(p.Steps, Step{
				Kind: StepRelease, Job: h.Job, Gate: g.Service, Incident: h.Incident, NotBefore: w.Now + jitter(g.Service, g.Since, h.Job, l.Spread),
				Reason: fmt.Sprintf("%s is back; spread over %d s", g.Service, l.Spread), Undo: "hold the job",
			})
		}
		return
	}
	if due := g.nextProbe(w.Now, l); due <= w.Now {
		p.Steps = append(p.Steps, Step{
			Kind: StepProbe, Gate: g.Service, Test: "the probe of incident " + g.Incident, NotBefore: due,
			Reason: fmt.Sprintf("%d jobs wait for it", len(g.Held)), Undo: "open the gate by hand",
		})
	}
	if w.Now-g.Since > l.MaxHold {
		p.Held = append(p.Held, Held{
			Kind: StepRelease, Guard: GuardHold, Override: "open the gate by hand, or cancel the jobs",
			Why: fmt.Sprintf("%s has been out for %d s, longer than %d s, and %d jobs wait", g.Service, w.Now-g.Since, l.MaxHold, len(g.Held)),
		})
		p.Steps = append(p.Steps, Step{
			Kind: StepReport, To: OnCall, Gate: g.Service, Reason: fmt.Sprintf("%s is still out: a person decides how long jobs wait", g.Service),
			Undo: "none is needed: a report changes nothing",
		})
	}
}
