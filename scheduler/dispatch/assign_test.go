package dispatch_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/verify"
)

// Each in turn gets the largest of his sizes that is left: 8 GPUs are 4 for the
// first, 4 for the second, who could use 8; the third finds nothing, and neither
// does the fourth, who must have 2.
func TestWidest(t *testing.T) {
	q := on(nodes("n1", "n2"))
	for id, sizes := range map[string][]int{"a": {1, 2, 4}, "b": {1, 2, 4, 8}, "c": {1, 2}} {
		q.waits(id, 1, "").Job.Sizes = sizes
	}
	q.waits("d", 2, "")
	slices.SortFunc(q.s.Waiting, func(x, y *schedmate.JobStatus) int { return int(x.Job.ID[0]) - int(y.Job.ID[0]) })
	var got []string
	for _, w := range dispatch.Widest(&q.s, q.s.Waiting) {
		got = append(got, w.Job.Job.ID+" "+string(rune('0'+w.GPUs)))
	}
	if diff := cmp.Diff([]string{"a 4", "b 4"}, got); diff != "" {
		t.Error(diff)
	}
}

func wants(gpus int, jobs ...*schedmate.JobStatus) []dispatch.Want {
	var out []dispatch.Want
	for _, j := range jobs {
		out = append(out, dispatch.Want{Job: j, GPUs: gpus})
	}
	return out
}

func TestAssign(t *testing.T) {
	// Nobody moves who need not: b fits beside a.
	q := on(nodes("n1", "n2"))
	a := q.runs("a", 2, "", "n1")
	b := q.waits("b", 2, "")
	check(t, "room", []string{"start b"}, dispatch.Assign(&q.s, wants(2, a, b), place.Consolidated))

	// Two halves of nodes do not hold four: c is placed first, on n1, then a
	// where b was, and b beside it: both move.
	q = on(nodes("n1", "n2"))
	a, b = q.runs("a", 2, "", "n1"), q.runs("b", 2, "", "n2")
	c := q.waits("c", 4, "")
	got := dispatch.Assign(&q.s, append(wants(2, a, b), wants(4, c)...), place.Consolidated)
	check(t, "no room without moving", []string{"move a", "move b", "start c"}, got)

	// Who is not wanted is preempted.
	q = on(nodes("n1"))
	q.runs("a", 4, "", "n1")
	c = q.waits("c", 4, "")
	check(t, "not wanted", []string{"preempt a", "start c"}, dispatch.Assign(&q.s, wants(4, c), place.Consolidated))

	// A job that shrinks and one that takes what it leaves.
	q = on(nodes("n1"))
	a = q.runs("a", 4, "", "n1")
	a.Job.Sizes = []int{2, 4}
	b = q.waits("b", 2, "")
	check(t, "shrinks", []string{"move a", "start b"}, dispatch.Assign(&q.s, wants(2, a, b), place.Consolidated))

	// Three jobs of three on two nodes of four: an elastic one makes do with one.
	q = on(nodes("n1", "n2"))
	a, b, c = q.waits("a", 3, ""), q.waits("b", 3, ""), q.waits("c", 3, "")
	c.Job.Sizes = []int{1, 3}
	got = dispatch.Assign(&q.s, wants(3, a, b, c), place.Consolidated)
	check(t, "makes do", []string{"start a", "start b", "start c"}, got)
	if n := len(got[2].Allocations); n != 1 {
		t.Errorf("c got %d GPUs, want 1", n)
	}
}

// Whatever is wanted, the plan keeps the laws, and nothing runs on nodes that
// take work but what is wanted.
func TestAssignKeepsTheLaws(t *testing.T) {
	moves := 0
	for range 5 {
		rapid.Check(t, func(t *rapid.T) {
			d := schedtest.Draw(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") })
			s := schedtest.Snapshot(d, schedtest.AnyStyle(d))
			for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} {
				for _, j := range list {
					if sizes := []int{1, 2, 4, 8}; slices.Contains(sizes, j.Job.GPUs) && d(0, 2) > 0 {
						j.Job.Sizes = sizes
					}
				}
			}
			order := slices.Concat(s.Running, s.Waiting)
			slices.SortFunc(order, func(a, b *schedmate.JobStatus) int { return int(a.Job.Submit - b.Job.Submit) })
			wanted := dispatch.Widest(&s, order)
			plan := schedmate.Plan{Policy: "test", Engine: schedmate.RuleEngine, Actions: dispatch.Assign(&s, wanted, place.Consolidated)}
			plan.Hash = plan.Seal(schedmate.Hash(s))
			if err := verify.Check(&s, &plan); err != nil {
				t.Fatal(err)
			}
			for j := range dispatch.RunningAfter(&s, plan.Actions) {
				if !slices.ContainsFunc(wanted, func(w dispatch.Want) bool { return w.Job == j }) && dispatch.Movable(&s, j) {
					t.Fatalf("job %s runs and is not wanted", j.Job.ID)
				}
			}
			for _, a := range plan.Actions {
				if a.Kind == schedmate.Move {
					moves++
				}
			}
		})
	}
	if moves < 20 {
		t.Errorf("only %d moves", moves)
	}
}
