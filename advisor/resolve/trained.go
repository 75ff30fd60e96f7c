package resolve

import (
	"strings"

	"schedmate/advisor/pyeval"
)

// reach is what hangs together with the parameters that an optimiser gets.
type reach struct {
	calls  map[*pyeval.Call]bool
	values map[any]bool
	model  bool // a model of the repository is among it: what is trained is known
	left   int
}

const maxReach = 20000

// trained follows what the optimisers are given back to the models and to the
// calls that made them and their parts.
func (v *view) trained() *reach {
	r := &reach{calls: map[*pyeval.Call]bool{}, values: map[any]bool{}, left: maxReach}
	for _, c := range v.obs.Calls {
		if name, _ := v.optimiserOf(c); name == "" {
			continue
		}
		for _, x := range c.Args {
			r.follow(x, 24)
		}
		if x, ok := c.Arg("params", -1); ok {
			r.follow(x, 24)
		}
	}
	return r
}

func (r *reach) follow(x pyeval.Value, depth int) {
	if r.left--; depth == 0 || r.left <= 0 {
		return
	}
	for _, a := range x.Alternatives() {
		if a.Ref == nil {
			continue
		}
		if e := a.External(); e != nil {
			if r.values[e] {
				continue
			}
			r.values[e] = true
			r.follow(e.Args, depth-1)
			r.call(e.Call, depth-1)
		} else if o := a.Object(); o != nil {
			if r.values[o] {
				continue
			}
			r.values[o] = true
			r.model = r.model || isModule(o.Class.Bases())
			o.Attrs.Each(func(_, item pyeval.Value) { r.follow(item, depth-1) })
		} else if d := a.Dict(); d != nil {
			if r.values[d] {
				continue
			}
			r.values[d] = true
			d.Each(func(_, item pyeval.Value) { r.follow(item, depth-1) })
		} else if items, ok := a.Items(); ok {
			for _, item := range items {
				r.follow(item, depth-1)
			}
		}
	}
}

func (r *reach) call(c *pyeval.Call, depth int) {
	if c == nil || r.calls[c] {
		return
	}
	r.calls[c] = true
	r.follow(c.Self, depth)
	for _, x := range c.Args {
		r.follow(x, depth)
	}
	for _, k := range c.Kw {
		r.follow(k.Value, depth)
	}
}

// frozen reports that a call makes a part that is used and not trained, such as
// the autoencoder under a diffusion model: the optimiser's model is one of the
// repository, has no such part, and was not filled from it.
func (v *view) frozen(c *pyeval.Call) bool {
	if strings.HasPrefix(c.Name, "repo:") { // what it gave was followed, and is no longer known to be of this call
		return false
	}
	if v.optimised == nil {
		v.optimised = v.trained()
		for _, l := range v.obs.Calls { // weights may come from one to another
			if strings.HasPrefix(lastPart(strings.TrimSuffix(l.Name, "()")), "load_state_dict") {
				for _, x := range l.Args {
					v.optimised.follow(x, 12)
				}
			}
		}
	}
	r := v.optimised
	return r.model && r.left > 0 && !r.calls[c]
}
