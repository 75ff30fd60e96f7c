package resolve

import (
	"fmt"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/workload"
)

// sourceAndTarget is the length of sequences where source and target are cut
// each to its own length: a decoder without an encoder reads one behind the
// other.
func (v *view) sourceAndTarget() {
	causal := false
	for _, c := range v.obs.Calls {
		causal = causal || strings.Contains(c.Name, "ForCausalLM.")
	}
	if !causal {
		return
	}
	for _, pair := range [][2]string{{"source_max_len", "target_max_len"}, {"max_source_length", "max_target_length"}, {"max_source_len", "max_target_len"}, {"source_max_length", "target_max_length"}, {"source_max_tokens", "target_max_tokens"}} {
		source, sourceFrom, ok := v.number(pair[0])
		target, targetFrom, okTarget := v.number(pair[1])
		if ok && okTarget {
			v.set(workload.SeqLen, source+target, origin.Computed(fmt.Sprintf("%v+%v", source, target), sourceFrom, targetFrom))
			return
		}
	}
}
