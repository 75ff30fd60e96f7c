package dispatch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// nodes of 4 GPUs each, all healthy.
func nodes(ids ...string) schedmate.Cluster {
	var c schedmate.Cluster
	for _, id := range ids {
		c.Nodes = append(c.Nodes, schedmate.Node{ID: id, GPUs: 4})
	}
	return c
}

type queue struct {
	s   schedmate.Snapshot
	seq int64
}

func on(c schedmate.Cluster) *queue { return &queue{s: schedmate.Snapshot{Now: 100, Cluster: c}} }

// waits adds a job of which the policy's order is the submission.
func (q *queue) waits(id string, gpus int, vc string) *schedmate.JobStatus {
	q.seq++
	j := &schedmate.JobStatus{Job: schedmate.Job{ID: id, GPUs: gpus, VC: vc, Submit: schedmate.Seconds(q.seq)}, Seq: q.seq}
	q.s.Waiting = append(q.s.Waiting, j)
	return j
}

// runs adds a running job on the node, or on several in turn.
func (q *queue) runs(id string, gpus int, vc string, at ...string) *schedmate.JobStatus {
	j := q.waits(id, gpus, vc)
	q.s.Waiting = q.s.Waiting[:len(q.s.Waiting)-1]
	j.Attempt = &schedmate.Attempt{Number: 1, Start: 50}
	o := q.s.Occupancy()
	for _, node := range at {
		for i := range o.Len() {
			if o.Node(i).ID == node {
				j.Attempt.Allocations = o.Pick(j.Attempt.Allocations, i, min(o.Free(i), gpus-len(j.Attempt.Allocations)))
			}
		}
	}
	q.s.Running = append(q.s.Running, j)
	return j
}

func bySubmit(j *schedmate.JobStatus, _ schedmate.Seconds) scheduler.Rank {
	return scheduler.Rank{Key: int64(j.Job.Submit)}
}

func said(actions []schedmate.Action) []string {
	out := []string{}
	for _, a := range actions {
		out = append(out, string(a.Kind)+" "+a.Job)
	}
	return out
}

