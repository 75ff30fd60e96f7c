package sia

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
)

// fixed is the default policy.
func fixed(t interface{ Fatal(...any) }) *policy {
	d := Descriptor()
	p, err := d.New(d.Presets[0].Options)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*policy)
}

// learner is an adaptive job that computes 10 ms a sample on slow, half of that on
// fast, and exchanges in 10 ms; its gradient is so noisy that a larger batch
// teaches as much as its samples.
func learner(id string, submit schedmate.Seconds, measured ...string) *schedmate.JobStatus {
	t := &schedmate.Tuning{Batch: 32, LimitBatch: 1024, MostBatch: 1024, LeastLocal: 8, Restart: 30, Noise: 1_000_000_000_000_000, Types: []schedmate.TunedType{
		{GPUType: "fast", MostLocal: 256, OneGPU: 200_000_000}, {GPUType: "slow", MostLocal: 256, OneGPU: 100_000_000},
	}}
	for _, m := range measured {
		on := t.On(m)
		per := int64(5_000_000_000_000)
		if m == "slow" {
			per *= 2
		}
		ms := int64(1_000_000_000_000)
		on.MostGPUs, on.Model = 4, &schedmate.StepModel{Compute: 1, ComputeSample: per, Across: 10 * ms, AcrossGPU: 1, Within: 10 * ms, WithinGPU: 1, Gamma: 1_000_000_000}
	}
	return &schedmate.JobStatus{Job: schedmate.Job{ID: id, GPUs: 1, Sizes: []int{1, 2, 4, 8}, Submit: submit}, Tuning: t}
}

func stage(now schedmate.Seconds, jobs ...*schedmate.JobStatus) schedmate.Snapshot {
	s := schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: now, Cluster: schedmate.Cluster{Nodes: []schedmate.Node{
		{ID: "f0", GPUs: 4, GPUType: "fast"}, {ID: "s0", GPUs: 4, GPUType: "slow"},
	}}}
	for i, j := range jobs {
		j.Seq = int64(i)
		if j.Attempt != nil {
			s.Running = append(s.Running, j)
		} else {
			s.Waiting = append(s.Waiting, j)
		}
	}
	return s
}

func on(j *schedmate.JobStatus, start schedmate.Seconds, node string, gpus ...int) *schedmate.JobStatus {
	j.Attempt = &schedmate.Attempt{Number: 1, Start: start}
	for _, g := range gpus {
		j.Attempt.Allocations = append(j.Attempt.Allocations, schedmate.Allocation{Node: node, GPU: g, Share: schedmate.WholeGPU})
	}
	return j
}

