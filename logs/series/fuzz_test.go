package series_test

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"schedmate/logs"
	"schedmate/logs/series"
)

// checkSet checks what holds of any set.
func checkSet(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, s *series.Set, limits series.Limits) {
	t.Helper()
	families := s.Families()
	if len(families) > limits.Families {
		t.Fatalf("%d families, at most %d are allowed", len(families), limits.Families)
	}
	for _, f := range families {
		if f.Len() == 0 || f.Len() > limits.History || f.Count < f.Len() || len(f.Columns) > limits.Columns {
			t.Fatalf("%q: %d of %d records kept, %d columns; the limits are %+v", f.Sample, f.Len(), f.Count, len(f.Columns), limits)
		}
		for i := range f.Len() {
			r := f.At(i)
			if i > 0 && r.Sequence <= f.At(i-1).Sequence || r.Sequence > s.Sequence()+1 {
				t.Fatalf("%q: record %d is out of order", f.Sample, i)
			}
			if i > 0 && r.Byte < f.At(i-1).Byte || r.Byte < 0 || r.Half && i+1 < f.Len() {
				t.Fatalf("%q: record %d is at byte %d after byte %d, half: %v", f.Sample, i, r.Byte, f.At(max(0, i-1)).Byte, r.Half)
			}
			for c := range f.Columns {
				if v := r.Value(c); math.IsInf(v, 0) || f.Columns[c].Form == series.Number && f.Columns[c].Integer && f.Columns[c].Unit.Kind == logs.UnitNone && v != math.Trunc(v) && !math.IsNaN(v) {
					t.Fatalf("%q: column %q of whole numbers has %v", f.Sample, f.Columns[c].Name, v)
				}
			}
		}
	}
}

// Whatever the lines are: no panic, bounded memory, records in the order of the log.
func FuzzSeries(f *testing.F) {
	for _, seed := range []string{
		"step 1 loss 2.5\nstep 2 loss 2.4\n", "step\tloss\tlr\n1\t\t0.5\n2\t2.5\t0.5\n", "a,b,c\n1,,3\n2,3,\n", " 1/9 [00:01<00:08, 1.5it/s]\r 2/9 [00:02<00:07, 1.5s/it]",
		"| a | b | c |\n| 1 | 2 | 3 |\n", "[rank0]:x 1\n[rank1]:x 1\n", "50%|.5 3\n", "a  b  c\n1  2  3\n", "x 1e308 y 1e308 h\nx -0 y 1e-320 h\n", "23:59:59 a 1\n00:00:00 a 2\n",
	} {
		f.Add([]byte(seed), uint8(3))
	}
	limits := series.Limits{Families: 3, Columns: 4, History: 5}
	f.Fuzz(func(t *testing.T, log []byte, every uint8) {
		s := series.NewSet(limits)
		d := logs.NewDecoder(func(seg *logs.Segment) { s.Add(seg) })
		for i := range log {
			d.Write(log[i:i+1], 0)
			if i%(int(every)+1) == 0 {
				d.Peek()
				checkSet(t, s, limits)
			}
		}
		d.Peek()
		checkSet(t, s, limits)
	})
}

// A line of names and numbers comes out as it went in, whatever the names are.
func TestNamesAndNumbersComeOut(t *testing.T) {
	names := []string{"loss", "grad_norm", "Top1", "学习率", "train/loss", "val loss", "x", "потери", "accuracy"}
	separators := []string{"=", ": ", " "}
	between := []string{" ", ", ", " | ", "; ", "\t"}
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 6, rapid.ID).Draw(t, "names")
		is, and := rapid.SampledFrom(separators).Draw(t, "is"), rapid.SampledFrom(between).Draw(t, "and")
		if is == " " && and == " " {
			and = ", "
		}
		s := series.NewSet(series.DefaultLimits)
		want := map[string][]float64{}
		lines := rapid.IntRange(1, 6).Draw(t, "lines")
		for range lines {
			line := ""
			for i, name := range chosen {
				v := float64(rapid.IntRange(1, 99999).Draw(t, "number")) / 1000
				want[name] = append(want[name], v)
				if i > 0 {
					line += and
				}
				line += name + is + strconv.FormatFloat(v, 'f', 3, 64)
			}
			add(s, line+"\n")
		}
		f := s.Families()
		if len(f) != 1 || len(f[0].Columns) != len(chosen) {
			t.Fatalf("%d names became\n%s", len(chosen), listing(s))
		}
		for c := range f[0].Columns {
			got := f[0].Series(c)
			for i, v := range want[f[0].Columns[c].Name] {
				if got[i] != v {
					t.Fatalf("%q is %g in line %d, read %g", f[0].Columns[c].Name, v, i+1, got[i])
				}
			}
			if len(want[f[0].Columns[c].Name]) != lines {
				t.Fatalf("a name that nobody printed: %q", f[0].Columns[c].Name)
			}
		}
	})
}
