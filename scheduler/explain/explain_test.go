package explain_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/verify"
)

// question is a snapshot, a policy, and what explain says about one job.
type question struct {
	s      schedmate.Snapshot
	v      schedtest.Variant
	plan   schedmate.Plan
	reason *schedmate.Reason
	job    *schedmate.JobStatus
}

func (q *question) String() string {
	doc, err := schedmate.Canonical(q.s)
	if err != nil {
		return err.Error()
	}
	answer, err := schedmate.Canonical(q.plan)
	if err != nil {
		return err.Error()
	}
	why, err := schedmate.Canonical(q.reason)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("\npolicy %s\nsnapshot %s\nplan %s\nreason %s", q.v.Name, doc, answer, why)
}

// runs reports whether the job holds GPUs after the policy has planned for the
// snapshot with the change.
func (q *question) runs(c schedmate.Change) bool {
	return runs(q.v.Policy, explain.Apply(q.s, q.job.Job.ID, c), q.job.Job.ID)
}

func runs(p scheduler.Policy, s schedmate.Snapshot, job string) bool {
	plan := scheduler.Plan(p, s, scheduler.Budget{})
	if plan.Started(job) != nil {
		return true
	}
	preempted := slices.ContainsFunc(plan.Actions, func(a schedmate.Action) bool {
		return a.Kind == schedmate.Preempt && a.Job == job
	})
	return s.Find(job).Attempt != nil && !preempted
}

