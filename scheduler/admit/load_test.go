package admit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/admit"
)

// Two nodes of 8 GPUs, three slots of 20 minutes. A strict job holds 4 GPUs for two
// leases, which lie in the first two slots; a tenth of every slot is held back, so
// that 14 of 16 can be promised.
func TestTheLoadIsWhatTheLeasesTake(t *testing.T) {
	s := &schedmate.Snapshot{Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "a", GPUs: 8}, {ID: "b", GPUs: 8}}}}
	j := &schedmate.JobStatus{Job: schedmate.Job{ID: "x", GPUs: 4, TimeLimit: 2400,
		SLO: schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 3600, Reward: 1}}}}}
	s.Waiting = []*schedmate.JobStatus{j}
	o := admit.Default()
	o.ReserveMilli = 100
	book := admit.Open(s, o)
	got := book.Loads(s, o, "", 3600)
	want := []admit.Load{{Node: "a", Lease: 1200, Capacity: []int{14, 14, 14}, Promised: []int{4, 4, 0}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("loads (-want +got):\n%s", diff)
	}
	if got := (admit.Book{}).Loads(s, o, "", 0); len(got) != 1 || len(got[0].Capacity) != 1 || got[0].Promised[0] != 0 {
		t.Errorf("the empty book has loads %+v, want one free slot", got)
	}
}

// Property: in no slot is more promised than can be, and each lease of the book is
// counted once.
func TestNoSlotIsPromisedTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &schedmate.Snapshot{Cluster: schedmate.Cluster{Nodes: []schedmate.Node{
			{ID: "a", GPUs: 8}, {ID: "b", GPUs: 4, GPUType: "old"}, {ID: "c", GPUs: 4},
		}}}
		for i := range rapid.IntRange(0, 8).Draw(t, "jobs") {
			s.Waiting = append(s.Waiting, &schedmate.JobStatus{Seq: int64(i), Job: schedmate.Job{
				ID: string(rune('a' + i)), GPUs: rapid.IntRange(1, 8).Draw(t, "gpus"), TimeLimit: schedmate.Seconds(rapid.IntRange(1, 6000).Draw(t, "limit")),
				SLO: schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: schedmate.Seconds(rapid.IntRange(1, 20000).Draw(t, "deadline")), Reward: 1}}},
			}})
		}
		o := admit.Default()
		book := admit.Open(s, o)
		want, got := 0, 0
		for _, p := range book.Promises() {
			want += p.GPUs * len(p.Leases)
		}
		for _, l := range book.Loads(s, o, "", 20000) {
			for k := range l.Capacity {
				if l.Promised[k] > l.Capacity[k] {
					t.Fatalf("slot %d of %s: %d GPUs are promised of %d", k+1, l.Node, l.Promised[k], l.Capacity[k])
				}
				got += l.Promised[k]
			}
		}
		if got != want {
			t.Fatalf("loads hold %d GPU-leases, the book %d", got, want)
		}
	})
}
