package eval_test

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"schedmate/eval"
	"schedmate/eval/experiments"
	"schedmate/scheduler/policy"
)

// suite returns a suite that reads the data folder; the test is skipped, with
// a line that says why, where it is absent.
func suite(t *testing.T) *eval.Suite {
	t.Helper()
	folder := os.Getenv("SCHEDMATE_DATA")
	if folder == "" {
		t.Skip("SCHEDMATE_DATA does not name the folder of traces that may not be shipped")
	}
	open := func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, name)) }
	return &eval.Suite{Registry: policy.All(), Data: open, Beside: open}
}

// Every experiment with a stored output reproduces it: each job starts and ends
// when it did in the other program, and the printed figures agree to the digits
// that are printed.
func TestStoredOutputsAreReproduced(t *testing.T) {
	s := suite(t)
	compared := 0
	for _, name := range experiments.Names() {
		e, err := eval.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Reference == nil || e.Reference.Jobs == nil {
			continue // a paper's figures without its jobs are shown beside ours, and reproduced by nobody
		}
		rep, err := s.Run(context.Background(), []*eval.Experiment{e}, eval.Request{Preset: e.Reference.Preset, Parallel: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i := range rep.Runs {
			r := &rep.Runs[i]
			ref := r.Reference
			if ref == nil {
				t.Errorf("%s, %s: nothing to compare with", name, r.Policy)
				continue
			}
			if why := e.Reference.Apart[r.Policy]; why != "" {
				for _, f := range ref.Figures {
					if far, bounded := e.Reference.Within[r.Policy][f.Metric]; bounded && math.Abs(f.Ours-f.Theirs) > far {
						t.Errorf("%s, %s: %s is %v, more than %v from the published %v", name, r.Policy, f.Metric, f.Ours, far, f.Theirs)
					}
					t.Logf("%s, %s: %s is %v beside the published %v: %s", name, r.Policy, f.Metric, f.Ours, f.Theirs, why)
				}
				continue
			}
			compared++
			t.Logf("%s, %s: %d of %d jobs equal", name, r.Policy, ref.EqualJobs, ref.Jobs)
			if ref.Jobs != r.Jobs || ref.EqualJobs != ref.Jobs {
				t.Errorf("%s, %s: %d of %d stored jobs are equal, %d jobs were simulated", name, r.Policy, ref.EqualJobs, ref.Jobs, r.Jobs)
			}
			for _, f := range ref.Figures {
				if !printsAs(f.Ours, f.Theirs) {
					t.Errorf("%s, %s: %s is %v, the published figure is %v", name, r.Policy, f.Metric, f.Ours, f.Theirs)
				}
			}
		}
	}
	if compared == 0 {
		t.Error("no experiment has a reference")
	}
}

// printsAs reports whether x, rounded to the digits of the printed figure, is
// that figure.
func printsAs(x, printed float64) bool {
	for _, digits := range []float64{1, 10, 100, 1000, 10_000} {
		if math.Round(printed*digits)/digits == printed {
			return math.Abs(x-printed) <= 0.5/digits+1e-9
		}
	}
	return x == printed
}

// withStoredJobs returns an experiment that is compared job by job.
func withStoredJobs(t *testing.T) *eval.Experiment {
	t.Helper()
	for _, name := range experiments.Names() {
		e, err := eval.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Reference != nil && e.Reference.Jobs != nil {
			return e
		}
	}
	t.Fatal("no experiment is compared job by job")
	return nil
}

// The comparison must be able to fail: on a larger cluster it finds other times.
func TestTheComparisonCanFail(t *testing.T) {
	s := suite(t)
	e := withStoredJobs(t)
	e.Cluster.Nodes++ // one node more than the stored run had
	rep, err := s.Run(context.Background(), []*eval.Experiment{e}, eval.Request{Preset: e.Reference.Preset, Policies: []string{e.Policies[0].Name}, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	if ref := rep.Runs[0].Reference; ref.EqualJobs == ref.Jobs {
		t.Errorf("on a larger cluster all %d jobs still equal the stored ones", ref.Jobs)
	}
}