// everyReason draws snapshots and policies and hands every reason to f.
func everyReason(t *testing.T, f func(t *rapid.T, q *question)) {
	variants := slices.DeleteFunc(schedtest.All(), func(v schedtest.Variant) bool {
		return strings.HasPrefix(v.Name, "threesigma/titan") || strings.HasPrefix(v.Name, "chronus") || strings.HasPrefix(v.Name, "unisched") || // hold jobs back, see TestHeldBack
			strings.HasPrefix(v.Name, "sia") // chooses all at once: who waits is behind nobody
	})
	codes := map[schedmate.ReasonCode]int{}
	preempted := 0
	often(t, 4, func(t *rapid.T) {
		d := schedtest.Draw(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") })
		s := schedtest.Snapshot(d, schedtest.AnyStyle(d))
		v := variants[d(0, len(variants)-1)]
		plan := scheduler.Plan(v.Policy, s, scheduler.Budget{})
		plan.Reasons = explain.All(v.Policy, scheduler.Budget{}, s, &plan, explain.Thorough)
		for i := range plan.Reasons {
			q := &question{s: s, v: v, plan: plan, reason: &plan.Reasons[i]}
			q.job = s.Find(q.reason.Job)
			codes[q.reason.Code]++
			if q.job.Attempt != nil {
				preempted++
			}
			f(t, q)
		}
		plan.Hash = plan.Seal(schedmate.Hash(s))
		if err := verify.Check(&s, &plan); err != nil {
			t.Fatalf("%v%s", err, &question{s: s, v: v, plan: plan})
		}
	})
	t.Logf("reasons: %v, %d of preempted jobs", codes, preempted)
	for c := schedmate.ExceedsCluster; c <= schedmate.BehindInQueue; c++ {
		if codes[c] < 5 {
			t.Errorf("the snapshots were too easy: %s came up %d times", c, codes[c])
		}
	}
}

// Every reason names a change that lets the same policy start the job, or keep
// it running.
func TestChangeStartsTheJob(t *testing.T) {
	everyReason(t, func(t *rapid.T, q *question) {
		if q.reason.Change.Empty() {
			t.Fatalf("no change is named%s", q)
		}
		if !q.runs(q.reason.Change) {
			t.Fatalf("the change does not start job %s%s", q.reason.Job, q)
		}
	})
}

// Nothing can be left out of the change, and no number in it be smaller. (The
// Lucid artifact's placement thinks in nodes of the largest size that takes
// work, so with such a node away a larger gang may fit than on the whole
// cluster, from which the size to ask for comes.)
func TestChangeIsMinimal(t *testing.T) {
	everyReason(t, func(t *rapid.T, q *question) {
		for what, less := range smaller(&q.reason.Change) {
			if what == "resizing that far" && strings.Contains(q.v.Name, "lucid") {
				continue
			}
			if q.runs(less) {
				t.Fatalf("job %s starts without %s%s", q.reason.Job, what, q)
			}
		}
	})
}

// smaller lists the changes that ask for one thing less.
func smaller(c *schedmate.Change) map[string]schedmate.Change {
	out := map[string]schedmate.Change{}
	vary := func(what string, f func(c *schedmate.Change)) {
		less := *c
		f(&less)
		out[what] = less
	}
	if c.Resize > 0 {
		vary("resizing", func(c *schedmate.Change) { c.Resize = 0 })
		vary("resizing that far", func(c *schedmate.Change) { c.Resize++ })
	}
	if c.Alone {
		vary("holding everybody else", func(c *schedmate.Change) { c.Alone = false })
	}
	if c.AnyType {
		vary("any type", func(c *schedmate.Change) { c.AnyType = false })
	}
	if c.VC != "" {
		vary("another VC", func(c *schedmate.Change) { c.VC = "" })
	}
	if c.Quota > 0 {
		vary("a higher quota", func(c *schedmate.Change) { c.Quota = 0 })
		vary("a quota that high", func(c *schedmate.Change) { c.Quota-- })
	}
	for i := range c.Restore {
		vary("node "+c.Restore[i], func(c *schedmate.Change) { c.Restore = slices.Delete(slices.Clone(c.Restore), i, i+1) })
	}
	for i := range c.Release {
		vary("the end of "+c.Release[i], func(c *schedmate.Change) { c.Release = slices.Delete(slices.Clone(c.Release), i, i+1) })
	}
	for i := range c.Hold {
		vary("holding "+c.Hold[i], func(c *schedmate.Change) { c.Hold = slices.Delete(slices.Clone(c.Hold), i, i+1) })
	}
	return out
}

// free counts the free GPUs of nodes that may take the job, its own included.
func (q *question) free() int {
	sum := 0
	for _, n := range q.s.Cluster.Nodes {
		takes := n.Health == "" || n.Health == schedmate.Healthy
		if takes && (n.VC == "" || n.VC == q.job.Job.VC) && (q.job.Job.GPUType == "" || q.job.Job.GPUType == n.GPUType) {
			sum += n.GPUs
			for _, r := range q.s.Running {
				for _, a := range r.Attempt.Allocations {
					if a.Node == n.ID && r.Job.ID != q.job.Job.ID {
						sum--
					}
				}
			}
		}
	}
	return sum
}

// quota returns the quota of the job's VC, or false, and what others leave of it.
func (q *question) quota() (quota, left int, ok bool) {
	v := q.s.Cluster.VC(q.job.Job.VC)
	if v == nil || v.QuotaGPUs == 0 {
		return 0, 0, false
	}
	left = v.QuotaGPUs
	for _, r := range q.s.Running {
		for _, a := range r.Attempt.Allocations {
			if r.Job.VC == v.Name && r.Job.ID != q.job.Job.ID && q.s.Cluster.Node(a.Node).VC == "" {
				left--
			}
		}
	}
	return v.QuotaGPUs, max(0, left), true
}

// The numbers of a reason agree with a count of their own.
func TestNumbersAgree(t *testing.T) {
	everyReason(t, func(t *rapid.T, q *question) {
		r := q.reason
		want := schedmate.Reason{Job: r.Job, Code: r.Code, Need: q.job.Job.GPUs, Free: q.free()}
		quota, left, _ := q.quota()
		switch r.Code {
		case schedmate.ExceedsCluster:
			want.Limit = q.largest()
			want.Free = want.Limit
		case schedmate.ExceedsQuota:
			want.Limit, want.Free = quota, quota
		case schedmate.QuotaUsed:
			want.Limit, want.Free = quota, left
		}
		want.Short = max(0, want.Need-want.Free)
		got := schedmate.Reason{Job: r.Job, Code: r.Code, Need: r.Need, Free: r.Free, Short: r.Short, Limit: r.Limit}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("(-counted +reason)\n%s%s", diff, q)
		}
	})
}

