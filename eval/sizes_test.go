package eval

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Sizes are grouped by powers of two: 3 and 4 GPUs are one group.
func TestSizesAreGroupedByPowersOfTwo(t *testing.T) {
	table := newSizeTable()
	for _, j := range []struct {
		gpus             int
		queue, run, wait schedmate.Seconds
	}{{gpus: 1, run: 100}, {gpus: 3, run: 100, queue: 20}, {gpus: 4, run: 50, queue: 50}, {gpus: 64, run: 10}} {
		job := schedmate.Job{GPUs: j.gpus, Outcome: &schedmate.Outcome{Run: j.run}}
		table.add(&sim.JobResult{Job: &sim.Job{Job: job}, Start: j.queue, End: j.queue + j.run, Queue: j.queue})
	}
	want := []SizeShare{
		{1, 1, 1, 100.0 / 1240, 100, 0, 1},
		{3, 4, 2, 500.0 / 1240, 110, 35, (1.2 + 2) / 2},
		{33, 64, 1, 640.0 / 1240, 10, 0, 1},
	}
	if diff := cmp.Diff(want, table.shares()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
