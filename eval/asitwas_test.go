package eval_test

import (
	"context"
	"io"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedmate/eval"
	"schedmate/eval/traces"
)

// accounted runs FIFO on the example of the page on traces.
func accounted(t *testing.T, cluster string, change func(*eval.Experiment), scale eval.Scale) *eval.Report {
	t.Helper()
	spec, err := eval.ParseCluster(cluster)
	if err != nil {
		t.Fatal(err)
	}
	e := bundled(t)
	e.Trace = eval.TraceSource{File: "jobs-sacct.txt", Format: traces.Sacct}
	e.Cluster, e.Reference, e.Filter, e.Policies = spec, nil, traces.Filter{}, []eval.PolicySpec{{Name: "fifo"}}
	change(e)
	s := bundledSuite()
	s.Data = func(name string) (io.ReadCloser, error) { return os.Open("../docs/format/examples/" + name) }
	rep, err := s.Run(context.Background(), []*eval.Experiment{e}, eval.Request{Preset: "default", Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// Three jobs of the example ran: 501 waited 60 s and ran 7,200 s; 502 ran 600 s
// and, after 900 s, 1,800 s; 505 waited 40 s from when it was eligible and ran
// 3,615 s. From the first submission to the last end it took 10,915 s.
func TestAsItWas(t *testing.T) {
	rep := accounted(t, "2x8", func(*eval.Experiment) {}, eval.Scale{})
	share := (8*7200 + 4*2400 + 8*3615) / (16 * 10915.0)
	want := &eval.AsItWas{
		Jobs: 3,
		Delays: eval.Delays{
			MeanJCT: (7260 + 3300 + 3655) / 3.0, P50JCT: 3655, P90JCT: 3655 + .8*3605, P99JCT: 3655 + .98*3605, P999JCT: 3655 + .998*3605,
			MeanQueue: (60 + 900 + 40) / 3.0, P50Queue: 60, P90Queue: 60 + .8*840, P99Queue: 60 + .98*840, P999Queue: 60 + .998*840,
		},
		Makespan: 10915, Utilisation: &share, MaxSlowdown: 3300 / 2400.0,
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
	if diff := cmp.Diff(want, rep.Inputs[0].AsItWas, near, cmpopts.IgnoreFields(eval.AsItWas{}, "JCT", "Queue")); diff != "" {
		t.Error(diff)
	}
}

// What is no longer the same jobs on a cluster that could hold them is not
// compared with what happened.
func TestAsItWasIsLeftOutWhereItWouldMislead(t *testing.T) {
	if a := accounted(t, "1x8", func(*eval.Experiment) {}, eval.Scale{}).Inputs[0].AsItWas; a == nil || a.Utilisation != nil {
		t.Errorf("12 GPUs were used at once, a share of 8 says nothing: %+v", a)
	}
	if a := accounted(t, "2x8", func(e *eval.Experiment) { e.Filter.CapRunSeconds = 60 }, eval.Scale{}).Inputs[0].AsItWas; a != nil {
		t.Errorf("runs cut short never happened: %+v", a)
	}
	if a := accounted(t, "2x8", func(*eval.Experiment) {}, eval.Scale{Repeat: 2}).Inputs[0].AsItWas; a != nil {
		t.Errorf("copies never happened: %+v", a)
	}
	if a := accounted(t, "2x8", func(e *eval.Experiment) { e.Filter.FirstJobs = 1 }, eval.Scale{}).Inputs[0].AsItWas; a == nil || a.MeanQueue != 60 {
		t.Errorf("a filter keeps what happened to the jobs that are left: %+v", a)
	}
}