// what writes a plan's actions, one word each.
func what(p schedmate.Plan) string {
	var words []string
	for _, a := range p.Actions {
		word := string(a.Kind) + ":" + a.Job
		if len(a.Allocations) > 0 {
			word += ":" + a.Allocations[0].Node + "x" + string(rune('0'+len(a.Allocations)))
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// A newcomer has one GPU, whatever is free: nobody knows yet what it would do
// with more.
func TestNewcomersBeginOnOneGPU(t *testing.T) {
	s := stage(60, learner("a", 0))
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := what(scheduler.Plan(fixed(t), s, scheduler.Budget{})); got != "start:a:f0x1" {
		t.Errorf("got %s", got)
	}
}

// A job that knows its steps on slow takes the fast node whole: by the ratio of
// the speeds on one GPU it will be twice as fast there.
func TestAJobMovesToWhereItsModelAndItsProfileSayItIsFaster(t *testing.T) {
	s := stage(6000, on(learner("a", 0, "slow"), 60, "s0", 0, 1, 2, 3))
	if got := what(scheduler.Plan(fixed(t), s, scheduler.Budget{})); got != "move:a:f0x4" {
		t.Errorf("got %s", got)
	}
}

// The same job right after its start, with restarts as dear as its life: it stays.
// age = 60 s, one restart of 30 s: 60 / 90 of a value that is twice as large is
// more; but with three restarts behind it nothing is left of it.
func TestRestartsMakeJobsStay(t *testing.T) {
	for attempts, want := range map[int]string{1: "move:a:f0x4", 3: ""} {
		j := on(learner("a", 0, "slow"), 60, "s0", 0, 1, 2, 3)
		j.Attempt.Number = attempts
		if got := what(scheduler.Plan(fixed(t), stage(60, j), scheduler.Budget{})); got != want {
			t.Errorf("attempt %d: got %q, want %q", attempts, got, want)
		}
	}
}

// Ten seconds into a start of 30 s a job keeps its one slow GPU, although four fast
// ones are free.
func TestAJobThatIsStartingKeepsWhatItHas(t *testing.T) {
	j := on(learner("a", 0, "slow"), 590, "s0", 0)
	j.Owed = 30 // ten of them are paid
	if got := what(scheduler.Plan(fixed(t), stage(600, j), scheduler.Budget{})); got != "" {
		t.Errorf("a job that is still starting was touched: %s", got)
	}
}

// No plan gives more of a type than there is, gives a job GPUs of two types, or
// changes the gang of a job that is still starting.
func TestPlansKeepCapacityTypesAndPins(t *testing.T) {
	d := Descriptor()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
		var jobs []*schedmate.JobStatus
		free := map[string]int{"f0": 4, "s0": 4}
		for i := range draw(1, 8) {
			known := [][]string{nil, {"slow"}, {"fast"}, {"fast", "slow"}}[draw(0, 3)]
			j := learner(string(rune('a'+i)), schedmate.Seconds(draw(0, 500)), known...)
			node := []string{"f0", "s0"}[draw(0, 1)]
			if gpus := []int{0, 1, 2, 4}[draw(0, 3)]; gpus > 0 && gpus <= free[node] {
				var list []int
				for k := range gpus {
					list = append(list, 4-free[node]+k)
				}
				free[node] -= gpus
				on(j, 550, node, list...)
				j.Owed = schedmate.Seconds(draw(0, 1) * 100)
			}
			jobs = append(jobs, j)
		}
		s := stage(600, jobs...)
		s.Cluster.Spread = draw(0, 1) == 1
		preset := d.Presets[draw(0, len(d.Presets)-1)]
		p, err := d.New(preset.Options)
		if err != nil {
			t.Fatal(err)
		}
		plan := scheduler.Plan(p, s, scheduler.Budget{})
		has := make(map[string][]schedmate.Allocation)
		for _, j := range s.Running {
			has[j.Job.ID] = j.Attempt.Allocations
		}
		for _, a := range plan.Actions {
			has[a.Job] = a.Allocations
		}
		used := make(map[schedmate.Allocation]string)
		for _, j := range jobs {
			as := has[j.Job.ID]
			for _, a := range as {
				if by, twice := used[a]; twice {
					t.Fatalf("GPU %d of %s is given to %s and %s", a.GPU, a.Node, by, j.Job.ID)
				}
				used[a] = j.Job.ID
				if a.Node != as[0].Node {
					t.Fatalf("job %s has GPUs of two types", j.Job.ID)
				}
			}
			if j.Attempt != nil && j.Owed > 50 && (len(as) != len(j.Attempt.Allocations) || as[0].Node != j.Attempt.Allocations[0].Node) {
				t.Fatalf("job %s is still starting on %v and was given %v", j.Job.ID, j.Attempt.Allocations, as)
			}
		}
	})
}

func TestOptions(t *testing.T) {
	d := Descriptor()
	for _, c := range []struct {
		overlay, names string
	}{
		{`{}`, ""}, {`{"placement":"x"}`, "placement"}, {`{"power_milli":0}`, "power_milli"}, {`{"wait_milli":0}`, "wait_milli"},
		{`{"other_believed_s":-1}`, "other_believed_s"}, {`{"believed":[{"model":"bert","cost_s":-1}]}`, "believed[0].cost_s"},
	} {
		o, err := d.Decode(d.Presets[0].Options, []byte(c.overlay))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = d.New(o); (err == nil) != (c.names == "") || err != nil && !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: want an error that names %q, got %v", c.overlay, c.names, err)
		}
	}
}
