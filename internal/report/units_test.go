package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func plain(s string) string { return strings.ReplaceAll(s, nbsp, " ") }

func TestDurationsReadLikeOnAClock(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0 s", 0.04: "0.0 s", 0.05: "0.1 s", 4.25: "4.3 s", 9.96: "10 s", 10: "10 s", 29.5: "30 s", 59.4: "59 s", 59.5: "1 min",
		60: "1 min", 61: "1 min 1 s", 3599: "59 min 59 s", 3599.5: "1 h", 3600: "1 h", 3629: "1 h", 3630: "1 h 1 min",
		9083.4: "2 h 31 min", 86369: "23 h 59 min", 86370: "1 d", 86400: "1 d", 100800: "1 d 4 h", 273600: "3 d 4 h",
		6.3e9: "72,916 d 16 h", -60: "−1 min", math.NaN(): none, math.Inf(1): none,
	} {
		if got := plain(Duration(s)); got != want {
			t.Errorf("Duration(%v) = %q, want %q", s, got, want)
		}
	}
}

// The mean JCT of one policy of a real run, to the second: 3 h 20 min 38 s.
func TestDurationsAreRoundedAndNotCut(t *testing.T) {
	if got := plain(Duration(3*3600 + 20*60 + 38)); got != "3 h 21 min" {
		t.Errorf("3 h 20 min 38 s is shown as %q, want 3 h 21 min", got)
	}
}

// Property: a printed duration is never further from the true one than half of
// the last unit that is shown at its size, and never has a full 60 s, 60 min or
// 24 h that would have to be carried over.
func TestDurationsAreRoundedToTheLastUnitShown(t *testing.T) {
	size := map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86400}
	full := map[string]float64{"s": 60, "min": 60, "h": 24}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.Float64Range(0, 10), rapid.Float64Range(0, 4000), rapid.Float64Range(0, 100000), rapid.Float64Range(0, 1e9),
			rapid.Map(rapid.IntRange(0, 400000), func(halves int) float64 { return float64(halves) / 2 }),
		).Draw(t, "seconds")
		fields := strings.Fields(strings.ReplaceAll(plain(Duration(s)), ",", ""))
		sum := 0.0
		for i := 0; i < len(fields); i += 2 {
			n, err := strconv.ParseFloat(fields[i], 64)
			unit := fields[i+1]
			if err != nil || size[unit] == 0 || full[unit] > 0 && n >= full[unit] {
				t.Fatalf("%v s is shown as %q", s, Duration(s))
			}
			sum += n * size[unit]
		}
		last := 0.1
		switch {
		case sum >= 86400:
			last = 3600
		case sum >= 3600:
			last = 60
		case sum >= 10 || s == math.Trunc(s):
			last = 1
		}
		if off := sum - s; off < -last/2 || off > last/2+1e-9 {
			t.Fatalf("%v s is shown as %q, which is off by %v s", s, Duration(s), off)
		}
	})
}

func TestNumbersHaveSeparatorsAndFewDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "−1,234", 1234.56: "1,234.6", 345.67: "345.7",
		3.4567: "3.46", 3.5: "3.5", 0.034567: "0.0346", 0.5: "0.5", -0.25: "−0.25", 1e-12: "0", 1234567.8: "1,234,568",
		1e20: "1e+20", math.NaN(): none, math.Inf(-1): none,
	} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestOnlyAnExactShareIsPrintedWithoutDecimals(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 1: "100 %", 0.999999: "100.0 %", 0.5: "50.0 %", 0.7134: "71.3 %", -0.013: "−1.3 %", 1.5: "150.0 %",
		math.NaN(): none, math.MaxFloat64: none,
	} {
		if got := plain(percent(share)); got != want {
			t.Errorf("percent(%v) = %q, want %q", share, got, want)
		}
	}
	for share, want := range map[float64]string{0.012: "+1.2 %", -0.012: "−1.2 %", 0: "0 %", 1e-9: "+0.0 %"} {
		if got := plain(signed(share)); got != want {
			t.Errorf("signed(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestUnitsKeepThePreciseValueAtHand(t *testing.T) {
	for _, c := range []struct {
		v             float64
		unit          string
		text, precise string
	}{
		{9083.4, UnitSeconds, "2 h 31 min", "9,083.4 s"},
		{0.713, UnitShare, "71.3 %", ""},
		{2117, UnitCount, "2,117", ""},
		{1.5, "GPU-h", "1.5 GPU-h", ""},
		{math.NaN(), UnitSeconds, none, ""},
	} {
		text, precise := show(c.v, c.unit)
		if plain(text) != c.text || plain(precise) != c.precise {
			t.Errorf("show(%v, %q) = %q, %q, want %q, %q", c.v, c.unit, text, precise, c.text, c.precise)
		}
	}
}