// empty returns the snapshot with the job alone, waiting.
func (q *question) empty(healthy bool) schedmate.Snapshot {
	s := q.s
	s.Running = nil
	mine := *q.job
	mine.Attempt = nil
	s.Waiting = []*schedmate.JobStatus{&mine}
	if healthy {
		s.Cluster.Nodes = slices.Clone(s.Cluster.Nodes)
		for i := range s.Cluster.Nodes {
			s.Cluster.Nodes[i].Health = schedmate.Healthy
		}
	}
	return s
}

// largest is the largest gang up to the job's that could run on the empty,
// healthy cluster.
func (q *question) largest() int {
	for gpus := q.job.Job.GPUs; gpus > 0; gpus-- {
		if runs(q.v.Policy, explain.Apply(q.empty(true), q.job.Job.ID, schedmate.Change{Resize: gpus}), q.job.Job.ID) {
			return gpus
		}
	}
	return 0
}

// applies says whether a reason holds, whatever else holds too.
func (q *question) applies(code schedmate.ReasonCode) bool {
	id := q.job.Job.ID
	alone := func(healthy bool, c schedmate.Change) bool {
		return runs(q.v.Policy, explain.Apply(q.empty(healthy), id, c), id)
	}
	// Could it run if it were alone on the cluster as it is? What runs could.
	now := q.job.Attempt != nil || alone(false, schedmate.Change{})
	_, left, limited := q.quota()
	var waiting schedmate.Change // nobody else waits
	for _, w := range q.s.Waiting {
		if w.Job.ID != id {
			waiting.Hold = append(waiting.Hold, w.Job.ID)
		}
	}
	switch code {
	case schedmate.ExceedsCluster:
		return !now && !alone(true, schedmate.Change{}) && !(limited && alone(true, schedmate.Change{Quota: q.job.Job.GPUs}))
	case schedmate.ExceedsQuota:
		return !now && !alone(true, schedmate.Change{}) && limited && alone(true, schedmate.Change{Quota: q.job.Job.GPUs})
	case schedmate.NodesUnavailable:
		return !now && alone(true, schedmate.Change{})
	case schedmate.QuotaUsed:
		// Even if everybody else went, except those of its own VC who hold shared GPUs.
		c := waiting
		for _, r := range q.s.Running {
			holds := slices.ContainsFunc(r.Attempt.Allocations, func(a schedmate.Allocation) bool { return q.s.Cluster.Node(a.Node).VC == "" })
			if r.Job.ID != id && !(r.Job.VC == q.job.Job.VC && holds) {
				c.Release = append(c.Release, r.Job.ID)
			}
		}
		return limited && left < q.job.Job.GPUs && !q.runs(c)
	case schedmate.NotEnoughFree:
		return !q.runs(waiting) && q.free() < q.job.Job.GPUs
	case schedmate.Fragmented:
		return !q.runs(waiting) && q.free() >= q.job.Job.GPUs
	}
	return q.runs(waiting)
}

// The reason is the first one that holds, in the order of precedence: with any
// earlier one, removing this one would not help.
func TestPrecedence(t *testing.T) {
	everyReason(t, func(t *rapid.T, q *question) {
		for c := schedmate.ExceedsCluster; c <= schedmate.BehindInQueue; c++ {
			if q.applies(c) {
				if c != q.reason.Code {
					t.Fatalf("the reason is %s, and %s holds%s", q.reason.Code, c, q)
				}
				return
			}
		}
		t.Fatalf("no reason holds%s", q)
	})
}

