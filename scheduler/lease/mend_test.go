package lease_test

import (
	"math/rand"
	"slices"
	"testing"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
)

// Eight GPUs, four slots. Two gangs of four lack one of three leases each, and a gang
// of eight stands in slot 2.
func TestMendingByHand(t *testing.T) {
	demands := []lease.Demand{
		{GPUs: 4, Leases: 3, By: 4}, {GPUs: 4, Leases: 3, By: 4}, {GPUs: 8, Leases: 1, By: 4},
	}
	start := lease.Calendar{{1, 3}, {1, 3}, {2}}
	cal := lease.Mend([]int{8, 8, 8, 8}, nil, demands, start, forever)
	if want := (lease.Calendar{{1, 3, 4}, {1, 3, 4}, {2}}); !equal(cal, want) {
		t.Errorf("slot 4 is free, nobody needs to move: want %v, got %v", want, cal)
	}
	demands[0].By, demands[1].By = 3, 3
	cal = lease.Mend([]int{8, 8, 8, 8}, nil, demands, start, forever)
	if want := (lease.Calendar{{1, 2, 3}, {1, 2, 3}, {4}}); !equal(cal, want) {
		t.Errorf("the large one moves to slot 4: want %v, got %v", want, cal)
	}
}

func equal(a, b lease.Calendar) bool {
	return slices.EqualFunc(a, b, func(x, y []int) bool { return slices.Equal(x, y) })
}

// Whatever is mended is a calendar: in its windows, within capacity, all leases
// held. Slots are filled with gangs until hardly anything is free, so that there is
// one: it is nearly always found, far more often than by the simple orders.
func TestMendingProperty(t *testing.T) {
	r := rand.New(rand.NewSource(12))
	simple, mended, missed := 0, 0, 0
	for range 2000 {
		capacity, gate, demands := planted(r)
		moves := 5000
		cal := lease.Mend(capacity, gate, demands, nil, func() bool { moves--; return moves >= 0 })
		if cal == nil {
			missed++
			continue
		}
		mended++
		if _, late := lease.LeastLaxity(capacity, gate, demands); len(late) == 0 {
			simple++
		} else if _, late := lease.Latest(capacity, gate, demands); len(late) == 0 {
			simple++
		}
		free := slices.Clone(capacity)
		var first cells.Levels
		for i := range cal {
			if !demands[i].Covers(cal[i], len(capacity)) {
				t.Fatalf("%v %v: %v does not cover demand %d", capacity, demands, cal[i], i)
			}
			for _, k := range cal[i] {
				if k == 1 {
					first = first.Add(demands[i].Cells.Levels())
				}
				if free[k-1] -= demands[i].GPUs; free[k-1] < 0 {
					t.Fatalf("%v %v: slot %d holds too much of %v", capacity, demands, k, cal)
				}
			}
		}
		if gate != nil && !gate.Free.Holds(first) {
			t.Fatalf("slot 1 holds cells %v of %v", first, gate.Free)
		}
	}
	if missed > 20 || simple > mended*19/20 {
		t.Errorf("of %d calendars %d were missed; the simple orders find %d", mended+missed, missed, simple)
	}
}

// planted draws slots and demands that fill them nearly; half the time, the cells
// of slot 1 are just those that run there.
func planted(r *rand.Rand) ([]int, *lease.Gate, []lease.Demand) {
	capacity := make([]int, 4+r.Intn(8))
	for k := range capacity {
		capacity[k] = 8 + 8*r.Intn(2)
	}
	free := slices.Clone(capacity)
	gate := &lease.Gate{}
	var demands []lease.Demand
	for range 200 {
		d := lease.Demand{GPUs: 1 << r.Intn(4)}
		d.Cells = cells.Shape(d.GPUs)
		for k := range free {
			if free[k] >= d.GPUs && r.Intn(2) == 0 {
				if free[k] -= d.GPUs; k == 0 {
					gate.Free = gate.Free.Add(d.Cells.Levels())
				}
				d.Leases, d.By = d.Leases+1, k+1
			}
		}
		if d.Leases > 0 {
			demands = append(demands, d)
		}
	}
	if r.Intn(2) == 0 {
		gate = nil
	}
	return capacity, gate, demands
}
