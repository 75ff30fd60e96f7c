package rounds_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/eval/rounds"
	"schedmate/scheduler/milp"
)

func source() *rand.Rand { return rand.New(rand.NewPCG(3, 0)) }

// Equal random numbers give equal rounds, and every round can be planned.
func TestRoundsAreValid(t *testing.T) {
	draw := func(name string, one func(*rand.Rand) *milp.Model) {
		m := one(source())
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(m, one(source())); diff != "" {
			t.Errorf("%s: drawn twice: %s", name, diff)
		}
	}
	for _, s := range rounds.Sizes() {
		draw(s.Name, s.Draw)
	}
	for _, k := range rounds.Kinds() {
		draw(k.Name, k.Draw)
	}
}

// Rounds have what their kind says.
func TestKindsAreWhatTheySay(t *testing.T) {
	for name, has := range map[string]func(m *milp.Model) bool{
		"falling capacity": func(m *milp.Model) bool { return m.Capacity[len(m.Capacity)-1] < m.Capacity[0] },
		"no slack": func(m *milp.Model) bool {
			tight := 0
			for _, j := range m.Jobs {
				if j.Policies[0].Leases == j.Steps[0].By {
					tight++
				}
			}
			return tight*3 > len(m.Jobs)
		},
		"equal deadlines": func(m *milp.Model) bool {
			different := make(map[int]bool)
			for _, j := range m.Jobs {
				different[j.Steps[0].By] = true
			}
			return len(different) <= 3
		},
		"deadlines behind the horizon": func(m *milp.Model) bool {
			for _, j := range m.Jobs {
				if j.Steps[0].By > len(m.Capacity) {
					return true
				}
			}
			return false
		},
		"gangs of the whole cluster": func(m *milp.Model) bool {
			for _, j := range m.Jobs {
				if j.Policies[0].GPUs == m.Capacity[0] {
					return true
				}
			}
			return false
		},
		"UniSched, pinned cells": func(m *milp.Model) bool { return m.Gate != nil && m.Sub > 1 },
	} {
		found := false
		for _, k := range rounds.Kinds() {
			if k.Name != name {
				continue
			}
			found = true
			r, with := source(), 0
			for range 50 {
				m := k.Draw(r)
				if len(m.Jobs) < 1 || len(m.Jobs) > 50 {
					t.Errorf("%s: %d jobs", name, len(m.Jobs))
				}
				if has(m) {
					with++
				}
			}
			if with < 40 {
				t.Errorf("%s: only %d of 50 rounds are", name, with)
			}
		}
		if !found {
			t.Errorf("there is no kind %q", name)
		}
	}
}
