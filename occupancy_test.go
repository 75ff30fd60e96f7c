package schedmate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/schedtest"
)

// gpu is one GPU of the cluster.
type gpu struct {
	node  string
	index int
}

// books is the dumb twin of Occupancy: who holds what, counted anew each time.
type books map[*schedmate.Job]map[gpu]schedmate.Share

func (b books) clone() books {
	out := make(books)
	for job, holds := range b {
		out[job] = maps.Clone(holds)
	}
	return out
}

func (b books) load(g gpu) (sum schedmate.Share) {
	for _, holds := range b {
		sum += holds[g]
	}
	return sum
}

// freeOf lists the GPUs of a node that carry nothing, the lowest first.
func (b books) freeOf(n *schedmate.Node) []int {
	var free []int
	for i := range n.GPUs {
		if b.load(gpu{n.ID, i}) == 0 {
			free = append(free, i)
		}
	}
	return free
}

func (b books) quotaLeft(c *schedmate.Cluster, vc string) int {
	for _, v := range c.VCs {
		if v.Name != vc || v.QuotaGPUs == 0 {
			continue
		}
		left := v.QuotaGPUs
		for job, holds := range b {
			for g := range holds {
				if job.VC == vc && c.Node(g.node).VC == "" {
					left--
				}
			}
		}
		return left
	}
	return schedmate.MaxGangGPUs
}

// mayUse is Admits, said the other way round.
func mayUse(n *schedmate.Node, j *schedmate.Job) bool {
	switch {
	case n.Health == schedmate.Draining, n.Health == schedmate.Suspect, n.Health == schedmate.Down:
		return false
	case n.VC != "" && n.VC != j.VC:
		return false
	case j.GPUType != "" && n.GPUType != j.GPUType:
		return false
	}
	return true
}

func mostFor(c *schedmate.Cluster, j *schedmate.Job) int {
	gpus := 0
	for i := range c.Nodes {
		n := &c.Nodes[i]
		tooBigForQuota := slices.ContainsFunc(c.VCs, func(v schedmate.VC) bool {
			return v.Name == j.VC && v.QuotaGPUs != 0 && j.GPUs > v.QuotaGPUs
		})
		for range n.GPUs {
			if mayUse(n, j) && !(n.VC == "" && tooBigForQuota) {
				gpus++
			}
		}
	}
	return gpus
}

// Whatever is taken, released and rolled back, the occupancy answers as if
// somebody had counted the GPUs one by one.
func TestOccupancyIsWhatOneCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
		c := schedtest.Cluster(draw, schedtest.Odd)
		vcs := []string{""}
		for _, v := range c.VCs {
			vcs = append(vcs, v.Name)
		}
		var jobs []*schedmate.Job
		for i := range 5 {
			jobs = append(jobs, &schedmate.Job{
				ID: fmt.Sprint("j", i), GPUs: draw(1, 12), VC: rapid.SampledFrom(vcs).Draw(t, "vc"),
				GPUType: rapid.SampledFrom([]string{"", "a100", "v100", "h100"}).Draw(t, "type"),
			})
		}
		var all []gpu
		for _, n := range c.Nodes {
			for i := range n.GPUs {
				all = append(all, gpu{n.ID, i})
			}
		}

		type mark struct {
			at    int
			books books
		}
		o, held, marks, changes := schedmate.NewOccupancy(c), make(books), []mark(nil), 0
		anyJob := rapid.SampledFrom(jobs)
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				j := anyJob.Draw(t, "job")
				var as []schedmate.Allocation
				for _, g := range rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, min(4, len(all)), rapid.ID).Draw(t, "gpus") {
					room := schedmate.WholeGPU - held.load(g)
					if room == 0 || held[j][g] > 0 {
						continue
					}
					share := room
					if rapid.Bool().Draw(t, "part") {
						share = schedmate.Share(rapid.Int32Range(1, int32(room)).Draw(t, "share"))
					}
					as = append(as, schedmate.Allocation{Node: g.node, GPU: g.index, Share: share})
				}
				o.Take(j, as)
				changes++
				for _, a := range as {
					if held[j] == nil {
						held[j] = make(map[gpu]schedmate.Share)
					}
					held[j][gpu{a.Node, a.GPU}] = a.Share
				}
			},
			"release": func(t *rapid.T) {
				j := anyJob.Draw(t, "job")
				var as []schedmate.Allocation
				for _, g := range all {
					if share := held[j][g]; share > 0 && rapid.Bool().Draw(t, "this") {
						as = append(as, schedmate.Allocation{Node: g.node, GPU: g.index, Share: share})
						delete(held[j], g)
					}
				}
				o.Release(j, as)
				changes++
			},
			"mark": func(t *rapid.T) { marks = append(marks, mark{o.Mark(), held.clone()}) },
			"roll back": func(t *rapid.T) {
				if len(marks) == 0 {
					t.Skip("no mark")
				}
				i := rapid.IntRange(0, len(marks)-1).Draw(t, "mark")
				o.Rollback(marks[i].at)
				changes, held, marks = marks[i].at, marks[i].books.clone(), marks[:i+1]
			},
			"commit": func(t *rapid.T) {
				o.Commit()
				changes, marks = 0, nil
			},
			"health": func(t *rapid.T) {
				n := &c.Nodes[rapid.IntRange(0, len(c.Nodes)-1).Draw(t, "node")]
				n.Health = rapid.SampledFrom([]schedmate.Health{"", schedmate.Healthy, schedmate.Draining, schedmate.Suspect, schedmate.Down}).Draw(t, "health")
			},
			"": func(t *rapid.T) { compare(t, o, held, &c, jobs, changes) },
		})
	})
}

