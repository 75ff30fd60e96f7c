package fit_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/fit"
)

// draw makes a small cluster with jobs that run and jobs that wait.
func draw(t *rapid.T) *schedmate.Observation {
	n := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
	one := func(of int) bool { return n(1, of) == 1 }
	o := &schedmate.Observation{APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, Now: now, System: schedmate.System{Name: "slurm"}}
	all := []string{}
	for i := range n(2, 4) {
		node := schedmate.ObservedNode{Name: fmt.Sprintf("n%d", i+1), States: []string{"IDLE"}, CPUs: n(3, 8), MemoryMiB: int64(n(4, 12)), Weight: n(0, 1)}
		if one(6) {
			node.States = []string{"DOWN"}
		}
		if !one(4) {
			node.GPUs = []schedmate.Device{{Type: "a", Count: n(1, 3)}}
			if one(3) {
				node.GPUs = append(node.GPUs, schedmate.Device{Type: "b", Count: n(1, 2)})
			}
			if gpus, _ := node.GPUCount(""); one(2) {
				node.Shards = gpus * 3
			}
		}
		for _, f := range []string{"x", "y"} {
			if one(2) {
				node.Features = append(node.Features, f)
			}
		}
		o.Nodes = append(o.Nodes, node)
		all = append(all, node.Name)
	}
	o.Partitions = []schedmate.Partition{{Name: "batch", State: "UP", Nodes: all}, {Name: "part", State: "UP", Nodes: all[:n(1, len(all))], Tier: n(0, 1)}}
	for p := range o.Partitions {
		if one(5) {
			o.Partitions[p].MinNodes = n(1, 2)
		}
		if one(5) {
			o.Partitions[p].MaxNodes = n(max(1, o.Partitions[p].MinNodes), 2)
		}
	}
	if one(3) {
		o.Licences = []schedmate.Licence{{Name: "m", Total: n(1, 2)}}
	}
	if one(3) {
		start := schedmate.Seconds(now + n(-50, 300))
		o.Reservations = []schedmate.Reservation{{Name: "res", Start: start, End: start + schedmate.Seconds(n(100, 400)), Nodes: []string{all[n(0, len(all)-1)]}}}
	}
	for i := range n(0, 4) {
		job := schedmate.ObservedJob{ID: fmt.Sprint(i + 1), State: "RUNNING", Submit: now - 99, Start: now - 50, End: now + schedmate.Seconds(n(1, 5)*60), Partitions: []string{"batch"}}
		for k := range o.Nodes {
			if h, ok := hold(n, twin{o: o}.space(&o.Nodes[k]), &o.Nodes[k], o); ok && one(2) {
				job.Allocation = append(job.Allocation, h)
			}
		}
		if len(o.Licences) > 0 && (twin{o: o}).free() > 0 && one(2) {
			job.Licences = "m:1"
		}
		if len(job.Allocation) > 0 {
			o.Jobs = append(o.Jobs, job)
		}
	}
	for i := range n(1, 4) {
		o.Jobs = append(o.Jobs, waiting(n, one, fmt.Sprint(20+i), all))
		if j := &o.Jobs[len(o.Jobs)-1]; one(3) {
			j.Licences = fmt.Sprintf("m:%d", n(1, 2))
		}
	}
	(&story{o: *o}).use()
	lend(o)
	return o
}

// hold draws what a job could take of a node that has that much space.
func hold(n func(lo, hi int) int, s space, node *schedmate.ObservedNode, o *schedmate.Observation) (schedmate.NodeHolding, bool) {
	if s.cpus < 1 {
		return schedmate.NodeHolding{}, false
	}
	h := schedmate.NodeHolding{Node: node.Name, CPUs: n(1, s.cpus), MemoryMiB: int64(n(0, max(0, s.mem)))}
	used := map[int]int{} // shards of a GPU; 99: taken whole
	for _, j := range o.Jobs {
		for _, other := range j.Allocation {
			for _, g := range other.GPUIndices {
				if other.Node == node.Name {
					used[g] += other.Shards + 99*min(1, other.GPUs)
				}
			}
		}
	}
	index, want := 0, n(0, 3)
	for _, d := range node.GPUs {
		for range d.Count {
			switch {
			case want > 0 && used[index] == 0 && (h.GPUs == 0 || h.GPUType == d.Type) && h.Shards == 0:
				h.GPUs, h.GPUType, h.GPUIndices = h.GPUs+1, d.Type, append(h.GPUIndices, index)
				want--
			case want == 0 && h.GPUs == 0 && h.Shards == 0 && node.Shards > 0 && used[index] < 3:
				h.Shards, h.GPUIndices = n(1, 3-used[index]), []int{index}
			}
			index++
		}
	}
	return h, true
}

