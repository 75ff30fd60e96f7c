package sim_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/sim"
)

// roundBooks keeps the books of a host in rounds, second by second and from
// what it can see alone: the events, and when a policy was asked.
type roundBooks struct {
	t      *rapid.T
	world  scheduler.World
	load   sim.Workload
	types  map[string]string // of nodes
	jobs   map[string]*roundJob
	rounds int // before this one
	now    schedmate.Seconds
	toCome int
	held   int64
}

type roundJob struct {
	job             *sim.Job
	on              []schedmate.Allocation
	work, did, rate int64
	charge          schedmate.Seconds
	regular         bool // the charge delays the end
	started, parked bool
	over            bool
	end             schedmate.Seconds // found by the books; NoTime before
	first           schedmate.Seconds
}

// elapse lets everybody who runs work from the last round to now.
func (b *roundBooks) elapse(now schedmate.Seconds) {
	for _, j := range b.jobs {
		if j.on == nil || j.end != sim.NoTime {
			continue
		}
		free := j.did // without the charge
		for at := b.now; at < now; at++ {
			b.held += int64(len(j.on))
			free += j.rate
			if j.charge > 0 {
				j.charge--
			} else {
				j.did += j.rate
			}
			ends := j.did
			if b.world.Rounds.Charge == scheduler.ChargeStarts && !j.regular {
				ends = free
			}
			if ends >= j.work {
				j.end = at + 1
				break
			}
		}
		if j.end == sim.NoTime {
			j.charge = 0 // forgiven
		}
	}
	b.now = now
}

func (b *roundBooks) see(ev sim.Event) {
	if ev.Kind == sim.Submitted {
		j := &roundJob{end: sim.NoTime, first: sim.NoTime}
		for i := range b.load.Jobs {
			if b.load.Jobs[i].ID == ev.Job {
				j.job = &b.load.Jobs[i]
			}
		}
		j.work, j.rate = int64(j.job.Outcome.Run), 1
		if b.world.Elastic && j.job.Speeds != nil {
			j.work = j.job.Speeds.Work
		}
		b.jobs[ev.Job] = j
		b.toCome--
		return
	}
	j := b.jobs[ev.Job]
	switch ev.Kind {
	case sim.Started, sim.Moved:
		if (ev.Kind == sim.Moved) != (j.on != nil) {
			b.t.Fatalf("%s of job %s, which runs: %t", ev.Kind, ev.Job, j.on != nil)
		}
		j.on = slices.Clone(ev.Allocations)
		j.started, j.parked = ev.Kind == sim.Started, true
		if b.world.Elastic && j.job.Speeds != nil {
			nodes := map[string]bool{}
			for _, a := range j.on {
				nodes[a.Node] = true
			}
			if j.rate = j.job.Speeds.On(len(j.on), len(nodes), b.types[j.on[0].Node]); j.rate == 0 {
				b.t.Fatalf("job %s got %d GPUs, on which it cannot run", ev.Job, len(j.on))
			}
		}
		b.begins(j)
	case sim.Parked:
		j.parked = true
		b.begins(j)
	case sim.Preempted:
		j.on, j.charge = nil, 0
	case sim.Ended:
		if j.end == sim.NoTime || j.over {
			b.t.Fatalf("job %s ends at %d s with %d of %d done", ev.Job, ev.At, j.did, j.work)
		}
		j.on, j.over = nil, true
	case sim.Rejected:
		j.over = true
	}
}

func (b *roundBooks) begins(j *roundJob) {
	if j.first == sim.NoTime {
		j.first = b.now
	}
}

// settle makes the jobs pay, and checks that no GPU has two of them.
func (b *roundBooks) settle() {
	rules := b.world.Rounds
	regular := rules.RegularEvery > 0 && b.rounds > 0 && b.rounds%rules.RegularEvery == 0
	owner := map[string]string{}
	for id, j := range b.jobs {
		gang := j.job.GPUs
		if j.on != nil {
			gang = len(j.on)
		}
		cost := b.world.Restart(gang)
		if regular {
			cost += rules.RegularCost
		}
		switch {
		case j.over || j.on == nil && !j.parked:
		case rules.Charge == scheduler.ChargeRounds && b.toCome > 0:
			j.charge = cost
		case rules.Charge == scheduler.ChargeStarts && j.on != nil && (regular || j.started):
			j.charge, j.regular = cost, regular
		}
		j.started = false
		if j.on != nil && !j.over && j.work == 0 && j.charge == 0 {
			j.end = b.now
		}
		for _, a := range j.on {
			gpu := fmt.Sprint(a.Node, a.GPU)
			if owner[gpu] != "" {
				b.t.Fatalf("jobs %s and %s both hold %s", owner[gpu], id, gpu)
			}
			owner[gpu] = id
		}
	}
}

