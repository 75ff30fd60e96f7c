package recovery

import (
	"fmt"

	"schedmate"
	"schedmate/failure"
)

// quarantine proposes to take the named node out of service, or says which
// guard is against it. Guards about whether the node is to blame come before
// those about whether there is room for it.
func (m *maker) quarantine() {
	in, d, w := m.in, &m.in.Diagnosis, m.w
	if m.p.Verdict != Device && m.p.Verdict != Suspected || in.Grade == failure.QuarantineNo {
		return
	}
	q := &w.Limits.Quarantine
	hold := func(guard Guard, override, format string, args ...any) {
		m.p.Held = append(m.p.Held, Held{Kind: StepQuarantine, Node: m.node, Guard: guard, Why: fmt.Sprintf(format, args...), Override: override})
	}
	byHand := "drain the node by hand, with a tag of your own"
	switch {
	case d.Node == "":
		hold(GuardNoNode, "find the node with the test, then drain it by hand", "no log names the node")
		return
	case m.place == nil:
		hold(GuardUnknownNode, "correct the list of nodes, or drain it by hand", "the cluster has no node %q: a log can print any name", d.Node)
		return
	case !in.ranOn(d.Node):
		hold(GuardForeignNode, byHand, "by the scheduler, job %s did not run on it: a job's log proves nothing about other nodes", in.Job)
		return
	}
	if guard, why := m.notToBlame(); guard != "" {
		m.old = guard == GuardOld
		hold(guard, byHand, "%s", why)
		return
	}
	switch mine := m.mine(); { // from an earlier revision
	case mine != nil && mine.Until <= w.Now:
		hold(GuardStanding, "extend or lift the quarantine by hand", "its quarantine for this incident ran until %d: the test decides", mine.Until)
		return
	case mine != nil:
		m.propose(mine.Until)
		return
	}
	if guard, override, why := m.noRoom(); guard != "" {
		hold(guard, override, "%s", why)
		return
	}
	m.propose(w.Now + q.Term)
}

// notToBlame is the guard by which the node is not, or not surely, at fault.
func (m *maker) notToBlame() (Guard, string) {
	in, d, w, q := m.in, &m.in.Diagnosis, m.w, &m.w.Limits.Quarantine
	passed, ended := schedmate.Seconds(-1), schedmate.Seconds(-1)
	if r := w.Ledger.Record(m.node); r != nil {
		passed = r.lastPassed(w.Now)
	}
	for i := range w.Quarantines {
		if e := &w.Quarantines[i]; e.State == Ended && w.name(e.Node) == m.node && e.Ended <= w.Now {
			ended = max(ended, e.Ended)
		}
	}
	hits, tests := w.Ledger.witnesses(m.node, in, w.Now, q.WitnessWindow)
	m.hits, m.tests = hits, tests
	switch {
	case m.p.Pattern == Deterministic:
		return GuardDeterministic, "the same failure at the same step on other nodes: it follows the job, not the node"
	case m.cause != nil:
		return GuardCommon, m.cause.String()
	case in.At < w.Now-q.MaxAge:
		return GuardOld, fmt.Sprintf("it happened %d s ago, longer than %d s", w.Now-in.At, q.MaxAge)
	case in.At <= max(passed, ended):
		return GuardOld, fmt.Sprintf("the node passed a test or came back at %d, after it happened", max(passed, ended))
	case d.Quarantine:
		return "", ""
	case in.Grade == failure.QuarantineYes:
		why := d.HeldBack
		if why == "" {
			why = "the diagnosis does not carry it"
		}
		return GuardDiagnosis, why
	case len(hits)+len(tests) == 0:
		why := fmt.Sprintf("one sign is not enough: in %d days no other user met a fault of this node, and it failed no test", q.WitnessWindow/86400)
		if in.User == "" {
			why += "; the user is not known, so that none can be another"
		}
		return GuardWitness, why
	}
	return "", ""
}

// mine is the quarantine that this incident has brought about already.
func (m *maker) mine() *Quarantine {
	for i := range m.w.Quarantines {
		q := &m.w.Quarantines[i]
		if q.ours() && q.Incident == m.in.ID && q.active(m.w.Now) && m.w.name(q.Node) == m.node {
			return q
		}
	}
	return nil
}

