package eval

import (
	"cmp"
	"slices"
	"time"

	"schedmate"
	"schedmate/scheduler"
)

// Solving is how much an optimiser worked in a run, in its own counted steps: the
// same on every machine.
type Solving struct {
	Plans    int     `json:"solved_plans"` // in which it took part
	P99Steps float64 `json:"solver_steps_p99"`
	MaxSteps int64   `json:"solver_steps_max"`
}

func solving(steps []int64) *Solving {
	if len(steps) == 0 {
		return nil
	}
	sorted := make([]float64, len(steps))
	for i, s := range steps {
		sorted[i] = float64(s)
	}
	slices.Sort(sorted)
	return &Solving{len(steps), quantile(sorted, .99), slices.Max(steps)}
}

// timed is a policy whose plans' CPU times are noted.
type timed struct {
	scheduler.Policy
	clock func() time.Duration
	took  []float64 // seconds, one a plan
}

// Plan asks the policy.
func (p *timed) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	from := p.clock()
	plan := p.Policy.Plan(s, b)
	p.took = append(p.took, (p.clock() - from).Seconds())
	return plan
}

// ranked is a timed policy that is a scheduler.Ranker.
type ranked struct {
	*timed
	rank scheduler.Ranker
}

// Rank is that of the policy.
func (p ranked) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	return p.rank.Rank(j, now)
}

// timing returns the policy, and where the CPU times of its plans are noted.
func timing(p scheduler.Policy, clock func() time.Duration) (scheduler.Policy, *timed) {
	t := &timed{Policy: p, clock: clock}
	if r, ok := p.(scheduler.Ranker); ok {
		return ranked{t, r}, t
	}
	return t, t
}

// into notes the slowest plans.
func (p *timed) into(c *Cost) {
	if len(p.took) == 0 {
		return
	}
	slices.SortFunc(p.took, cmp.Compare[float64])
	c.P99PlanSeconds, c.MaxPlanSeconds = quantile(p.took, .99), p.took[len(p.took)-1]
}
