package tracker_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"schedmate/logs/series"
	"schedmate/tracker"
)

// mutate damages a log as bad luck does: bytes change, go missing, come twice.
func mutate(t *rapid.T, log []byte) []byte {
	for range rapid.IntRange(0, 12).Draw(t, "damages") {
		if len(log) < 4 {
			return log
		}
		at := rapid.IntRange(0, len(log)-2).Draw(t, "at")
		to := min(len(log), at+rapid.IntRange(1, 200).Draw(t, "length"))
		switch rapid.IntRange(0, 5).Draw(t, "damage") {
		case 0:
			log[at] = rapid.Byte().Draw(t, "byte")
		case 1:
			log = append(log[:at:at], log[to:]...)
		case 2:
			log = append(log[:to:to], log[at:]...)
		case 3: // another number
			log = append(log[:at:at], append([]byte(rapid.SampledFrom(numbers).Draw(t, "number")), log[at+1:]...)...)
		case 4:
			log = append(log[:at:at], append([]byte(rapid.SampledFrom(noise).Draw(t, "line")+"\n"), log[at:]...)...)
		case 5: // the same numbers with another sign or point
			for i := at; i < to; i++ {
				if log[i] == ' ' || log[i] == '.' {
					log[i] = rapid.SampledFrom([]byte("-,./:%")).Draw(t, "sign")
				}
			}
		}
	}
	return log
}

// numbers that are no ordinary ones.
var numbers = []string{
	"1e308", "-1e308", "NaN", "nan", "inf", "-inf", "-0", "0", "1e-320", "9007199254740993", "18446744073709551616",
	strings.Repeat("7", 300), "-5", "0x1p-3", "1/0", "3/2", "99999999/1", "100%", "4e9%", "00:00:00", "99:99:99", "1,234,567", "1.2.3", "١٢٣",
}

// A Progress is always valid, and points to lines that exist, whatever the log is.
func TestProgressIsValid(t *testing.T) {
	templates := append(stamped[:len(stamped):len(stamped)], printed...)
	rapid.Check(t, func(r *rapid.T) {
		log := mutate(r, []byte(drawRecipe(r).mustPrint(r, rapid.SampledFrom(templates).Draw(r, "template"))))
		p := read(string(log))
		if err := p.Validate("progress"); err != nil {
			r.Fatal(err)
		}
		if !p.Trackable && (p.Step != nil || p.StepUnit != "" || p.Phase != "" || p.ThroughputUnit != "") {
			r.Fatalf("nothing is trackable, and yet %+v", p)
		}
		for _, c := range p.Validation {
			for _, xy := range c.Points {
				if math.IsNaN(xy[0]+xy[1]) || math.IsInf(xy[0], 0) || math.IsInf(xy[1], 0) {
					r.Fatalf("%s has a point at %v", c.Name, xy)
				}
			}
			if n := len(c.Points); n == 0 || c.Last.Value != c.Points[n-1][1] || !utf8.ValidString(c.Name) {
				r.Fatalf("%q ends with %v, but its points with %v", c.Name, c.Last.Value, c.Points)
			}
		}
		if d := p.Slowdown; d != nil && (d.Records < 1 || !(d.AfterSeconds > d.BeforeSeconds) || !(d.Confidence > 0 && d.Confidence <= 1) || d.Line < 1) {
			r.Fatalf("no slowdown: %+v", *d)
		}
		checkEvidence(r, log, &p)
	})
}

// Memory is bounded: after any number of lines of any shape at most as many
// families, columns and records are kept as the limits say.
func TestMemoryIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := series.Limits{Families: rapid.IntRange(1, 12).Draw(t, "families"), Columns: rapid.IntRange(1, 8).Draw(t, "columns"), History: rapid.IntRange(1, 40).Draw(t, "history")}
		s := tracker.New(limits)
		shapes := rapid.IntRange(1, 40).Draw(t, "shapes")
		for i := range rapid.IntRange(1, 600).Draw(t, "lines") {
			line := fmt.Sprintf("%s %d", strings.Repeat(string(rune('a'+i%shapes%26)), 1+i%shapes/26), i)
			for c := range i % 20 {
				line += fmt.Sprintf(" %c=%d.5", 'a'+c, i*c)
			}
			s.Write([]byte(line+"\n"), 0)
			if i%97 == 0 {
				s.Progress()
			}
		}
		if f, r, c := s.Kept(); f > limits.Families || r > limits.History || c > limits.Columns {
			t.Fatalf("kept %d families, %d records, %d columns; the limits are %+v", f, r, c, limits)
		}
	})
}

// Nothing is believed without a witness: counters, totals, percents, times and
// sizes, with any name and beside any clock, are no training.
func TestNoWitnessNoTraining(t *testing.T) {
	counters := []string{"step %d", "iteration %d/5000", "[%d/5000]", "batch %d of 5000", "epoch=1 step=%d", "%d", "global_step: %d |", "item %d,", "processed=%d"}
	others := []string{"", " 12%%", " elapsed 00:%02d:00", " %d.2 MB", " memory %d.5GiB", " lag %d ms", " ok", " (%d files)", " queue=%d", " code %d", " 3.%d GB/s", " host node%d"}
	stamps := []string{"", "2024-03-01 10:%02d:%02d.500 "}
	rapid.Check(t, func(t *rapid.T) {
		counter, stamp := rapid.SampledFrom(counters).Draw(t, "counter"), rapid.SampledFrom(stamps).Draw(t, "stamp")
		other := rapid.SliceOfN(rapid.SampledFrom(others), 0, 4).Draw(t, "others")
		step := rapid.SampledFrom([]int{1, 10, 16, 100}).Draw(t, "steps")
		seconds := rapid.IntRange(1, 9).Draw(t, "seconds")
		drawn := rapid.SliceOfN(rapid.IntRange(10, 59), 6, 6).Draw(t, "numbers")
		s := tracker.New(series.DefaultLimits)
		for i := range rapid.IntRange(2, 150).Draw(t, "lines") {
			line := ""
			if stamp != "" {
				line = fmt.Sprintf(stamp, i*seconds/60%60, i*seconds%60)
			}
			line += fmt.Sprintf(counter, (i+1)*step)
			for k, o := range other {
				if strings.Contains(o, "%d") || strings.Contains(o, "%0") {
					o = fmt.Sprintf(o, (drawn[k]*(i+7)*(k+3))%47+10)
				}
				line += strings.ReplaceAll(o, "%%", "%")
			}
			s.Write([]byte(line+"\n"), 0)
		}
		if p, notes := s.Progress(); p.Trackable {
			t.Fatalf("believed: %+v", notes)
		}
	})
}
