package traces

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Two jobs of the first Philly workload. The first needs 3,178 iterations at
// batch size 2,048. On six T4, shape 2 + 4, its 342 samples a GPU take 0.26878 s
// by the placement profile, times the slowdown 1.8 of cifar10: 1538 s.
func TestSiaJobsRunAsTheyAskWithoutAdaption(t *testing.T) {
	got := mustRead(t, "sia", siaHeader+"cifar10-0,107,cifar10,6,2048\ndeepspeech2-1,110.6,deepspeech2,6,320\n")
	job := func(id, app string, gpus, batch int, submit, run schedmate.Seconds, iterations int64) sim.Job {
		return sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: submit, Iterations: iterations,
			Workload: schedmate.Workload{Model: app, BatchSize: batch},
			Outcome:  &schedmate.Outcome{Run: run, State: schedmate.Completed}}}
	}
	want := []sim.Job{
		job("cifar10-0", "cifar10", 6, 2048, 107, 1538, 3178),
		job("deepspeech2-1", "deepspeech2", 6, 320, 111, 4984, 2264),
	}
	if diff := cmp.Diff(want, got.Jobs); diff != "" {
		t.Error(diff)
	}
}

// Whole workloads of the published files, against totals computed in Python.
func TestSiaWorkloads(t *testing.T) {
	for _, c := range []struct {
		file, workload string
		want           sums
		others         int
	}{
		{"philly", "1", sums{Jobs: 160, GPUs: 1612, Run: 549482, Submit: 2357198, Iterations: 660877}, 1120},
		{"saturn", "10", sums{Jobs: 160, GPUs: 1472, Run: 678496, Submit: 2037194, Iterations: 679968}, 1440},
		{"newtrace", "3", sums{Jobs: 960, GPUs: 8932, Run: 2974051, Submit: 75822428, Iterations: 2719687}, 8640},
		{"scale", "scale_4x/2", sums{Jobs: 640, GPUs: 5496, Run: 2221060, Submit: 7798460, Iterations: 2498860}, 20960},
	} {
		trace, err := OpenWith(inFolder(t, filepath.Join("sia", "workloads_"+c.file+".csv.gz")), "sia", Options{Workload: c.workload})
		if err != nil {
			t.Error(err)
			continue
		}
		got := sumUp(trace)
		got.First, got.Last, got.GPUSeconds = 0, 0, 0
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s: %s", c.file, c.workload, diff)
		}
		if len(trace.Dropped) != 1 || trace.Dropped[0].Count != c.others {
			t.Errorf("%s %s: left out %v, want %d of other workloads", c.file, c.workload, trace.Dropped, c.others)
		}
	}
}
