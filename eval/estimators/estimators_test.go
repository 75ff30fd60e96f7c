package estimators

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/scheduler/estimate"
)

// traces opens files of the data folder, or skips the test.
func traces(t *testing.T) Open {
	t.Helper()
	folder := os.Getenv("SCHEDMATE_DATA")
	if folder == "" {
		t.Skip("needs sia, titan and chronus of the optional data folder: set SCHEDMATE_DATA")
	}
	return func(name string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(folder, filepath.FromSlash(name)))
	}
}

// jobs are profiles of three applications whose placements take longer than any
// law says, each by its own factor.
func jobs(factorOfB float64) []*profile {
	var all []*profile
	for _, app := range []string{"a", "b", "c"} {
		factor := map[string]float64{"a": 1.1, "b": factorOfB, "c": 1.3}[app]
		one, two, apart := 1.0, 1.1, 1.4
		p := &profile{table: siaTable, app: app, samples: estimate.Samples{Alone: &one, Together: &two, Apart: &apart}}
		for g := 3; g < 20; g++ {
			p.rows = append(p.rows, measured{estimate.Placement{g}, factor + float64(g)/100}, measured{estimate.Placement{g, g}, 2*factor + float64(g)/50})
		}
		all = append(all, p)
	}
	return all
}

// What an application's own placements took has no part in the exponents and
// the interval that it is scored with.
func TestAnApplicationIsNotJudgedByItself(t *testing.T) {
	shapes := candidateShapes()
	chosen := func(all []*profile) (estimate.Shape, estimate.Spread) {
		apps := appsOf(all)
		costs, err := shapeCosts(all, apps, shapes)
		if err != nil {
			t.Fatal(err)
		}
		shape := shapes[cheapest(costs, "b", apps)]
		spread, err := spreadWithout(all, apps, "b", shape)
		if err != nil {
			t.Fatal(err)
		}
		return shape, spread
	}
	shape, spread := chosen(jobs(1.2))
	otherShape, otherSpread := chosen(jobs(5))
	if shape != otherShape || spread != otherSpread {
		t.Errorf("with b as it is: %v, %v; with b four times as slow: %v, %v", shape, spread, otherShape, otherSpread)
	}
}

// Two runs are alike up to the half and stop at the same point; what happens in
// between differs and is not seen.
func TestForecastsDoNotSeeWhatComes(t *testing.T) {
	run := func(later float64) *trained {
		metrics := []float64{0.3, 0.5, 0.6, 0.66, 0.7, 0.73, later, later, 0.8, 0.9}
		r := &trained{app: "a", curve: estimate.Curve{Limit: 1000}}
		for i, m := range metrics {
			r.curve.Points = append(r.curve.Points, estimate.Point{Iteration: float64(100 * (i + 1)), Metric: m})
		}
		return r
	}
	var answers []estimate.Remaining
	for _, later := range []float64{0.2, 0.79} {
		f, err := foresee(run(later), 0.9, 0.6)
		if err != nil || !f.answered || f.done != 600 || f.truth != 400 {
			t.Fatalf("%+v, %v; want 600 iterations done and 400 left", f, err)
		}
		r, err := f.again(estimate.DefaultManner)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, r)
	}
	if answers[0] != answers[1] {
		t.Errorf("forecasts differ by what comes: %+v and %+v", answers[0], answers[1])
	}
}

// Errors of 1, 2, 3 and 10 %: by hand, mean 4 %, median 2 %, nine of ten and
// worst 10 %.
func TestErrorsByHand(t *testing.T) {
	var e Errors
	for _, miss := range []float64{0.10, 0.01, 0.03, 0.02} {
		e.add(miss)
	}
	e.finish()
	if e.Of != 4 || e.Mean != 0.04 || e.Median != 0.02 || e.P90 != 0.10 || e.Worst != 0.10 {
		t.Errorf("got %+v", e)
	}
}

func TestTablesSayWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":            "is empty",
		"a\n1\n":      "table:1: has no column b",
		"a,b\n1,-2\n": `table:2: b: must be a positive number, got "-2"`,
		"a,b\n1\n":    "wrong number of fields",
	} {
		err := readRows("table", strings.NewReader(text), []string{"b"}, func(_ int, c []string) error {
			_, err := positive("b", c[0])
			return err
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

func FuzzReadRows(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("b\n\"x\n")
	f.Fuzz(func(t *testing.T, text string) {
		_ = readRows("table", strings.NewReader(text), []string{"b"}, func(line int, cells []string) error {
			if line < 2 || len(cells) != 1 {
				t.Errorf("line %d has %q", line, cells)
			}
			return nil
		})
	})
}

// On the real tables the default beats the paper's law on whole profiles, an
// application that repeats another is named, and two evaluations are equal.
func TestRealTables(t *testing.T) {
	open := traces(t)
	speed, err := Speed(open)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range speed.Tables[:2] {
		if table.Default.Mean >= table.Paper.Mean {
			t.Errorf("%s: mean error %.3f, the paper's law %.3f", table.Table, table.Default.Mean, table.Paper.Mean)
		}
	}
	if speed.Shape != estimate.DefaultShape {
		t.Errorf("all tables choose %v, the default is %v", speed.Shape, estimate.DefaultShape)
	}
	curves, err := Curves(open)
	if err != nil {
		t.Fatal(err)
	}
	// 46 runs, of which 6 repeat bert (traces/README.md has the table).
	if curves.Runs != 40 || !slices.Equal(curves.Repeated, []string{"gpt_pmp"}) {
		t.Errorf("%d runs, repeated %v", curves.Runs, curves.Repeated)
	}
	if d := estimate.DefaultManner; curves.Noise != d.Noise || curves.Pull != d.Pull {
		t.Errorf("all curves choose noise %v and pull %v, the default is %+v", curves.Noise, curves.Pull, d)
	}
	again, err := Curves(open)
	if err != nil {
		t.Fatal(err)
	}
	exported := cmp.FilterPath(func(p cmp.Path) bool {
		f, ok := p.Last().(cmp.StructField)
		return ok && (f.Name() == "misses" || f.Name() == "widths")
	}, cmp.Ignore())
	if diff := cmp.Diff(curves, again, exported); diff != "" {
		t.Errorf("a second evaluation differs:\n%s", diff)
	}
}