func check(t *testing.T, name string, want []string, got []schedmate.Action) {
	t.Helper()
	if diff := cmp.Diff(want, said(got)); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// At the head of the line a job blocks everybody; one that its VC's quota holds
// back blocks its VC; and one that cannot run at all blocks nobody.
func TestHeadOfLine(t *testing.T) {
	for _, tc := range []struct {
		name string
		head func(q *queue)
		want []string
	}{
		{"it fits", func(q *queue) { q.waits("head", 4, "a") }, []string{"start head"}},
		{"no room", func(q *queue) { q.waits("head", 8, "") }, []string{}},
		{"no quota", func(q *queue) { q.waits("head", 3, "a") }, []string{"start b"}},
		{"never", func(q *queue) { q.waits("head", 9, "") }, []string{"start a", "start b"}},
		{"never with this quota", func(q *queue) { q.waits("head", 5, "a") }, []string{"start a", "start b"}},
	} {
		q := on(nodes("n1", "n2"))
		q.s.Cluster.VCs = []schedmate.VC{{Name: "a", QuotaGPUs: 4}, {Name: "b"}}
		if tc.name != "it fits" {
			q.runs("r", 2, "a", "n1")
		} else {
			q.runs("r", 4, "b", "n1")
		}
		tc.head(q)
		q.waits("a", 1, "a")
		q.waits("b", 1, "b")
		check(t, tc.name, tc.want, dispatch.InOrder(&q.s, q.s.Waiting, place.Consolidated, dispatch.HeadOfLine))
	}
}

// Counted lets run whoever fits in number, in order; the rest must go, whether
// or not places are found for the others.
func TestCounted(t *testing.T) {
	q := on(nodes("n1", "n2"))
	first := q.waits("first", 4, "")
	second := q.runs("second", 3, "", "n1")
	third := q.runs("third", 3, "", "n2") // 4 + 3 + 3 are more than 8
	order := []*schedmate.JobStatus{first, second, third}
	check(t, "first and second", []string{"preempt third", "start first"}, dispatch.Counted(&q.s, slices.Values(order), place.Consolidated, false))

	// Three and two are five: both running jobs may stay, so first, of 3, is
	// chosen, too - and there is no node with 3 free GPUs.
	q = on(nodes("n1", "n2"))
	order = []*schedmate.JobStatus{q.waits("first", 3, ""), q.runs("second", 3, "", "n1"), q.runs("third", 2, "", "n2")}
	check(t, "no place for the chosen", []string{}, dispatch.Counted(&q.s, slices.Values(order), place.Consolidated, false))

	// On a draining node jobs keep what they have and do not count.
	q = on(nodes("n1", "n2"))
	order = []*schedmate.JobStatus{q.waits("first", 4, ""), q.runs("second", 4, "", "n2")}
	q.s.Cluster.Nodes[1].Health = schedmate.Draining
	check(t, "a draining node", []string{"start first"}, dispatch.Counted(&q.s, slices.Values(order), place.Consolidated, false))

	q.s.Waiting = nil
	check(t, "nobody waits", []string{}, dispatch.Counted(&q.s, slices.Values(order[1:]), place.Consolidated, false))
}

// Batch counts what is free, skips whoever the counter does not hold, and looks
// for places for the widest first. What it counted for a job without a place is
// nobody else's.
func TestBatch(t *testing.T) {
	// Free: 2 on n1, 4 on n2. one and four are five of the six; two is too many.
	q := on(nodes("n1", "n2"))
	q.runs("r", 2, "", "n1")
	one, four, two := q.waits("one", 1, ""), q.waits("four", 4, ""), q.waits("two", 2, "")
	check(t, "the widest first", []string{"start four", "start one"},
		dispatch.Batch(&q.s, nil, slices.Values([]*schedmate.JobStatus{one, four, two}), place.Consolidated))

	// Free: 2 on each. three is counted and has no place; two is not counted.
	q = on(nodes("n1", "n2"))
	q.runs("r1", 2, "", "n1")
	q.runs("r2", 2, "", "n2")
	three, two := q.waits("three", 3, ""), q.waits("two", 2, "")
	check(t, "counted for nothing", []string{},
		dispatch.Batch(&q.s, nil, slices.Values([]*schedmate.JobStatus{three, two}), place.Consolidated))

	// Who is gone makes room, and may be the one to start again.
	q = on(nodes("n1"))
	r := q.runs("r", 3, "", "n1")
	w := q.waits("w", 2, "")
	for _, order := range [][]*schedmate.JobStatus{{r, w}, {w, r}} {
		first := order[0].Job.ID
		check(t, first+" first", []string{"preempt r", "start " + first},
			dispatch.Batch(&q.s, []*schedmate.JobStatus{r}, slices.Values(order), place.Consolidated))
	}
}

// Three jobs of 2, 2 and 3 GPUs fill what is free, 3 and 4. In the order of the
// queue the first takes n1, the tightest, the second half of n2, and no node has
// 3 left. The widest first takes n1, and both others fit on n2.
func TestCountedWidestFirst(t *testing.T) {
	for widestFirst, want := range map[bool][]string{
		false: {"start a", "start b"},
		true:  {"start c", "start a", "start b"},
	} {
		q := on(nodes("n1", "n2"))
		r := q.runs("r", 1, "", "n1")
		order := []*schedmate.JobStatus{r, q.waits("a", 2, ""), q.waits("b", 2, ""), q.waits("c", 3, "")}
		check(t, "", want, dispatch.Counted(&q.s, slices.Values(order), place.Consolidated, widestFirst))
	}
}

// Displace preempts only for a job that it can then place, the worst first, and
// keeps the places of those it preempted.
func TestDisplace(t *testing.T) {
	all := func(w, v *schedmate.JobStatus) bool { return w.Job.Submit < v.Job.Submit }
	for _, tc := range []struct {
		name string
		jobs func(q *queue)
		want []string
		wake schedmate.Seconds
	}{
		{"room for both", func(q *queue) {
			q.waits("w", 4, "")
			q.runs("r", 4, "", "n2")
		}, []string{"start w"}, 0},
		{"the worst goes", func(q *queue) {
			q.waits("w", 2, "")
			q.runs("bad", 3, "", "n1")
			q.runs("worst", 3, "", "n2")
		}, []string{"preempt worst", "start w"}, 101},
		{"two bad ones rather than a better one", func(q *queue) {
			q.waits("w", 4, "")
			q.runs("good", 3, "", "n1")
			q.runs("bad", 1, "", "n2")
			q.runs("worst", 3, "", "n2")
		}, []string{"preempt bad", "preempt worst", "start w"}, 101},
		{"nobody goes in vain", func(q *queue) {
			q.runs("good", 1, "", "n1")
			q.runs("fine", 1, "", "n2")
			q.waits("w", 4, "")
			q.runs("bad", 3, "", "n1")
			q.runs("worse", 3, "", "n2")
		}, []string{}, 0},
		{"nobody leaves a draining node for a place that it would not make", func(q *queue) {
			q.waits("w", 4, "")
			q.runs("r", 4, "", "n1")
			q.runs("s", 2, "", "n2")
			q.s.Cluster.Nodes[0].Health = schedmate.Draining
			q.s.Cluster.Nodes[1].Health = schedmate.Suspect
		}, []string{}, 0},
	} {
		q := on(nodes("n1", "n2"))
		tc.jobs(q)
		actions, wake := dispatch.Displace(&q.s, bySubmit, place.Consolidated, all)
		check(t, tc.name, tc.want, actions)
		if wake != tc.wake {
			t.Errorf("%s: wake at %d, want %d", tc.name, wake, tc.wake)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	if dispatch.Blocking("x").Validate() == nil || dispatch.HeadOfLine.Validate() != nil || dispatch.Skip.Validate() != nil {
		t.Error("blocking: skip and head_of_line are known, and nothing else")
	}
	if err := dispatch.ByBatch.OneOf(dispatch.ByPlace, dispatch.ByCount); err == nil || !strings.Contains(err.Error(), "displace, counted") || dispatch.ByCount.OneOf(dispatch.ByPlace, dispatch.ByCount) != nil {
		t.Errorf("selection: displace and counted are known, and nothing else: %v", err)
	}
}
