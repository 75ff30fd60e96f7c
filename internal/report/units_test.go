package report

import (
	"math"
	"strings"
	"testing"
)

func plain(s string) string { return strings.ReplaceAll(s, nbsp, " ") }

func TestDurationsReadLikeOnAClock(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0 s", 0.04: "0.0 s", 4.25: "4.2 s", 9.96: "10 s", 10: "10 s", 59.4: "59 s", 59.6: "1 min",
		60: "1 min", 61: "1 min 1 s", 3599: "59 min 59 s", 3599.5: "1 h", 3600: "1 h", 3629: "1 h", 3630: "1 h 1 min",
		9083.4: "2 h 31 min", 86369: "23 h 59 min", 86370: "1 d", 86400: "1 d", 100800: "1 d 4 h", 273600: "3 d 4 h",
		6.3e9: "72,916 d 16 h", -60: "−1 min", math.NaN(): none, math.Inf(1): none,
	} {
		if got := plain(duration(s)); got != want {
			t.Errorf("duration(%v) = %q, want %q", s, got, want)
		}
	}
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
