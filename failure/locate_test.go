package failure

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// logOf makes chunks of lines of which some are anomalous.
func logOf(bad []bool) *chunks {
	c := &chunks{size: 1}
	for i, b := range bad {
		c.add(place{line: int64(i + 1), sequence: int64(i + 1)}, b)
	}
	return c
}

// firstBad is the search that looks at every chunk.
func firstBad(c *chunks, healthy int) int {
	for i := healthy; i < len(c.list); i++ {
		if c.list[i].anomalous > 0 {
			return i
		}
	}
	return -1
}

// In a log that is healthy and then is not, bisection finds what looking at every
// chunk finds, and looks at few.
func TestBisectionFindsTheFirstError(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		healthy := rapid.IntRange(0, 900).Draw(rt, "healthy")
		errors := rapid.IntRange(1, 900).Draw(rt, "errors")
		bad := make([]bool, healthy+errors)
		for i := healthy; i < len(bad); i++ {
			bad[i] = true
		}
		c := logOf(bad)
		got, looked, ok := c.locate(0)
		if want := firstBad(c, 0); !ok || got != want {
			rt.Fatalf("found chunk %d (%v), want %d", got, ok, want)
		}
		if limit := int(math.Log2(float64(len(bad)))) + 3; looked > limit {
			rt.Fatalf("looked at %d of %d chunks, want at most %d", looked, len(bad), limit)
		}
	})
}

// Healthy lines among the errors do not hide that there are some.
func TestBisectionFindsAnError(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bad := rapid.SliceOfN(rapid.Bool(), 1, 60).Draw(rt, "bad")
		c := logOf(bad)
		got, _, ok := c.locate(0)
		if want := firstBad(c, 0); ok != (want >= 0) || ok && c.list[got].anomalous == 0 {
			rt.Fatalf("found chunk %d (%v) of %v", got, ok, bad)
		}
	})
}

// However long a log is, few chunks are kept, and no line is lost.
func TestChunksAreBounded(t *testing.T) {
	c := &chunks{}
	const lines = 3_000_000
	for i := range int64(lines) {
		c.add(place{line: i + 1, sequence: i + 1}, i == 2_000_000)
	}
	total, at := int64(0), int64(0)
	for _, k := range c.list {
		total += k.lines
		if k.anomalous > 0 {
			at = k.at.line
		}
	}
	if len(c.list) > maxChunks || total != lines || at != 2_000_001 {
		t.Errorf("%d chunks with %d lines, the anomaly at line %d; want at most %d, %d and 2000001", len(c.list), total, at, maxChunks, lines)
	}
	if i := c.from(place{sequence: 2_000_001}); c.list[i].at.line != 2_000_001 {
		t.Errorf("line 2000001 is looked for in chunk %d, from line %d", i, c.list[i].first.line)
	}
}
