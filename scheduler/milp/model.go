package milp

import (
	"fmt"
	"slices"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

// Model is one round of lease planning.
type Model struct {
	// Capacity is the GPUs that can be promised in each slot, from now on:
	// healthy ones minus those of pinned leases.
	Capacity []int

	// Sub is the number of sub-slots of slot 1, the leases of spot jobs; 0 is 1.
	Sub int

	// Gate is the free aligned cells of slot 1; nil when leases are placed anew
	// there, so that whatever the capacity holds fits.
	Gate *lease.Gate

	Jobs []Job
}

// Job is one job of a round.
type Job struct {
	ID   string
	Kind reward.Kind

	// Steps and Late are the rewards of strict and soft jobs; see reward.Validate.
	Steps []reward.Step
	Late  reward.Points

	// Policies are the ways to run it: a job keeps one for the whole round.
	Policies []Policy

	// Must says that the first step is promised already. A plan keeps all such
	// promises if it can; see Plan.Relaxed.
	Must bool
}

// Policy is one way to run a job.
type Policy struct {
	GPUs int
	// Cells are the aligned cells of one lease; zero is cells.Shape of GPUs. They
	// matter in slot 1 of a model with a Gate.
	Cells cells.Count
	// Leases to the end of the job: whole slots, or sub-slots of a spot job. A
	// profiler has one.
	Leases int
}

// spot reports whether the job takes sub-slots.
func (j *Job) spot() bool { return j.Kind == reward.Spot || j.Kind == reward.Profiling }

func (p *Policy) cells() cells.Count {
	if p.Cells == (cells.Count{}) {
		return cells.Shape(p.GPUs)
	}
	return p.Cells
}

func (m *Model) subs() int { return max(1, m.Sub) }

// spots says that there are spot jobs.
func (m *Model) spots() bool {
	return slices.ContainsFunc(m.Jobs, func(j Job) bool { return j.spot() })
}

// mostGPUs and mostSlots keep sums far from overflow.
const (
	mostGPUs  = 1 << 24
	mostSlots = 1 << 14
	mostSubs  = 16
)

// Validate returns an error that names the field that is wrong.
func (m *Model) Validate() error {
	if len(m.Capacity) > mostSlots {
		return fmt.Errorf("slots: at most %d, got %d", mostSlots, len(m.Capacity))
	}
	for k, g := range m.Capacity {
		if g < 0 || g > mostGPUs {
			return fmt.Errorf("capacity[%d]: must lie in 0 to %d, got %d", k, mostGPUs, g)
		}
	}
	if m.Sub < 0 || m.Sub > mostSubs {
		return fmt.Errorf("sub: must lie in 1 to %d, got %d", mostSubs, m.Sub)
	}
	if m.Gate != nil {
		for i, n := range m.Gate.Free {
			if n < 0 {
				return fmt.Errorf("free cells of %d GPUs: must not be negative, got %d", cells.Sizes[i], n)
			}
		}
	}
	for i := range m.Jobs {
		if err := m.Jobs[i].validate(); err != nil {
			return fmt.Errorf("jobs[%d] %s: %w", i, m.Jobs[i].ID, err)
		}
	}
	return nil
}

func (j *Job) validate() error {
	switch j.Kind {
	case reward.Strict, reward.Soft:
		if err := reward.Validate(j.Steps, j.Late); err != nil {
			return err
		}
		if j.Must && len(j.Steps) == 0 {
			return fmt.Errorf("its first step is promised, and it has none")
		}
		for s := range j.Steps {
			if j.Steps[s].By > mostGPUs {
				return fmt.Errorf("steps[%d].by: at most %d, got %d", s, mostGPUs, j.Steps[s].By)
			}
		}
	case reward.Spot, reward.Profiling:
		if len(j.Steps) > 0 || j.Must {
			return fmt.Errorf("kind %s has no steps", j.Kind)
		}
	default:
		return fmt.Errorf("kind %q: use strict, soft, be or prof", j.Kind)
	}
	for c := range j.Policies {
		p := &j.Policies[c]
		if p.GPUs < 1 || p.GPUs > mostGPUs {
			return fmt.Errorf("policies[%d].gpus: must lie in 1 to %d, got %d", c, mostGPUs, p.GPUs)
		}
		if p.Leases < 0 || p.Leases > mostGPUs || j.spot() && p.Leases < 1 {
			return fmt.Errorf("policies[%d].leases: must be a number of leases, got %d", c, p.Leases)
		}
		if j.Kind == reward.Profiling && p.Leases != 1 {
			return fmt.Errorf("policies[%d].leases: a profiler has one, got %d", c, p.Leases)
		}
		if err := p.Cells.Validate(); err != nil {
			return fmt.Errorf("policies[%d].cells: %w", c, err)
		}
		if g := p.Cells.GPUs(); g != 0 && g != p.GPUs {
			return fmt.Errorf("policies[%d].cells: hold %d GPUs, not the %d of the policy", c, g, p.GPUs)
		}
	}
	return nil
}

// late is what the round earns when nobody is promised anything.
func (m *Model) late() reward.Points {
	var sum reward.Points
	for i := range m.Jobs {
		if !m.Jobs[i].spot() {
			sum += m.Jobs[i].Late
		}
	}
	return sum
}
