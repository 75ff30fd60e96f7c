package scheduler_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/place"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/verify"
)

// everyPlan draws snapshots and policies, and hands the plan to f.
func everyPlan(t *testing.T, which func(name string) bool, f func(t *rapid.T, v schedtest.Variant, s schedmate.Snapshot, plan schedmate.Plan)) {
	variants := slices.DeleteFunc(schedtest.All(), func(v schedtest.Variant) bool { return !which(v.Name) })
	often(t, 20, func(t *rapid.T) {
		s := drawSnapshot(t)
		if err := s.Validate(); err != nil {
			t.Fatalf("the drawn snapshot is invalid: %v", err)
		}
		v := variants[rapid.IntRange(0, len(variants)-1).Draw(t, "policy")]
		f(t, v, s, scheduler.Plan(v.Policy, s, scheduler.Budget{}))
	})
}

func all(string) bool { return true }

// skips says whether the variant goes on behind a job that does not fit, and
// places by the consolidated rule.
func skips(name string) bool {
	switch name {
	case "sjf/default", "qssf/default", "genie/default", "yarncs/default", `fifo/default{"blocking":"skip"}`, `sjf/default{"blocking":"skip"}`:
		return true
	}
	return displaces(name)
}

// displaces says whether the variant preempts only for a job that it can place.
func displaces(name string) bool {
	return (strings.HasPrefix(name, "srtf/default") || strings.HasPrefix(name, "tiresias/default") || name == "edf/default") && !strings.Contains(name, "counted")
}

// blocks says whether the variant lets nobody overtake, in whatever VC.
func blocks(name string) bool {
	if strings.HasPrefix(name, "yarncs/default") {
		return false // VCs take turns
	}
	return name == "fifo/default" || name == "fifo/lucid" || name == "sjf/lucid" || strings.Contains(name, "head_of_line")
}

// story prints what a person needs to understand a failed property.
func story(t *rapid.T, s *schedmate.Snapshot, plan *schedmate.Plan) string {
	doc, err := schedmate.Canonical(s)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := schedmate.Canonical(plan)
	if err != nil {
		t.Fatal(err)
	}
	return "\nsnapshot " + string(doc) + "\nplan " + string(answer)
}

// Every plan of every policy passes the independent checker.
func TestPlansAreValid(t *testing.T) {
	starts, preemptions := 0, 0
	everyPlan(t, all, func(t *rapid.T, v schedtest.Variant, s schedmate.Snapshot, plan schedmate.Plan) {
		plan.Hash = plan.Seal(schedmate.Hash(s))
		if err := verify.Check(&s, &plan); err != nil {
			t.Fatalf("%s: %v%s", v.Name, err, story(t, &s, &plan))
		}
		for _, a := range plan.Actions {
			switch a.Kind {
			case schedmate.Start:
				starts++
			case schedmate.Preempt:
				preemptions++
			}
		}
	})
	t.Logf("%d starts, %d preemptions", starts, preemptions)
	if starts < 1000 || preemptions < 100 {
		t.Error("the snapshots were too easy")
	}
}

// Planning changes neither the snapshot nor what its host keeps ready.
func TestPlanLeavesTheSnapshotAsItIs(t *testing.T) {
	variants := schedtest.All()
	often(t, 5, func(t *rapid.T) {
		s := drawSnapshot(t)
		before := schedmate.Hash(s)
		o := s.Occupancy()
		free := func() []int {
			var out []int
			for i := range o.Len() {
				out = append(out, o.Free(i))
			}
			for _, vc := range s.Cluster.VCs {
				out = append(out, o.QuotaLeft(vc.Name))
			}
			return out
		}
		was, mark := free(), o.Mark()
		for range 3 {
			v := variants[rapid.IntRange(0, len(variants)-1).Draw(t, "policy")]
			v.Policy.Plan(s.WithHost(o, false), scheduler.Budget{})
			if diff := cmp.Diff(was, free()); diff != "" || o.Mark() != mark {
				t.Fatalf("%s left the host's occupancy changed: %s", v.Name, diff)
			}
			if schedmate.Hash(s) != before {
				t.Fatalf("%s changed the snapshot", v.Name)
			}
		}
	})
}

// The order of the list of waiting jobs does not matter: their Seq says who
// came first. Neither does what the host keeps ready.
func TestPlanDependsOnContentAlone(t *testing.T) {
	variants := schedtest.All()
	often(t, 5, func(t *rapid.T) {
		s := drawSnapshot(t)
		shuffled := s
		shuffled.Waiting = rapid.Permutation(s.Waiting).Draw(t, "waiting")
		shuffled.Running = rapid.Permutation(s.Running).Draw(t, "running")
		for range 3 {
			v := variants[rapid.IntRange(0, len(variants)-1).Draw(t, "policy")]
			want := v.Policy.Plan(s, scheduler.Budget{})
			for name, same := range map[string]schedmate.Snapshot{
				"shuffled":  shuffled,
				"occupancy": s.WithHost(s.Occupancy(), false),
				"ranked":    ranked(v.Policy, s),
			} {
				if diff := cmp.Diff(want, v.Policy.Plan(same, scheduler.Budget{})); diff != "" {
					t.Fatalf("%s plans otherwise with the snapshot %s:\n%s%s", v.Name, name, diff, story(t, &s, &want))
				}
			}
		}
	})
}

// ranked returns the snapshot as a host that keeps the queue in order has it.
func ranked(p scheduler.Policy, s schedmate.Snapshot) schedmate.Snapshot {
	r, ok := p.(scheduler.Ranker)
	if !ok {
		return s
	}
	out := s
	out.Waiting = scheduler.Sorted(s.Waiting, s.Now, r.Rank)
	return out.WithHost(s.Occupancy(), true)
}

