package traces

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/sim"
)

// The first lines of the artifact's Figure 8a, by hand. cifar10 with batch 4096
// is measured on T4 alone, ncf too. 2,011 iterations times 10^13 are 17 digits,
// so that is the unit; the table says 0.3558... iterations a second on one T4.
func TestElasticflowRows(t *testing.T) {
	trace := mustRead(t, "elasticflow", "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n"+
		"0,3715485,2011,cifar10,3719996,4096,1,5644\n"+
		"1,3717550,1548,unheard-of,3717583,32768,8,66\n")
	if len(trace.Jobs) != 2 {
		t.Fatalf("%d jobs", len(trace.Jobs))
	}
	first, second := trace.Jobs[0], trace.Jobs[1]
	speeds := first.Speeds
	first.Speeds = nil
	want := sim.Job{Job: schedmate.Job{
		ID: "0", GPUs: 1, Submit: 3_715_485, Iterations: 2011,
		Workload: schedmate.Workload{Model: "cifar10", BatchSize: 4096},
		SLO:      schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 3_719_996, Reward: 100}}},
		Outcome:  &schedmate.Outcome{Run: 5644, State: schedmate.Completed},
	}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	if second.Speeds != nil {
		t.Errorf("a model that nobody has measured has the speeds %v", second.Speeds)
	}
	if speeds == nil || speeds.Work != 2011e13 {
		t.Fatalf("speeds %v, want 2011 iterations in units of 10^-13", speeds)
	}
	if diff := cmp.Diff([]int{1, 2, 4, 8, 16, 32, 64}, speeds.Sizes("T4")); diff != "" {
		t.Error(diff)
	}
	if sizes := speeds.Sizes("A100"); sizes != nil {
		t.Errorf("on A100, where it was not measured, it runs on %v", sizes)
	}
	// The widest gang is not the fastest: T(16) = 4.47, T(64) = 3.31.
	for gpus, want := range map[int]int64{16: 447, 64: 331} {
		if got := speeds.On(gpus, gpus/4, "T4") / 1e11; got != want {
			t.Errorf("on %d GPUs %d hundredths of an iteration a second, want %d", gpus, got, want)
		}
	}
}

// A gang cannot be larger than the batch, and a failed measurement is none.
func TestElasticflowSpeedsThatAreNot(t *testing.T) {
	speeds := func(model string, batch int) *sim.Speeds {
		return elasticflowSpeeds(&schedmate.Job{Iterations: 1, Workload: schedmate.Workload{Model: model, BatchSize: batch}})
	}
	if diff := cmp.Diff([]int{1, 2, 4, 8, 16}, speeds("yolov3", 64).Sizes("T4")); diff != "" {
		t.Errorf("yolov3 was not measured on 32 and 64 T4: %s", diff)
	}
	if diff := cmp.Diff([]int{1, 2, 4, 8, 16, 32}, speeds("deepspeech2", 32).Sizes("A100")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 2, 4, 8}, speeds("resnet50_cifar10", 64).Sizes("A100")); diff != "" {
		t.Errorf("resnet50_cifar10 has zeros from 16 GPUs on: %s", diff)
	}
}
