package eval_test

import (
	"math"
	"strings"
	"testing"

	"schedmate"
	"schedmate/eval"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/sim"
)

// four jobs on one node of 4 GPUs under FIFO, worked out by hand:
//
//	job  submit  gpus  run   start  end   JCT  queue  slowdown
//	a       0      4   100      0   100   100      0     1
//	b      10      2    50    100   150   140     90     2.8
//	c      20      2   100    100   200   180     80     1.8
//	d      20      4    10    200   210   190    180    19
//
// Deadlines: a strict 100 (met at its very second), b strict 149 (missed), c
// soft 150/180/220 for 100/80/50 (ends at 200: earns 50), d best effort.
func fourJobs(t *testing.T) *sim.Result {
	t.Helper()
	job := func(id, vc string, submit schedmate.Seconds, gpus int, run schedmate.Seconds, slo schedmate.SLO) sim.Job {
		return sim.Job{Job: schedmate.Job{
			ID: id, VC: vc, Submit: submit, GPUs: gpus, SLO: slo,
			Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed},
		}}
	}
	strict := func(d schedmate.Seconds) schedmate.SLO {
		return schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: d, Reward: 100}}}
	}
	w := sim.Workload{Jobs: []sim.Job{
		job("a", "x", 0, 4, 100, strict(100)),
		job("b", "x", 10, 2, 50, strict(149)),
		job("c", "y", 20, 2, 100, schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{{Deadline: 150, Reward: 100}, {Deadline: 180, Reward: 80}, {Deadline: 220, Reward: 50}}}),
		job("d", "y", 20, 4, 10, schedmate.SLO{}),
		job("e", "y", 30, 5, 10, strict(1000)), // larger than the cluster
	}}
	d, err := policy.All().Find("fifo")
	if err != nil {
		t.Fatal(err)
	}
	preset, err := d.Preset(scheduler.DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.New(preset.Options)
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(sim.Config{
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n0", GPUs: 4}}, VCs: []schedmate.VC{{Name: "x"}, {Name: "y"}}},
		Policy:  p, World: preset.World,
	}, w)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestMetricsByHand(t *testing.T) {
	m := eval.Measure(fourJobs(t))
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"jobs", float64(m.Jobs), 5},
		{"ended", float64(m.Ended), 4},
		{"infeasible", float64(m.Infeasible), 1},
		{"mean JCT", m.MeanJCT, (100 + 140 + 180 + 190) / 4.0},
		{"median JCT", m.P50JCT, 160},
		{"p90 JCT", m.P90JCT, 180 + 0.7*10}, // rank 2.7 of 0..3
		{"mean queue", m.MeanQueue, (0 + 90 + 80 + 180) / 4.0},
		{"makespan", float64(m.Makespan), 210},
		{"utilisation", m.Utilisation, (400 + 100 + 200 + 40) / (4 * 210.0)},
		{"max slowdown", m.MaxSlowdown, 19},
		{"strict miss", *m.StrictMiss, 2.0 / 3}, // b is late, e never ran
		{"soft miss", *m.SoftMiss, 0.5},
		{"wDMR", *m.WDMR, (0 + 1 + 1 + 0.5) / 4},
		{"DMR", *m.DMR, 3.0 / 4}, // b, c and e end after their first deadline
		{"VC x slowdown", m.VCs[0].MeanSlowdown, (1 + 2.8) / 2},
		{"VC y slowdown", m.VCs[1].MeanSlowdown, (1.8 + 19) / 2},
		{"VC x share", m.VCs[0].GPUTimeShare, 500.0 / 740},
		// Jain's index of 1.9 and 10.4
		{"VC fairness", *m.VCFairness, math.Pow(1.9+10.4, 2) / (2 * (1.9*1.9 + 10.4*10.4))},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s is %v, by hand it is %v", c.name, c.got, c.want)
		}
	}
	if m.AcceptanceStrict != nil || m.BrokenAmongAccepted != nil {
		t.Error("a policy without admission has an acceptance rate")
	}
}

// By hand: of four strict jobs two are promised their deadline, and one of these ends
// a second late; of two soft jobs one is told to expect its second tier and ends by
// it, later than by its first. One strict job is refused, one is told nothing.
func TestPromisesAreMeasuredByWhatWasToldFirst(t *testing.T) {
	strict := schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 100, Reward: 100}}}
	soft := schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{{Deadline: 100, Reward: 100}, {Deadline: 150, Reward: 50}}}
	job := func(slo schedmate.SLO, end schedmate.Seconds, first schedmate.PromiseState, deadline schedmate.Seconds) sim.JobResult {
		j := &sim.Job{Job: schedmate.Job{GPUs: 1, SLO: slo, Outcome: &schedmate.Outcome{Run: 1}}}
		return sim.JobResult{Job: j, End: end, State: schedmate.Completed, Told: sim.Told{First: first, Deadline: deadline, Last: first}}
	}
	m := eval.Measure(&sim.Result{GPUs: 1, Jobs: []sim.JobResult{
		job(strict, 100, schedmate.Promised, 100), job(strict, 101, schedmate.Promised, 100),
		job(strict, 90, schedmate.Refused, 100), job(strict, 90, "", 0),
		job(soft, 150, schedmate.Expected, 150), job(soft, 90, schedmate.Refused, 150),
	}})
	for _, c := range []struct {
		name string
		got  *float64
		want float64
	}{
		{"acceptance of strict jobs", m.AcceptanceStrict, 2.0 / 4},
		{"acceptance of soft jobs", m.AcceptanceSoft, 1.0 / 2},
		{"broken among accepted", m.BrokenAmongAccepted, 1.0 / 3},
		{"broken among promised", m.BrokenAmongPromised, 1.0 / 2},
	} {
		if c.got == nil || math.Abs(*c.got-c.want) > 1e-9 {
			t.Errorf("%s: by hand it is %v", c.name, c.want)
		}
	}
}

func TestJobRowsFollowTheContract(t *testing.T) {
	run := eval.Run{RunID: eval.RunID{Experiment: "by-hand", Policy: "fifo", Preset: "default", Seed: 7}, Result: fourJobs(t)}
	var out strings.Builder
	writeTable(t, &out, nil, run)
	want := `experiment,policy,preset,seed,job,submit_s,start_s,end_s,queue_s,jct_s,gpus,preemptions,restarts,state,deadline_s,missed,beside,beside_s,profile_s
by-hand,fifo,default,7,a,0,0,100,0,100,4,0,0,completed,100,0,,,
by-hand,fifo,default,7,b,10,100,150,90,140,2,0,0,completed,149,1,,,
by-hand,fifo,default,7,c,20,100,200,80,180,2,0,0,completed,150,1,,,
by-hand,fifo,default,7,d,20,200,210,180,190,4,0,0,completed,,,,,
by-hand,fifo,default,7,e,30,,,,,5,0,0,infeasible,1000,1,,,
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
