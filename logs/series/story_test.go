package series_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"schedmate/logs"
	"schedmate/logs/series"
)

// TestStories runs testdata/*.txt: a log, and below it the families it makes,
// with all values of their columns. Understand every line that -rewrite changes.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "log" {
				d.Fatalf(t, "unknown command %s: want log", d.Cmd)
			}
			s := series.NewSet(series.DefaultLimits)
			add(s, d.Input+"\n")
			return listing(s)
		})
	})
}

// add gives a log to a set; text after the last line feed is a half line.
func add(s *series.Set, log string) {
	d := logs.NewDecoder(func(seg *logs.Segment) { s.Add(seg) })
	d.Write([]byte(log), 0)
	d.Peek()
}

// listing writes out the families in the order of their first kept lines.
func listing(s *series.Set) string {
	families := s.Families()
	var b strings.Builder
	for i := len(families) - 1; i >= 0; i-- {
		f := families[i]
		rank := ""
		if f.Rank != logs.NoRank {
			rank = fmt.Sprintf(" of rank %d", f.Rank)
		}
		fmt.Fprintf(&b, "%d lines%s like %q\n", f.Count, rank, f.Sample)
		for c := range f.Columns {
			fmt.Fprintf(&b, "  %-14s %-13s %s%s\n", columnName(&f.Columns[c]), form(&f.Columns[c]), strings.Join(values(f, c), " "), suffix(&f.Columns[c]))
		}
	}
	return b.String()
}

func columnName(c *series.Column) string {
	name := c.Name
	if name == "" {
		name = "-"
	}
	if c.Header {
		return "[" + name + "]"
	}
	if c.Ordinal > 0 {
		name += fmt.Sprintf(" +%d", c.Ordinal)
	}
	return name
}

func form(c *series.Column) string {
	if c.Form == series.Number && c.Integer {
		return "integer"
	}
	return c.Form.String()
}

func suffix(c *series.Column) string {
	if c.Suffix == "" {
		return ""
	}
	return "  (" + c.Suffix + ")"
}

func values(f *series.Family, c int) []string {
	var out []string
	for _, v := range f.Series(c) {
		if math.IsNaN(v) {
			out = append(out, "-")
			continue
		}
		out = append(out, strconv.FormatFloat(v, 'g', 6, 64))
	}
	return out
}