// asked calls back when the policy is asked.
type asked struct {
	scheduler.Policy
	before func(schedmate.Seconds)
}

func (a asked) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	if err := s.Validate(); err != nil {
		panic(fmt.Sprintf("BUG: the host shows an invalid snapshot: %v", err))
	}
	a.before(s.Now)
	return a.Policy.Plan(s, b)
}

// The books agree with the simulator about every end, about the GPU time that
// was held, and about when jobs started; no GPU has two jobs, and rounds are no
// closer than they may be.
func TestRoundsAgreeWithBooks(t *testing.T) {
	variants := schedtest.InRounds()
	moves, parks, preemptions := 0, 0, 0
	often(t, 12, func(t *rapid.T) {
		v := variants[rapid.IntRange(0, len(variants)-1).Draw(t, "policy")]
		d := draws(t)
		cluster := schedtest.Cluster(d, schedtest.Plain)
		load := schedtest.Workload(d, &cluster, schedtest.Plain, 14)
		rules := *v.World.Rounds
		rules.Slot = schedmate.Seconds(d(1, 30))
		if rules.RegularEvery > 0 {
			rules.RegularEvery = d(1, 4)
		}
		v.World.Rounds = &rules
		for i := range load.Jobs {
			j := &load.Jobs[i]
			j.TimeLimit = 0
			j.Outcome.Run = max(1, j.Outcome.Run)
			if d(0, 3) > 0 {
				j.Speeds = &sim.Speeds{Work: int64(d(1, 2000))}
				for _, gpus := range []int{1, 2, 4, 8} {
					j.Speeds.Rates = append(j.Speeds.Rates, sim.Rate{GPUs: gpus, PerSecond: int64(d(1, 12))})
				}
			}
		}
		b := &roundBooks{t: t, world: v.World, load: load, types: map[string]string{}, jobs: map[string]*roundJob{}, toCome: len(load.Jobs), rounds: -1}
		last := schedmate.Seconds(sim.NoTime)
		cfg := sim.Config{Cluster: cluster, World: v.World}
		open := false // a round whose costs are not settled
		cfg.Policy = asked{v.Policy, func(now schedmate.Seconds) {
			if now == last { // whether a newcomer could ever run is asked, too
				return
			}
			if last != sim.NoTime && now < last+rules.Slot {
				t.Fatalf("%s: rounds at %d and %d s, the slot is %d s", v.Name, last, now, rules.Slot)
			}
			last = now
		}}
		cfg.Interrupt = func() error {
			if open {
				b.settle()
			}
			b.rounds++
			open = true
			return nil
		}
		clock := func(now schedmate.Seconds) {
			if now > b.now {
				b.elapse(now)
			}
		}
		cfg.Observe = func(ev sim.Event) {
			clock(ev.At)
			b.see(ev)
			switch ev.Kind {
			case sim.Moved:
				moves++
			case sim.Parked:
				parks++
			case sim.Preempted:
				preemptions++
			}
		}
		inner := cfg.Policy.(asked)
		cfg.Policy = asked{v.Policy, func(now schedmate.Seconds) {
			clock(now) // a round without events
			inner.before(now)
		}}
		res, err := sim.Run(cfg, load)
		if err != nil {
			t.Fatalf("%s: %v%s", v.Name, err, describe(cluster, load, v.World))
		}
		for i := range res.Jobs {
			r := &res.Jobs[i]
			j := b.jobs[r.Job.ID]
			if r.State == schedmate.Infeasible {
				continue
			}
			if r.End != j.end || r.Start != j.first {
				t.Fatalf("%s: job %s from %d to %d s, the books say from %d to %d s%s", v.Name, r.Job.ID, r.Start, r.End, j.first, j.end, describe(cluster, load, v.World))
			}
		}
		if res.HeldGPUSeconds != b.held {
			t.Fatalf("%s: %d GPU-s held, the books say %d%s", v.Name, res.HeldGPUSeconds, b.held, describe(cluster, load, v.World))
		}
	})
	t.Logf("%d moves, %d parks, %d preemptions", moves, parks, preemptions)
	if moves < 50 || parks < 50 || preemptions < 50 {
		t.Error("the runs were too easy")
	}
}
