package pack

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func pairOf(n, m int64) (newcomer, mate *schedmate.JobStatus) {
	return left(light("n", "b"), n), left(light("m", "a"), m)
}

// A newcomer of 100 s beside a job with 300 s left: together at 0.8 and 0.5 they end
// after 125 and 125 + 237.5 s, in sum 487.5; one after the other after 400 and 300. At
// 0.25 each: 400 and 600, no better than 700. With nothing known of what is left it is
// worth it if together they do more than one.
func TestWorthByHand(t *testing.T) {
	n, m := pairOf(100, 300)
	unknown := light("u", "c")
	for _, c := range []struct {
		newcomer, mate *schedmate.JobStatus
		speeds         Forecast
		want           bool
	}{
		{n, m, Forecast{Newcomer: 800, Mate: 500}, true},
		{n, m, Forecast{Newcomer: 250, Mate: 250}, false},
		{n, m, Forecast{Newcomer: 400, Mate: 400}, false}, // 250 + 450 = 700: a draw
		{n, m, Forecast{Newcomer: 401, Mate: 401}, true},
		{n, unknown, Forecast{Newcomer: 500, Mate: 500}, false},
		{n, unknown, Forecast{Newcomer: 500, Mate: 501}, true},
		{unknown, m, Forecast{Newcomer: 501, Mate: 500}, true},
	} {
		if got := Worth(c.newcomer, c.mate, c.speeds, 0); got != c.want {
			t.Errorf("%s beside %s at %+v: %v, want %v", c.newcomer.Job.ID, c.mate.Job.ID, c.speeds, got, c.want)
		}
	}
}

// 1 + (300/100)/2 = 2.5 for a short newcomer; 1 + 1/2 for one that is longer than its
// mate; nothing where an estimate is missing.
func TestBreakEvenByHand(t *testing.T) {
	for _, c := range []struct {
		n, m int64
		want int
	}{{100, 300, 2500}, {100, 100, 1500}, {300, 100, 1500}, {1, 10_000_000, MaxSlowdown}} {
		n, m := pairOf(c.n, c.m)
		if got, ok := BreakEven(n, m, 0); !ok || got != c.want {
			t.Errorf("%d beside %d: %d, want %d", c.n, c.m, got, c.want)
		}
	}
	n, _ := pairOf(100, 300)
	if _, ok := BreakEven(n, light("u", "c"), 0); ok {
		t.Error("there is no break-even beside a job of unknown length")
	}
}

// The sum of the ends of a pair is what it is when the two are followed from event to
// event: the dumb twin of the inequalities.
func TestWorthAgainstEventsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.Int64Range(1, 5000).Draw(t, "newcomer"), rapid.Int64Range(1, 5000).Draw(t, "mate")
		f := Forecast{Newcomer: rapid.IntRange(1, 1500).Draw(t, "speed"), Mate: rapid.IntRange(1, 1500).Draw(t, "mate's speed")}
		b, a := big.NewRat(int64(f.Newcomer), 1000), big.NewRat(int64(f.Mate), 1000)
		first, second := new(big.Rat).Quo(big.NewRat(n, 1), b), new(big.Rat).Quo(big.NewRat(m, 1), a)
		left, speed := big.NewRat(m, 1), a // of the one that ends last
		if first.Cmp(second) > 0 {
			first, left, speed = second, big.NewRat(n, 1), b
		}
		done := new(big.Rat).Mul(first, speed)
		last := new(big.Rat).Add(first, new(big.Rat).Sub(left, done))
		together := new(big.Rat).Add(first, last)
		apart := big.NewRat(m+m+n, 1)
		j, k := pairOf(n, m)
		if got, want := Worth(j, k, f, 0), together.Cmp(apart) < 0; got != want {
			t.Fatalf("together %s, one after the other %s: got %v", together.FloatString(3), apart.FloatString(3), got)
		}
	})
}

// Two that are slowed alike are worth it below the break-even and not above it.
func TestBreakEvenIsWhereWorthTurnsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(10, 5000).Draw(t, "newcomer")
		m := rapid.Int64Range(10, 20*n).Draw(t, "mate")
		j, k := pairOf(n, m)
		even, _ := BreakEven(j, k, 0)
		speed := 1_000_000 / even
		for by, want := range map[int]bool{2: true, -2: false} {
			if f := (Forecast{Newcomer: speed + by, Mate: speed + by}); Worth(j, k, f, 0) != want {
				t.Fatalf("break-even at %d, both at %d: worth it must be %v", even, speed+by, want)
			}
		}
	})
}
