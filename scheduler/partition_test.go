package scheduler_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/schedtest"
)

func draws(t *rapid.T) schedtest.Draw {
	return func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
}

func drawSnapshot(t *rapid.T) schedmate.Snapshot {
	d := draws(t)
	return schedtest.Snapshot(d, schedtest.AnyStyle(d))
}

func twoVCs() schedmate.Cluster {
	return schedmate.Cluster{
		Nodes: []schedmate.Node{{ID: "n1", GPUs: 4, VC: "b"}, {ID: "n2", GPUs: 4, VC: "a"}, {ID: "n3", GPUs: 4, VC: "b"}},
		VCs:   []schedmate.VC{{Name: "a"}, {Name: "b"}, {Name: "c"}},
	}
}

// Two VCs with nodes, one without, and those who belong to none: four parts.
func TestPartsByVC(t *testing.T) {
	c := twoVCs()
	parts := scheduler.Parts(&c)
	var got [][]string
	for _, p := range parts {
		ids := []string{}
		for _, n := range p.Nodes {
			ids = append(ids, n.ID)
		}
		got = append(got, ids)
	}
	if diff := cmp.Diff([][]string{{}, {"n2"}, {"n1", "n3"}, {}}, got); diff != "" {
		t.Error(diff)
	}
	for vc, want := range map[string]int{"": 0, "a": 1, "b": 2, "c": 3} {
		if got := scheduler.PartOf(parts, vc); got != want {
			t.Errorf("vc %q belongs to part %d, want %d", vc, got, want)
		}
	}
}

// A single node of nobody is competed for by all.
func TestOneSharedNodeMakesOnePart(t *testing.T) {
	c := twoVCs()
	c.Nodes[1].VC = ""
	if parts := scheduler.Parts(&c); len(parts) != 1 || len(parts[0].Nodes) != 3 {
		t.Errorf("got %d parts", len(parts))
	}
}

// A part is planned alone, so what runs on its nodes must be in it. A job that
// runs outside its VC (nodes change owners while jobs run) ties the parts
// together.
func TestJobOutsideItsVCTiesThePartsTogether(t *testing.T) {
	s := schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 10, Cluster: twoVCs()}
	guest := &schedmate.JobStatus{Job: schedmate.Job{ID: "guest", VC: "a", GPUs: 4}, Seq: 1, Attempt: &schedmate.Attempt{Number: 1}}
	for gpu := range 4 {
		guest.Attempt.Allocations = append(guest.Attempt.Allocations, schedmate.Allocation{Node: "n1", GPU: gpu, Share: schedmate.WholeGPU})
	}
	host := &schedmate.JobStatus{Job: schedmate.Job{ID: "host", VC: "b", GPUs: 4}, Seq: 2}
	s.Running, s.Waiting = []*schedmate.JobStatus{guest}, []*schedmate.JobStatus{host}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, v := range schedtest.Policies() {
		plan := scheduler.Plan(v.Policy, s, scheduler.Budget{})
		start := plan.Started("host")
		if start == nil || start.Allocations[0].Node != "n3" {
			t.Errorf("%s: the host must start on n3, beside its guest; got %v", v.Name, plan.Actions)
		}
	}
}

// solver answers a part with what it has of each, for the joint to add up.
type solver struct{}

func (solver) Name() string { return "solver" }

func (solver) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	jobs := int64(len(s.Waiting))
	p := schedmate.Plan{Policy: "solver", Engine: "exact", BudgetUsed: b.Iterations, Wake: s.Now + schedmate.Seconds(10*jobs), Bound: &jobs}
	for _, j := range s.Waiting {
		p.Actions = append(p.Actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID})
	}
	if jobs == 2 {
		value := int64(1)
		p.Value = &value
	}
	return p
}

// The plans of the parts are joined: actions in the order of the parts, the
// earliest wake-up, and the sums of what was reached, proved and used. A part
// without jobs is not asked.
func TestPlanJoinsTheParts(t *testing.T) {
	s := schedmate.Snapshot{Now: 100, Cluster: twoVCs()}
	for i, vc := range []string{"b", "a", "b"} {
		id := string(rune('x' + i))
		s.Waiting = append(s.Waiting, &schedmate.JobStatus{Job: schedmate.Job{ID: id, VC: vc, GPUs: 1}, Seq: int64(i)})
	}
	got := scheduler.Plan(solver{}, s, scheduler.Budget{Iterations: 7})
	value, bound := int64(1), int64(3)
	want := schedmate.Plan{
		Policy: "solver", Engine: "exact", BudgetUsed: 14, Wake: 110, Value: &value, Bound: &bound,
		Actions: []schedmate.Action{{Kind: schedmate.Start, Job: "y"}, {Kind: schedmate.Start, Job: "x"}, {Kind: schedmate.Start, Job: "z"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every job is in exactly one part, and with it every node it may use.
func TestSplitKeepsJobsWithTheirNodes(t *testing.T) {
	often(t, 10, func(t *rapid.T) {
		s := drawSnapshot(t)
		jobs, nodes := 0, 0
		for _, part := range scheduler.Split(s) {
			mine := schedmate.NewOccupancy(part.Cluster)
			nodes += len(part.Cluster.Nodes)
			jobs += len(part.Waiting) + len(part.Running)
			for _, list := range [][]*schedmate.JobStatus{part.Waiting, part.Running} {
				for _, j := range list {
					whole := schedmate.NewOccupancy(s.Cluster)
					if a, b := admitting(mine, &j.Job), admitting(whole, &j.Job); !cmp.Equal(a, b) {
						t.Fatalf("job %s may use %v, in its part only %v", j.Job.ID, b, a)
					}
				}
			}
		}
		if jobs != len(s.Waiting)+len(s.Running) || nodes != len(s.Cluster.Nodes) {
			t.Fatalf("%d of %d jobs and %d of %d nodes are in the parts", jobs, len(s.Waiting)+len(s.Running), nodes, len(s.Cluster.Nodes))
		}
	})
}

func admitting(o *schedmate.Occupancy, j *schedmate.Job) []string {
	var ids []string
	for i := range o.Len() {
		if o.Admits(i, j) {
			ids = append(ids, o.Node(i).ID)
		}
	}
	return ids
}

// often makes n times as many draws as rapid does by default: odd clusters are
// rare among few.
func often(t *testing.T, n int, property func(t *rapid.T)) {
	t.Helper()
	for range n {
		rapid.Check(t, property)
	}
}
