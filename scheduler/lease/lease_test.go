package lease_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
)

func forever() bool { return true }

// D = 6, P = 5, four slots: two leases may follow behind slot 4, so three of the
// five must lie in slots 1..4, two of them in 1..3, one in 1..2.
func TestNeedByHand(t *testing.T) {
	d := lease.Demand{GPUs: 1, Leases: 5, By: 6}
	for slot, want := range []int{0, 0, 1, 2, 3} {
		if got := d.Need(slot); got != want {
			t.Errorf("slots 1..%d: want %d, got %d", slot, want, got)
		}
	}
	if d.Inside(4) != 3 || d.Window(4) != 4 {
		t.Errorf("inside %d, window %d", d.Inside(4), d.Window(4))
	}
	if !d.Covers([]int{1, 2, 4}, 4) || d.Covers([]int{1, 4}, 4) || d.Covers([]int{1, 1, 2}, 4) {
		t.Error("three different slots are needed, and enough")
	}
}

// The refusal of the notes on the formulation: two jobs of two leases by slot 2 on
// one GPU need 4 GPU-leases by slot 2, where 2 are. That slot 1, which both must
// have, is one short already, tells a person less: nobody is due there.
func TestShortNamesTheFirstSlotThatIsDue(t *testing.T) {
	a := lease.Demand{GPUs: 1, Leases: 2, By: 2}
	got, short := lease.Short([]int{1, 1, 1, 1}, []lease.Demand{a, a})
	if want := (lease.Shortage{Slot: 2, GPUs: 2}); !short || got != want {
		t.Errorf("want %v, got %v", want, got)
	}
	if _, short := lease.Short([]int{1, 1, 1, 1}, []lease.Demand{a, {GPUs: 1, Leases: 2, By: 4}}); short {
		t.Error("one after the other they fit")
	}
	// Slot 2 falls to nothing: three leases by slot 4 need one of slots 1 and 2,
	// five gangs so five leases, and four are there. By slot 4, where they are due,
	// the calendar has made up for it: 15 of 16.
	later := lease.Demand{GPUs: 1, Leases: 3, By: 4}
	got, short = lease.Short([]int{4, 0, 6, 6}, []lease.Demand{later, later, later, later, later})
	if want := (lease.Shortage{Slot: 2, GPUs: 1}); !short || got != want {
		t.Errorf("falling capacity: want %v, got %v", want, got)
	}
}

// Eight GPUs, three slots: a whole node twice, one GPU in all three slots. The
// prefix sums hold (19 of 24), and no calendar exists: only one slot is wide.
func TestGangsDoNotSplit(t *testing.T) {
	demands := []lease.Demand{{GPUs: 8, Leases: 2, By: 3}, {GPUs: 1, Leases: 3, By: 3}}
	if _, short := lease.Short([]int{8, 8, 8}, demands); short {
		t.Error("the prefix sums hold")
	}
	if _, verdict := lease.Find([]int{8, 8, 8}, nil, demands, forever); verdict != lease.Impossible {
		t.Error("there is no calendar")
	}
}

// No capacity in slot 2, and at most one lease a slot.
func TestCapacityThatFalls(t *testing.T) {
	if _, verdict := lease.Find([]int{2, 0, 2}, nil, []lease.Demand{{GPUs: 1, Leases: 2, By: 2}}, forever); verdict != lease.Impossible {
		t.Error("two leases in slots 1 and 2 need both")
	}
	cal, verdict := lease.Find([]int{2, 0, 2}, nil, []lease.Demand{{GPUs: 1, Leases: 2, By: 3}}, forever)
	if want := (lease.Calendar{{1, 3}}); verdict != lease.Found || cmp.Diff(want, cal) != "" {
		t.Errorf("got %v", cal)
	}
}

// Eight GPUs are free now, but as two halves of two nodes.
func TestTheGateKeepsAGangOutOfSlotOne(t *testing.T) {
	gate := &lease.Gate{Free: cells.Levels{8, 4, 2, 0}}
	whole := lease.Demand{GPUs: 8, Leases: 1, By: 2, Cells: cells.Count{0, 0, 0, 1}}
	cal, verdict := lease.Find([]int{8, 8}, gate, []lease.Demand{whole}, forever)
	if want := (lease.Calendar{{2}}); verdict != lease.Found || cmp.Diff(want, cal) != "" {
		t.Errorf("got %v", cal)
	}
	halves := lease.Demand{GPUs: 8, Leases: 2, By: 2, Cells: cells.Count{0, 0, 2, 0}}
	if _, verdict := lease.Find([]int{8, 8}, gate, []lease.Demand{halves}, forever); verdict != lease.Found {
		t.Error("in two halves it can start now")
	}
}

func TestPinnedLeasesTakeCapacity(t *testing.T) {
	got, err := lease.Capacity([]int{8, 8, 8}, []lease.Pin{{GPUs: 4, Until: 1}, {GPUs: 2, Until: 2}})
	if want := []int{2, 6, 8}; err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := lease.Capacity([]int{4, 4}, []lease.Pin{{GPUs: 8, Until: 1}}); err == nil {
		t.Error("more is pinned than there is")
	}
}

