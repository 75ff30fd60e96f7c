package eval_test

import (
	"context"
	"testing"

	"schedmate/eval"
)

// Whoever is told nothing decides as the policy that hears nobody: with no answers,
// and no log that can be read, the runs are the same to the last instant.
func TestWithoutFactsDecoratorsAreTheirBases(t *testing.T) {
	for _, tc := range []struct {
		experiment, base string
		presets          []string
		drawn            bool // runs everywhere
	}{
		{"schedmate-lucid-acme", "lucid", []string{"default", "paper"}, true},
		{"schedmate-lucid-philly594", "lucid", []string{"default", "paper"}, false},
		{"schedmate-sia-philly", "sia", []string{"artifact"}, false},
	} {
		t.Run(tc.experiment, func(t *testing.T) {
			s := bundledSuite()
			if !tc.drawn {
				s = suite(t)
			}
			e, err := eval.Load(tc.experiment)
			if err != nil {
				t.Fatal(err)
			}
			if tc.drawn {
				e.Trace.Drawn.Jobs = 400
			}
			for _, preset := range tc.presets {
				rep, err := s.Run(context.Background(), []*eval.Experiment{e}, eval.Request{
					Policies: []string{tc.base, tc.base + "+:no-facts", tc.base + "+"}, Preset: preset, Seeds: []int64{2}, Parallel: 2,
				})
				if err != nil {
					t.Fatal(err)
				}
				if rep.Runs[0].Hash != rep.Runs[1].Hash {
					t.Errorf("%s: %s+ without facts is not %s", preset, tc.base, tc.base)
				}
				if rep.Runs[0].Hash == rep.Runs[2].Hash {
					t.Errorf("%s: facts change nothing", preset)
				}
			}
		})
	}
}
