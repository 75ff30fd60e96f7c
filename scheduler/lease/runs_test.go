package lease_test

import (
	"math"
	"math/bits"
	"testing"

	"schedmate/scheduler/lease"
)

// The formula is the mean over all placements, counted one by one.
func TestExpectedRunsIsTheMeanOverAllPlacements(t *testing.T) {
	for slots := 1; slots <= 12; slots++ {
		for leases := 1; leases <= slots; leases++ {
			runs, placements := 0, 0
			for set := uint(0); set < 1<<slots; set++ {
				if bits.OnesCount(set) == leases {
					placements++
					runs += bits.OnesCount(set &^ (set << 1))
				}
			}
			got, err := lease.ExpectedRuns(leases, slots)
			if want := float64(runs) / float64(placements); err != nil || math.Abs(got-want) > 1e-9 {
				t.Errorf("%d of %d: want %v, got %v, %v", leases, slots, want, got, err)
			}
		}
	}
	if _, err := lease.ExpectedRuns(3, 2); err == nil {
		t.Error("three leases in two slots")
	}
}

// Ten hours of work in leases of an hour, 6 minutes a resumption, 20 slots. 11
// leases make 11 x 10 / 20 = 5.5 runs, 33 minutes, which the eleventh hour holds.
func TestForWorkByHand(t *testing.T) {
	if n, ok := lease.ForWork(36000, 360, 3600, 20, false); !ok || n != 11 {
		t.Errorf("got %d, %v", n, ok)
	}
	// In ten slots the ten leases are one run: 6 minutes too much, and no slot is left.
	if _, ok := lease.ForWork(36000, 360, 3600, 10, false); ok {
		t.Error("ten slots do not hold it")
	}
	// It runs now and goes on: no resumption at all.
	if n, ok := lease.ForWork(36000, 360, 3600, 10, true); !ok || n != 10 {
		t.Errorf("got %d, %v", n, ok)
	}
	if n, ok := lease.ForWork(0, 360, 3600, 10, true); !ok || n != 0 {
		t.Errorf("done already: got %d, %v", n, ok)
	}
}
