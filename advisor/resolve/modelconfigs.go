package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/pyeval"
)

// modelConfigs adds the objects that models of the repository are made from:
// GPT(config).
func (v *view) modelConfigs() {
	seen := map[*pyeval.Dict]bool{}
	trained := v.trainedClass()
	for _, c := range v.obs.Calls {
		o := c.Self.Object()
		if o == nil || c.Doubt || !strings.HasPrefix(c.Name, "repo:") || !isModule(o.Class.Bases()) || len(seen) > 256 {
			continue
		}
		given := c.Args
		for _, k := range c.Kw {
			given = append(given[:len(given):len(given)], k.Value)
		}
		mappings := 0 // of several each is that of a part
		for _, x := range given {
			if x.Dict() != nil {
				mappings++
			}
		}
		for _, x := range given {
			if from := x.Object(); from != nil && len(from.Class.Bases()) == 0 {
				v.walk("model", x, 8, seen)
			} else if x.Dict() != nil && mappings == 1 && o == trained {
				v.sizesIn("model", x.Dict(), 0)
			}
		}
	}
}

// sizesIn names the sizes of a model in the mapping that it is made from, and in
// the mappings inside it. What else it holds may be of anything.
func (v *view) sizesIn(prefix string, d *pyeval.Dict, depth int) {
	d.Each(func(k, item pyeval.Value) {
		if k.Kind != pyeval.Str {
			return
		}
		key := normal(k.Text)
		if inner := item.Dict(); inner != nil && depth < 2 {
			v.sizesIn(prefix+"."+k.Text, inner, depth+1)
		} else if isPositive(item) && (slices.Contains(widthNames, key) || slices.Contains(depthNames, key)) {
			v.name(named{path: prefix + "." + k.Text, value: item, config: true, seq: 1 << 30})
		}
	})
}
