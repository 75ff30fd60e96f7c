package eval

import "testing"

// Of the steps 1 to 101, in any order, 99 of 100 stay below the hundredth.
func TestSolvingIsTheSlowestPlans(t *testing.T) {
	var steps []int64
	for i := range int64(101) {
		steps = append(steps, 101-i)
	}
	if s := solving(steps); s.Plans != 101 || s.P99Steps != 100 || s.MaxSteps != 101 {
		t.Errorf("%+v", s)
	}
	if solving(nil) != nil {
		t.Error("a rule solves nothing")
	}
}
