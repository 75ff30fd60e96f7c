package milp_test

import (
	"math/rand"
	"testing"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
)

var (
	tiny     = milptest.Tiny
	chronus  = milptest.Chronus
	unisched = milptest.UniSched
)

// kind draws a round of a kind that is hard.
func kind(t *testing.T, name string, r *rand.Rand) *milp.Model {
	for _, k := range milptest.Kinds() {
		if k.Name == name {
			return k.Draw(r)
		}
	}
	t.Fatalf("no rounds are called %q", name)
	return nil
}
