package unisched_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/unisched"
	"schedmate/scheduler/sim"
)

func made(t interface{ Fatal(...any) }, preset, overlay string) (scheduler.Policy, scheduler.World) {
	d := unisched.Descriptor()
	p, err := d.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	o, err := d.Decode(p.Options, []byte(overlay))
	if err != nil {
		t.Fatal(err)
	}
	policy, err := d.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return policy, p.World
}

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

// tale runs jobs on nodes of 8 GPUs and tells what happens, without submissions.
func tale(t *testing.T, preset, overlay string, nodes int, jobs ...sim.Job) string {
	t.Helper()
	lines, _ := told(t, preset, overlay, nodes, jobs...)
	return lines
}

func told(t *testing.T, preset, overlay string, nodes int, jobs ...sim.Job) (string, *sim.Result) {
	t.Helper()
	policy, world := made(t, preset, overlay)
	var lines []string
	say := func(format string, args ...any) {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
	cluster := schedmate.Cluster{Spread: true}
	for i := range nodes {
		cluster.Nodes = append(cluster.Nodes, schedmate.Node{ID: fmt.Sprint("n", i), GPUs: 8})
	}
	res, err := sim.Run(sim.Config{Cluster: cluster, Policy: teller{policy, say}, World: world,
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
	return strings.Join(lines, "\n"), res
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

func gang(id string, gpus int, submit, run schedmate.Seconds, class schedmate.SLOClass, deadlines ...schedmate.Seconds) sim.Job {
	j := sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: submit, Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed}}}
	for i, d := range deadlines {
		j.SLO.Class = class
		j.SLO.Tiers = append(j.SLO.Tiers, schedmate.Tier{Deadline: d, Reward: []int{100, 80, 50, 20}[i]})
	}
	return j
}

// Both want the whole node. The deadline leaves six leases, and the work takes one:
// in 1 (6-1+1)/6 = 1 run, so that no resumption is to be expected. Best effort, the
// shorter, goes first, and the deadline is promised all the same.
func TestSlackGoesToBestEffort(t *testing.T) {
	want(t, tale(t, "default", "", 1,
		gang("slo", 8, 0, 600, schedmate.Strict, 3600),
		gang("be", 8, 0, 300, schedmate.BestEffort)), `
		0 tell slo promised 3600
		0 start be
		300 end be
		300 start slo
		900 end slo`)
}

// Without slack it is the other way round: 1,200 s of work fill the two leases.
func TestADeadlineWithoutSlackGoesFirst(t *testing.T) {
	want(t, tale(t, "default", "", 1,
		gang("slo", 8, 0, 1200, schedmate.Strict, 1200),
		gang("be", 8, 0, 300, schedmate.BestEffort)), `
		0 tell slo promised 1200
		0 start slo until 600
		1200 end slo
		1200 start be
		1500 end be`)
}

// At 100 s a job comes that would miss its deadline if it waited for the next
// lease. It gets one at once; best effort pays 46 s for being suspended.
func TestANewcomerThatCannotWait(t *testing.T) {
	want(t, tale(t, "default", "", 1,
		gang("be", 8, 0, 1000, schedmate.BestEffort),
		gang("slo", 4, 100, 200, schedmate.Strict, 350)), `
		0 start be
		100 tell slo promised 350
		100 preempt be
		100 start slo until 600
		300 end slo
		300 start be
		1246 end be`)
}

// The paper's policy looks every 300 s: the same newcomer begins at the next
// boundary, where it has less to do than best effort, but too late.
func TestThePaperWaitsForTheBoundary(t *testing.T) {
	want(t, tale(t, "paper", `{"profiling":{"mode":"off"}}`, 1,
		gang("be", 8, 0, 500, schedmate.BestEffort),
		gang("slo", 4, 100, 200, schedmate.Strict, 350)), `
		0 start be
		300 preempt be
		300 start slo
		500 end slo
		600 start be
		846 end be`)
}

// Two want all GPUs for 600 s. Both could end by 1,300, one of them by 700: the
// soft one loses less, 20 of 100, by its second deadline.
func TestWhoLosesLessWaits(t *testing.T) {
	want(t, tale(t, "default", "", 1,
		gang("soft", 8, 0, 600, schedmate.Soft, 700, 1300),
		gang("strict", 8, 0, 600, schedmate.Strict, 700)), `
		0 tell soft expected 1300
		0 tell strict promised 700
		0 start strict until 600
		600 end strict
		600 start soft until 1200
		1200 end soft`)
}

// A profiling run takes two GPUs for 300 s, beside others; only then is anything
// known about the job, and at the next round it is told.
func TestProfilingIsAJob(t *testing.T) {
	want(t, tale(t, "paper", "", 1,
		gang("a", 4, 0, 1000, schedmate.Strict, 4000),
		gang("b", 1, 0, 400, schedmate.BestEffort)), `
		0 measure b until 300
		0 measure a until 300
		300 start b
		300 start a
		600 tell a promised 4000
		700 end b
		1300 end a`)
}

// One GPU is set aside: profiling runs follow one another there although the
// node is empty. With as many as wait for it they begin together.
func TestProfilingOnGPUsThatAreSetAside(t *testing.T) {
	jobs := []sim.Job{gang("a", 1, 0, 100, schedmate.BestEffort), gang("b", 1, 0, 100, schedmate.BestEffort)}
	lines, res := told(t, "paper", `{"profiling":{"mode":"fixed","gpus":1}}`, 1, jobs...)
	if p := res.Profiling; p == nil || p.Jobs != 2 || p.Wait != 300 || p.LongestWait != 300 || p.GPUSeconds != 600 || res.HeldGPUSeconds != 800 {
		t.Errorf("two runs of 300 s on one GPU, of which the second waits for the first, and 200 s of work: %+v, %d GPU-s held", p, res.HeldGPUSeconds)
	}
	want(t, lines, `
		0 measure a until 300
		300 start a
		300 measure b until 600
		400 end a
		600 start b
		700 end b`)
	want(t, tale(t, "paper", `{"profiling":{"mode":"dynamic","gpus":4}}`, 1, jobs...), `
		0 measure a until 300
		0 measure b until 300
		300 start a
		300 start b
		400 end a
		400 end b`)
}

// Two gangs of 4 leave half a node each, and a gang of 6 takes 4 of one and 2 of the
// other. Without cells it is planned with 8, and waits for a whole node.
func TestCellsOfTwoNodes(t *testing.T) {
	jobs := []sim.Job{
		gang("x", 5, 0, 1000, schedmate.BestEffort), gang("y", 4, 0, 1000, schedmate.BestEffort),
		gang("six", 6, 0, 1000, schedmate.BestEffort),
	}
	want(t, tale(t, "paper", `{"profiling":{"mode":"off"}}`, 2, jobs...), `
		0 start y
		0 start x
		0 start six
		1000 end y
		1000 end x
		1000 end six`)
	want(t, tale(t, "paper", `{"profiling":{"mode":"off"},"cells":false}`, 2, jobs...), `
		0 start y
		0 start x
		1000 end y
		1000 end x
		1200 start six
		2200 end six`)
}
