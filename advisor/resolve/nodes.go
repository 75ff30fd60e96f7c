package resolve

import (
	"slices"
	"strings"
)

// nodeNames lists what the nodes of a configuration for a thing are called, the
// outermost first: of "model: {_name_: lm, layer: {_name_: hyena}}" it is lm and
// then hyena. A name that stands deeper is that of a part, which tells of the
// whole when the whole has a name that nobody knows.
func (v *view) nodeNames(things ...string) []named {
	var all []named
	for _, key := range []string{"_name_", "name"} {
		for _, n := range v.all(key) {
			top, _, nested := strings.Cut(n.path, ".")
			if nested && n.config && isText(n.value) && n.value.Origin != nil && slices.Contains(things, normal(top)) && depth(n.path) <= 3 {
				all = append(all, n)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b named) int { return depth(a.path) - depth(b.path) })
	return all
}

// nodeModel is the name of the configuration's node for the model.
func (v *view) nodeModel() *modelName {
	for _, n := range v.nodeNames("model", "net", "network", "backbone") {
		m := known(cleanModel(n.value.Text), n.value.Origin)
		if m.ok && m.info.Whole {
			return m
		}
	}
	return nil
}
