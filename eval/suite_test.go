package eval_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"schedmate/eval"
	"schedmate/eval/experiments"
	"schedmate/scheduler/policy"
)

// bundledSuite runs what needs no data folder.
func bundledSuite() *eval.Suite {
	return &eval.Suite{
		Registry: policy.All(),
		Data:     func(name string) (io.ReadCloser, error) { return nil, fs.ErrNotExist },
	}
}

func TestEveryExperimentLoadsAndNamesPoliciesThatExist(t *testing.T) {
	for _, name := range experiments.Names() {
		e, err := eval.Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for preset := range e.Presets {
			if _, err := bundledSuite().Count([]*eval.Experiment{e}, eval.Request{Preset: preset}); err != nil {
				t.Error(err)
			}
		}
	}
}

// bundled returns an experiment that runs everywhere.
func bundled(t *testing.T) *eval.Experiment {
	t.Helper()
	for _, name := range experiments.Names() {
		e, err := eval.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Trace.Bundled != "" {
			return e
		}
	}
	t.Fatal("no experiment runs on a bundled trace")
	return nil
}

func hashes(rep *eval.Report) []string {
	var out []string
	for i := range rep.Runs {
		out = append(out, rep.Runs[i].Policy+" "+rep.Runs[i].Hash)
	}
	return out
}

func TestOneRunAtATimeAndManyGiveTheSameReport(t *testing.T) {
	e := bundled(t)
	var all [][]string
	for _, parallel := range []int{1, 8} {
		rep, err := bundledSuite().Run(context.Background(), []*eval.Experiment{e}, eval.Request{Parallel: parallel, Timeline: parallel == 8})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, hashes(rep))
	}
	if !slices.Equal(all[0], all[1]) {
		t.Errorf("one at a time: %v\neight at a time: %v", all[0], all[1])
	}
}

// A seed moves only what draws from it: estimates with noise.
func TestSeedsMoveNoisyEstimatesOnly(t *testing.T) {
	e := bundled(t)
	if e.Estimates.NoiseSigma == 0 {
		t.Fatal("the bundled experiment has no noise to vary")
	}
	rep, err := bundledSuite().Run(context.Background(), []*eval.Experiment{e}, eval.Request{Policies: []string{"fifo", "qssf"}, Seeds: []int64{1, 2}, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Runs[0].Hash != rep.Runs[1].Hash {
		t.Error("fifo looks at no estimate, yet the seed changes it")
	}
	if rep.Runs[2].Hash == rep.Runs[3].Hash {
		t.Error("qssf looks at estimates, yet the seed does not change it")
	}
}

func TestRequestsForWhatIsNotThere(t *testing.T) {
	e := bundled(t)
	for _, c := range []struct {
		req  eval.Request
		want string
	}{
		{eval.Request{Policies: []string{"nosuch"}}, `unknown policy "nosuch": use one of fifo`},
		{eval.Request{Preset: "paper"}, `has no preset "paper": use one of default`},
		{eval.Request{Policies: []string{"fifo", "fifo"}}, "asked for twice"},
		{eval.Request{Seeds: []int64{3, 3}}, "asked for twice"},
	} {
		_, err := bundledSuite().Run(context.Background(), []*eval.Experiment{e}, c.req)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want an error with %q", c.req, err, c.want)
		}
	}
	e.Trace.Bundled, e.Trace.File = "", "missing.csv.gz"
	if _, err := bundledSuite().Run(context.Background(), []*eval.Experiment{e}, eval.Request{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
}

func TestCancelledSweepWritesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := bundledSuite().Run(ctx, []*eval.Experiment{bundled(t)}, eval.Request{Parallel: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Copies in time and in width keep every original job as it was, and give as
// many jobs as asked for on as many nodes.
func TestScaleMultipliesJobsAndNodes(t *testing.T) {
	e := bundled(t)
	plain, err := bundledSuite().Run(context.Background(), []*eval.Experiment{e}, eval.Request{Policies: []string{"fifo"}})
	if err != nil {
		t.Fatal(err)
	}
	large, err := bundledSuite().Run(context.Background(), []*eval.Experiment{e}, eval.Request{Policies: []string{"fifo"}, Scale: eval.Scale{Repeat: 3, Widen: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := large.Runs[0].Jobs, 6*plain.Runs[0].Jobs; got != want {
		t.Errorf("%d jobs, want %d", got, want)
	}
	if got, want := large.Runs[0].Result.GPUs, 2*plain.Runs[0].Result.GPUs; got != want {
		t.Errorf("%d GPUs, want %d", got, want)
	}
	if _, err := bundledSuite().Run(context.Background(), []*eval.Experiment{e}, eval.Request{Scale: eval.Scale{Repeat: 1 << 40}}); err == nil {
		t.Error("more jobs than memory holds are no error")
	}
}

// The timeline agrees with the result: the area under the used GPUs is the GPU
// time held, and so is the sum of the bars.
func TestTimelineAccountsForEveryGPUSecond(t *testing.T) {
	rep, err := bundledSuite().Run(context.Background(), []*eval.Experiment{bundled(t)}, eval.Request{Timeline: true, Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rep.Runs {
		r := &rep.Runs[i]
		var area, bars int64
		for k := 1; k < len(r.Timeline.Usage); k++ {
			u := r.Timeline.Usage[k-1]
			area += int64(u.UsedGPUs) * int64(r.Timeline.Usage[k].At-u.At)
		}
		for _, b := range r.Timeline.Bars {
			bars += int64(b.End - b.Start)
		}
		if area != r.Result.HeldGPUSeconds || bars != r.Result.HeldGPUSeconds || r.Timeline.BarsOmitted != 0 {
			t.Errorf("%s: area %d, bars %d, held %d GPU-seconds", r.Policy, area, bars, r.Result.HeldGPUSeconds)
		}
		if last := r.Timeline.Usage[len(r.Timeline.Usage)-1]; last.UsedGPUs != 0 || last.WaitingJobs != 0 || last.WaitingGPUs != 0 {
			t.Errorf("%s: at the end %+v", r.Policy, last)
		}
	}
}

func TestClusterText(t *testing.T) {
	for _, bad := range []string{"", "8", "x", "0x8", "4x0", "-1x8", "4x8x2", "4 x 8", "99999999x8", "4x99999999"} {
		if _, err := eval.ParseCluster(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	spec, err := eval.ParseCluster("12x4")
	if err != nil {
		t.Fatal(err)
	}
	c, err := spec.Build([]string{"b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 12 || c.GPUs() != 48 || c.Nodes[1].ID != "n01" || len(c.VCs) != 2 || c.VCs[0].Name != "a" {
		t.Errorf("got %+v", c)
	}
}
