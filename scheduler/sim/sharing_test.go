package sim_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// packer starts each job at once, with half of the first GPUs of node n1 that
// have room for it.
func packer(s schedmate.Snapshot) schedmate.Plan {
	var plan schedmate.Plan
	held := make(map[int]schedmate.Share)
	for _, j := range s.Running {
		for _, a := range j.Attempt.Allocations {
			held[a.GPU] += a.Share
		}
	}
	for _, j := range s.Waiting {
		a := schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID}
		for i := 0; i < s.Cluster.Nodes[0].GPUs && len(a.Allocations) < j.Job.GPUs; i++ {
			if held[i] <= schedmate.WholeGPU/2 {
				a.Allocations = append(a.Allocations, schedmate.Allocation{Node: "n1", GPU: i, Share: schedmate.WholeGPU / 2})
			}
		}
		if len(a.Allocations) == j.Job.GPUs {
			plan.Actions = append(plan.Actions, a)
			for _, x := range a.Allocations {
				held[x.GPU] += x.Share
			}
		}
	}
	return plan
}

func oneNode(gpus int) schedmate.Cluster {
	return schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: gpus}}}
}

func training(id, model string, gpus int, at, run schedmate.Seconds) sim.Job {
	return sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: at, Workload: schedmate.Workload{Model: model}, Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed}}}
}

func measured(first, second string, a, b int) (sim.Pair, sim.PairSpeeds) {
	return sim.Pair{First: schedmate.Workload{Model: first}, Second: schedmate.Workload{Model: second}}, sim.PairSpeeds{First: a, Second: b}
}

func pairsOf(rows ...any) sim.Pairs {
	p := make(sim.Pairs)
	for i := 0; i < len(rows); i += 4 {
		k, v := measured(rows[i].(string), rows[i+1].(string), rows[i+2].(int), rows[i+3].(int))
		p[k] = v
	}
	return p
}

func endsOf(t *testing.T, w scheduler.World, c schedmate.Cluster, load sim.Workload) (map[string]schedmate.Seconds, *sim.Result) {
	t.Helper()
	w.Estimates = scheduler.NoEstimates
	r, err := sim.Run(sim.Config{Cluster: c, Policy: answer(packer), World: w}, load)
	if err != nil {
		t.Fatal(err)
	}
	ends := make(map[string]schedmate.Seconds)
	for i := range r.Jobs {
		ends[r.Jobs[i].Job.ID] = r.Jobs[i].End
	}
	return ends, r
}

// Two jobs of 100 s share a GPU from 40 s on. Beside each other the first works
// at half speed and the second at 0.8. The second has done its 100 s after 125
// s, at 165 s. Until then the first has done 40 + 62.5 s: it was over at 160 s,
// when the second had done 96 s; the last 4 s it has the GPU to itself.
func TestAPairOnOneGPU(t *testing.T) {
	load := sim.Workload{
		Jobs:  []sim.Job{training("first", "a", 1, 0, 100), training("second", "b", 1, 40, 100)},
		Pairs: pairsOf("b", "a", 800, 500),
	}
	ends, r := endsOf(t, scheduler.World{}, oneNode(1), load)
	if diff := cmp.Diff(map[string]schedmate.Seconds{"first": 160, "second": 164}, ends); diff != "" {
		t.Error(diff)
	}
	want := []sim.Pack{{Host: "first", Guest: "second", At: 40, Until: 160, HostSpeed: 500, GuestSpeed: 800, Measured: true}}
	if diff := cmp.Diff(want, r.Packs); diff != "" {
		t.Error(diff)
	}
	if r.HeldGPUSeconds != 164 {
		t.Errorf("one GPU was held from 0 to 164 s, the books say %d GPU-seconds", r.HeldGPUSeconds)
	}
}

// A gang works as fast as it does on its slowest GPU: two jobs of one GPU each
// sit on the two GPUs of the first, and the slower pair counts.
func TestAGangWaitsForItsSlowestGPU(t *testing.T) {
	load := sim.Workload{
		Jobs:  []sim.Job{training("gang", "a", 2, 0, 90), training("light", "b", 1, 0, 1000), training("heavy", "c", 1, 0, 1000)},
		Pairs: pairsOf("b", "a", 1000, 900, "c", "a", 1000, 600),
	}
	ends, _ := endsOf(t, scheduler.World{}, oneNode(2), load)
	if ends["gang"] != 150 {
		t.Errorf("90 s at 0.6 take 150 s, the gang ends at %d", ends["gang"])
	}
}

// The order of a measurement is that of newcomer and host; the mirrored one
// counts only where that is missing, and a pair that nobody has measured works at
// half speed each, or as the world says.
func TestWhichMeasurementCounts(t *testing.T) {
	for _, tc := range []struct {
		name  string
		pairs sim.Pairs
		world scheduler.Sharing
		host  schedmate.Seconds // end of 900 s
	}{
		{"newcomer first", pairsOf("b", "a", 1000, 900, "a", "b", 300, 1000), scheduler.Sharing{}, 1000},
		{"mirrored", pairsOf("a", "b", 900, 1000), scheduler.Sharing{}, 1000},
		{"not measured", nil, scheduler.Sharing{}, 1800},
		{"not measured, and thought harmless", nil, scheduler.Sharing{Unmeasured: 1000}, 900},
		{"said to be unaffected", pairsOf("b", "a", 500, 500), scheduler.Sharing{Unaffected: []string{"b"}}, 900},
	} {
		load := sim.Workload{Jobs: []sim.Job{training("host", "a", 1, 0, 900), training("guest", "b", 1, 0, 9000)}, Pairs: tc.pairs}
		ends, _ := endsOf(t, scheduler.World{Sharing: tc.world}, oneNode(1), load)
		if ends["host"] != tc.host {
			t.Errorf("%s: the host ends at %d, want %d", tc.name, ends["host"], tc.host)
		}
	}
}

