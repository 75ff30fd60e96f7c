package admit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"schedmate"
	"schedmate/scheduler/admit"
)

// full is the cluster of the papers' large runs, 960 GPUs, with as many promises as
// are admitted of 800 strict jobs like CHRONUS's: deadlines of 1.2 to 2 run times.
func full() (*schedmate.Snapshot, admit.Book) {
	r := rand.New(rand.NewPCG(1, 2))
	s := &schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind}
	for i := range 120 {
		s.Cluster.Nodes = append(s.Cluster.Nodes, schedmate.Node{ID: fmt.Sprintf("n%03d", i), GPUs: 8})
	}
	gangs := []int{1, 1, 1, 2, 4, 8, 8, 16, 32}
	for i := range 800 {
		j := &schedmate.JobStatus{Seq: int64(i), Job: schedmate.Job{ID: fmt.Sprint(i), GPUs: gangs[r.IntN(len(gangs))]}}
		run := int64(3600 + r.IntN(36000))
		j.Facts = []schedmate.Fact{{Kind: schedmate.RunSeconds, Low: run, Value: run, High: run, Source: schedmate.FromTrace}}
		due := schedmate.Seconds(float64(run) * (1.2 + 0.8*r.Float64()))
		j.Job.SLO = schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: due, Reward: 100}}}
		s.Waiting = append(s.Waiting, j)
	}
	return s, admit.Open(s, admit.Default())
}

// A request to a full cluster, which is refused with offers, and a recheck.
func BenchmarkAFullCluster(b *testing.B) {
	s, book := full()
	b.Run("ask", func(b *testing.B) {
		n := 0
		for b.Loop() {
			j := *s.Waiting[n%len(s.Waiting)]
			j.Job.ID = "new"
			book.Ask(s, &j, admit.Default())
			n++
		}
		b.ReportMetric(float64(len(book.Promises())), "promises")
	})
	b.Run("recheck", func(b *testing.B) {
		for b.Loop() {
			book.Recheck(s, admit.Default())
		}
	})
}
