package schedmate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// tellSnapshot writes who holds which GPUs, who waits, and what was left out.
func tellSnapshot(t *testing.T, o *Observation) string {
	t.Helper()
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	s, gaps := o.Snapshot()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range s.Cluster.Nodes {
		fmt.Fprintf(&b, "%s has %d %s, %s\n", n.ID, n.GPUs, n.GPUType, n.Health)
	}
	for _, j := range s.Running {
		fmt.Fprintf(&b, "%s holds", j.Job.ID)
		for _, a := range j.Attempt.Allocations {
			fmt.Fprintf(&b, " %s/%d", a.Node, a.GPU)
		}
		b.WriteString("\n")
	}
	for _, j := range s.Waiting {
		fmt.Fprintf(&b, "%s wants %d, waits %d s\n", j.Job.ID, j.Job.GPUs, j.Waited)
	}
	for _, g := range gaps {
		fmt.Fprintf(&b, "without %s: %s\n", g.What, g.Why)
	}
	return b.String()
}

// Two nodes with GPUs, one of two types, and one with CPUs alone. Jobs hold whole
// GPUs with and without told indices, unevenly, and shares of one.
func TestSnapshotOfAnObservation(t *testing.T) {
	runs := func(id string, on ...NodeHolding) ObservedJob {
		j := ObservedJob{ID: id, State: "RUNNING", Submit: 100, Start: 200, Allocation: on}
		for _, h := range on {
			j.Request.GPUs += h.GPUs
			j.Nodes = append(j.Nodes, h.Node)
		}
		return j
	}
	waits := func(id, reason string, gpus int) ObservedJob {
		return ObservedJob{ID: id, State: "PENDING", Reason: reason, Submit: 400, Request: NodeRequest{GPUs: gpus}}
	}
	array := waits("9_[1-3]", "Priority", 2)
	array.Array, array.Tasks = "9", 3
	future := waits("10", "Priority", 1)
	future.Submit = 2000 // its clock is ahead
	o := &Observation{
		APIVersion: APIVersion, Kind: ObservationKind, Now: 1000, System: System{Name: "slurm", Cluster: "c"},
		Nodes: []ObservedNode{
			{Name: "a", States: []string{"MIXED"}, GPUs: []Device{{Type: "a100", Count: 4, Used: 4}}},
			{Name: "b", States: []string{"MIXED", "DRAIN"}, GPUs: []Device{{Type: "a100", Count: 2, Used: 1}, {Type: "v100", Count: 2, Used: 1}}},
			{Name: "cpu", States: []string{"IDLE"}},
		},
		Jobs: []ObservedJob{
			runs("1", NodeHolding{Node: "a", GPUs: 2}), // indices not told
			runs("2", NodeHolding{Node: "a", GPUs: 2, GPUIndices: []int{0, 2}}, NodeHolding{Node: "b", GPUs: 1, GPUIndices: []int{1}}), // uneven
			runs("3", NodeHolding{Node: "b", Shards: 3}),
			runs("4", NodeHolding{Node: "cpu", CPUs: 8}),
			waits("5", "Resources", 8), waits("6", "JobHeldUser", 1), waits("7", "Priority", 0),
			array, future,
		},
	}
	const want = `a has 4 a100, healthy
b has 4 mixed, draining
1 holds a/1 a/3
2 holds a/0 a/2 b/1
5 wants 8, waits 600 s
9_1 wants 2, waits 600 s
9_2 wants 2, waits 600 s
9_3 wants 2, waits 600 s
10 wants 1, waits 0 s
without 1 job: held, or waiting for a time or other jobs
without 2 jobs: running without whole GPUs
without 1 job: waiting for no whole GPUs
`
	if diff := cmp.Diff(want, tellSnapshot(t, o)); diff != "" {
		t.Error(diff)
	}
}

// Whatever a scheduler says: the snapshot is valid, no GPU is held twice, none is held
// that is not there, and each job is in it or is counted as left out.
func TestSnapshotsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &Observation{APIVersion: APIVersion, Kind: ObservationKind, Now: 1000, System: System{Name: "slurm"}}
		small := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		for i := range 1 + small("nodes", 3) {
			n := ObservedNode{Name: fmt.Sprintf("n%d", i), States: []string{rapid.SampledFrom([]string{"IDLE", "MIXED", "DOWN", "ODD"}).Draw(t, "state")}}
			for _, kind := range []string{"a100", "v100"}[:min(2, small("kinds", 2)+1-min(i, 1))] { // the first node has GPUs
				count := 1 + small("gpus", 3)
				n.GPUs = append(n.GPUs, Device{Type: kind, Count: count, Used: small("used", count)})
			}
			o.Nodes = append(o.Nodes, n)
		}
		for i := range small("jobs", 8) {
			j := ObservedJob{ID: fmt.Sprint(i + 1), State: rapid.SampledFrom([]string{"RUNNING", "PENDING", "COMPLETING", "FAILED", "ODD"}).Draw(t, "job"), Submit: Seconds(small("submit", 1100)), Start: Seconds(small("start", 1100))}
			j.Request.GPUs = small("asks", 9)
			for _, n := range o.Nodes {
				if j.Runs() && rapid.Bool().Draw(t, "on") {
					h := NodeHolding{Node: n.Name, GPUs: small("holds", 5), Shards: small("shards", 2)}
					if rapid.Bool().Draw(t, "told") {
						for range h.GPUs {
							h.GPUIndices = append(h.GPUIndices, small("index", 9))
						}
					}
					j.Allocation = append(j.Allocation, h)
				}
			}
			o.Jobs = append(o.Jobs, j)
		}
		if o.Validate() != nil {
			return
		}
		s, gaps := o.Snapshot()
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		held := map[Allocation]string{}
		for _, j := range s.Running {
			for _, a := range j.Attempt.Allocations {
				n := s.Cluster.Node(a.Node)
				if other := held[a]; other != "" || n == nil || a.GPU >= n.GPUs {
					t.Fatalf("job %s holds %v, which is held by %q", j.Job.ID, a, other)
				}
				held[a] = j.Job.ID
			}
		}
		left := 0
		for _, g := range gaps {
			var n int
			if _, err := fmt.Sscan(g.What, &n); err != nil {
				t.Fatal(err)
			}
			left += n
		}
		live := 0
		for i := range o.Jobs {
			if o.Jobs[i].Waits() || o.Jobs[i].Runs() {
				live++
			}
		}
		if len(s.Running)+len(s.Waiting)+left != live {
			t.Fatalf("%d run, %d wait, %d were left out; the observation has %d", len(s.Running), len(s.Waiting), left, live)
		}
	})
}
