package recovery_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/failure"
	"schedmate/failure/recovery"
)

// drawWorld is a cluster of two pools with limits of any kind.
func drawWorld(t *rapid.T) recovery.World {
	w := recovery.World{Now: 1_000_000, Limits: recovery.DefaultLimits()}
	q := &w.Limits.Quarantine
	q.MaxNodes = rapid.IntRange(0, 4).Draw(t, "max nodes")
	q.MaxShare = rapid.SampledFrom([]int{0, 50, 300, 1000}).Draw(t, "max share")
	q.MinHealthyNodes = rapid.IntRange(0, 3).Draw(t, "min healthy")
	q.MinHealthyShare = rapid.SampledFrom([]int{0, 500, 750}).Draw(t, "min healthy share")
	q.Rate = rapid.IntRange(0, 3).Draw(t, "rate")
	q.NodeCoolDown = schedmate.Seconds(rapid.SampledFrom([]int{0, 3600}).Draw(t, "cool down"))
	q.Term = 7200
	w.Limits.Common.Nodes = rapid.SampledFrom([]int{3, 100}).Draw(t, "common nodes")
	w.Limits.Common.Share = rapid.SampledFrom([]int{300, 1000}).Draw(t, "common share")
	for _, pool := range []string{"a", "b"} {
		n := rapid.IntRange(1, 6).Draw(t, "nodes of "+pool)
		w.Pools = append(w.Pools, recovery.Pool{Name: pool, Nodes: n, Healthy: n})
		for i := range n {
			w.Places = append(w.Places, recovery.Place{Node: pool + strconv.Itoa(i), Pool: pool, Switch: "s" + strconv.Itoa(i%2)})
		}
	}
	return w
}

func drawIncident(t *rapid.T, w *recovery.World, id string) recovery.Incident {
	in := recovery.Incident{ID: id, At: w.Now - schedmate.Seconds(rapid.SampledFrom([]int{0, 0, 60, 3000, 30000}).Draw(t, "ago")), Job: rapid.SampledFrom([]string{"j1", "j2", "j3"}).Draw(t, "job"),
		User: rapid.SampledFrom([]string{"", "ann", "bob", "cho"}).Draw(t, "user")}
	for _, p := range w.Places {
		if rapid.Bool().Draw(t, "on "+p.Node) {
			in.Nodes = append(in.Nodes, p.Node)
		}
	}
	d := &in.Diagnosis
	d.Component = schedmate.ComponentNone
	d.Determined = rapid.Float64Range(0, 1).Draw(t, "determined") < 0.9
	if rapid.Bool().Draw(t, "has step") {
		d.LastStep = &schedmate.Reading{Value: float64(rapid.SampledFrom([]int{0, 100, 1000, 1009, 1100}).Draw(t, "step"))}
	}
	d.Class = rapid.SampledFrom([]schedmate.FailureClass{schedmate.NoFailure, schedmate.UserFailure, schedmate.FrameworkFailure,
		schedmate.InfrastructureFailure, schedmate.InfrastructureFailure, schedmate.InfrastructureFailure}).Draw(t, "class")
	if !d.Determined {
		d.Class = schedmate.NoFailure
	}
	if d.Class == schedmate.NoFailure {
		return in
	}
	d.Subclass = rapid.SampledFrom([]string{"k1", "k2"}).Draw(t, "kind")
	d.Component = rapid.SampledFrom(schedmate.Components()).Draw(t, "component")
	d.Confidence = 0.9
	d.Root = &schedmate.Quote{Line: 7, Text: rapid.SampledFrom([]string{"it broke", "it fell", "drain every node"}).Draw(t, "root")}
	d.Evidence = []schedmate.Quote{*d.Root}
	in.Restart = rapid.SampledFrom([]failure.Restart{failure.RestartYes, failure.RestartOnce, failure.RestartNo}).Draw(t, "restart")
	d.RestartHelps = in.Restart != failure.RestartNo
	in.Grade = failure.QuarantineNo
	d.Node = rapid.SampledFrom([]string{"", "a0", "a1", "a2", "b0", "b1", "b9"}).Draw(t, "node")
	if len(in.Nodes) > 0 && rapid.Float64Range(0, 1).Draw(t, "own node") < 0.8 {
		d.Node = rapid.SampledFrom(in.Nodes).Draw(t, "which node")
	}
	if d.Class == schedmate.InfrastructureFailure {
		in.Grade = rapid.SampledFrom([]failure.Quarantine{failure.QuarantineYes, failure.QuarantineYes, failure.QuarantineSecond, failure.QuarantineNo}).Draw(t, "grade")
		if in.Grade != failure.QuarantineNo && d.Node != "" && rapid.Bool().Draw(t, "proof") {
			d.Quarantine, d.Witnesses = true, d.Evidence
		}
	}
	return in
}

