package chronus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// teller writes down what jobs are told.
type teller struct {
	scheduler.Policy
	say func(string, ...any)
}

func (p teller) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	plan := p.Policy.Plan(s, b)
	for _, c := range plan.Promises {
		p.say("%d tell %s %s %d %s", s.Now, c.Job, c.State, c.Deadline, c.Cause)
	}
	return plan
}

// tale runs jobs on one node of 8 GPUs and tells what happens, without submissions.
func tale(t *testing.T, name string, jobs ...sim.Job) string {
	t.Helper()
	policy, world := preset(t, name)
	world.Estimates = scheduler.TraceEstimate
	var lines []string
	say := func(format string, args ...any) {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
	_, err := sim.Run(sim.Config{
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n", GPUs: 8}}},
		Policy:  teller{policy, say}, World: world,
		Observe: func(e sim.Event) {
			switch {
			case e.Kind == sim.Submitted:
			case e.Lease > 0:
				say("%d %s %s until %d", e.At, e.Kind, e.Job, e.Lease)
			default:
				say("%d %s %s", e.At, e.Kind, e.Job)
			}
		},
	}, sim.Workload{Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func want(t *testing.T, got, text string) {
	t.Helper()
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		lines = append(lines, strings.TrimSpace(line))
	}
	if diff := cmp.Diff(strings.Join(lines, "\n"), got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// gang is a job that runs as long as it was believed to.
func gang(id string, gpus int, submit, run schedmate.Seconds, class schedmate.SLOClass, deadlines ...schedmate.Seconds) sim.Job {
	j := sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: submit, Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed}}}
	for i, d := range deadlines {
		j.SLO.Class = class
		j.SLO.Tiers = append(j.SLO.Tiers, schedmate.Tier{Deadline: d, Reward: []int{100, 80, 50, 20}[i]})
	}
	return believed(j, int64(run))
}

func believed(j sim.Job, run int64) sim.Job {
	j.Facts = []schedmate.Fact{{Kind: schedmate.RunSeconds, Value: run, Low: run, High: run, Source: schedmate.FromPrior}}
	return j
}

// a needs 2000 s, that is 2 leases of 1200 s less 62 s for a resumption, of the 5
// that end by 6000. b, best effort, needs 300 s of the same 8 GPUs.
//
// Planned early, a has the leases from 0 and from 1200 on, and b gets what a leaves at
// 2000 in the next cycle. As b is promised nothing and waits, the paper and we keep a
// back to its last two leases, from 3600 and 4800 on. At 300 b ends, and a takes what
// is free, without a lease.
func TestAPromiseIsKept(t *testing.T) {
	jobs := []sim.Job{gang("a", 8, 0, 2000, schedmate.Strict, 6000), gang("b", 8, 0, 300, "")}
	want(t, tale(t, "planned", jobs...), `
		0 tell a promised 6000
		0 start a until 1200
		2000 end a
		2100 start b
		2400 end b`)
	for _, name := range []string{"paper", "whole"} {
		want(t, tale(t, name, jobs...), `
			0 tell a promised 6000
			0 start b
			300 end b
			300 start a
			2300 end a`)
	}
}

// s needs two leases: of the three by its last tier, 4800, it has that from 0 on. c
// must have the one from 1200 on. d would need the two others by then.
//
// The paper is sure of the last tier of s: c is promised its deadline, as s can end
// in the lease from 3600 on, and d is refused. With us s only expects: c moves it to
// its second tier, and d takes that away as well.
func TestWhatASoftJobIsSureOf(t *testing.T) {
	jobs := []sim.Job{
		gang("s", 8, 0, 2000, schedmate.Soft, 2400, 4800),
		gang("c", 8, 10, 1000, schedmate.Strict, 2500),
		gang("d", 8, 20, 1900, schedmate.Strict, 4900),
	}
	want(t, tale(t, "paper", jobs...), `
		0 tell s expected 4800
		0 start s until 1200
		10 tell c promised 2500
		20 tell d refused 4900 short
		1200 preempt s
		1200 start c until 2400
		2200 end c
		2400 start s
		3262 end s
		3300 start d
		5200 end d`)
	told := tale(t, "whole", jobs...)
	for _, line := range []string{"0 tell s expected 2400", "10 tell s expected 4800", "20 tell d promised 4900", "20 tell s lapsed 4800 overruled"} {
		if !slices.Contains(strings.Split(told, "\n"), line) {
			t.Errorf("want %q in\n%s", line, told)
		}
	}
}

// p is promised and has no lease before 4800; b, best effort, has longer to run: p comes
// first. In the artifact's order it would come behind b all the same.
func TestPromisedJobsInSpot(t *testing.T) {
	jobs := []sim.Job{gang("p", 8, 0, 500, schedmate.Strict, 6000), gang("b", 8, 0, 900, "")}
	want(t, tale(t, "behind", jobs...), `
		0 tell p promised 6000
		0 start b
		900 end b
		900 start p
		1400 end p`)
	want(t, tale(t, "whole", jobs...), `
		0 tell p promised 6000
		0 start p
		500 end p
		500 start b
		1400 end b`)
}

// a has both leases until 2400. c would need one of them: 8 GPU-leases too many, so
// it is refused at once. It still runs: when a ends at 2000, in the next cycle of
// the paper, at once with us.
func TestWhoIsRefusedRunsInSpot(t *testing.T) {
	jobs := []sim.Job{gang("a", 8, 0, 2000, schedmate.Strict, 2500), gang("c", 8, 10, 1000, schedmate.Strict, 2450)}
	want(t, tale(t, "paper", jobs...), `
		0 tell a promised 2500
		0 start a until 1200
		10 tell c refused 2450 short
		2000 end a
		2100 start c
		3100 end c`)
	want(t, tale(t, "whole", jobs...), `
		0 tell a promised 2500
		0 start a until 1200
		10 tell c refused 2450 short
		2000 end a
		2000 start c
		3000 end c`)
}

// a is believed to need 2000 s and ends after 700: its lease until 1200 goes to b in
// the cycle at 900. s was told its second tier, as the paper tells soft jobs their last.
// At the boundary at 1200 the second lease of a is free, and s, which was planned from
// 2400 on, has it, as that meets its first tier.
func TestAnEarlyEndGivesCapacityBack(t *testing.T) {
	a := gang("a", 8, 0, 700, schedmate.Strict, 2400)
	jobs := []sim.Job{believed(a, 2000), gang("s", 8, 5, 1000, schedmate.Soft, 2400, 6000), gang("b", 8, 5, 250, "")}
	want(t, tale(t, "paper", jobs...), `
		0 tell a promised 2400
		0 start a until 1200
		5 tell s expected 6000
		700 end a
		900 start b
		1150 end b
		1200 start s until 2400
		2200 end s`)
}

// v runs with the least time left when w comes, which must have the GPUs at the next
// boundary to be in time: of its 1100 s no lease later than that from 1200 on holds.
// v is preempted at 1200, saves its work, and owes 62 s.
func TestSpotGivesWayAtTheBoundary(t *testing.T) {
	want(t, tale(t, "whole", gang("v", 8, 0, 1500, ""), gang("w", 8, 400, 1100, schedmate.Strict, 2500)), `
		0 start v
		400 tell w promised 2500
		1200 preempt v
		1200 start w until 2400
		2300 end w
		2300 start v
		2662 end v`)
}

// z is believed to need 1000 s and needs 3000. Its one lease, from 0 on, is followed
// by another as long as there is one; at 2400 nothing is left by the deadline, and the
// promise breaks, by its own doing. That of y is kept: its lease has moved from 1200
// to 2400, which is in time.
func TestAPromiseBreaksByItsOwnDoing(t *testing.T) {
	z := gang("z", 8, 0, 3000, schedmate.Strict, 2500)
	got := tale(t, "paper", believed(z, 1000), gang("y", 8, 20, 1000, schedmate.Strict, 5000))
	want(t, got, `
		0 tell z promised 2500
		0 start z until 1200
		20 tell y promised 5000
		2400 tell z broken 2500 progress
		2400 preempt z
		2400 start y until 3600
		3400 end y
		3600 start z
		4262 end z`)
}

// Of 8 GPUs we promise 4 at most, 60 % in whole gangs: the promise for 8 is refused at
// once, and the job runs all the same. The paper promises all.
func TestAPartIsNeverPromised(t *testing.T) {
	want(t, tale(t, "default", gang("a", 8, 0, 1000, schedmate.Strict, 6000), gang("b", 4, 1000, 1000, schedmate.Strict, 6000)), `
		0 tell a refused 6000 too_wide
		0 start a
		1000 end a
		1000 tell b promised 6000
		1000 start b
		2000 end b`)
}
