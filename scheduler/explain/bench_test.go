package explain_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
	"schedmate/scheduler/schedtest"
)

// BenchmarkAll explains a whole queue: W jobs wait for a full cluster of N nodes
// of 8 GPUs.
func BenchmarkAll(b *testing.B) {
	for _, size := range []struct{ waiting, nodes int }{{10, 16}, {100, 32}, {1000, 64}} {
		for _, v := range schedtest.Policies() {
			if v.Name != v.Policy.Name()+"/default" {
				continue
			}
			b.Run(fmt.Sprintf("W%d_N%d/%s", size.waiting, size.nodes, v.Policy.Name()), func(b *testing.B) {
				s := fullCluster(size.waiting, size.nodes)
				plan := scheduler.Plan(v.Policy, s, scheduler.Budget{})
				for b.Loop() {
					explain.All(v.Policy, scheduler.Budget{}, s, &plan, explain.EffortFor(len(s.Waiting)))
				}
			})
		}
	}
}

func fullCluster(waiting, nodes int) schedmate.Snapshot {
	r := rand.New(rand.NewPCG(1, 2))
	s := schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 1000}
	job := func(id string, gpus int) *schedmate.JobStatus {
		run := int64(1 + r.IntN(100_000))
		return &schedmate.JobStatus{
			Job: schedmate.Job{ID: id, GPUs: gpus, Submit: schedmate.Seconds(r.IntN(1000))},
			Seq: int64(len(s.Running) + len(s.Waiting)),
			Facts: []schedmate.Fact{{
				Kind: schedmate.RunSeconds, Value: run, Low: run, High: run, Source: schedmate.FromTrace,
			}},
		}
	}
	for n := range nodes {
		id := fmt.Sprintf("n%03d", n)
		s.Cluster.Nodes = append(s.Cluster.Nodes, schedmate.Node{ID: id, GPUs: 8})
		for half := range 2 {
			j := job(fmt.Sprintf("r%03d-%d", n, half), 4)
			j.Attempt = &schedmate.Attempt{Number: 1, Start: 1000}
			for gpu := range 4 {
				j.Attempt.Allocations = append(j.Attempt.Allocations, schedmate.Allocation{Node: id, GPU: 4*half + gpu, Share: schedmate.WholeGPU})
			}
			s.Running = append(s.Running, j)
		}
	}
	for i := range waiting {
		s.Waiting = append(s.Waiting, job(fmt.Sprintf("w%04d", i), 1<<r.IntN(4)))
	}
	return s
}