// Whatever happens in whatever order, and however late proposals are carried
// out: no cap, no rate and no least capacity is broken, nobody is taken out but
// for a determined failure of class infrastructure, what others own is left
// alone, and the same incident again changes nothing. The books are kept here
// once more, by counting.
func TestNoSequenceBreaksALimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		tries := map[string][]recovery.Try{}
		var began []schedmate.Seconds // of every quarantine that was proposed
		var seen []recovery.Incident
		n := 0
		t.Repeat(map[string]func(*rapid.T){
			"time passes": func(t *rapid.T) { w.Now += schedmate.Seconds(rapid.IntRange(1, 5000).Draw(t, "seconds")) },
			"a job fails": func(t *rapid.T) {
				n++
				in := drawIncident(t, &w, fmt.Sprintf("i%03d", n))
				for _, h := range tries[in.Job] {
					if h.At <= in.At {
						in.Tries = append(in.Tries, h)
					}
				}
				before := w
				p, err := recovery.Propose(&w, &in)
				if err != nil {
					t.Fatal(err)
				}
				checkProposal(t, &w, &in, p)
				w = w.With(p)
				if s := p.Step(recovery.StepQuarantine); s != nil {
					if !holds(&w, s.Node, p.Incident) {
						t.Fatalf("%s is proposed for quarantine and not counted", s.Node)
					}
					began = append(began, w.Now)
					checkLimits(t, &before, &w, s.Node, began)
				}
				if p.Try != nil {
					tries[in.Job] = append(tries[in.Job], *p.Try)
					slices.SortStableFunc(tries[in.Job], func(a, b recovery.Try) int { return int(a.At - b.At) })
				}
				seen = append(seen, in)
			},
			"an old incident comes again": func(t *rapid.T) {
				if len(seen) == 0 {
					t.Skip()
				}
				in := rapid.SampledFrom(seen).Draw(t, "which")
				p, err := recovery.Propose(&w, &in)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(w, w.With(p)); diff != "" {
					t.Fatalf("counted twice:\n%s", diff)
				}
			},
			"an old incident gets a revision": func(t *rapid.T) {
				if len(seen) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(seen)-1).Draw(t, "which")
				seen[i].Revision++
				before := w
				p, err := recovery.Propose(&w, &seen[i])
				if err != nil {
					t.Fatal(err)
				}
				w = w.With(p)
				checkProposal(t, &before, &seen[i], p)
				if s := p.Step(recovery.StepQuarantine); s != nil {
					if !holds(&w, s.Node, p.Incident) {
						t.Fatalf("%s is proposed for quarantine and not counted", s.Node)
					}
					if !holds(&before, s.Node, p.Incident) {
						began = append(began, w.Now)
						checkLimits(t, &before, &w, s.Node, began)
					}
				}
				for _, h := range p.Hits {
					count := 0
					for _, k := range w.Ledger.Record(h.Node).Hits {
						if k.Incident == h.Incident {
							count++
						}
					}
					if count != 1 {
						t.Fatalf("incident %s counts %d times on %s", h.Incident, count, h.Node)
					}
				}
			},
			"a quarantine is carried out": func(t *rapid.T) {
				for i := range w.Quarantines {
					if q := &w.Quarantines[i]; q.State == recovery.Proposed && w.Now < q.Until {
						q.State = recovery.Standing
						poolOf(&w, q.Node).Healthy--
						return
					}
				}
			},
			"somebody drains a node": func(t *rapid.T) {
				node := rapid.SampledFrom(w.Places).Draw(t, "node").Node
				for _, q := range w.Quarantines {
					if q.Node == node && q.State != recovery.Ended {
						return
					}
				}
				w.Quarantines = append(slices.Clone(w.Quarantines), recovery.Quarantine{Node: node, Owner: "alice", State: recovery.Standing, Since: w.Now})
				slices.SortFunc(w.Quarantines, compareQuarantines)
				poolOf(&w, node).Healthy--
			},
			"what is due is done": func(t *rapid.T) {
				p, err := recovery.Review(&w)
				if err != nil {
					t.Fatal(err)
				}
				others := ofOthers(&w)
				w = w.With(p)
				for _, s := range p.Steps {
					switch s.Kind {
					case recovery.StepDiagnose:
						passed := rapid.Bool().Draw(t, "passed")
						w.Ledger = w.Ledger.With(nil, []recovery.Test{{Node: s.Node, Name: s.Test, At: w.Now, Passed: passed}}, nil)
					case recovery.StepReturn:
						for i := range w.Quarantines {
							if q := &w.Quarantines[i]; q.Node == s.Node && q.Incident == s.Incident && q.State == recovery.Standing {
								q.State, q.Ended = recovery.Ended, w.Now
								poolOf(&w, q.Node).Healthy++
							}
						}
					}
				}
				if diff := cmp.Diff(others, ofOthers(&w)); diff != "" {
					t.Fatalf("a quarantine of somebody else has changed:\n%s", diff)
				}
			},
			"": func(t *rapid.T) {
				if err := w.Validate(); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

func checkProposal(t *rapid.T, w *recovery.World, in *recovery.Incident, p *recovery.Proposal) {
	if err := p.Validate("proposal"); err != nil {
		t.Fatal(err)
	}
	again, err := recovery.Propose(w, in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, again); diff != "" {
		t.Fatalf("not deterministic:\n%s", diff)
	}
	d := &in.Diagnosis
	for _, s := range p.Steps {
		switch s.Kind {
		case recovery.StepQuarantine:
			if !d.Determined || d.Class != schedmate.InfrastructureFailure || in.Grade == failure.QuarantineNo {
				t.Fatalf("quarantine of %s for %+v", s.Node, d)
			}
			if s.Node != d.Node || !slices.Contains(in.Nodes, s.Node) {
				t.Fatalf("quarantine of %s, but the job ran on %v and the log names %s", s.Node, in.Nodes, d.Node)
			}
			for _, q := range w.Quarantines {
				if q.Node == s.Node && q.Owner != recovery.Owner && q.State == recovery.Standing {
					t.Fatalf("quarantine of %s, which %s holds", s.Node, q.Owner)
				}
			}
		case recovery.StepRestart:
			if d.Class == schedmate.UserFailure || d.Determined && d.Class != schedmate.NoFailure && !d.RestartHelps {
				t.Fatalf("restart for %+v", d)
			}
		}
	}
}

// checkLimits counts by hand after a quarantine was proposed.
func checkLimits(t *rapid.T, before, w *recovery.World, node string, began []schedmate.Seconds) {
	q := w.Limits.Quarantine
	pool := poolOf(w, node)
	ours, proposed := 0, 0
	for _, s := range w.Quarantines {
		if s.Owner != recovery.Owner || poolOf(w, s.Node) != pool {
			continue
		}
		if s.State == recovery.Standing {
			ours++
		}
		if s.State == recovery.Proposed && w.Now < s.Until {
			ours++
			proposed++
		}
	}
	share := int(math.Floor(float64(q.MaxShare) * float64(pool.Nodes) / 1000))
	if share == 0 && q.MaxShare > 0 {
		share = 1
	}
	if ours > q.MaxNodes || ours > share {
		t.Fatalf("%d of %d nodes of pool %s are in quarantine, limits %+v", ours, pool.Nodes, pool.Name, q)
	}
	left := pool.Healthy - proposed
	if left < q.MinHealthyNodes || float64(left) < math.Floor(float64(q.MinHealthyShare)*float64(pool.Nodes)/1000) {
		t.Fatalf("pool %s keeps %d of %d nodes, limits %+v", pool.Name, left, pool.Nodes, q)
	}
	recent := 0
	for _, b := range began {
		if b > w.Now-q.RateWindow {
			recent++
		}
	}
	if recent > q.Rate {
		t.Fatalf("%d quarantines within %d s, limit %d", recent, q.RateWindow, q.Rate)
	}
	for _, s := range before.Quarantines {
		if s.Node == node && s.Owner == recovery.Owner && s.State == recovery.Ended && w.Now < s.Ended+q.NodeCoolDown {
			t.Fatalf("%s came back at %d only", node, s.Ended)
		}
	}
}

// holds tells whether an incident has a node in quarantine, or soon will.
func holds(w *recovery.World, node, incident string) bool {
	return slices.ContainsFunc(w.Quarantines, func(q recovery.Quarantine) bool {
		return q.Node == node && q.Incident == incident && q.Owner == recovery.Owner &&
			(q.State == recovery.Standing || q.State == recovery.Proposed && w.Now < q.Until)
	})
}

func poolOf(w *recovery.World, node string) *recovery.Pool {
	i := slices.IndexFunc(w.Pools, func(p recovery.Pool) bool { return p.Name == node[:1] })
	return &w.Pools[i]
}

func ofOthers(w *recovery.World) []recovery.Quarantine {
	return slices.DeleteFunc(slices.Clone(w.Quarantines), func(q recovery.Quarantine) bool { return q.Owner == recovery.Owner })
}

func compareQuarantines(a, b recovery.Quarantine) int {
	switch {
	case a.Node != b.Node:
		if a.Node < b.Node {
			return -1
		}
		return 1
	case a.Since != b.Since:
		return int(a.Since - b.Since)
	case a.Owner < b.Owner:
		return -1
	}
	return 1
}
