package tracker

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// changePointByHand is changePoint as its documentation says it, with nothing
// remembered from one split to the next: O(n^2).
func changePointByHand(seconds []float64, overlap int) (int, float64) {
	var all []float64
	for _, s := range seconds {
		all = append(all, math.Log(s))
	}
	middle := func(from, to int, values []float64) float64 {
		s := slices.Sorted(slices.Values(values[max(0, from):min(len(values), to)]))
		return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
	}
	warm := 0
	for len(all) >= 3*max(6, overlap) && warm < len(all)/4 && all[warm] >= middle(warm+1, warm+21, all)+0.1 {
		warm++
	}
	x := all[warm:]
	if len(x) < 3*max(6, overlap) {
		return -1, 0
	}
	var clipped []float64
	for i := range x {
		var far []float64
		m := middle(i-5, i+6, x)
		for j := max(0, i-5); j < min(len(x), i+6); j++ {
			far = append(far, math.Abs(x[j]-m))
		}
		spread := max(2.5*1.4826*middle(0, len(far), far), 0.05)
		clipped = append(clipped, min(max(x[i], m-spread), m+spread))
	}
	average := func(values []float64) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
	best, rise := -1, 0.0
	for i := 2 * max(6, overlap); i <= len(x)-max(6, overlap); i++ {
		weight := 1 / (1/float64(i) + 1/float64(len(x)-i)) / float64(overlap)
		if s := (average(clipped[i:]) - average(clipped[:i])) * math.Sqrt(weight); s > rise+1e-12 {
			best, rise = i, s
		}
	}
	if best < 0 {
		return -1, 0
	}
	var d, size []float64
	for i, v := range clipped {
		level := middle(0, best, clipped)
		if i >= best {
			level = middle(best, len(clipped), clipped)
		}
		d, size = append(d, v-level), append(size, math.Abs(v-level))
	}
	sigma := max(0.01, 1.4826*middle(0, len(size), size), 1.2533*average(size))
	with, own := 0.0, 0.0
	for i := range d {
		d[i] = min(max(d[i], -3*sigma), 3*sigma)
		if i >= overlap {
			with += d[i] * d[i-overlap]
			own += d[i] * d[i]
		}
	}
	r := 0.0
	if own > 0 {
		r = min(max(with/own, 0), 0.95)
	}
	score := rise / sigma / math.Sqrt((1+r)/(1-r))
	early, late := slices.Sorted(slices.Values(x[:best])), slices.Sorted(slices.Values(x[best:]))
	before, after := middle(0, len(early), early), middle(0, len(late), late)
	slow := 0
	for _, v := range late {
		if v > (before+after)/2 {
			slow++
		}
	}
	if score < slowScore || slow < 6 || after-before < math.Log(slowRatio) || after < early[len(early)*3/4] || before > late[len(late)/4] {
		return -1, 0
	}
	return warm + best, score
}

func TestChangePointAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 120).Draw(t, "length")
		seconds := make([]float64, n)
		noise := rapid.Float64Range(0, 0.2).Draw(t, "noise")
		for i := range seconds {
			seconds[i] = math.Exp(noise * rapid.Float64Range(-2, 2).Draw(t, "z"))
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			from := rapid.IntRange(0, n).Draw(t, "from")
			to := rapid.IntRange(from, n).Draw(t, "to")
			for i, times := from, rapid.Float64Range(0.3, 3).Draw(t, "times"); i < to; i++ {
				seconds[i] *= times
			}
		}
		overlap := rapid.IntRange(1, 5).Draw(t, "overlap")
		given := slices.Clone(seconds)
		k, score, before, after := changePoint(seconds, overlap)
		wantK, wantScore := changePointByHand(seconds, overlap)
		if k >= 0 && wantK >= 0 && math.Abs(score-wantScore) < 1e-9*score && k != wantK {
			return // two splits are as good as each other
		}
		if k != wantK || math.Abs(score-wantScore) > 1e-9*(1+score) && k >= 0 {
			t.Fatalf("got %d with %v, by hand %d with %v", k, score, wantK, wantScore)
		}
		if k >= 0 && !(before > 0 && after >= before*slowRatio*(1-1e-12)) {
			t.Fatalf("%g s to %g s is no slowdown", before, after)
		}
		if !slices.Equal(given, seconds) {
			t.Fatal("the series was changed")
		}
	})
}

// A change of the unit changes nothing, and a series run backwards that became
// slower became faster.
func TestChangePointHasNoUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, at := rapid.IntRange(30, 90).Draw(t, "length"), rapid.IntRange(14, 16).Draw(t, "at")
		var seconds []float64
		for i := range n {
			s := math.Exp(rapid.Float64Range(-0.05, 0.05).Draw(t, "z"))
			if i >= at {
				s *= 1.6
			}
			seconds = append(seconds, s)
		}
		k, _, _, _ := changePoint(seconds, 1)
		if k != at {
			t.Fatalf("found at %d, not at %d", k, at)
		}
		for i := range seconds {
			seconds[i] *= 1024
		}
		if again, _, _, _ := changePoint(seconds, 1); again != k {
			t.Fatalf("in another unit at %d, not at %d", again, k)
		}
		slices.Reverse(seconds)
		if k, _, _, _ := changePoint(seconds, 1); k >= 0 {
			t.Fatal("a job that became faster is said to be slower")
		}
	})
}

func TestChangePointOfFewRecords(t *testing.T) {
	steady := slices.Repeat([]float64{1}, 30)
	for n := range 24 {
		if k, _, _, _ := changePoint(append(steady[:n:n], 5, 5, 5, 5, 5), 1); k >= 0 {
			t.Errorf("%d records, then 5 slow ones: found at %d; 5 are too few", n, k)
		}
	}
	if k, _, _, _ := changePoint(append(steady[:12:12], 5, 5, 5, 5, 5, 5), 1); k != 12 {
		t.Errorf("12 records, then 6 slow ones: got %d", k)
	}
	if k, _, _, _ := changePoint(steady, 1); k >= 0 {
		t.Errorf("a constant series has a change at %d", k)
	}
	if k, _, _, _ := changePoint(nil, 1); k >= 0 {
		t.Errorf("no series has a change at %d", k)
	}
}
