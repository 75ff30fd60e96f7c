package resolve

import (
	"strings"

	"schedmate/advisor/pyeval"
)

// spreadsNot reports that a switch of the program for several devices is off:
// what it lists for them is not used.
func (v *view) spreadsNot() bool {
	off := false
	for _, key := range []string{"use_multi_gpu", "use_multi_gpus", "multi_gpu", "multi_gpus", "multigpu", "use_multigpu", "data_parallel", "use_data_parallel", "dataparallel", "use_dp"} {
		for _, n := range v.all(key) {
			if n.value.Kind != pyeval.Bool || !n.config {
				continue
			}
			if n.value.Int != 0 || n.doubt {
				return false
			}
			off = true
		}
	}
	return off
}

// isCPU reports whether a value names the processor as a device.
func isCPU(x pyeval.Value) bool {
	if e := x.External(); e != nil && e.Call != nil && lastPart(e.Name) == "device" && strings.HasPrefix(e.Name, "torch.") {
		x, _ = e.Call.Arg("device", 0)
	}
	return x.Kind == pyeval.Str && x.Text == "cpu"
}

// toCPU reports whether a call moves something to the processor, or names it.
func toCPU(c *pyeval.Call) bool {
	x, ok := c.Arg("device", 0)
	return ok && isCPU(x)
}
