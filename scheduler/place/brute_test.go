package place_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/place"
	"schedmate/scheduler/schedtest"
)

func draws(t *rapid.T) schedtest.Draw {
	return func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
}

// choice is how many GPUs a gang takes from each node.
type choice map[string]int

func counted(as []schedmate.Allocation) choice {
	c := choice{}
	for _, a := range as {
		c[a.Node]++
	}
	return c
}

// enumerate calls f with every set of the nodes, as a list.
func enumerate(nodes []int, f func(set []int)) {
	for bits := range 1 << len(nodes) {
		var set []int
		for k, i := range nodes {
			if bits>>k&1 == 1 {
				set = append(set, i)
			}
		}
		f(set)
	}
}

// usable lists the nodes that the job may use now. GPUs of nobody's nodes count
// only while the quota holds the whole gang, and only if wanted.
func usable(o *schedmate.Occupancy, j *schedmate.Job, shared bool) []int {
	var nodes []int
	for i := range o.Len() {
		n := o.Node(i)
		switch {
		case n.Health != "" && n.Health != schedmate.Healthy:
		case j.GPUType != "" && j.GPUType != n.GPUType:
		case n.VC == "" && !shared, n.VC == "" && j.GPUs > o.QuotaLeft(j.VC):
		case n.VC != "" && n.VC != j.VC:
		default:
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// brute finds the place by trying every set of nodes. The fewest nodes that the
// gang would need if all were empty must do. Among the sets of that size that
// hold it, as many GPUs as possible come from the emptiest nodes, which are used
// up, and the last node is the one with the fewest free GPUs left over; then
// the lower node IDs.
func brute(o *schedmate.Occupancy, gang int, nodes []int) choice {
	need := len(nodes) + 1
	enumerate(nodes, func(set []int) {
		size := 0
		for _, i := range set {
			size += o.Node(i).GPUs
		}
		if size >= gang {
			need = min(need, len(set))
		}
	})
	var best []int // free GPUs of the whole nodes, descending; then of the last; then the IDs
	var found choice
	enumerate(nodes, func(set []int) {
		if len(set) != need {
			return
		}
		for _, last := range set {
			rest := gang
			var free, ids []int
			for _, i := range set {
				if i != last {
					rest -= o.Free(i)
					free = append(free, o.Free(i))
					ids = append(ids, i)
				}
			}
			if rest < 1 || rest > o.Free(last) || slices.Min(append(free, o.Free(last))) == 0 {
				continue
			}
			slices.SortFunc(free, func(a, b int) int { return b - a })
			key := make([]int, 0, 2*need)
			for _, f := range free {
				key = append(key, -f)
			}
			slices.SortFunc(ids, func(a, b int) int {
				if o.Free(a) != o.Free(b) {
					return o.Free(b) - o.Free(a)
				}
				return a - b
			})
			key = append(append(append(key, o.Free(last)), ids...), last)
			if found != nil && slices.Compare(key, best) >= 0 {
				continue
			}
			best, found = key, choice{}
			for _, i := range ids {
				found[o.Node(i).ID] = o.Free(i)
			}
			found[o.Node(last).ID] = rest
		}
	})
	return found
}

// Consolidated places a gang on the fewest nodes that could hold it, and
// nowhere if those are not free; the VC's own nodes are tried alone when the
// shared ones do not help.
func TestConsolidatedAgainstAllSets(t *testing.T) {
	placed, spread := 0, 0
	often(t, 10, func(t *rapid.T) {
		s := schedtest.Snapshot(draws(t), schedtest.Odd)
		o := s.Occupancy()
		for _, w := range s.Waiting {
			want := brute(o, w.Job.GPUs, usable(o, &w.Job, true))
			if want == nil {
				want = brute(o, w.Job.GPUs, usable(o, &w.Job, false))
			}
			as := place.Consolidated(o, &w.Job)
			if want == nil && as == nil {
				continue
			}
			if diff := cmp.Diff(want, counted(as)); diff != "" {
				t.Fatalf("job %s of %d GPUs: (-brute force +placed)\n%s", w.Job.ID, w.Job.GPUs, diff)
			}
			placed++
			if len(want) > 1 {
				spread++
			}
		}
	})
	t.Logf("%d gangs placed, %d of them over several nodes", placed, spread)
	if placed < 20 || spread < 2 {
		t.Errorf("the snapshots were too easy: %d placed, %d over several nodes", placed, spread)
	}
}

// Whatever a placement returns is free, whole, sorted and of the size of the
// gang, and what it looked at is as before.
func TestPlacementsAreFreeAndWhole(t *testing.T) {
	often(t, 5, func(t *rapid.T) {
		s := schedtest.Snapshot(draws(t), schedtest.Odd)
		for _, rule := range []place.Rule{place.ConsolidatedRule, place.LucidRule, place.TitanRule} {
			find, err := rule.Func()
			if err != nil {
				t.Fatal(err)
			}
			o := s.Occupancy()
			for _, w := range s.Waiting {
				var before []int
				for i := range o.Len() {
					before = append(before, o.Free(i))
				}
				as := find(o, &w.Job)
				for i := range o.Len() {
					if o.Free(i) != before[i] {
						t.Fatalf("%s changed node %s", rule, o.Node(i).ID)
					}
				}
				if as == nil {
					continue
				}
				started := *w
				started.Attempt = &schedmate.Attempt{Number: 1, Start: s.Now, Allocations: as}
				after := s
				after.Waiting = nil
				after.Running = append(slices.Clone(s.Running), &started)
				started.Seq = 1 << 40
				if err := after.Validate(); err != nil {
					t.Fatalf("%s placed job %s where it cannot run: %v", rule, w.Job.ID, err)
				}
			}
		}
	})
}

// What does not fit now does not fit either after further GPUs are taken: the
// dispatcher relies on it when it skips jobs of a shape that has failed.
func TestTakingNeverMakesRoom(t *testing.T) {
	often(t, 20, func(t *rapid.T) {
		s := schedtest.Snapshot(draws(t), schedtest.Odd)
		o := s.Occupancy()
		var failed []*schedmate.Job
		for _, w := range s.Waiting {
			if as := place.Consolidated(o, &w.Job); as != nil {
				o.Take(&w.Job, as)
			} else {
				failed = append(failed, &w.Job)
			}
			for _, j := range failed {
				if place.Consolidated(o, j) != nil {
					t.Fatalf("job %s fits after more GPUs were taken", j.ID)
				}
			}
		}
	})
}

func nodes(gpus ...int) schedmate.Cluster {
	var c schedmate.Cluster
	for i, n := range gpus {
		c.Nodes = append(c.Nodes, schedmate.Node{ID: string(rune('a' + i)), GPUs: n})
	}
	return c
}

// occupied takes that many GPUs of each node.
func occupied(c schedmate.Cluster, taken ...int) *schedmate.Occupancy {
	o := schedmate.NewOccupancy(c)
	for i, k := range taken {
		o.Take(&schedmate.Job{ID: "other"}, o.Pick(nil, i, k))
	}
	return o
}

// The placements differ where the gang is larger than a node and no
// multiple of it.
func TestTwelveGPUsOnEightGPUNodes(t *testing.T) {
	// Free: a 8, b 8, c 4. Twelve are one whole node and four more.
	o := occupied(nodes(8, 8, 8), 0, 0, 4)
	twelve := &schedmate.Job{ID: "twelve", GPUs: 12}
	// The tightest node that holds four is c.
	if diff := cmp.Diff(choice{"a": 8, "c": 4}, counted(place.Consolidated(o, twelve))); diff != "" {
		t.Error(diff)
	}
	// The artifacts take the next in descending order of free GPUs: b.
	for name, find := range map[string]place.Func{"lucid": place.Lucid, "titan": place.Titan} {
		if diff := cmp.Diff(choice{"a": 8, "b": 4}, counted(find(o, twelve))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, tc := range []struct {
		name  string
		sizes []int
		taken []int
		gang  int
		want  choice // consolidated
		lucid choice
		titan choice
	}{
		{"the tightest node", []int{8, 8, 8}, []int{0, 6, 4}, 2, choice{"b": 2}, choice{"b": 2}, choice{"b": 2}},
		{"equal nodes: the first", []int{8, 8}, []int{4, 4}, 2, choice{"a": 2}, choice{"a": 2}, choice{"a": 2}},
		{"eight free in two halves do not hold eight", []int{8, 8}, []int{4, 4}, 8, nil, nil, nil},
		{"sixteen need two whole nodes", []int{8, 8, 8}, []int{0, 1, 0}, 16, choice{"a": 8, "c": 8}, choice{"a": 8, "c": 8}, choice{"a": 8, "c": 8}},
		{"and wait for the second", []int{8, 8, 8}, []int{0, 1, 1}, 16, nil, nil, nil},
		{"three nodes are not as few as possible", []int{8, 8, 8}, []int{4, 4, 4}, 12, nil, nil, nil},
		{"two nodes of which none is whole", []int{8, 8, 8}, []int{4, 1, 2}, 12, choice{"b": 7, "c": 5}, nil, choice{"b": 7, "c": 5}},
		{"the rest where it is tightest, or not", []int{8, 8, 8}, []int{3, 1, 2}, 12, choice{"a": 5, "b": 7}, nil, choice{"b": 7, "c": 5}},
		// Sizes 8, 4, 4: sixteen need all three. The Lucid artifact thinks in nodes
		// of the largest size and finds no second whole one.
		{"nodes of different sizes", []int{8, 4, 4}, nil, 16, choice{"a": 8, "b": 4, "c": 4}, nil, choice{"a": 8, "b": 4, "c": 4}},
		{"more than there is", []int{8, 8}, nil, 17, nil, nil, nil},
	} {
		o := occupied(nodes(tc.sizes...), tc.taken...)
		j := &schedmate.Job{ID: "j", GPUs: tc.gang}
		for _, p := range []struct {
			rule string
			find place.Func
			want choice
		}{{"consolidated", place.Consolidated, tc.want}, {"lucid", place.Lucid, tc.lucid}, {"titan", place.Titan, tc.titan}} {
			as := p.find(o, j)
			if as == nil && p.want == nil {
				continue
			}
			if diff := cmp.Diff(p.want, counted(as)); diff != "" {
				t.Errorf("%s, %s: %s", tc.name, p.rule, diff)
			}
		}
	}
}

// VC x owns a and b of 8 GPUs; c has 16, belongs to nobody and is half busy.
// Twelve GPUs would need c alone; it is not free, and a and b are.
func TestBusySharedNodeDoesNotKeepAGangFromItsOwn(t *testing.T) {
	c := nodes(8, 8, 16)
	c.VCs = []schedmate.VC{{Name: "x"}}
	c.Nodes[0].VC, c.Nodes[1].VC = "x", "x"
	o := occupied(c, 0, 0, 8)
	if diff := cmp.Diff(choice{"a": 8, "b": 4}, counted(place.Consolidated(o, &schedmate.Job{ID: "j", GPUs: 12, VC: "x"}))); diff != "" {
		t.Error(diff)
	}
	if as := place.Consolidated(o, &schedmate.Job{ID: "j", GPUs: 12}); as != nil {
		t.Errorf("a job of nobody got %v", as)
	}
}

func TestUnknownRule(t *testing.T) {
	if _, err := place.Rule("random").Func(); err == nil {
		t.Error("an unknown placement was accepted")
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
