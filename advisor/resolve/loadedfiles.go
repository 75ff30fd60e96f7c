package resolve

import (
	"path"

	"schedmate/advisor/pyeval"
)

// gatherLoaded names what the configuration files hold that the program reads
// into plain mappings. It may have changed them since, so any other
// configuration is a better answer.
func (v *view) gatherLoaded() {
	asked := map[string]bool{} // files that options name
	for _, all := range v.names {
		for _, n := range all {
			if n.config && n.value.Kind == pyeval.Str {
				asked[path.Base(n.value.Text)] = true
			}
		}
	}
	v.loading = true
	for _, x := range v.obs.Loaded {
		if o := x.Origin; o != nil && path.Ext(o.File) != "" && (asked[path.Base(o.File)] || v.named(o.File)) {
			v.walk("", x, 0, map[*pyeval.Dict]bool{})
		}
	}
	v.loading = false
}