func compare(t *rapid.T, o *schedmate.Occupancy, held books, c *schedmate.Cluster, jobs []*schedmate.Job, changes int) {
	if o.Len() != len(c.Nodes) || o.Mark() != changes {
		t.Fatalf("%d nodes and %d changes, want %d and %d", o.Len(), o.Mark(), len(c.Nodes), changes)
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if o.Node(i) != n {
			t.Fatalf("node %d is %s, want %s", i, o.Node(i).ID, n.ID)
		}
		free := held.freeOf(n)
		if o.Free(i) != len(free) {
			t.Fatalf("node %s has %d free GPUs, want %d", n.ID, o.Free(i), len(free))
		}
		before := []schedmate.Allocation{{Node: "before"}}
		for k := range len(free) + 1 {
			want := slices.Clone(before)
			for _, index := range free[:k] {
				want = append(want, schedmate.Allocation{Node: n.ID, GPU: index, Share: schedmate.WholeGPU})
			}
			if got := o.Pick(slices.Clone(before), i, k); !slices.Equal(got, want) {
				t.Fatalf("picking %d of node %s gives %v, want %v", k, n.ID, got, want)
			}
		}
		for _, j := range jobs {
			if got, want := o.Admits(i, j), mayUse(n, j); got != want {
				t.Fatalf("node %s admits job %s: %v, want %v", n.ID, j.ID, got, want)
			}
		}
	}
	for _, vc := range []string{"", "vc0", "vc1", "vc2", "nobody"} {
		if got, want := o.QuotaLeft(vc), held.quotaLeft(c, vc); got != want {
			t.Fatalf("vc %q has %d GPUs of its quota left, want %d", vc, got, want)
		}
	}
	for _, j := range jobs {
		if got, want := o.Capacity(j), mostFor(c, j); got != want {
			t.Fatalf("job %s could have %d GPUs, want %d", j.ID, got, want)
		}
	}
}

// The lab at noon, by hand: of a's eight GPUs 0 to 4 carry something, b is full,
// c is empty. Vision may hold 6 shared GPUs and holds none; job 7 of vision on
// node c makes that 2, and undoing it 6 again.
func TestOccupancyByHand(t *testing.T) {
	s := noon()
	o := s.Occupancy()
	state := func() string {
		return fmt.Sprint([]int{o.Free(0), o.Free(1), o.Free(2)}, o.QuotaLeft("vision"), o.QuotaLeft("nlp") == schedmate.MaxGangGPUs)
	}
	check := func(want string) {
		t.Helper()
		if got := state(); got != want {
			t.Errorf("free GPUs, quota of vision, no quota of nlp: %s, want %s", got, want)
		}
	}
	check("[3 0 4] 6 true")
	if got, want := o.Pick(nil, 0, 2), []schedmate.Allocation{{Node: "a", GPU: 5, Share: 1000}, {Node: "a", GPU: 6, Share: 1000}}; !slices.Equal(got, want) {
		t.Errorf("the lowest two free GPUs of node a are %v, want %v", got, want)
	}

	seven := &schedmate.Job{ID: "7", VC: "vision", GPUs: 4}
	start := o.Mark()
	o.Take(seven, o.Pick(nil, 2, 4))
	check("[3 0 0] 2 true")
	taken := o.Mark()
	o.Release(&s.Running[0].Job, s.Running[0].Attempt.Allocations)
	check("[7 0 0] 2 true")
	o.Rollback(taken)
	check("[3 0 0] 2 true")
	o.Rollback(start)
	check("[3 0 4] 6 true")

	// Job 4 of nlp may use its own node a and the shared node b, not c: that is
	// draining. Job 5 of vision wants a V100, so only b. Job 6 of nobody may use b.
	for id, want := range map[string]int{"4": 16, "5": 8, "6": 8} {
		if got := o.Capacity(&s.Find(id).Job); got != want {
			t.Errorf("job %s could have %d GPUs, want %d", id, got, want)
		}
	}
	// A gang of 7 is above the quota of vision.
	if got := o.Capacity(&schedmate.Job{VC: "vision", GPUs: 7}); got != 0 {
		t.Errorf("a gang above its quota could have %d GPUs, want 0", got)
	}
}

