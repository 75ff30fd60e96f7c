package estimate_test

import (
	"math/bits"
	"testing"

	"schedmate/scheduler/estimate"
)

// The dumb twin: every way to put n leases on m slots, its runs counted.
func pausesByEnumeration(n, m int, runsNow bool, cost estimate.PauseCost) float64 {
	sum, ways := 0.0, 0
	for held := uint32(0); held < 1<<m; held++ {
		if bits.OnesCount32(held) != n {
			continue
		}
		runs := bits.OnesCount32(held &^ (held << 1)) // slots held whose slot before is not
		resumes, suspends := runs, max(0, runs-1)
		if runsNow {
			resumes = max(0, runs-1)
		}
		sum += float64(resumes)*cost.Resume + float64(suspends)*cost.Suspend
		ways++
	}
	return sum / float64(ways)
}

func TestDeadlinePausesAreTheMeanOverAllPlacements(t *testing.T) {
	cost := estimate.PauseCost{Suspend: 4, Resume: 30}
	for m := 1; m <= 12; m++ {
		for n := 0; n <= m; n++ {
			for _, now := range []bool{false, true} {
				got, err := estimate.DeadlinePauses(n, m, now, cost)
				if want := pausesByEnumeration(n, m, now, cost); err != nil || !near(got, want) {
					t.Errorf("%d of %d slots, running %v: %v s, %v; enumerated %v s", n, m, now, got, err, want)
				}
			}
		}
	}
	if _, err := estimate.DeadlinePauses(3, 2, false, cost); err == nil {
		t.Error("three leases on two slots: no error")
	}
}

// Four leases left, each boundary an interruption with probability 1/2, 4 s to
// suspend and 30 s to resume: 2 * 34 s.
func TestSpotPausesByHand(t *testing.T) {
	if got, err := estimate.SpotPauses(4, estimate.PauseCost{Suspend: 4, Resume: 30}); err != nil || got != 68 {
		t.Errorf("got %v s, %v; want 68 s", got, err)
	}
}
