package resolve

import (
	"strings"

	"schedmate/advisor/workload"
)

// plainNet tells the family of a small model that is one class of layers of a
// library: what it is made of is what it is. A model that is built of classes
// of its own is more than its layers.
func (v *view) plainNet() {
	if v.has(workload.ModelFamily) {
		return
	}
	class, layers := "", map[string]bool{}
	for _, c := range v.obs.Calls {
		if c.Doubt {
			continue
		}
		if o := c.Self.Object(); o != nil && strings.HasPrefix(c.Name, "repo:") && isModule(o.Class.Bases()) {
			if class != "" && class != o.Class.Name {
				return
			}
			class = o.Class.Name
		}
		if strings.HasPrefix(c.Name, "torch.nn.") {
			layers[lastPart(c.Name)] = true
		}
	}
	if class == "" || v.md.Values[workload.ModelName].Origin == nil {
		return
	}
	at := v.md.Values[workload.ModelName].Origin
	switch {
	case layers["Transformer"] || layers["TransformerEncoder"] || layers["MultiheadAttention"]:
	case layers["LSTM"] || layers["GRU"] || layers["RNN"]:
	case layers["Conv2d"]:
		v.set(workload.ModelFamily, "cnn", at)
	case layers["Linear"]:
		v.set(workload.ModelFamily, "mlp", at)
	}
}
