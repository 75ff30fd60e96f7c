package resolve

import (
	"fmt"
	"slices"

	"schedmate/advisor/workload"
)

// arithmetic proves what was answered against itself: contradictions are
// warnings to the user.
func (v *view) arithmetic() {
	micro, okM := v.md.Number(workload.PerDeviceBatchSize)
	global, okG := v.md.Number(workload.GlobalBatchSize)
	accum, okA := v.md.Number(workload.GradAccum)
	world, _ := v.world()
	if okM && okG && okA && micro > 0 && world > 0 {
		if each := global / micro / float64(world); each != float64(int(each)) {
			v.warn("a batch of %v does not divide into steps of %v on %d ranks", global, micro, world)
		} else if each != accum && each >= 1 && accum == 1 {
			value := v.md.Values[workload.GlobalBatchSize]
			v.md.Values[workload.GradAccum] = workload.Value{Value: each, Origin: value.Origin}
		}
	}
	tensor, _ := v.md.Number(workload.TensorParallel)
	pipeline, _ := v.md.Number(workload.PipelineParallel)
	if total, ok := v.md.Number(workload.GPUsTotal); ok && tensor*pipeline > 1 && (total < tensor*pipeline || int(total)%int(tensor*pipeline) != 0) {
		v.warn("this launch will abort: %v GPUs cannot hold tensor x pipeline = %v x %v", total, tensor, pipeline)
	}
}

func (v *view) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(v.md.Warnings, text) {
		v.md.Warnings = append(v.md.Warnings, text)
	}
}

func sortedNames(m map[string][]named) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
