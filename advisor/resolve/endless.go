package resolve

import (
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

// endless answers what is counted where the limit is optional and not given: a
// loop that would end at "step >= max_steps" counts steps until somebody stops
// it.
func (v *view) endless() {
	if v.train == nil || len(v.train.loops) == 0 {
		return
	}
	outermost := v.train.loops[len(v.train.loops)-1]
	for _, b := range outermost.Bounds {
		if !outermost.While || b.Right.Kind != pyeval.None || !counter(b.Left) {
			continue
		}
		unit := "step"
		if isEpoch(b.Left) {
			unit = "epoch"
		}
		v.set(workload.IterationType, unit, b.Site)
		v.why(workload.Iterations, "the loop has no end: its limit is not given")
		return
	}
}
