package eval_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"schedmate/eval"
)

// Runs are told in the order of the report however many go on at a time, each
// with its result, which is let go afterwards.
func TestRunsAreToldInOrderAndLetGo(t *testing.T) {
	e := bundled(t)
	e.Filter.FirstJobs = 50
	for _, parallel := range []int{1, 3, 8} {
		suite := bundledSuite()
		var told []string
		suite.Done = func(r *eval.Run) error {
			if r.Result == nil || len(r.Result.Jobs) != 50 {
				t.Error("a run came without its jobs")
			}
			told = append(told, r.Policy)
			return nil
		}
		rep, err := suite.Run(context.Background(), []*eval.Experiment{e}, eval.Request{Parallel: parallel, Seeds: []int64{1, 2, 3}})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range rep.Runs {
			want = append(want, rep.Runs[i].Policy)
			if rep.Runs[i].Result != nil {
				t.Error("the result of a run is kept")
			}
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %v, the report has %v", told, want)
		}
	}
}

// Who cannot take a run any more ends the sweep.
func TestAnErrorOfWhoIsToldEndsTheSweep(t *testing.T) {
	e := bundled(t)
	e.Filter.FirstJobs = 50
	full := errors.New("the disk is full")
	suite := bundledSuite()
	told := 0
	suite.Done = func(*eval.Run) error {
		told++
		return full
	}
	seeds := make([]int64, 40)
	for i := range seeds {
		seeds[i] = int64(i)
	}
	if _, err := suite.Run(context.Background(), []*eval.Experiment{e}, eval.Request{Parallel: 2, Seeds: seeds}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if told != 1 {
		t.Errorf("told %d runs after the error", told-1)
	}
}