// What a reason names are the things it says they are, in the order it says.
func TestNames(t *testing.T) {
	everyReason(t, func(t *rapid.T, q *question) {
		r, c := q.reason, &q.reason.Change
		for _, id := range c.Hold {
			if j := q.s.Find(id); j == nil || j.Attempt != nil || id == r.Job {
				t.Fatalf("%s is held and does not wait%s", id, q)
			}
		}
		for _, id := range c.Release {
			if j := q.s.Find(id); j == nil || j.Attempt == nil || id == r.Job {
				t.Fatalf("%s is to end and does not run%s", id, q)
			}
		}
		for _, id := range c.Restore {
			if n := q.s.Cluster.Node(id); n == nil || n.Takes() {
				t.Fatalf("node %s is to come back and is not away%s", id, q)
			}
		}
		if !slices.IsSorted(c.Hold) || !slices.IsSorted(c.Release) || !slices.IsSorted(c.Restore) {
			t.Fatalf("a change lists its names sorted%s", q)
		}
		if (r.Code == schedmate.NodesUnavailable) != (len(r.Nodes) > 0) || len(r.Nodes) > 0 && !slices.Equal(r.Nodes, c.Restore) {
			t.Fatalf("the nodes of the reason are not those of the change%s", q)
		}
		order := slices.Clone(r.Blockers)
		slices.Sort(order)
		if !slices.Equal(order, c.Hold) || r.Ahead != len(order) || c.Alone {
			t.Fatalf("the blockers are not those who are held%s", q)
		}
		ranker, ranks := q.v.Policy.(scheduler.Ranker)
		if ranks && !slices.IsSortedFunc(r.Blockers, func(a, b string) int {
			x, y := q.s.Find(a), q.s.Find(b)
			return scheduler.Compare(ranker.Rank(x, q.s.Now), x, ranker.Rank(y, q.s.Now), y)
		}) {
			t.Fatalf("the blockers are not in the policy's order%s", q)
		}
	})
}

// A time is expected only if nothing but running jobs must end, and all of them
// have an estimate that is not used up.
func TestExpectedTime(t *testing.T) {
	known := 0
	everyReason(t, func(t *rapid.T, q *question) {
		c := q.reason.Change
		release := c.Release
		c.Release = nil
		var want schedmate.Seconds
		if c.Empty() {
			for _, id := range release {
				left, ok := q.s.Find(id).Remaining(q.s.Now)
				if !ok || left == 0 {
					want = 0
					break
				}
				want = max(want, q.s.Now+left)
			}
		}
		if q.reason.Until != want {
			t.Fatalf("expected at %d, the estimates say %d%s", q.reason.Until, want, q)
		}
		if want > 0 {
			known++
		}
	})
	t.Logf("%d times are known", known)
}

// Reasons come for exactly those who wait, sorted, and one at a time they are
// the same.
func TestAllIsWhyOfEach(t *testing.T) {
	everyReason(t, func(t *rapid.T, q *question) {
		one := explain.Why(q.v.Policy, scheduler.Budget{}, q.s, q.reason.Job, explain.Thorough)
		if diff := gocmp.Diff(q.reason, one); diff != "" {
			t.Fatalf("%s%s", diff, q)
		}
		if !slices.IsSortedFunc(q.plan.Reasons, func(a, b schedmate.Reason) int { return cmp.Compare(a.Job, b.Job) }) {
			t.Fatalf("the reasons are not sorted%s", q)
		}
	})
}

