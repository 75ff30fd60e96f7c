package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"schedmate"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/sim"
)

// BenchmarkRun simulates J jobs on a cluster of G GPUs in nodes of 8, with every
// policy as it comes. The workload asks for as many GPU-seconds as the cluster
// has while the jobs arrive, so there is always a queue.
func BenchmarkRun(b *testing.B) {
	for _, size := range []struct{ jobs, gpus int }{{500, 64}, {2000, 256}, {10_000, 1024}} {
		cluster, load := generated(size.jobs, size.gpus)
		for _, v := range schedtest.Policies() {
			name := v.Policy.Name()
			switch v.Name {
			case name + "/default":
			case name + "/lucid":
				name = v.Name
			default:
				continue
			}
			b.Run(fmt.Sprintf("J%d_G%d/%s", size.jobs, size.gpus, name), func(b *testing.B) {
				b.ReportAllocs()
				plans := 0
				for b.Loop() {
					res, err := sim.Run(sim.Config{Cluster: cluster, Policy: v.Policy, World: v.World}, load)
					if err != nil {
						b.Fatal(err)
					}
					plans = res.Plans
				}
				b.ReportMetric(float64(plans), "plans")
			})
		}
	}
}

// generated draws a workload from a fixed seed: most jobs are small and short,
// most GPU time is in few large and long ones.
func generated(jobs, gpus int) (schedmate.Cluster, sim.Workload) {
	r := rand.New(rand.NewPCG(2026, 8))
	var c schedmate.Cluster
	for n := range gpus / 8 {
		c.Nodes = append(c.Nodes, schedmate.Node{ID: fmt.Sprintf("n%04d", n), GPUs: 8})
	}
	var w sim.Workload
	var asked float64
	for i := range jobs {
		size := []int{1, 1, 1, 1, 1, 2, 2, 4, 8, 16}[r.IntN(10)]
		run := math.Round(min(600*math.Exp(1.8*r.NormFloat64()), 5*86400)) + 1
		estimate := int64(run*math.Exp(0.6*r.NormFloat64())) + 1
		asked += run * float64(size)
		w.Jobs = append(w.Jobs, sim.Job{
			Job: schedmate.Job{
				ID: fmt.Sprintf("j%05d", i), GPUs: size, Submit: schedmate.Seconds(asked / float64(gpus)),
				Outcome: &schedmate.Outcome{Run: schedmate.Seconds(run), State: schedmate.Completed},
			},
			Facts: []schedmate.Fact{{
				Kind: schedmate.RunSeconds, Value: estimate, Low: estimate, High: estimate, Source: schedmate.FromTrace,
			}},
		})
	}
	return c, w
}