// noRoom is the guard that keeps a node in service although it is to blame, with
// how to override it.
func (m *maker) noRoom() (guard Guard, override, why string) {
	w, c, q := m.w, &m.p.Counts, &m.w.Limits.Quarantine
	lastEnd := schedmate.Seconds(-1)
	for i := range w.Quarantines {
		s := &w.Quarantines[i]
		if w.name(s.Node) != m.node {
			continue
		}
		switch {
		case s.active(w.Now) && !s.ours():
			return GuardOwner, "ask its owner", fmt.Sprintf("%s has taken it out of service at %d: what others set is not touched", s.Owner, s.Since)
		case s.active(w.Now):
			return GuardStanding, "extend or lift the quarantine by hand", fmt.Sprintf("it is in quarantine already, for incident %s, until %d", s.Incident, s.Until)
		case s.State == Ended && s.ours():
			lastEnd = max(lastEnd, s.Ended)
		}
	}
	_, capWhy := q.maxQuarantined(m.pool)
	switch {
	case lastEnd >= 0 && w.Now < lastEnd+q.NodeCoolDown:
		return GuardCoolDown, "decide by hand: repair it, or drain it", fmt.Sprintf("it came back at %d and fails again within %d s: the test before its return did not find the fault", lastEnd, q.NodeCoolDown)
	case c.Rate+1 > q.Rate:
		return GuardRate, "drain it by hand, or raise limits.quarantine.rate", fmt.Sprintf("quarantines begun within %d s: %d of %d", q.RateWindow, c.Rate, q.Rate)
	case c.Quarantined+1 > c.Quarantinable:
		return GuardCap, "drain it by hand, or raise limits.quarantine.max_nodes or max_share_permille", fmt.Sprintf("nodes of pool %s in quarantine: %d of %d (%s)", c.Pool, c.Quarantined, c.Quarantinable, capWhy)
	case c.Healthy-1 < c.MinHealthy:
		return GuardCapacity, "drain it by hand, or lower limits.quarantine.min_healthy_nodes or min_healthy_permille", fmt.Sprintf("pool %s has %d healthy nodes and must keep %d", c.Pool, c.Healthy, c.MinHealthy)
	}
	return "", "", ""
}

// count fills in what the guards look at. What this incident has brought about
// already does not count against it.
func (m *maker) count() {
	w, c := m.w, &m.p.Counts
	own := func(q *Quarantine) bool { return q.Incident == m.in.ID && q.active(w.Now) && w.name(q.Node) == m.node }
	began := map[string]bool{}
	for i := range w.Quarantines {
		if q := &w.Quarantines[i]; q.ours() && !own(q) && q.Since <= w.Now && q.Since > w.Now-w.Limits.Quarantine.RateWindow {
			began[fmt.Sprint(w.name(q.Node), " ", q.Since)] = true
		}
	}
	c.Rate = len(began)
	if m.pool == nil {
		return
	}
	ours, proposed := map[string]bool{}, map[string]bool{}
	for i := range w.Quarantines {
		q := &w.Quarantines[i]
		p := w.place(q.Node)
		if p == nil || p.Pool != m.pool.Name || !q.active(w.Now) || own(q) {
			continue
		}
		if q.ours() {
			ours[p.Node] = true
		}
		if q.State == Proposed {
			proposed[p.Node] = true
		}
	}
	c.Pool = m.pool.Name
	c.Quarantined = len(ours)
	c.Quarantinable, _ = w.Limits.Quarantine.maxQuarantined(m.pool)
	c.Healthy = max(0, m.pool.Healthy-len(proposed))
	c.MinHealthy = w.Limits.Quarantine.minHealthy(m.pool)
}

// propose adds the quarantine and the replacement.
func (m *maker) propose(until schedmate.Seconds) {
	in, d, w := m.in, &m.in.Diagnosis, m.w
	reason := "the node itself proves it"
	evidence := d.Witnesses
	if !d.Quarantine {
		evidence = d.Evidence
		if len(evidence) == 0 {
			evidence = []schedmate.Quote{*d.Root}
		}
		switch {
		case len(m.tests) > 0:
			reason = fmt.Sprintf("a sign in the log, and the node failed the test %q at %d", m.tests[len(m.tests)-1].Name, m.tests[len(m.tests)-1].At)
		default:
			h := m.hits[len(m.hits)-1]
			reason = fmt.Sprintf("a sign in the log, and user %s met %s on the node at %d", h.User, h.Kind, h.At)
		}
	}
	m.taken = true
	m.add(Step{
		Kind: StepQuarantine, Node: m.node, Owner: Owner, Incident: in.ID, Until: until, Test: w.Limits.Quarantine.Retest,
		Reason: d.Subclass + ": " + reason, Evidence: evidence, Hits: m.hits, Tests: m.tests,
		Undo: "return the node to service by hand; the tag " + Owner + " says that nobody else has set it",
	})
	rest := m.p.Counts.Healthy - 1
	why := fmt.Sprintf("pool %s keeps %d healthy nodes", m.pool.Name, rest)
	if rest < len(in.Nodes) {
		why += fmt.Sprintf(", the job had %d: it waits until one is free", len(in.Nodes))
	}
	m.add(Step{Kind: StepReplace, Node: m.node, Pool: m.pool.Name, Reason: why, Undo: "give the job its old node back once it is in service"})
}
