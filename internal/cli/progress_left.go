package cli

import (
	"math"

	"schedmate"
)

// What an estimate of the time left rests on.
const (
	leftByStepTime = "step_time" // the present step time, for the steps that are left
	leftByLog      = "log"       // what the log itself says
	leftByElapsed  = "elapsed"   // the run's mean pace from its start to its last line
)

// fractionOf is how much of a run is done, -1 when nobody knows.
func fractionOf(x *schedmate.Progress) float64 {
	if x.Fraction != nil {
		return x.Fraction.Value
	}
	return -1
}

// counted tells whether the log counts steps up to a total.
func counted(x *schedmate.Progress) bool {
	return x.Step != nil && x.TotalSteps != nil && x.TotalSteps.Value > 0
}

// ofEpoch tells whether the steps are counted anew in each epoch, so that their total,
// and the remaining time that is printed beside them, are those of an epoch.
func ofEpoch(x *schedmate.Progress) bool {
	return counted(x) && (x.Fraction == nil || math.Abs(x.Fraction.Value-x.Step.Value/x.TotalSteps.Value) > 1e-9)
}

// leftOfRun is the time until a run is complete, seconds, as its log tells it, and what
// says so; "" where the log does not.
func leftOfRun(x *schedmate.Progress) (left float64, by string) {
	done := fractionOf(x)
	steps := -1.0 // of the whole run
	switch {
	case !counted(x):
	case !ofEpoch(x):
		steps = x.TotalSteps.Value
	case done >= 0 && x.TotalEpochs != nil:
		steps = x.TotalSteps.Value * x.TotalEpochs.Value
	}
	if steps > 0 && x.StepTime != nil {
		return x.StepTime.Value * steps * (1 - done), leftByStepTime
	}
	if x.Remaining != nil && !ofEpoch(x) {
		return x.Remaining.Value, leftByLog
	}
	return 0, ""
}

// leftText writes the time left of a run as its log tells it: where that is of an epoch
// only, it says so.
func leftText(x *schedmate.Progress) string {
	if left, by := leftOfRun(x); by != "" {
		return humanSeconds(math.Round(left))
	}
	if x.Remaining != nil {
		return humanSeconds(x.Remaining.Value) + " of epoch"
	}
	return "-"
}
