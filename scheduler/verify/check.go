package verify

import "schedmate"

// Check judges a sealed plan against the snapshot it answers: the actions, the
// reasons (when there are any), the numbers and the seal. It returns nil or
// Violations.
//
// The laws leave room: other actions may keep them as well, and so may other
// numbers that describe them. A start or a preemption that is missing is noticed
// by the reasons, if there are any: a job waits without one, or runs with one. That
// a park is missing, or a move to whose GPUs nobody comes, is not. It is the seal
// that binds a plan to what its policy has said.
func Check(s *schedmate.Snapshot, p *schedmate.Plan) error {
	l, err := open(s)
	if err != nil {
		return Violations{{Rule: Form, Detail: "snapshot: " + err.Error()}}
	}
	l.form(s, p)
	if p.Reasons != nil {
		l.statements(s, p) // before the actions: reasons describe the snapshot
	}
	l.promises(p)
	l.actions(p)
	l.measures(p)
	if p.Reasons != nil {
		l.complete(s, p)
	}
	if _, err := schedmate.Canonical(p); err != nil {
		l.refuse(Form, "", "%v", err)
	} else if p.Hash != p.Seal(schedmate.Hash(s)) {
		l.refuse(Seal, "", "the hash %q does not belong to this plan and snapshot", p.Hash)
	}
	if len(l.broken) > 0 {
		return l.broken
	}
	return nil
}

// open books what a snapshot says runs and waits.
func open(s *schedmate.Snapshot) (*Ledger, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	l := NewLedger(&s.Cluster)
	for _, j := range s.Waiting {
		if err := l.Submit(&j.Job); err != nil {
			return nil, err
		}
	}
	for _, j := range s.Running {
		if err := l.Submit(&j.Job); err != nil {
			return nil, err
		}
		e := l.jobs[j.Job.ID]
		e.running = j.Attempt.Allocations
		l.book(e, +1)
	}
	return l, nil
}

func (l *Ledger) form(s *schedmate.Snapshot, p *schedmate.Plan) {
	if p.Policy == "" {
		l.refuse(Form, "", "policy must not be empty")
	}
	if p.Engine == "" {
		l.refuse(Form, "", "engine must not be empty")
	}
	if p.Wake != 0 && (p.Wake <= s.Now || p.Wake > schedmate.MaxSeconds) {
		l.refuse(Form, "", "wake_s %d must lie after now_s %d and not after %d", p.Wake, s.Now, schedmate.MaxSeconds)
	}
	if err := schedmate.ValidateMemory("memory", p.Memory); err != nil {
		l.refuse(Form, "", "%v", err)
	}
	for i := range p.Actions {
		a := &p.Actions[i]
		takes := a.Kind == schedmate.Start || a.Kind == schedmate.Move
		if a.Lease != 0 && (!takes || a.Lease <= s.Now || a.Lease > schedmate.MaxSeconds) {
			l.refuse(Form, a.Job, "lease_until_s %d of a %s at %d: it belongs to a start or a move, and lies after now", a.Lease, a.Kind, s.Now)
		}
	}
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Profile && a.Kind != schedmate.Start {
			l.refuse(Form, a.Job, "a %s is marked as a profile, which only a start can be", a.Kind)
		}
	}
	for i := range p.Actions {
		l.packing(&p.Actions[i])
	}
	for i := range p.Measures {
		if m := &p.Measures[i]; m.Until <= s.Now || m.Until > schedmate.MaxSeconds {
			l.refuse(Form, m.Job, "is measured until %d, which must lie after now_s %d and not after %d", m.Until, s.Now, schedmate.MaxSeconds)
		}
	}
	if p.BudgetUsed < 0 {
		l.refuse(Form, "", "budget_used must not be negative, got %d", p.BudgetUsed)
	}
	if (p.Value == nil) != (p.Bound == nil) {
		l.refuse(Form, "", "value and bound come together or not at all")
	}
	if p.Engine == schedmate.RuleEngine && (p.Value != nil || p.BudgetUsed != 0) {
		l.refuse(Form, "", "a rule optimises nothing: it has no value and uses no budget")
	}
	if p.Value != nil && p.Bound != nil && *p.Value > *p.Bound {
		l.refuse(Form, "", "value %d exceeds the bound %d", *p.Value, *p.Bound)
	}
}