// The first packed jobs of the Lucid artifact on 594 Philly jobs, from its stored
// output. A PointNet joins an LSTM at 2,475 s; both need 43,200 s. The LSTM has
// 42,613 s left, works at 0.936 and is over at 48,003. The artifact lets the
// PointNet go on at 0.902 until 50,370; at full speed from 48,003 on it would end
// at 50,138.
func TestLucidsFirstPair(t *testing.T) {
	load := func() sim.Workload {
		return sim.Workload{
			Jobs:  []sim.Job{training("p00004", "LSTM", 1, 1888, 43200), training("p00006", "PointNet", 1, 2475, 43200)},
			Pairs: pairsOf("PointNet", "LSTM", 902, 936),
		}
	}
	for _, tc := range []struct {
		name  string
		world scheduler.Sharing
		lag   schedmate.Seconds
		want  map[string]schedmate.Seconds
	}{
		{"as stored", scheduler.Sharing{Binary64: true, GuestKeeps: true}, 1, map[string]schedmate.Seconds{"p00004": 48003, "p00006": 50370}},
		{"with the speed given back", scheduler.Sharing{Binary64: true}, 1, map[string]schedmate.Seconds{"p00004": 48003, "p00006": 50138}},
		// 2,475 + 42,613 / 0.936 = 48,001.7; then 2,475 + 45,527 * 0.902 done of 43,200
		{"in whole thousandths, without the lag", scheduler.Sharing{}, 0, map[string]schedmate.Seconds{"p00004": 48002, "p00006": 50137}},
	} {
		ends, _ := endsOf(t, scheduler.World{Sharing: tc.world, EndLag: tc.lag}, oneNode(1), load())
		if diff := cmp.Diff(tc.want, ends); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

// stepped runs the same second by second, with nothing but a list of who is on
// which GPU.
func stepped(load sim.Workload, gpus int, w scheduler.Sharing) map[string]schedmate.Seconds {
	type run struct {
		job  *sim.Job
		on   []int
		left int // thousandths
	}
	ends := make(map[string]schedmate.Seconds)
	var waiting, running []*run
	next := 0
	for now := schedmate.Seconds(0); len(ends) < len(load.Jobs); now++ {
		running = slices.DeleteFunc(running, func(r *run) bool {
			if r.left <= 0 {
				ends[r.job.ID] = now
			}
			return r.left <= 0
		})
		for ; next < len(load.Jobs) && load.Jobs[next].Submit <= now; next++ {
			j := &load.Jobs[next]
			waiting = append(waiting, &run{job: j, left: 1000 * int(j.Outcome.Run)})
		}
		waiting = slices.DeleteFunc(waiting, func(r *run) bool {
			var on []int
			for g := 0; g < gpus && len(on) < r.job.GPUs; g++ {
				n := 0
				for _, o := range running {
					if slices.Contains(o.on, g) {
						n++
					}
				}
				if n < 2 {
					on = append(on, g)
				}
			}
			if len(on) < r.job.GPUs {
				return false
			}
			r.on = on
			running = append(running, r)
			return true
		})
		for i, r := range running {
			slowest := 1 << 30
			for _, g := range r.on {
				speed := 1000
				for k, o := range running {
					if k == i || !slices.Contains(o.on, g) {
						continue
					}
					if k < i {
						speed, _, _ = load.Pairs.Beside(r.job.Workload, o.job.Workload)
					} else {
						_, speed, _ = load.Pairs.Beside(o.job.Workload, r.job.Workload)
					}
				}
				slowest = min(slowest, speed)
			}
			r.left -= slowest
		}
	}
	return ends
}

// Whatever is packed onto whom, every job ends in the second in which it does
// when each second is counted one by one.
func TestPackedJobsAgainstEverySecond(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	models := []string{"a", "b", "c"}
	for round := range 300 {
		load := sim.Workload{Pairs: make(sim.Pairs)}
		for _, m := range models {
			for _, n := range models {
				k, v := measured(m, n, 300+rnd.IntN(900), 300+rnd.IntN(900))
				load.Pairs[k] = v
			}
		}
		at := schedmate.Seconds(0)
		for i := range 2 + rnd.IntN(12) {
			at += schedmate.Seconds(rnd.IntN(40))
			load.Jobs = append(load.Jobs, training("j"+strconv.Itoa(i), models[rnd.IntN(3)], 1+rnd.IntN(3), at, schedmate.Seconds(1+rnd.IntN(90))))
		}
		got, _ := endsOf(t, scheduler.World{}, oneNode(4), load)
		if diff := cmp.Diff(stepped(load, 4, scheduler.Sharing{}), got); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
	}
}
