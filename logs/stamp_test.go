package logs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"schedmate/logs"
)

// Each file in testdata/stamps has lines of logs and the moments printed there.
func TestStampStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/stamps/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd != "stamps" {
					d.Fatalf(t, "unknown command %q, use stamps", d.Cmd)
				}
				var out strings.Builder
				for line := range strings.SplitSeq(d.Input, "\n") {
					out.WriteString(describeStamp(line) + "\n")
				}
				return out.String()
			})
		})
	}
}

func describeStamp(line string) string {
	s, ok := logs.FindStamp([]byte(line))
	if !ok {
		return "none"
	}
	format := "2006-01-02 15:04:05"
	if !s.Day {
		format = "15:04:05"
	}
	at := time.Unix(0, s.Nanos).UTC().Format(format)
	if n := s.Nanos % 1e9; n != 0 {
		at += strings.TrimRight(fmt.Sprintf(".%09d", n), "0")
	}
	return fmt.Sprintf("%s to %v |%s|", at, time.Duration(s.Resolution), line[s.Start:s.End])
}

// Property: a moment is found as it was printed, whatever the style, to the
// digit printed, wherever the stamp stands within reach.
func TestStampsAreReadAsPrinted(t *testing.T) {
	styles := []string{
		"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006/01/02 15:04:05", "2006.01.02 15:04:05", "20060102 15:04:05", "20060102-15:04:05",
		"2006-01-02 15:04:05,000", "2006-01-02 15:04:05.000", "2006-01-02T15:04:05.000000Z", "2006-01-02 15:04:05.000000000", "2006-01-02_15:04:05", "2006-01-02,15:04:05",
		"02/Jan/2006:15:04:05 -0700", "02-Jan-2006 15:04:05", "02 Jan 2006 15:04:05", "Jan _2 15:04:05 2006", "Mon Jan _2 15:04:05 2006", "Jan _2 15:04:05.000 2006",
	}
	rapid.Check(t, func(t *rapid.T) {
		style := rapid.SampledFrom(styles).Draw(t, "style")
		at := time.Unix(rapid.Int64Range(946684800, 2524607999).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nano")).UTC()
		at = at.Truncate(stepOf(style))
		before := rapid.SampledFrom([]string{"", "[", "INFO ", "[INFO] [", "trainer | ", "<6>"}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", "]", " - INFO - step 3", " loss 0.3 2001-01-01 00:00:00", ": 3", "|x"}).Draw(t, "after")
		line := before + at.Format(style) + after
		s, ok := logs.FindStamp([]byte(line))
		switch {
		case !ok:
			t.Fatalf("no stamp in %q", line)
		case s.Nanos != at.UnixNano() || !s.Day:
			t.Fatalf("%q has the stamp %v, day %t, want %v", line, time.Unix(0, s.Nanos).UTC(), s.Day, at)
		case s.Resolution != int64(stepOf(style)):
			t.Fatalf("%q is printed to %v, want %v", line, time.Duration(s.Resolution), stepOf(style))
		case s.Start != len(before) || s.End > len(before)+len(at.Format(style)):
			t.Fatalf("%q has its stamp at %d to %d, want %d to %d", line, s.Start, s.End, len(before), len(before)+len(at.Format(style)))
		}
	})
}

// stepOf is the last digit that a style prints.
func stepOf(style string) time.Duration {
	step := time.Second
	_, fraction, _ := strings.Cut(strings.ReplaceAll(style, "05,000", "05.000"), "05.")
	for len(fraction) > 0 && fraction[0] == '0' {
		step /= 10
		fraction = fraction[1:]
	}
	return step
}
