package roundfile_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/roundfile"
)

// Every round whose optimum another solver has proven is solved to that optimum,
// and proven here as well; every admission, demand for cells and expectation is
// answered as counted by hand or by enumeration.
func TestCertifiedRounds(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("SCHEDMATE_CASES"); dir != "" { // there may be more
		more, err := filepath.Glob(filepath.Join(dir, "milp/*.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := roundfile.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			one(t, c)
		}
	}
}

func one(t *testing.T, text json.RawMessage) {
	var c struct {
		Name   string
		Expect struct {
			Objective    *float64
			PrefixBound  *float64 `json:"prefix_bound"`
			Admit        *bool
			PrefixTest   *bool `json:"prefix_test"`
			Fits         *bool
			ExpectedRuns *float64 `json:"expected_runs"`
		}
		ExpectedRuns *float64 `json:"expected_runs"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	a, err := roundfile.Solve(text, roundfile.Options{Options: milp.Options{Seed: 1}})
	if err != nil {
		t.Errorf("%s: %v", c.Name, err)
		return
	}
	if want := c.Expect.Objective; want != nil {
		if math.Abs(*a.Objective-*want) > 1e-6 || *a.Gap != 0 {
			t.Errorf("%s: want %v, got %v, bound %v, by %s in %d steps", c.Name, *want, *a.Objective, *a.Bound, a.Engine, a.BudgetUsed)
		}
	}
	for _, yes := range []struct{ want, got *bool }{{c.Expect.Admit, a.Admit}, {c.Expect.PrefixTest, a.PrefixTest}, {c.Expect.Fits, a.Fits}} {
		if yes.want != nil && *yes.want != *yes.got {
			t.Errorf("%s: want %v", c.Name, *yes.want)
		}
	}
	for _, runs := range []*float64{c.ExpectedRuns, c.Expect.ExpectedRuns} {
		if runs != nil && math.Abs(*runs-*a.ExpectedRuns) > 1e-6 {
			t.Errorf("%s: want %v runs, got %v", c.Name, *runs, *a.ExpectedRuns)
		}
	}
}
