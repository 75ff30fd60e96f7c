package themis

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule        `json:"placement"`
	Lease     schedmate.Seconds `json:"lease_s"`
}

// Descriptor describes the policy to hosts. The lease is the 20 minutes of the
// paper's evaluation.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("themis", "finish-time fairness: who loses most by sharing goes first, by leases", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Lease: 1200},
			World:   scheduler.World{Estimates: scheduler.TrueRunTime, RestartCost: scheduler.TypicalRestartCost()},
		},
	)
}

type policy struct {
	find  place.Func
	lease schedmate.Seconds
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	if o.Lease < 1 || o.Lease > schedmate.MaxSeconds {
		return nil, fmt.Errorf("lease_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Lease)
	}
	return &policy{find, o.Lease}, nil
}

func (p *policy) Name() string { return "themis" }

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine}
	b := p.recall(&s)
	rank := func(j *schedmate.JobStatus, _ schedmate.Seconds) scheduler.Rank { return b.rank[j] }
	plan.Actions, plan.Wake = dispatch.Displace(&s, rank, p.find, func(w, v *schedmate.JobStatus) bool {
		return b.until[v] <= s.Now && b.rank[w].Key < b.rank[v].Key
	})
	p.renew(&s, b, &plan)
	return plan
}

// renew gives who runs on with his lease over another one, notes everything
// for the next plan, and asks to be woken when the next lease is over.
func (p *policy) renew(s *schedmate.Snapshot, b *books, plan *schedmate.Plan) {
	runs := make(map[*schedmate.JobStatus]bool)
	for j := range dispatch.RunningAfter(s, plan.Actions) {
		runs[j] = true
	}
	var next schedmate.Seconds
	plan.Memory = []schedmate.Note{{Kind: clockNote, Numbers: []int64{int64(s.Now), int64(len(b.jobs))}}}
	for _, j := range b.jobs {
		note := schedmate.Note{Kind: jobNote, Job: j.Job.ID, Numbers: []int64{b.shared[j]}}
		if runs[j] {
			until := b.until[j]
			switch {
			case j.Attempt == nil: // a restart is no part of the lease: else short leases would do nothing but restart
				until = s.Now + j.Owed + p.lease
			case until <= s.Now:
				until = s.Now + p.lease
			}
			note.Numbers = append(note.Numbers, int64(until))
			if until <= schedmate.MaxSeconds && (next == 0 || until < next) {
				next = until
			}
		}
		plan.Memory = append(plan.Memory, note)
	}
	if plan.Wake == 0 && len(s.Waiting) > 0 { // else the very next second is asked for
		plan.Wake = next
	}
}