// A quota that is lowered below what the VC holds leaves less than nothing.
func TestQuotaOverdrawn(t *testing.T) {
	c := *validCluster()
	o := schedmate.NewOccupancy(c)
	o.Take(&schedmate.Job{ID: "7", VC: "vision", GPUs: 8}, o.Pick(nil, 1, 8))
	if got := o.QuotaLeft("vision"); got != -2 {
		t.Errorf("of a quota of 6, with 8 held, %d are left, want -2", got)
	}
}

// A snapshot without a host counts for itself, each time anew; one with a host
// gives what the host keeps.
func TestSnapshotOccupancy(t *testing.T) {
	s := noon()
	first := s.Occupancy()
	if first.Mark() != 0 {
		t.Error("what the running jobs hold can be rolled back")
	}
	first.Take(&s.Waiting[0].Job, first.Pick(nil, 2, 4))
	if second := s.Occupancy(); second == first || second.Free(2) != 4 {
		t.Error("a snapshot without a host remembers what was taken")
	}
	hosted := s.WithHost(first, true)
	if hosted.Occupancy() != first || !hosted.Ranked() {
		t.Error("a snapshot with a host does not give what the host keeps")
	}
	if s.Ranked() {
		t.Error("WithHost changes the snapshot it is called on")
	}
	if schedmate.Hash(hosted) != schedmate.Hash(s) {
		t.Error("what a host keeps changes the hash")
	}
}

func TestOccupancyStopsOnBugs(t *testing.T) {
	j := &schedmate.Job{ID: "7", GPUs: 1}
	one := func(node string, gpu int, share schedmate.Share) []schedmate.Allocation {
		return []schedmate.Allocation{{Node: node, GPU: gpu, Share: share}}
	}
	for _, tc := range []struct {
		what, says string
		do         func(o *schedmate.Occupancy)
	}{
		{"a GPU is taken twice", "BUG: job 7: GPU 0 of node a would carry 2000 thousandths", func(o *schedmate.Occupancy) {
			o.Take(j, one("a", 0, 1000))
			o.Take(j, one("a", 0, 1000))
		}},
		{"a GPU is taken twice at once", "BUG: job 7: GPU 0 of node a would carry 2000 thousandths", func(o *schedmate.Occupancy) {
			o.Take(j, append(one("a", 0, 1000), one("a", 0, 1000)...))
		}},
		{"a thousandth too much", "BUG: job 7: GPU 3 of node c would carry 1001 thousandths", func(o *schedmate.Occupancy) {
			o.Take(j, one("c", 3, 501))
			o.Take(j, one("c", 3, 500))
		}},
		{"what nobody has taken is released", "BUG: job 7: GPU 0 of node a would carry -1 thousandths", func(o *schedmate.Occupancy) {
			o.Release(j, one("a", 0, 1))
		}},
		{"a node that does not exist is taken", `BUG: job 7: no node "z"`, func(o *schedmate.Occupancy) { o.Take(j, one("z", 0, 1000)) }},
		{"a node that does not exist is released", `BUG: job 7: no node "z"`, func(o *schedmate.Occupancy) { o.Release(j, one("z", 0, 1000)) }},
		{"a node without a name", `BUG: job 7: no node ""`, func(o *schedmate.Occupancy) { o.Take(j, one("", 0, 1000)) }},
		{"a GPU that does not exist", "BUG: job 7: node c has no GPU 4", func(o *schedmate.Occupancy) { o.Take(j, one("c", 4, 1000)) }},
		{"a GPU below 0", "BUG: job 7: node c has no GPU -1", func(o *schedmate.Occupancy) { o.Take(j, one("c", -1, 1000)) }},
		{"more are picked than are free", "BUG: node c has 2 free GPUs fewer than picked", func(o *schedmate.Occupancy) {
			o.Take(j, one("c", 1, 1))
			o.Pick(nil, 2, 5)
		}},
	} {
		t.Run(tc.what, func(t *testing.T) {
			mustPanic(t, tc.says, func() { tc.do(schedmate.NewOccupancy(*validCluster())) })
		})
	}
}

// mustPanic calls f and wants a panic whose text begins so.
func mustPanic(t *testing.T, says string, f func()) {
	t.Helper()
	defer func() {
		if got, ok := recover().(string); !ok || !strings.HasPrefix(got, says) {
			t.Errorf("got %q, want a panic that says %q", got, says)
		}
	}()
	f()
}
