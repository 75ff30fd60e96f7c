package edf

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

func elasticflowPreset() scheduler.TypedPreset[Options] {
	return scheduler.TypedPreset[Options]{
		Name:    "elasticflow",
		Options: Options{Placement: place.ConsolidatedRule, Selection: dispatch.ByAssignment},
		World:   scheduler.World{Estimates: scheduler.NoEstimates, Elastic: true, Rounds: &scheduler.Rounds{Slot: 60}},
	}
}

// elastic is the EDF of the ElasticFlow artifact: at every plan all GPUs are
// given away anew, each job in the order of its first deadline getting the
// largest of its sizes that is left, even where a smaller one would be faster.
// A deadline that is over keeps its place in the order.
type elastic struct{ find place.Func }

func (p *elastic) Name() string { return "edf" }

func (p *elastic) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	all := slices.Concat(s.Running, s.Waiting)
	slices.SortFunc(all, func(a, b *schedmate.JobStatus) int {
		return cmp.Or(cmp.Compare(firstDeadline(a), firstDeadline(b)), cmp.Compare(a.Job.Submit, b.Job.Submit), cmp.Compare(a.Job.ID, b.Job.ID))
	})
	return schedmate.Plan{
		Policy:  p.Name(),
		Engine:  schedmate.RuleEngine,
		Actions: dispatch.Assign(&s, dispatch.Widest(&s, all), p.find),
	}
}

// firstDeadline returns the first deadline, over or not; a job without one has Forever.
func firstDeadline(j *schedmate.JobStatus) schedmate.Seconds {
	if len(j.Job.SLO.Tiers) == 0 {
		return schedmate.Forever
	}
	return j.Job.SLO.Tiers[0].Deadline
}
