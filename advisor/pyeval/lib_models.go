package pyeval

import "strings"

// Model zoos of other packages that code of the repository adds entries to.
func init() {
	native(func(in *Interp, c *Call) Value {
		in.observe(c)
		name, _ := c.text("model_name", 0)
		if entry, ok := in.registered("register_model", name); ok && in.depth < in.budget.Depth-10 {
			d := &Call{Name: name, Open: c.Open}
			for _, k := range c.Kw {
				switch k.Name {
				case "model_name", "checkpoint_path", "scriptable", "exportable", "no_jit":
				default:
					if k.Value.Kind != None { // what is not set is not passed on
						d.Kw = append(d.Kw, k)
					}
				}
			}
			return in.call(entry, d, nil)
		}
		return Value{Kind: ExternalKind, Ref: &External{Name: c.Name, Call: c, solid: true}, Origin: c.Site}
	}, "timm.create_model", "timm.models.create_model", "timm.models.factory.create_model", "timm.models._factory.create_model")
}

// Registries of other packages that classes of the repository are put into by
// name.
func init() {
	resultCalls["get"] = func(in *Interp, e *External, c *Call) (Value, bool) {
		if !strings.HasSuffix(e.Name, "Registry.get") {
			return Value{}, false
		}
		name, _ := c.text("name", 0)
		return in.registered("register", name)
	}
}

// registered finds what code of the repository registered in another package
// under its own name, by the last name of the decorator.
func (in *Interp) registered(decorator, name string) (Value, bool) {
	key := decorator + " " + name
	if v, ok := in.marked[key]; ok {
		return v, true
	}
	if name != "" && in.searchPending(name) {
		v, ok := in.marked[key]
		return v, ok
	}
	return Value{}, false
}

// markAs remembers a definition that a decorator of another package was put
// on.
func (in *Interp) markAs(dec Value, v Value) {
	name := ""
	switch r := v.Ref.(type) {
	case *Function:
		name = r.Name
	case *Class:
		name = r.Name
	}
	if e := dec.External(); e != nil && name != "" {
		if in.marked == nil {
			in.marked = map[string]Value{}
		}
		in.marked[lastName(strings.TrimSuffix(e.Name, "()"))+" "+name] = v
	}
}
