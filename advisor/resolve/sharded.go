package resolve

import (
	"strings"

	"schedmate/advisor/workload"
)

// sharded reads the policy of mixed precision that a wrapper of FSDP was
// given: the type in which parameters compute.
func (v *view) sharded() {
	for _, c := range sure(v.calls("FullyShardedDataParallel", "FSDP", "fully_shard")) {
		for _, key := range []string{"mixed_precision", "mp_policy"} {
			policy, _ := c.Arg(key, -1)
			for _, a := range policy.Alternatives() { // none where the machine cannot
				e := a.External()
				if e == nil || e.Call == nil || !strings.HasPrefix(lastPart(e.Name), "MixedPrecision") {
					continue
				}
				kind, ok := e.Call.Arg("param_dtype", 0)
				t := kind.External()
				if !ok || t == nil {
					continue
				}
				if p, ok := precisionName(lastPart(t.Name)); ok {
					v.set(workload.Precision, p, e.Call.Site)
				}
			}
		}
	}
}
