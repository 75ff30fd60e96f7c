package fit_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/fit"
)

// Backfilling: if a job that may pass starts, and nothing else can then start on its
// nodes until its limit, the first of the queue still starts when it would have.
func TestWhoMayPassDelaysNobody(t *testing.T) {
	tried := 0
	often(t, 10, func(t *rapid.T) {
		o := draw(t)
		c := fit.New(o, nil)
		answers := map[string]fit.Answer{}
		for _, j := range waits(o) {
			answers[j.ID] = c.Explain(j)
		}
		for _, j := range waits(o) {
			a := answers[j.ID]
			if !a.Ahead.Backfill {
				continue
			}
			head := answers[a.Ahead.First[0].ID]
			if head.Until.At <= o.Now || head.Ahead.Count > 0 {
				continue
			}
			tried++
			later := *o
			later.Jobs = slices.Clone(o.Jobs)
			for i := range later.Jobs {
				if r := &later.Jobs[i]; r.ID == j.ID {
					r.State, r.Start, r.End = "RUNNING", o.Now, o.Now+r.TimeLimit
					for k := range o.Nodes {
						if n := &o.Nodes[k]; slices.Contains(a.Places, n.Name) {
							r.Allocation = append(r.Allocation, schedmate.NodeHolding{Node: n.Name, CPUs: n.CPUs - n.CPUsUsed})
						}
					}
				}
			}
			after := without(&later, o.Now, nil)
			for _, k := range waits(after) {
				if k.ID == head.Job {
					if b := fit.Explain(after, k, nil); b.Until.At > head.Until.At {
						t.Fatalf("job %s passes %s, which then starts at +%d, not at +%d\n%s\n%s", j.ID, k.ID, b.Until.At-o.Now, head.Until.At-o.Now, text(a), text(o))
					}
				}
			}
		}
	})
	if tried < 10 {
		t.Errorf("the queues were too easy: %d jobs may pass", tried)
	}
}

// A job that may pass the first of the queue, as it is or with a change, can start
// so that the first still starts when it would have: by trying every way to start it.
func TestWhoMayPassLeavesTheFirstItsStart(t *testing.T) {
	passed, changed := 0, 0
	often(t, 15, func(t *rapid.T) {
		o := draw(t)
		c := fit.New(o, nil)
		for _, j := range waits(o) {
			a := c.Explain(j)
			check := func(what string, a fit.Answer, j *schedmate.ObservedJob, tried *int) {
				if a.Ahead.Count != 1 || !a.Ahead.Backfill {
					return
				}
				o := with(o, j)
				k := slices.IndexFunc(o.Jobs, func(k schedmate.ObservedJob) bool { return k.ID == a.Ahead.First[0].ID })
				head := &o.Jobs[k]
				first := (twin{o: o}).first(head)
				if first == schedmate.Forever || fit.Explain(o, head, nil).Ahead.Count > 0 {
					return
				}
				*tried++
				if !(twin{o: o}).started(j, func(after *schedmate.Observation) bool { return (twin{o: after}).first(head) <= first }) {
					t.Fatalf("job %s%s delays %s, which could start at +%d\n%s\n%s", j.ID, what, head.ID, first-o.Now, text(a), text(o))
				}
			}
			check("", a, j, &passed)
			for _, ch := range a.Changes {
				other := ch.Apply(j)
				check(", if it does: "+ch.Do+",", fit.Explain(with(o, other), other, nil), other, &changed)
			}
		}
	})
	if passed < 20 || changed < 20 {
		t.Errorf("the queues were too easy: %d jobs pass, %d with a change", passed, changed)
	}
}

// A job is ahead of another only if there is a node that works and could, empty, take
// a part of either, or if both ask for a licence.
func TestOnlyJobsThatWantTheSameNodesAreAhead(t *testing.T) {
	ahead, apart := 0, 0
	often(t, 5, func(t *rapid.T) {
		o := draw(t)
		c := fit.New(o, nil)
		byID := map[string]*schedmate.ObservedJob{}
		for _, j := range waits(o) {
			byID[j.ID] = j
		}
		for _, j := range waits(o) {
			a := c.Explain(j)
			if a.Kind < fit.NodesReserved {
				continue // nobody is told to be ahead
			}
			told := map[string]bool{}
			for _, ref := range a.Ahead.First {
				told[ref.ID] = true
			}
			if len(told) != a.Ahead.Count {
				t.Fatalf("%d jobs are ahead of %s, and %d are named", a.Ahead.Count, j.ID, len(told)) // four wait at most
			}
			for id, other := range byID {
				tw := twin{o: o, empty: true, open: true}
				meet := tw.fits(other) && (slices.ContainsFunc(tw.wants(j), func(name string) bool { return slices.Contains(tw.wants(other), name) }) ||
					len(o.Licences) > 0 && rights(j) > 0 && rights(other) > 0)
				first := id != j.ID && goesFirst(o, other, j)
				if told[id] != (first && meet) {
					t.Fatalf("job %s is ahead of %s: %t; goes first: %t, and wants the same nodes: %t\n%s\n%s", id, j.ID, told[id], first, meet, text(a), text(o))
				}
				if first && meet {
					ahead++
				} else if first {
					apart++
				}
			}
		}
	})
	if ahead < 50 || apart < 50 {
		t.Errorf("the queues were too easy: %d jobs are ahead, %d want other nodes", ahead, apart)
	}
}

// goesFirst reports whether x is served before y: by the tier, the priority, the id.
func goesFirst(o *schedmate.Observation, x, y *schedmate.ObservedJob) bool {
	tier := func(j *schedmate.ObservedJob) int {
		for _, p := range o.Partitions {
			if p.Name == j.Partitions[0] {
				return p.Tier
			}
		}
		return 0
	}
	if tier(x) != tier(y) {
		return tier(x) > tier(y)
	}
	return x.Priority > y.Priority || x.Priority == y.Priority && x.ID < y.ID
}
