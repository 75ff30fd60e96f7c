package resolve

import (
	"slices"

	"schedmate/advisor/pyeval"
)

// askedLength is how long the command asks to train, where the program went on
// to compute the option anew from what only the data tell: "epochs =
// ceil(max_steps / len(loader))" after "max_steps = epochs * len(loader)".
func (v *view) askedLength() bool {
	for _, p := range v.obs.Parsers {
		var epochs pyeval.Value
		for _, k := range p.Asked {
			key := normal(k.Name)
			switch {
			case slices.Contains(stepNames, key) && k.Value.Kind != pyeval.None:
				return false // steps end the run, and how many is not known any more
			case slices.Contains(epochNames, key) && isPositive(k.Value) && epochs.Origin == nil:
				epochs = k.Value
			}
		}
		if n, ok := epochs.Number(); ok && epochs.Origin != nil {
			return v.iterate(n, "epoch", epochs.Origin)
		}
	}
	return false
}
