package traces

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

// sums are totals over a trace that are easy to compute by other means; the
// expected ones in these tests come from a few lines of Python over the same
// files, which know nothing of this package.
type sums struct {
	Jobs, GPUs                 int
	Run, Submit, GPUSeconds    schedmate.Seconds
	First, Last                schedmate.Seconds
	Strict, Soft, BestEffort   int
	Deadlines                  schedmate.Seconds // sum of the instants
	Rewards, VCs               int
	Iterations                 int64
	Estimates, Util, MemoryMiB int64
}

func sumUp(t *Trace) (s sums) {
	s.Jobs, s.VCs = len(t.Jobs), len(t.VCs)
	s.First, s.Last = t.Jobs[0].Submit, t.Jobs[len(t.Jobs)-1].Submit
	for i := range t.Jobs {
		j := &t.Jobs[i]
		s.GPUs += j.GPUs
		s.Run += j.Outcome.Run
		s.Submit += j.Submit
		s.GPUSeconds += schedmate.Seconds(j.GPUs) * j.Outcome.Run
		s.Iterations += j.Iterations
		switch j.SLO.Class {
		case schedmate.Strict:
			s.Strict++
		case schedmate.Soft:
			s.Soft++
		case schedmate.BestEffort:
			s.BestEffort++
		}
		for _, tier := range j.SLO.Tiers {
			s.Deadlines += tier.Deadline
			s.Rewards += tier.Reward
		}
		for _, f := range j.Facts {
			switch f.Kind {
			case schedmate.RunSeconds:
				s.Estimates += f.Value
			case schedmate.GPUUtilisation:
				s.Util += f.Value
			case schedmate.GPUMemoryMiB:
				s.MemoryMiB += f.Value
			}
		}
	}
	return s
}

func openBundled(t *testing.T, name string, f Format) *Trace {
	t.Helper()
	file, err := Bundled(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trace, err := Read(file, name, f)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestBundledNames(t *testing.T) {
	if diff := cmp.Diff([]string{"chronus-small300.csv.gz", "philly-week.csv.gz", "synthetic-seren.csv.gz"}, BundledNames()); diff != "" {
		t.Error(diff)
	}
	const want = `no trace "../doc.go" comes with the program; there are: chronus-small300.csv.gz, philly-week.csv.gz, synthetic-seren.csv.gz`
	if _, err := Bundled("../doc.go"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestBundledPhillyWeek(t *testing.T) {
	trace := openBundled(t, "philly-week.csv.gz", "philly")
	if want := "fa03f3593cbbe2e10abdda9b8da075fefc3f165a3c2c8b22ff6ede3e501dc70c"; trace.SHA256 != want {
		t.Errorf("SHA-256 is %s, data/README.md says %s", trace.SHA256, want)
	}
	got := sumUp(trace)
	got.Submit = 0
	want := sums{Jobs: 2309, GPUs: 6048, Run: 29821083, GPUSeconds: 134163802, First: 10022712, Last: 10626919}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Drop{{Reason: "ran 0 seconds", Count: 1, FirstLine: 1820}}, trace.Dropped); diff != "" {
		t.Error(diff)
	}

	// What data/README.md promises about the load on 24 nodes of 8 GPUs.
	capped, err := trace.Apply(Filter{CapRunSeconds: 86400, ShiftTo: seconds(0)})
	if err != nil {
		t.Fatal(err)
	}
	if s := sumUp(capped); s.GPUSeconds != 112965499 || capped.Capped != 93 || s.Last != 10626919-10022712 {
		t.Errorf("%d GPU-seconds, %d capped, last at %d; want 112965499, 93, 604207", s.GPUSeconds, capped.Capped, s.Last)
	}
}

func TestBundledChronusSmall300(t *testing.T) {
	trace := openBundled(t, "chronus-small300.csv.gz", "chronus")
	if want := "21fec84322728a401f41c119f13a634e86b5edcef3ec7e7d556e0fe14dccf969"; trace.SHA256 != want {
		t.Errorf("SHA-256 is %s, data/README.md says %s", trace.SHA256, want)
	}
	got := sumUp(trace)
	got.Submit = 0
	want := sums{
		Jobs: 300, GPUs: 641, Run: 1915620, GPUSeconds: 4310640, First: 60, Last: 106440,
		Strict: 87, Soft: 192, BestEffort: 21, Deadlines: 56886240, Rewards: 56700, VCs: 11, Iterations: 1553544,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(trace.Dropped) != 0 {
		t.Errorf("nothing is to be dropped, got %v", trace.Dropped)
	}
}
