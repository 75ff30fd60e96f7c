package resolve

import (
	"strings"

	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

// scheduledRate is the peak that a schedule is told which sets the rate of an
// optimiser: one that is made without a rate of its own never runs at the
// library's default.
func (v *view) scheduledRate(optimiser *pyeval.Call) bool {
	for _, c := range v.obs.Calls {
		name := strings.ToLower(lastPart(c.Name))
		if c.Doubt || !strings.Contains(name, "sched") && !strings.HasSuffix(name, "lr") || !handed(c, optimiser) {
			continue
		}
		for _, key := range []string{"ref_lr", "max_lr", "peak_lr", "base_lr", "lr", "learning_rate"} {
			if x, ok := c.Arg(key, -1); ok && isPositive(x) {
				n, _ := x.Number()
				return v.set(workload.LearningRate, n, or(x.Origin, c.Site))
			}
		}
	}
	return false
}

// handed reports whether a call is given what another one made.
func handed(c, made *pyeval.Call) bool {
	is := func(x pyeval.Value) bool {
		e := x.External()
		return e != nil && e.Call == made
	}
	for _, x := range c.Args {
		if is(x) {
			return true
		}
	}
	for _, k := range c.Kw {
		if is(k.Value) {
			return true
		}
	}
	return false
}

// steeredRate is the rate that a schedule of the repository sets, where the
// optimiser is made with none: it begins at zero and is warmed up.
func (v *view) steeredRate() bool {
	for _, c := range sure(v.obs.Calls) {
		o := c.Self.Object()
		if o == nil || !strings.HasPrefix(c.Name, "repo:") || !strings.Contains(o.Class.Name, "Sched") && !strings.Contains(o.Class.Name, "LR") {
			continue
		}
		for _, name := range []string{"lr", "base_lr", "max_lr", "peak_lr"} {
			if x, ok := o.Attrs.Get(name); ok && isPositive(x) {
				n, _ := x.Number()
				return v.set(workload.LearningRate, n, or(x.Origin, c.Site))
			}
		}
	}
	return false
}