func waiting(n func(lo, hi int) int, one func(of int) bool, id string, nodes []string) schedmate.ObservedJob {
	j := schedmate.ObservedJob{ID: id, State: "PENDING", Submit: now - 600, Priority: int64(n(0, 3)), TimeLimit: schedmate.Seconds(n(1, 10) * 60), Partitions: []string{"batch"}}
	if one(4) {
		j.Partitions = []string{"part"}
	}
	r := &j.Request
	r.MinNodes = 1 + n(0, 5)/4
	r.MaxNodes = r.MinNodes + n(0, 2)
	r.Tasks = r.MinNodes + max(0, n(-3, 3))
	r.CPUsPerTask = n(1, 2)
	if one(4) {
		r.TasksPerNode = n(1, 3)
	}
	switch n(0, 5) {
	case 0:
		r.GPUs = r.MinNodes + n(0, 3)
	case 1:
		r.GPUsPerNode = n(1, 2)
		r.GPUs = r.GPUsPerNode * r.MinNodes
	case 2:
		r.GPUsPerTask = n(1, 2)
		r.GPUs = r.GPUsPerTask * r.Tasks
	case 3:
		r.ShardsPerNode = n(1, 3)
	}
	if r.GPUs > 0 && one(3) {
		r.GPUType = "b"
	}
	switch n(0, 3) {
	case 0:
		r.MinMemoryMiB = int64(n(1, 6))
	case 1:
		r.MemoryPerCPU = int64(n(1, 2))
	}
	r.Exclusive = one(8)
	if one(5) {
		r.Features = []string{"x", "x|y", "x&y"}[n(0, 2)]
	}
	if one(8) {
		r.Exclude = nodes[:1]
	}
	if one(8) {
		r.Nodes = nodes[len(nodes)-1:]
	}
	return j
}

// lend counts the licences that running jobs hold.
func lend(o *schedmate.Observation) {
	for i := range o.Licences {
		l := &o.Licences[i]
		l.Used = l.Total - (twin{o: o}).free()
	}
}

func waits(o *schedmate.Observation) []*schedmate.ObservedJob {
	var list []*schedmate.ObservedJob
	for i := range o.Jobs {
		if o.Jobs[i].Waits() {
			list = append(list, &o.Jobs[i])
		}
	}
	return list
}

