package resolve

import (
	"strings"

	"schedmate/advisor/pyeval"
)

// modelConfigs adds the objects that models of the repository are made from:
// GPT(config).
func (v *view) modelConfigs() {
	seen := map[*pyeval.Dict]bool{}
	for _, c := range v.obs.Calls {
		o := c.Self.Object()
		if o == nil || c.Doubt || !strings.HasPrefix(c.Name, "repo:") || !isModule(o.Class.Bases()) || len(seen) > 256 {
			continue
		}
		given := c.Args
		for _, k := range c.Kw {
			given = append(given[:len(given):len(given)], k.Value)
		}
		for _, x := range given {
			if from := x.Object(); from != nil && len(from.Class.Bases()) == 0 {
				v.walk("model", x, 8, seen)
			}
		}
	}
}
