package verify

import (
	"fmt"

	"schedmate"
)

// Check judges a plan against the snapshot it answers: the actions, the
// reasons (when there are any), the numbers and the seal. It returns nil or
// Violations.
func Check(s *schedmate.Snapshot, p *schedmate.Plan) error {
	l, err := open(s)
	if err != nil {
		return Violations{{Rule: Form, Detail: "snapshot: " + err.Error()}}
	}
	l.form(s, p)
	l.actions(p)
	if p.Reasons != nil {
		l.reasons(s, p)
	}
	if p.Hash != "" && p.Hash != p.Seal(schedmate.Hash(s)) {
		l.refuse(Seal, "", "the hash %s does not belong to this plan and snapshot", p.Hash)
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
	if p.Wake != 0 && p.Wake <= s.Now {
		l.refuse(Form, "", "wake_s %d must lie after now_s %d", p.Wake, s.Now)
	}
	if p.BudgetUsed < 0 {
		l.refuse(Form, "", "budget_used must not be negative, got %d", p.BudgetUsed)
	}
	if (p.Value == nil) != (p.Bound == nil) {
		l.refuse(Form, "", "value and bound come together or not at all")
	}
	if p.Value != nil && p.Bound != nil && *p.Value > *p.Bound {
		l.refuse(Form, "", "value %d exceeds the bound %d", *p.Value, *p.Bound)
	}
}

// reasons: exactly one for each job that waits after the actions, sorted, with
// numbers that agree with each other and with the job.
func (l *Ledger) reasons(s *schedmate.Snapshot, p *schedmate.Plan) {
	explained := make(map[string]bool, len(p.Reasons))
	for i := range p.Reasons {
		r := &p.Reasons[i]
		e := l.jobs[r.Job]
		switch {
		case e == nil:
			l.refuse(OnePlace, r.Job, "has a reason but is not known")
			continue
		case explained[r.Job]:
			l.refuse(OnePlace, r.Job, "has two reasons")
			continue
		case e.running != nil:
			l.refuse(OnePlace, r.Job, "runs and has a reason to wait")
		case i > 0 && p.Reasons[i-1].Job > r.Job:
			l.refuse(Form, r.Job, "reasons must be sorted by job, %s comes before", p.Reasons[i-1].Job)
		}
		explained[r.Job] = true
		if problem := l.reason(e.job, r); problem != "" {
			l.refuse(Form, r.Job, "reason %s: %s", r.Code, problem)
		}
	}
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} { // preempted ones wait, too
		for _, j := range list {
			if id := j.Job.ID; l.jobs[id].running == nil && !explained[id] {
				l.refuse(NoJobLost, id, "waits without a reason")
			}
		}
	}
}

func (l *Ledger) reason(j *schedmate.Job, r *schedmate.Reason) string {
	if _, err := r.Code.MarshalText(); err != nil {
		return err.Error()
	}
	switch {
	case r.Need != j.GPUs:
		return fmt.Sprintf("need must be the gang of %d GPUs, got %d", j.GPUs, r.Need)
	case r.Free < 0 || r.Short != max(0, r.Need-r.Free):
		return fmt.Sprintf("short must be max(0, need-free), got need %d, free %d, short %d", r.Need, r.Free, r.Short)
	case r.Limit < 0 || r.Until < 0:
		return fmt.Sprintf("limit and until_s must not be negative, got %d and %d", r.Limit, r.Until)
	case r.Change.Empty():
		return "names no change"
	}
	for _, id := range r.Blockers {
		if l.jobs[id] == nil || id == j.ID {
			return fmt.Sprintf("blocker %q is not another job", id)
		}
	}
	for _, id := range r.Change.Hold {
		if e := l.jobs[id]; e == nil || id == j.ID {
			return fmt.Sprintf("hold_jobs names %q, which is not another job", id)
		}
	}
	for _, id := range r.Change.Release {
		if e := l.jobs[id]; e == nil || id == j.ID {
			return fmt.Sprintf("release_jobs names %q, which is not another job", id)
		}
	}
	for _, id := range append(r.Nodes[:len(r.Nodes):len(r.Nodes)], r.Change.Restore...) {
		if l.nodes[id] == nil {
			return fmt.Sprintf("names node %q, which does not exist", id)
		}
	}
	return ""
}