// startable reports whether the answer says that the job fits and passes nobody.
func startable(a fit.Answer) bool {
	return a.Kind == fit.NotLooked || a.Kind == fit.Priority && a.Ahead.Backfill
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// with returns the observation with another job in the place of the one of its id.
func with(o *schedmate.Observation, j *schedmate.ObservedJob) *schedmate.Observation {
	other := *o
	other.Jobs = slices.Clone(o.Jobs)
	for i := range other.Jobs {
		if other.Jobs[i].ID == j.ID {
			other.Jobs[i] = *j
		}
	}
	return &other
}

// without returns the observation at a later instant, when these jobs, and no
// others, are over.
func without(o *schedmate.Observation, at schedmate.Seconds, gone []string) *schedmate.Observation {
	st := story{o: *o}
	st.o.Now = at
	st.o.Nodes = slices.Clone(o.Nodes)
	for i := range st.o.Nodes {
		st.o.Nodes[i].GPUs = slices.Clone(o.Nodes[i].GPUs)
	}
	st.o.Jobs = slices.DeleteFunc(slices.Clone(o.Jobs), func(j schedmate.ObservedJob) bool { return slices.Contains(gone, j.ID) })
	st.o.Licences = slices.Clone(o.Licences)
	st.use()
	lend(&st.o)
	return &st.o
}

func TestTheFitSaysWhatTryingEverythingSays(t *testing.T) {
	yes, no := 0, 0
	often(t, 5, func(t *rapid.T) {
		o := draw(t)
		c := fit.New(o, nil)
		for _, j := range waits(o) {
			a := c.Explain(j)
			now := a.Kind == fit.NotLooked || a.Kind == fit.Priority
			if want := (twin{o: o}).fits(j); now != want {
				t.Fatalf("job %s fits: %t, by trying everything: %t\n%s\n%s\n%s", j.ID, now, want, text(a), text(j), text(o))
			} else if want {
				yes++
			} else {
				no++
			}
		}
	})
	if yes < 50 || no < 50 {
		t.Errorf("the clusters were too easy: %d jobs fit, %d do not", yes, no)
	}
}

func TestAJobThatFitsAnEmptyClusterNeverExceedsIt(t *testing.T) {
	often(t, 5, func(t *rapid.T) {
		o := draw(t)
		c := fit.New(o, nil)
		for _, j := range waits(o) {
			a := c.Explain(j)
			if a.Kind == fit.Licences {
				continue // goes before
			}
			never := a.Kind == fit.ExceedsCluster || a.Kind == fit.NodeConstraint || a.Kind == fit.PartitionLimit
			if fits := (twin{o: o, empty: true, healthy: true, open: true}).fits(j); fits == never {
				t.Fatalf("job %s fits an empty cluster: %t, and the answer is\n%s\n%s\n%s", j.ID, fits, text(a), text(j), text(o))
			}
			if up := (twin{o: o, empty: true, open: true}).fits(j); !never && up == (a.Kind == fit.NodesUnavailable) {
				t.Fatalf("job %s fits the nodes that work: %t, and the answer is\n%s\n%s\n%s", j.ID, up, text(a), text(j), text(o))
			}
		}
	})
}

func TestAChangeThatIsAppliedMakesTheJobFit(t *testing.T) {
	tried, limits := 0, 0
	often(t, 5, func(t *rapid.T) {
		o := draw(t)
		if rapid.Bool().Draw(t, "long") { // jobs of which a part could be done before a reservation
			for k := range o.Reservations {
				o.Reservations[k].Start, o.Reservations[k].End = o.Reservations[k].Start+480, o.Reservations[k].End+480
			}
			for k := range o.Jobs {
				if o.Jobs[k].Waits() {
					o.Jobs[k].TimeLimit *= 20
				}
			}
		}
		c := fit.New(o, nil)
		for _, j := range waits(o) {
			a := c.Explain(j)
			for _, ch := range a.Changes {
				tried++
				if ch.TimeLimit > 0 {
					limits++
				}
				changed := ch.Apply(j)
				after := with(o, changed)
				if b := fit.Explain(after, changed, nil); !startable(b) {
					t.Fatalf("job %s: %q does not start it:\n%s\n%s\n%s", j.ID, ch.Do, text(b), text(j), text(o))
				}
				if !(twin{o: after}).fits(changed) {
					t.Fatalf("job %s: %q does not fit by trying everything:\n%s\n%s", j.ID, ch.Do, text(changed), text(o))
				}
				allowed := func(p schedmate.Partition) bool { return p.MaxTime == ch.TimeLimit }
				if ch.TimeLimit > 0 && !slices.ContainsFunc(o.Partitions, allowed) && !(twin{o: without(after, o.Now+120, nil)}).fits(changed) {
					t.Fatalf("job %s: %q leaves less than two minutes to act:\n%s\n%s", j.ID, ch.Do, text(changed), text(o))
				}
			}
		}
	})
	if tried < 50 || limits < 10 {
		t.Errorf("the clusters were too easy: %d changes, %d of them of time limits", tried, limits)
	}
}

func TestTheNamedJobsMakeRoomAndNoFewerDo(t *testing.T) {
	tried := 0
	often(t, 5, func(t *rapid.T) {
		o := draw(t)
		c := fit.New(o, nil)
		for _, j := range waits(o) {
			a := c.Explain(j)
			if len(a.Until.Releases) == 0 {
				continue
			}
			tried++
			var names []string
			for _, r := range a.Until.Releases {
				names = append(names, r.Job)
			}
			for bits := range 1 << len(names) {
				var gone []string
				for k := range names {
					if bits>>k&1 == 1 {
						gone = append(gone, names[k])
					}
				}
				fits := (twin{o: without(o, a.Until.At, gone)}).fits(j)
				if all := len(gone) == len(names); fits != all {
					t.Fatalf("job %s is to fit when %v are over; with %v: %t\n%s\n%s\n%s", j.ID, names, gone, fits, text(a), text(j), text(o))
				}
			}
		}
	})
	if tried < 50 {
		t.Errorf("the clusters were too easy: %d jobs wait for others", tried)
	}
}

// Earlier is the start of a job that does not wait for others: at no instant before
// is there room, and if it is not the end of a job it is that of a reservation.
func TestNoEarlierInstantHasRoom(t *testing.T) {
	often(t, 5, func(t *rapid.T) {
		o := draw(t)
		c := fit.New(o, nil)
		for _, j := range waits(o) {
			a := c.Explain(j)
			if a.Until.At == 0 {
				continue
			}
			last, rests := o.Now, j.Reservation != "" || len(a.Until.Reservations) > 0
			for _, r := range a.Until.Releases {
				last = max(last, r.At)
			}
			if waits := a.Kind >= fit.Licences && a.Until.At > last; waits && !rests || !waits && len(a.Until.Reservations) > 0 {
				t.Fatalf("job %s has room at +%d, and that rests on something else than is named:\n%s\n%s\n%s", j.ID, a.Until.At-o.Now, text(a), text(j), text(o))
			}
			for at := o.Now; at < a.Until.At; at += 10 {
				var gone []string
				for _, r := range o.Jobs {
					if r.Runs() && r.End <= at {
						gone = append(gone, r.ID)
					}
				}
				if (twin{o: without(o, at, gone)}).fits(j) {
					t.Fatalf("job %s has room at +%d, before +%d\n%s\n%s", j.ID, at-o.Now, a.Until.At-o.Now, text(j), text(o))
				}
			}
		}
	})
}

func often(t *testing.T, n int, property func(t *rapid.T)) {
	t.Helper()
	for range n {
		rapid.Check(t, property)
	}
}
