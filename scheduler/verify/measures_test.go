package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler/verify"
)

// w1 waits for two GPUs and r2 runs. Each plan breaks one rule, or none.
func TestMeasurementsAreJudged(t *testing.T) {
	s := snapshot()
	free := freeGPUs(&s)
	if len(free) < 3 {
		t.Fatalf("BUG: the snapshot has %d free GPUs", len(free))
	}
	busy := s.Running[0].Attempt.Allocations[0]
	half := free[0]
	half.Share = 500
	of := func(job string, until schedmate.Seconds, on ...schedmate.Allocation) schedmate.Measurement {
		return schedmate.Measurement{Job: job, Allocations: on, Until: until}
	}
	w, r := s.Waiting[0].Job.ID, s.Running[0].Job.ID
	many := make([]schedmate.Allocation, s.Waiting[0].Job.GPUs+1)
	for _, tc := range []struct {
		measures []schedmate.Measurement
		says     string
	}{
		{[]schedmate.Measurement{of(w, s.Now+300, free[0])}, ""},
		{[]schedmate.Measurement{of("w9", s.Now+300, free[0])}, "one_place: job w9: is measured and is not known"},
		{[]schedmate.Measurement{of(r, s.Now+300, free[0])}, "is measured while it runs"},
		{[]schedmate.Measurement{of(w, s.Now+300, free[0]), of(w, s.Now+300, free[1])}, "is measured twice"},
		{[]schedmate.Measurement{of(w, s.Now+300, free[0]), of(s.Waiting[1].Job.ID, s.Now+300, free[0])}, "which another job has"},
		{[]schedmate.Measurement{of(w, s.Now+300, busy)}, "capacity: job"},
		{[]schedmate.Measurement{of(w, s.Now+300, half)}, "on 500 thousandths of a GPU"},
		{[]schedmate.Measurement{of(w, s.Now+300)}, "is measured on 0"},
		{[]schedmate.Measurement{of(w, s.Now+300, many...)}, "gang: job"},
		{[]schedmate.Measurement{of(w, s.Now+300, schedmate.Allocation{Node: "n99", Share: schedmate.WholeGPU})}, `node "n99", which does not exist`},
		{[]schedmate.Measurement{of(w, s.Now, free[0])}, "form: job"},
	} {
		p := schedmate.Plan{Policy: "test", Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}, Measures: tc.measures}
		p.Hash = p.Seal(schedmate.Hash(&s))
		err := verify.Check(&s, &p)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v: %v", tc.measures, err)
		}
	}
}

// freeGPUs are those of healthy nodes of no VC that nobody has, as allocations.
func freeGPUs(s *schedmate.Snapshot) []schedmate.Allocation {
	taken := map[string]bool{}
	for _, j := range s.Running {
		for _, a := range j.Attempt.Allocations {
			taken[fmt.Sprint(a.Node, " ", a.GPU)] = true
		}
	}
	var free []schedmate.Allocation
	for i := range s.Cluster.Nodes {
		n := &s.Cluster.Nodes[i]
		for g := range n.GPUs {
			if n.Takes() && n.VC == "" && !taken[fmt.Sprint(n.ID, " ", g)] {
				free = append(free, schedmate.Allocation{Node: n.ID, GPU: g, Share: schedmate.WholeGPU})
			}
		}
	}
	return free
}

// measuring lets a valid plan measure the first job that waits on a GPU that is free.
func measuring(s *schedmate.Snapshot, p *schedmate.Plan) {
	taken := map[string]bool{}
	take := func(as []schedmate.Allocation) {
		for _, a := range as {
			taken[fmt.Sprint(a.Node, " ", a.GPU)] = true
		}
	}
	for _, j := range s.Running {
		take(j.Attempt.Allocations)
	}
	acted := map[string]bool{}
	for i := range p.Actions {
		take(p.Actions[i].Allocations)
		acted[p.Actions[i].Job] = true
	}
	for i := range p.Measures {
		take(p.Measures[i].Allocations)
		acted[p.Measures[i].Job] = true
	}
	for _, j := range s.Waiting {
		for k := range s.Cluster.Nodes {
			n := &s.Cluster.Nodes[k]
			if acted[j.Job.ID] || !n.Takes() || n.VC != "" && n.VC != j.Job.VC || j.Job.GPUType != "" && j.Job.GPUType != n.GPUType {
				continue
			}
			for g := range n.GPUs {
				if a := (schedmate.Allocation{Node: n.ID, GPU: g, Share: schedmate.WholeGPU}); !taken[fmt.Sprint(a.Node, " ", a.GPU)] {
					p.Measures = append(p.Measures, schedmate.Measurement{Job: j.Job.ID, Allocations: []schedmate.Allocation{a}, Until: s.Now + 300})
					return
				}
			}
		}
	}
}
