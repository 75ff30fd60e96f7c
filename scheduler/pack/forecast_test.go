package pack

import (
	"testing"

	"schedmate"
)

// onePair has one measurement: b at 0.8 beside a at 0.6.
type onePair struct{}

func (onePair) Beside(n, m schedmate.Workload) (int, int, bool) {
	return 800, 600, n.Model == "b" && m.Model == "a"
}

// What somebody has measured counts before what was learned. Of what was learned, two
// sightings of a beside b of 750 in the mean, and a mean of light jobs beside light ones
// of (1500 + 3 x 900) / 5 = 840 that counts as two more: (1500 + 2 x 840) / 4 = 795. b
// beside a has been seen once at 900: (900 + 2 x 840) / 3 = 860. Jobs that have not
// been seen together are as fast as their class.
func TestForecasts(t *testing.T) {
	a, b, c := light("a", "a"), light("b", "b"), light("c", "c")
	heavy, unknown := light("h", "d"), light("u", "")
	heavy.Facts[0] = fact(schedmate.ShareScore, 2)
	s := &schedmate.Snapshot{Waiting: []*schedmate.JobStatus{a, b, c, heavy, unknown}}
	board := NewBoard(s)
	key := func(j *schedmate.JobStatus) string { return board.member(j).key }
	s.Memory = notes(
		note("pack_speed", key(a), key(b), 2, 1500, 0, 0),
		note("pack_speed", key(b), key(a), 1, 900, 0, 0),
		note("pack_speed", key(c), key(c), 2, 1800, 0, 0),
	)
	book := Recall(s)
	for _, tc := range []struct {
		name           string
		forecast       Interference
		newcomer, mate *schedmate.JobStatus
		want           Forecast
	}{
		{"measured", Interference{Table: onePair{}, Book: book, Prior: Prior{2, 1}}, b, a, Forecast{800, 600, Measured, 0}},
		{"learned", Interference{Table: onePair{}, Book: book, Prior: Prior{2, 1}}, a, b, Forecast{795, 860, Learned, 3}},
		{"learned, and the class counts for nothing", Interference{Book: book, Prior: Prior{0, 1}}, a, b, Forecast{750, 900, Learned, 3}},
		{"of the class", Interference{Book: book, Prior: Prior{2, 5}}, a, c, Forecast{840, 840, OfClass, 0}},
		{"a class of too few", Interference{Book: book, Prior: Prior{2, 6}}, a, c, Forecast{}},
		{"a class of which nobody was seen", Interference{Book: book, Prior: Prior{2, 1}}, a, heavy, Forecast{}},
		{"one of unknown model is of its class", Interference{Book: book, Prior: Prior{2, 5}}, unknown, a, Forecast{840, 840, OfClass, 0}},
		{"nobody knows anything", Interference{}, a, b, Forecast{}},
	} {
		got, ok := tc.forecast.Forecast(board.member(tc.newcomer), board.member(tc.mate))
		if got != tc.want || ok != (tc.want != Forecast{}) {
			t.Errorf("%s: %+v, %v, want %+v", tc.name, got, ok, tc.want)
		}
	}
}

// How much must be seen is refused where it makes no sense.
func TestPriorIsChecked(t *testing.T) {
	for _, p := range []Prior{{-1, 1}, {1001, 1}, {2, 0}} {
		if p.Validate() == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	if p := (Prior{0, 1}); p.Validate() != nil {
		t.Errorf("%+v is refused", p)
	}
}
