package tiresias

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement   place.Rule         `json:"placement"`
	Selection   dispatch.Selection `json:"selection"`
	Thresholds  []int64            `json:"thresholds_gpu_s"`       // increasing
	WorkOnly    bool               `json:"work_only,omitempty"`    // restart work is no service
	ByNumber    bool               `json:"by_number,omitempty"`    // of one second's jobs, the smaller number at the end of the ID goes first
	WidestFirst bool               `json:"widest_first,omitempty"` // selection "counted": who is chosen is placed in the order of size
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("tiresias", "least attained service first in discrete queues, preemptive", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Placement: place.ConsolidatedRule, Selection: dispatch.ByPlace, Thresholds: []int64{18_000}},
			World:   scheduler.World{Estimates: scheduler.NoEstimates, RestartCost: scheduler.TypicalRestartCost()},
		},
		scheduler.TypedPreset[Options]{
			Name:    "lucid",
			Options: Options{Placement: place.LucidRule, Selection: dispatch.ByCount, Thresholds: []int64{18_000}},
			World: scheduler.World{
				Estimates:   scheduler.NoEstimates,
				Tick:        60,
				EndLag:      1,
				RestartCost: []scheduler.CostStep{{UpToGPUs: 8, Cost: 40}, {Cost: 60}},
			},
		},
		scheduler.TypedPreset[Options]{
			Name: "titan",
			Options: Options{
				Placement: place.TitanRule, Selection: dispatch.ByCount,
				Thresholds: []int64{4*3600 - 1}, // the artifact demotes at 14,400, not above it
				WorkOnly:   true, ByNumber: true, WidestFirst: true,
			},
			World: scheduler.TitanWorld(scheduler.NoEstimates),
		},
		elasticflowPreset(),
	)
}

type policy struct {
	find place.Func
	Options
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	if err := o.Selection.OneOf(dispatch.ByPlace, dispatch.ByCount, dispatch.ByAssignment); err != nil {
		return nil, err
	}
	for i, t := range o.Thresholds {
		if t < 1 || i > 0 && t <= o.Thresholds[i-1] {
			return nil, fmt.Errorf("thresholds_gpu_s must be positive and increase, got %d", o.Thresholds)
		}
	}
	made := &policy{find, o}
	if o.Selection == dispatch.ByAssignment {
		return &lists{*made}, nil
	}
	return made, nil
}

func (p *policy) Name() string { return "tiresias" }

func (p *policy) queue(j *schedmate.JobStatus, now schedmate.Seconds) int {
	attained, q := p.service(j, now), 0
	for q < len(p.Thresholds) && attained > p.Thresholds[q] {
		q++
	}
	return q
}

// service is what the job has received, in GPU-seconds.
func (p *policy) service(j *schedmate.JobStatus, now schedmate.Seconds) int64 {
	if p.WorkOnly {
		return int64(j.Job.GPUs) * int64(j.Done+max(0, j.Elapsed(now)-j.Owed))
	}
	return j.Attained(now)
}

// Rank is the queue and the submission time.
func (p *policy) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	if p.ByNumber {
		return scheduler.Rank{
			Key: int64(p.queue(j, now))*(int64(schedmate.MaxSeconds)+1) + int64(j.Job.Submit),
			Tie: number(j.Job.ID),
		}
	}
	return scheduler.Rank{Key: int64(p.queue(j, now)), Tie: int64(j.Job.Submit)}
}

// number returns the number that the ID ends with, or 0. One too large to be a
// number is cut from the left.
func number(id string) int64 {
	n, digit := int64(0), int64(1)
	for i := len(id) - 1; i >= 0 && '0' <= id[i] && id[i] <= '9' && digit < 1e18; i-- {
		n += int64(id[i]-'0') * digit
		digit *= 10
	}
	return n
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine}
	if p.Selection == dispatch.ByCount {
		queue, running := scheduler.Queue(&s, p.Rank), scheduler.Sorted(s.Running, s.Now, p.Rank)
		order := dispatch.Merge(queue, running, func(w, r *schedmate.JobStatus) bool {
			a, b := p.Rank(w, s.Now), p.Rank(r, s.Now)
			return a.Key < b.Key || a.Key == b.Key && a.Tie < b.Tie
		})
		plan.Actions = dispatch.Counted(&s, order, p.find, p.WidestFirst)
	} else {
		plan.Actions, plan.Wake = dispatch.Displace(&s, p.Rank, p.find, func(w, v *schedmate.JobStatus) bool {
			return p.queue(w, s.Now) < p.queue(v, s.Now)
		})
	}
	if next := p.wake(&s, plan.Actions); plan.Wake == 0 {
		plan.Wake = next // otherwise the very next second is asked for
	}
	return plan
}

// wake returns the next instant at which a job that holds GPUs after the
// actions has exceeded a further threshold. If nobody waits there is nobody to
// make room for, and the next arrival is an event of its own.
func (p *policy) wake(s *schedmate.Snapshot, actions []schedmate.Action) schedmate.Seconds {
	if len(s.Waiting) == 0 {
		return 0
	}
	var next schedmate.Seconds
	for j := range dispatch.RunningAfter(s, actions) {
		q := p.queue(j, s.Now)
		if q == len(p.Thresholds) {
			continue
		}
		left := schedmate.Seconds((p.Thresholds[q] - p.service(j, s.Now)) / int64(j.Job.GPUs))
		if p.WorkOnly {
			left += max(0, j.Owed-j.Elapsed(s.Now)) // which comes first
		}
		if at := s.Now + left + 1; left < schedmate.MaxSeconds-s.Now && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}