// A search that may not take a step knows nothing.
func TestEndedEarly(t *testing.T) {
	if _, verdict := lease.Find([]int{1}, nil, nil, func() bool { return false }); verdict != lease.Unknown {
		t.Error(verdict)
	}
}

type instance struct {
	capacity []int
	gate     *lease.Gate
	demands  []lease.Demand
}

func draw(t *rapid.T) instance {
	slots := rapid.IntRange(1, 5).Draw(t, "slots")
	in := instance{capacity: make([]int, slots)}
	for k := range in.capacity {
		in.capacity[k] = rapid.IntRange(0, 9).Draw(t, "capacity")
	}
	gated := rapid.Bool().Draw(t, "gated")
	if gated {
		in.gate = &lease.Gate{Free: cells.Free([]cells.Node{cells.Node(rapid.Uint8().Draw(t, "free"))})}
	}
	for range rapid.IntRange(0, 5).Draw(t, "jobs") {
		gpus := rapid.SampledFrom([]int{1, 1, 2, 3, 4, 6, 8}).Draw(t, "gpus")
		by := rapid.IntRange(1, slots+2).Draw(t, "by")
		in.demands = append(in.demands, lease.Demand{
			GPUs: gpus, By: by, Leases: rapid.IntRange(1, by).Draw(t, "leases"),
			Cells: rapid.SampledFrom(cells.Combinations(gpus)).Draw(t, "cells"),
		})
	}
	return in
}

// fits is the slow twin: every set of gangs in every slot, first slot first.
func (in *instance) fits() bool {
	left := make([]int, len(in.demands))
	for i := range left {
		left[i] = in.demands[i].Inside(len(in.capacity))
	}
	var slot func(k int) bool
	slot = func(k int) bool {
		if k == len(in.capacity) {
			for _, n := range left {
				if n > 0 {
					return false
				}
			}
			return true
		}
		var job func(i, free int, now cells.Levels) bool
		job = func(i, free int, now cells.Levels) bool {
			if i == len(left) {
				return (k > 0 || in.gate == nil || in.gate.Free.Holds(now)) && slot(k+1)
			}
			if left[i] > 0 && in.demands[i].By > k && in.demands[i].GPUs <= free {
				left[i]--
				if job(i+1, free-in.demands[i].GPUs, now.Add(in.demands[i].Cells.Levels())) {
					return true
				}
				left[i]++
			}
			return job(i+1, free, now)
		}
		return job(0, in.capacity[k], cells.Levels{})
	}
	return slot(0)
}

// check returns what is wrong with a calendar, or "".
func (in *instance) check(cal lease.Calendar) string {
	use := make([]int, len(in.capacity)+1)
	var now cells.Levels
	for i := range in.demands {
		d := &in.demands[i]
		if !d.Covers(cal[i], len(in.capacity)) {
			return "a demand is not covered"
		}
		for _, k := range cal[i] {
			if use[k] += d.GPUs; use[k] > in.capacity[k-1] {
				return "a slot holds too much"
			}
			if k == 1 {
				now = now.Add(d.Cells.Levels())
			}
		}
	}
	if in.gate != nil && !in.gate.Free.Holds(now) {
		return "slot 1 lacks cells"
	}
	return ""
}

// A calendar is found if and only if trying everything finds one; it keeps the
// capacity of every slot, the cells of the first, and one lease a slot.
func TestFindAgreesWithTryingEverythingProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		cal, verdict := lease.Find(in.capacity, in.gate, in.demands, forever)
		if want := in.fits(); (verdict == lease.Found) != want || verdict == lease.Unknown {
			t.Fatalf("trying everything says %v, the search says %v", want, verdict)
		}
		if verdict == lease.Found {
			if wrong := in.check(cal); wrong != "" {
				t.Fatal(wrong)
			}
		}
	})
}

// A shortage of the prefix sums is a proof: trying everything finds no calendar.
func TestShortIsAProofProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		if _, short := lease.Short(in.capacity, in.demands); short && in.fits() {
			t.Fatal("the prefix sums refuse what fits")
		}
	})
}

// What the two quick ways claim to have placed keeps the capacity, and where
// they miss nobody, everybody is covered.
func TestQuickCalendarsAreValidProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		quick := rapid.SampledFrom([]func([]int, *lease.Gate, []lease.Demand) (lease.Calendar, []int){lease.LeastLaxity, lease.Latest}).Draw(t, "way")
		cal, late := quick(in.capacity, in.gate, in.demands)
		if wrong := in.check(cal); wrong != "" && (wrong != "a demand is not covered" || len(late) == 0) {
			t.Fatal(wrong)
		}
	})
}

// For gangs of one size, latest slots first finds a calendar whenever trying
// everything does, whatever the capacity.
func TestLatestIsExactForOneSizeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		in.gate = nil
		for i := range in.demands {
			in.demands[i].GPUs = in.demands[0].GPUs
		}
		if _, late := lease.Latest(in.capacity, nil, in.demands); (len(late) == 0) != in.fits() {
			t.Fatalf("trying everything says %v", in.fits())
		}
	})
}
