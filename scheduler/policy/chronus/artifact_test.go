package chronus_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/policy/chronus"
	"schedmate/scheduler/sim"
)

// result is what is compared, job by job.
type result struct {
	Job      string
	End      float64 // minutes
	Waited   int
	Preempts int
}

// Policy and simulator agree, job by job, with a simulator that goes through the
// artifact's loops minute by minute.
func TestTwinAgrees(t *testing.T) {
	d := chronus.Descriptor()
	p, err := d.New(chronus.Options{Reading: chronus.Artifact, Selector: chronus.Greedy, Placement: "spread", Lease: 1200, Cycle: 300, Step: 60})
	if err != nil {
		t.Fatal(err)
	}
	preempts, refused, impossible, outran := 0, 0, 0, 0
	for range 5 {
		rapid.Check(t, func(t *rapid.T) {
			w, load := draw(t)
			cluster := schedmate.Cluster{Spread: true}
			for i := range w.gpus / 8 {
				cluster.Nodes = append(cluster.Nodes, schedmate.Node{ID: fmt.Sprintf("n%d", i), GPUs: 8})
			}
			w.run()
			want := make([]result, len(load.Jobs))
			for _, j := range w.over {
				want[j.id] = result{load.Jobs[j.id].ID, j.end, j.waited, j.preempts}
				preempts += j.preempts
				switch {
				case j.outran:
					outran++
				case j.state == 1:
					refused++
				case j.state == -1:
					impossible++
				}
			}
			var events strings.Builder
			res, err := sim.Run(sim.Config{Cluster: cluster, Policy: p, World: chronus.World(), Observe: func(ev sim.Event) {
				fmt.Fprintf(&events, "\n%g %s %s %d", float64(ev.At)/60, ev.Kind, ev.Job, len(ev.Allocations))
			}}, load)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]result, len(load.Jobs))
			for i := range res.Jobs {
				r := &res.Jobs[i]
				got[i] = result{r.Job.ID, float64(r.End) / 60, int(r.Queue / 60), r.Preemptions}
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 0.1 }) // a start of 12 GPUs is rounded up to whole seconds
			if diff := cmp.Diff(want, got, near); diff != "" {
				t.Fatalf("(-twin +policy)\n%s%s", diff, events.String())
			}
		})
	}
	t.Logf("%d preemptions; of jobs, %d were refused, %d lost their deadline, %d outran their estimate", preempts, refused, impossible, outran)
	if preempts < 100 || refused < 100 || impossible < 20 || outran < 5 {
		t.Error("the workloads were too easy")
	}
}

// draw invents the same workload twice.
func draw(t *rapid.T) (*twin, sim.Workload) {
	n := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
	w := &twin{gpus: 8 * n(1, 2)}
	var load sim.Workload
	at := n(0, 7)
	for id := range n(1, 30) {
		j := &tjob{id: id, submit: at, gpu: []int{1, 1, 2, 3, 4, 5, 8, 12}[n(0, 7)], work: n(1, 60)}
		j.gpu = min(j.gpu, w.gpus)
		job := schedmate.Job{
			ID: fmt.Sprint("j", id), GPUs: j.gpu, Submit: schedmate.Seconds(60 * at),
			Outcome: &schedmate.Outcome{Run: schedmate.Seconds(60 * j.work), State: schedmate.Completed},
		}
		switch kind := n(0, 3); kind {
		case 0:
			j.best, j.due = true, math.MaxInt32
		default:
			due, reward := j.work+n(0, 2*j.work)+n(0, 30), 100
			for range kind {
				j.tiers, j.values = append(j.tiers, due), append(j.values, reward/10)
				job.SLO.Tiers = append(job.SLO.Tiers, schedmate.Tier{Deadline: schedmate.Seconds(60 * (at + due)), Reward: reward})
				due, reward = due+n(1, 30), reward-30
			}
			j.due = j.tiers[0]
			job.SLO.Class = schedmate.Soft
			if kind == 1 {
				job.SLO.Class = schedmate.Strict
			}
		}
		w.future = append(w.future, j)
		load.Jobs = append(load.Jobs, sim.Job{Job: job})
		at += []int{0, 0, 1, 3, 10}[n(0, 4)]
	}
	return w, load
}
