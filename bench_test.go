package schedmate_test

import (
	"fmt"
	"testing"

	"schedmate"
)

// scales are a department's cluster and one of a size that few have.
var scales = []struct{ gpus, jobs int }{{960, 800}, {10240, 5000}}

// full is a cluster of eight-GPU nodes, a quarter of them shared. Gangs of 1,
// 2, 4 and 8 run until it is full, the other jobs wait; every job has a
// run-time fact, every third a deadline.
func full(gpus, jobs int) *schedmate.Snapshot {
	s := &schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 1_000_000}
	s.Cluster.VCs = []schedmate.VC{{Name: "vc0"}, {Name: "vc1"}, {Name: "vc2", QuotaGPUs: gpus}}
	for i := range gpus / 8 {
		n := schedmate.Node{ID: fmt.Sprintf("node-%05d", i), GPUType: "V100", GPUs: 8, MemoryMiB: 32768}
		if i%4 > 0 {
			n.VC = s.Cluster.VCs[i%4-1].Name
		}
		s.Cluster.Nodes = append(s.Cluster.Nodes, n)
	}
	next := 0 // GPU of the whole cluster
	for i := range jobs {
		j := &schedmate.JobStatus{
			Job: schedmate.Job{
				ID: fmt.Sprint(1_000_000 + i), Name: "train", User: fmt.Sprint("user", i%97), VC: s.Cluster.VCs[i%3].Name,
				GPUs: 1 << (i % 4), Submit: schedmate.Seconds(100 * i), Iterations: 90_000,
			},
			Seq: int64(i), Waited: 60,
			Facts: []schedmate.Fact{{
				Kind: schedmate.RunSeconds, Value: 7200, Low: 3600, High: 14400, ConfidenceMilli: 800, Source: schedmate.FromNeighbours,
				Evidence: []schedmate.Evidence{{Ref: "87"}, {Ref: "91"}, {Ref: "95"}},
			}},
		}
		if i%3 == 0 {
			j.Job.SLO = schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{{Deadline: 2_000_000, Reward: 100}, {Deadline: 3_000_000, Reward: 50}}}
		}
		if next+j.Job.GPUs > gpus {
			s.Waiting = append(s.Waiting, j)
			continue
		}
		j.Attempt = &schedmate.Attempt{Number: 1, Start: s.Now - 600}
		for range j.Job.GPUs {
			j.Attempt.Allocations = append(j.Attempt.Allocations, schedmate.Allocation{
				Node: s.Cluster.Nodes[next/8].ID, GPU: next % 8, Share: schedmate.WholeGPU,
			})
			next++
		}
		s.Running = append(s.Running, j)
	}
	return s
}

func atScale(b *testing.B, f func(s *schedmate.Snapshot) error) {
	for _, scale := range scales {
		b.Run(fmt.Sprintf("G%d_J%d", scale.gpus, scale.jobs), func(b *testing.B) {
			s := full(scale.gpus, scale.jobs)
			if err := s.Validate(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := f(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	atScale(b, (*schedmate.Snapshot).Validate)
}

func BenchmarkHash(b *testing.B) {
	atScale(b, func(s *schedmate.Snapshot) error { schedmate.Hash(s); return nil })
}

func BenchmarkNewOccupancy(b *testing.B) {
	atScale(b, func(s *schedmate.Snapshot) error { schedmate.NewOccupancy(s.Cluster); return nil })
}

// With what the running jobs hold.
func BenchmarkOccupancy(b *testing.B) {
	atScale(b, func(s *schedmate.Snapshot) error { s.Occupancy(); return nil })
}
