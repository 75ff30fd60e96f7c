package resolve

import (
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
)

// loadedStart is the file whose weights are surely loaded into what is trained
// before training begins.
func (v *view) loadedStart() (string, *origin.Origin, bool) {
	for _, c := range v.calls("load_state_dict") {
		if c.Doubt || c.Loops != nil || len(c.Args) == 0 || v.train != nil && c.Seq > v.train.step.Seq || !v.partOfTrained(c) {
			continue
		}
		for e, n := c.Args[0].External(), 0; e != nil && e.Call != nil && n < 4; n++ {
			if name := lastPart(e.Call.Name); name == "load" || name == "load_file" {
				if x, ok := e.Call.Arg("f", 0); ok && isText(x) && !strings.HasPrefix(e.Call.Name, "repo:") {
					return x.Text, or(x.Origin, c.Site), true
				}
				break
			}
			e = e.Call.Self.External()
		}
	}
	return "", nil, false
}

// partOfTrained reports whether a call makes, or is a method of, a model that
// the optimiser gets.
func (v *view) partOfTrained(c *pyeval.Call) bool {
	if v.reach == nil {
		v.reach = v.trained()
	}
	if !v.reach.model {
		return false
	}
	if o := c.Self.Object(); o != nil {
		return v.reach.values[o]
	}
	if e := c.Self.External(); e != nil {
		return v.reach.values[e]
	}
	return v.reach.calls[c]
}

// apart reports whether a constructor of the repository makes what is no part
// of the model that the optimiser gets.
func (v *view) apart(c *pyeval.Call) bool {
	if v.reach == nil {
		v.reach = v.trained()
	}
	o := c.Self.Object()
	return o != nil && v.reach.model && v.reach.left > 0 && !v.reach.values[o]
}
