package packing

import (
	"math/bits"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/pack"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule       `json:"placement"`
	Pack      bool             `json:"pack"` // false: everybody has GPUs alone
	Rules     pack.Rules       `json:"rules"`
	Prior     pack.Prior       `json:"prior"`
	Undo      pack.UndoOptions `json:"undo"`
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	rules := pack.LucidRules()
	rules.Choose, rules.Worth = pack.FastestPair, true
	world := scheduler.World{Estimates: scheduler.TraceEstimate, RestartCost: scheduler.TypicalRestartCost(), Checkpoint: 1200}
	return scheduler.Describe("packing", "least GPU time first, two jobs on a GPU where none is free, undone when one becomes too slow", build,
		scheduler.TypedPreset[Options]{
			Name: scheduler.DefaultPreset,
			Options: Options{
				Placement: place.ConsolidatedRule, Pack: true, Rules: rules,
				Prior: pack.Prior{Weight: 2, LeastClass: 20}, Undo: pack.Sequential(),
			},
			World: world,
		},
		scheduler.TypedPreset[Options]{
			Name: "paper",
			Options: Options{
				Placement: place.ConsolidatedRule, Pack: true, Rules: pack.LucidRules(),
				Prior: pack.Prior{Weight: 2, LeastClass: 20}, Undo: pack.Paper(),
			},
			World: world,
		},
	)
}

type policy struct {
	Options
	find place.Func
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	for _, validate := range []func() error{o.Rules.Validate, o.Prior.Validate, o.Undo.Validate} {
		if err := validate(); err != nil {
			return nil, err
		}
	}
	return &policy{o, find}, nil
}

func (p *policy) Name() string { return "packing" }

// Rank is the estimated GPU time.
func (p *policy) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	f := j.Fact(schedmate.RunSeconds, now)
	if f == nil {
		return scheduler.Rank{Key: scheduler.Unknown, Tie: int64(j.Job.Submit)}
	}
	hi, lo := bits.Mul64(uint64(f.Value), uint64(j.Job.GPUs))
	if hi != 0 || lo >= uint64(scheduler.Unknown) {
		lo = uint64(scheduler.Unknown) - 1
	}
	return scheduler.Rank{Key: int64(lo), Tie: int64(j.Job.Submit)}
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}}
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	board, book := pack.NewBoard(&s), pack.Recall(&s)

	// A newcomer that leaves has room if free GPUs are left over by all who wait.
	room := func(j *schedmate.JobStatus) bool {
		return len(s.Waiting) == 0 && p.find(o, &j.Job) != nil
	}
	queue := scheduler.Queue(&s, p.Rank)
	for _, e := range p.Undo.Verdicts(board, book, room) {
		plan.Actions = append(plan.Actions, e.Action())
		o.Release(&e.Newcomer.Job, e.Newcomer.Attempt.Allocations)
		at, _ := slices.BinarySearchFunc(queue, e.Newcomer, func(a, b *schedmate.JobStatus) int {
			return scheduler.Compare(p.Rank(a, s.Now), a, p.Rank(b, s.Now), b)
		})
		queue = slices.Insert(slices.Clone(queue), at, e.Newcomer)
	}
	free := dispatch.FreeGPUs(o)
	forecast := &pack.Interference{Book: book, Prior: p.Prior}
	for _, j := range queue {
		var as []schedmate.Allocation
		if j.Job.GPUs <= free {
			as = p.find(o, &j.Job)
		}
		if as != nil {
			free -= j.Job.GPUs
			if p.shares(j, book) {
				as = withShare(as, p.Rules.Share())
			}
			o.Take(&j.Job, as)
			plan.Actions = append(plan.Actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as})
			continue
		}
		if !p.Pack {
			continue
		}
		mate, ok := board.Mate(&p.Rules, j, book, forecast, nil)
		if !ok || !p.admits(o, j, mate.Job) {
			continue
		}
		as = withShare(mate.Job.Attempt.Allocations, p.Rules.Share())
		o.Take(&j.Job, as)
		board.Join(j, mate.Job)
		plan.Actions = append(plan.Actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as, Packed: mate.Packed()})
	}
	plan.Memory = book.Notes()
	return plan
}

// shares reports whether a job that starts alone leaves room for another.
func (p *policy) shares(j *schedmate.JobStatus, book *pack.Book) bool {
	return p.Pack && !book.Never(j.Job.ID) && (p.Rules.MostGPUs == 0 || j.Job.GPUs <= p.Rules.MostGPUs)
}

// admits reports whether the job may run where its mate runs: healthy nodes of
// its VC and type, and within its VC's quota.
func (p *policy) admits(o *schedmate.Occupancy, j, mate *schedmate.JobStatus) bool {
	shared := 0
	for _, a := range mate.Attempt.Allocations {
		for i := range o.Len() {
			if o.Node(i).ID != a.Node {
				continue
			}
			if !o.Admits(i, &j.Job) {
				return false
			}
			if o.Node(i).VC == "" {
				shared++
			}
		}
	}
	return shared == 0 || o.QuotaLeft(j.Job.VC) >= shared
}

func withShare(as []schedmate.Allocation, share schedmate.Share) []schedmate.Allocation {
	out := slices.Clone(as)
	for i := range out {
		out[i].Share = share
	}
	return out
}
