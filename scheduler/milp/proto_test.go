package milp

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"schedmate/scheduler/reward"
)

type protoRound struct {
	Name  string
	Round struct {
		Slots    int
		Sub      int
		Capacity []int
		Jobs     []struct {
			ID    string
			Kind  string
			Late  float64
			Steps []struct {
				By     int
				Reward float64
			}
			Policies []struct{ GPUs, Leases int }
		}
	}
}

func TestProto(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("PROTO"))
	if err != nil {
		t.Skip("no PROTO")
	}
	var doc struct{ Cases []protoRound }
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	plain := os.Getenv("PLAIN") != ""
	for _, c := range doc.Cases {
		m := &Model{Capacity: c.Round.Capacity, Sub: 1}
		for _, j := range c.Round.Jobs {
			if j.Kind == "be" || j.Kind == "prof" {
				continue
			}
			late, _ := reward.Of(j.Late)
			job := Job{ID: j.ID, Kind: reward.Kind(j.Kind), Late: late}
			for _, s := range j.Steps {
				p, _ := reward.Of(s.Reward)
				job.Steps = append(job.Steps, reward.Step{By: s.By, Reward: p})
			}
			for _, p := range j.Policies {
				job.Policies = append(job.Policies, Policy{GPUs: p.GPUs, Leases: p.Leases})
			}
			m.Jobs = append(m.Jobs, job)
		}
		old := Solve(m, Options{Seed: 1})
		if old.Proven() && os.Getenv("ALL") == "" {
			continue
		}
		b := newBoard(m, plain)
		steps := int64(0)
		most := int64(2000000)
		s := newDeadlines(b, old.Value-m.late(), func() bool { steps++; return steps < most })
		if plain {
			s.rows.sizes = s.rows.sizes[:1]
		}
		start := time.Now()
		limit := s.run() + m.late()
		v := old.Value
		if s.found {
			v = s.value + m.late()
		}
		fmt.Printf("%s jobs %d options %d: old %.3f of %.3f; new %.3f of %.3f gap %.3f%%; nodes %d leafs %d cores %d heap %d steps %d %v\n", c.Name, len(m.Jobs), len(b.options), old.Value.Value(), old.Bound.Value(), v.Value(), limit.Value(), 100*float64(limit-v)/float64(limit), s.seen, 0, len(s.pool), len(s.parts), steps, time.Since(start))
	}
}
