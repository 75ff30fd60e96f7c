package roundfile_test

import (
	"math"
	"math/rand"
	"testing"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
	"schedmate/scheduler/milp/roundfile"
	"schedmate/scheduler/reward"
)

// A round that is written and read again has the same optimum and the same
// calendar.
func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	for _, kind := range milptest.Kinds() {
		m := kind.Draw(rand.New(rand.NewSource(9)))
		text, err := roundfile.Write("again", m)
		if err != nil {
			t.Fatal(err)
		}
		p := milp.Solve(m, milp.Options{Seed: 1})
		a, err := roundfile.Solve(text, roundfile.Options{Options: milp.Options{Seed: 1}})
		if err != nil {
			t.Fatalf("%s: %v", kind.Name, err)
		}
		leases := 0
		for j := range p.Jobs {
			leases += len(p.Jobs[j].Slots) + len(p.Jobs[j].Subs)
		}
		if math.Abs(*a.Objective-p.Value.Value()) > 1e-6 || len(a.Calendar) != leases {
			t.Errorf("%s: want %v with %d leases, got %v with %d", kind.Name, p.Value.Value(), leases, *a.Objective, len(a.Calendar))
		}
	}
	promised := &milp.Model{Jobs: []milp.Job{{ID: "A", Kind: reward.Strict, Must: true}}}
	if _, err := roundfile.Write("promised", promised); err == nil {
		t.Error("the format has no promised jobs in a round")
	}
}
