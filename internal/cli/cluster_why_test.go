package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/scheduler/fit"
)

// What one node needs is told where one node needs it: a job that may spread needs a sum.
func TestWhatOneNodeNeedsIsToldIfItNeedsAny(t *testing.T) {
	sum := fit.Shortage{Resource: "gpus", Need: 16, Free: 5, Short: 11, Best: "n1", BestFree: 2}
	each := sum
	each.PerNode = 8
	for want, s := range map[string]fit.Shortage{
		"Short of    11 GPUs: 16 needed, 5 free; n1 has the most, 2":                       sum,
		"Short of    11 GPUs: 16 needed, 5 free; of one node 8 needed, n1 has the most, 2": each,
	} {
		if diff := cmp.Diff(want, shortLine(&s)); diff != "" {
			t.Error(diff)
		}
	}
}

// There is room when the jobs are over, and the reservation that comes after them.
func TestReservationsThatMustBeOverAreNamed(t *testing.T) {
	x := fit.Answer{Ahead: fit.Ahead{Count: 1}, Until: fit.Until{
		At: 6780, Planned: 7200,
		Releases:     []fit.Release{{Job: "13", At: 795, Basis: fit.ByLimit}, {Job: "18", At: 3195, Basis: fit.ByLimit}},
		Reservations: []fit.Opening{{Reservation: "maint", At: 6780}},
	}}
	const want = `Room when   these end: 13 in 13m15s at the latest, 18 in 53m15s at the latest, the reservation maint in 1h53m
Expected    in 2h00m, at 7200, by our reckoning, behind the jobs ahead; it moves, and is no promise`
	if diff := cmp.Diff(want, strings.Join(untilLines(&x, 0), "\n")); diff != "" {
		t.Error(diff)
	}
}

// A name may hold what parts lines and paragraphs; a table has one line for each job.
func TestSeparatorsOfLinesAreEscaped(t *testing.T) {
	if diff := cmp.Diff(`a\u2028b\u2029c`, printable("a\u2028b\u2029c")); diff != "" {
		t.Error(diff)
	}
}