// after returns who holds GPUs after the plan.
func after(s *schedmate.Snapshot, plan *schedmate.Plan) *schedmate.Occupancy {
	o := schedmate.NewOccupancy(s.Cluster)
	gone := preempted(plan)
	for _, j := range s.Running {
		if !slices.Contains(gone, j.Job.ID) {
			o.Take(&j.Job, j.Attempt.Allocations)
		}
	}
	for _, a := range plan.Actions {
		if a.Kind == schedmate.Start {
			o.Take(&s.Find(a.Job).Job, a.Allocations)
		}
	}
	return o
}

func preempted(plan *schedmate.Plan) []string {
	var ids []string
	for _, a := range plan.Actions {
		if a.Kind == schedmate.Preempt {
			ids = append(ids, a.Job)
		}
	}
	return ids
}

// Policies that skip what does not fit leave no GPU idle that a waiting job
// could use. Behind a job that the plan itself preempts they may: its place is
// kept, and the plan asks for another one in the next second.
func TestNoWaitingJobFitsAfterThePlan(t *testing.T) {
	looked := 0
	everyPlan(t, skips, func(t *rapid.T, v schedtest.Variant, s schedmate.Snapshot, plan schedmate.Plan) {
		gone := preempted(&plan)
		if len(gone) > 0 && plan.Wake != s.Now+1 {
			t.Fatalf("%s: a plan that preempts asks to be woken at %d%s", v.Name, plan.Wake, story(t, &s, &plan))
		}
		rank := v.Order()
		o := after(&s, &plan)
		for _, j := range scheduler.Sorted(slices.Concat(s.Waiting, s.Running), s.Now, rank) {
			if slices.Contains(gone, j.Job.ID) {
				break
			}
			if j.Attempt != nil || plan.Started(j.Job.ID) != nil {
				continue
			}
			looked++
			if place.Consolidated(o, &j.Job) != nil {
				t.Fatalf("%s: job %s waits and would fit%s", v.Name, j.Job.ID, story(t, &s, &plan))
			}
		}
	})
	t.Logf("%d waiting jobs looked at", looked)
}

// At the head of the line nobody is overtaken: neither by a job of the same VC
// that comes later in the policy's order, nor by one of another VC, unless its
// own VC's quota keeps the first job of that VC waiting. A job that could not run
// now if nothing else did is not in the line.
func TestHeadOfLineIsNotOvertaken(t *testing.T) {
	everyPlan(t, blocks, func(t *rapid.T, v schedtest.Variant, s schedmate.Snapshot, _ schedmate.Plan) {
		rank := v.Policy.(scheduler.Ranker).Rank
		for _, part := range scheduler.Split(s) {
			plan := v.Policy.Plan(part, scheduler.Budget{})
			o := part.Occupancy()
			first := map[string]*schedmate.Job{} // of each VC, the first that is not served
			for _, j := range scheduler.Sorted(part.Waiting, part.Now, rank) {
				start := plan.Started(j.Job.ID)
				if start == nil {
					if first[j.Job.VC] == nil && possible(&part.Cluster, &j.Job) {
						first[j.Job.VC] = &j.Job
					}
					continue
				}
				for vc, waits := range first {
					if vc == j.Job.VC || o.QuotaLeft(vc) >= waits.GPUs {
						t.Fatalf("%s: job %s overtakes job %s%s", v.Name, j.Job.ID, waits.ID, story(t, &part, &plan))
					}
				}
				o.Take(&j.Job, start.Allocations)
			}
		}
	})
}

// possible reports whether the nodes that take the job now have enough GPUs,
// shared ones counted only if its VC's quota holds the gang.
func possible(c *schedmate.Cluster, j *schedmate.Job) bool {
	gpus, v := 0, c.VC(j.VC)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		fits := n.Takes() && (j.GPUType == "" || j.GPUType == n.GPUType)
		if n.VC == "" {
			fits = fits && (v == nil || v.QuotaGPUs == 0 || v.QuotaGPUs >= j.GPUs)
		} else {
			fits = fits && n.VC == j.VC
		}
		if fits {
			gpus += n.GPUs
		}
	}
	return gpus >= j.GPUs
}

// Displacing policies preempt nobody in vain: with any one victim left running,
// what was started would not fit. (Only the first job that preempts is looked
// at: behind it, places may be kept for whom it has preempted.)
func TestNoVictimInVain(t *testing.T) {
	victims := 0
	everyPlan(t, displaces, func(t *rapid.T, v schedtest.Variant, s schedmate.Snapshot, plan schedmate.Plan) {
		first := slices.IndexFunc(plan.Actions, func(a schedmate.Action) bool { return a.Kind == schedmate.Preempt })
		if first < 0 {
			return
		}
		next := first + slices.IndexFunc(plan.Actions[first:], func(a schedmate.Action) bool { return a.Kind == schedmate.Start })
		if next < first {
			t.Fatalf("%s: the plan preempts and starts nothing%s", v.Name, story(t, &s, &plan))
		}
		newcomer := s.Find(plan.Actions[next].Job)
		for _, spared := range plan.Actions[first:next] {
			victims++
			// What the plan has done until then, but for this one victim.
			done := plan
			done.Actions = slices.DeleteFunc(slices.Clone(plan.Actions[:next]), func(a schedmate.Action) bool { return a.Job == spared.Job })
			if place.Consolidated(after(&s, &done), &newcomer.Job) != nil {
				t.Fatalf("%s: job %s starts with job %s preempted, and would fit without%s", v.Name, newcomer.Job.ID, spared.Job, story(t, &s, &plan))
			}
		}
	})
	t.Logf("%d victims", victims)
}
