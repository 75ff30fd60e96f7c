package lease

import (
	"fmt"
	"math"

	"schedmate"
)

// ExpectedRuns is how many separate runs leases of a job make when they fall on
// slots slots, every placement being equally likely: n (m - n + 1) / m. Each run
// begins with a resumption, also the first one. A lease begins a run if it lies
// in the first slot (n/m), or the slot before it is not held.
func ExpectedRuns(leases, slots int) (float64, error) {
	if leases < 0 || slots < 1 || leases > slots {
		return 0, fmt.Errorf("leases: must lie in 0 to the %d slots, at least one, got %d", slots, leases)
	}
	return float64(leases) * float64(slots-leases+1) / float64(slots), nil
}

// ForWork returns the least number of leases, of length each, that hold work
// and the resumptions to be expected when they fall on slots slots. A job that
// runs now and goes on does not resume for its first run. It reports false when
// the slots do not suffice.
func ForWork(work, resume, each schedmate.Seconds, slots int, runsNow bool) (int, bool) {
	if work <= 0 {
		return 0, true
	}
	for n := max(1, int((work+each-1)/each)); n <= slots; n++ {
		runs, err := ExpectedRuns(n, slots)
		if err != nil {
			return 0, false
		}
		if runsNow {
			runs--
		}
		if float64(n)*float64(each) >= float64(work)+math.Max(0, runs)*float64(resume) {
			return n, true
		}
	}
	return 0, false
}

// SpotResumes is how many resumptions to expect of a spot job with that many
// leases left: at each boundary it is interrupted with probability 1/2.
func SpotResumes(leases int) float64 { return float64(leases) / 2 }