// With few probes, or none, a change may name more than is needed, never too
// little; the code and the numbers stay, and the checker agrees.
func TestQuickChangesAreEnough(t *testing.T) {
	everyReason(t, func(t *rapid.T, q *question) {
		for _, effort := range []explain.Effort{{}, {Probes: 1}, explain.Quick} {
			r := explain.Why(q.v.Policy, scheduler.Budget{}, q.s, q.reason.Job, effort)
			if r == nil || !q.runs(r.Change) {
				t.Fatalf("with %d probes the change does not start the job: %+v%s", effort.Probes, r, q)
			}
			want := []int{int(q.reason.Code), q.reason.Need, q.reason.Free, q.reason.Short, q.reason.Limit}
			if got := []int{int(r.Code), r.Need, r.Free, r.Short, r.Limit}; !slices.Equal(got, want) {
				t.Fatalf("with %d probes code and numbers are %v, not %v%s", effort.Probes, got, want, q)
			}
			if r.Ahead < len(r.Blockers) {
				t.Fatalf("with %d probes %d jobs are ahead and %d named%s", effort.Probes, r.Ahead, len(r.Blockers), q)
			}
		}
		brief := q.plan
		brief.Reasons = explain.All(q.v.Policy, scheduler.Budget{}, q.s, &brief, explain.Effort{})
		brief.Hash = brief.Seal(schedmate.Hash(q.s))
		if err := verify.Check(&q.s, &brief); err != nil {
			t.Fatalf("%v%s", err, q)
		}
	})
}

// A job of nobody on a cluster whose nodes all belong to somebody is sent where
// its whole gang fits, not to the first VC of the list.
func TestInfeasibleKeepsTheGangIfItCan(t *testing.T) {
	c := schedmate.Cluster{
		Nodes: []schedmate.Node{{ID: "n1", GPUs: 1, VC: "a", GPUType: "v100"}, {ID: "n2", GPUs: 8, VC: "b", GPUType: "v100"}},
		VCs:   []schedmate.VC{{Name: "a"}, {Name: "b"}},
	}
	for _, v := range schedtest.Policies() {
		for _, tc := range []struct {
			job  schedmate.Job
			want schedmate.Reason
		}{
			{schedmate.Job{ID: "j", GPUs: 8}, schedmate.Reason{
				Job: "j", Code: schedmate.ExceedsCluster, Need: 8, Short: 8, Change: schedmate.Change{VC: "b"},
			}},
			{schedmate.Job{ID: "j", GPUs: 9, VC: "a"}, schedmate.Reason{
				Job: "j", Code: schedmate.ExceedsCluster, Need: 9, Free: 1, Short: 8, Limit: 1, Change: schedmate.Change{Resize: 1},
			}},
			{schedmate.Job{ID: "j", GPUs: 9, GPUType: "h100"}, schedmate.Reason{
				Job: "j", Code: schedmate.ExceedsCluster, Need: 9, Short: 9, Change: schedmate.Change{VC: "b", AnyType: true, Resize: 8},
			}},
			{schedmate.Job{ID: "j", GPUs: 8, VC: "b"}, schedmate.Reason{}},
		} {
			got := explain.Infeasible(v.Policy, scheduler.Budget{}, c, schedmate.JobStatus{Job: tc.job}, 0)
			if got == nil {
				got = &schedmate.Reason{}
			}
			if diff := gocmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("%s, %d GPUs for vc %q: %s", v.Name, tc.job.GPUs, tc.job.VC, diff)
			}
		}
	}
}

// often makes n times as many draws as rapid does by default: odd clusters are
// rare among few.
func often(t *testing.T, n int, property func(t *rapid.T)) {
	t.Helper()
	for range n {
		rapid.Check(t, property)
	}
}

// The longer a queue, the less is spent on each of its jobs.
func TestEffortFor(t *testing.T) {
	before := explain.EffortFor(0).Probes
	for waiting := 1; waiting <= 100_000; waiting *= 10 {
		probes := explain.EffortFor(waiting).Probes
		if probes < 0 || probes > before {
			t.Errorf("%d jobs wait: %d probes, after %d for fewer jobs", waiting, probes, before)
		}
		before = probes
	}
	if explain.EffortFor(1) != explain.Thorough {
		t.Error("a single job is worth all effort")
	}
}
