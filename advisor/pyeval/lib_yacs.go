package pyeval

import (
	"schedmate/advisor/conf"
)

// yacs: a CfgNode is an object whose attributes are its items, of the class
// that the program uses: yacs's own or a subclass in the repository.

type yacsNode struct{}

var yacsClass = func() *Class {
	c := nativeClass("CfgNode")
	c.bases = []Value{external("yacs.config.CfgNode")}
	return c
}()

func isYacs(v Value) bool {
	o := v.Object()
	if o == nil {
		return false
	}
	_, ok := o.data.(yacsNode)
	return ok
}

// confDict is the mapping behind a value: a dict, or a node of yacs.
func confDict(v Value) *Dict {
	if isYacs(v) {
		return v.Object().Attrs
	}
	return v.Dict()
}

// yacsFrom makes a node of a mapping, down to its leaves.
func (in *Interp) yacsFrom(c *Class, v Value, depth int) Value {
	d := confDict(v)
	if d == nil || depth == 0 {
		return v
	}
	in.step()
	o := in.object(c)
	o.data = yacsNode{}
	o.Attrs.Open = d.Open
	d.Each(func(k, item Value) {
		if confDict(item) != nil {
			item = in.yacsFrom(c, item, depth-1)
		}
		o.Attrs.set(k, item)
	})
	return Value{Kind: ObjectKind, Ref: o, Origin: v.Origin}
}

func init() {
	const home = "yacs.CfgNode"
	start := func(in *Interp, self Value, c *Call) {
		o := self.Object()
		o.data = yacsNode{}
		if v, ok := c.Arg("init_dict", 0); ok && v.Kind != None {
			if made := in.yacsFrom(o.Class, v, 40); made.Object() != nil {
				made.Object().Attrs.Each(o.Attrs.set)
				o.Attrs.Open = made.Object().Attrs.Open
			} else {
				o.Attrs.Open = true
			}
		}
	}
	native(func(in *Interp, c *Call) Value {
		v := Value{Kind: ObjectKind, Ref: in.object(yacsClass), Origin: in.line}
		start(in, v, c)
		return v
	}, home)
	baseInits[home] = start
	load := func(in *Interp, c *Call) Value {
		v := c.first()
		n, err := (*conf.Node)(nil), error(nil)
		if full, ok := in.confPath(v); ok {
			if n, err = conf.LoadBased(in.root, full, "_BASE_"); err != nil {
				in.confError(full, err)
				return unknown("%v", err)
			}
			return in.fromNode(conf.DecodeLiterals(n), false)
		}
		return unknown("the configuration %s", v.String())
	}
	native(load, home+".load_yaml_with_base")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		if v.Object() != nil || v.Kind == Str {
			d := *c
			v = in.parseText(&d, func(name string, text []byte) (*conf.Node, error) {
				n, err := conf.ParseYAML(name, text, conf.PyYAML)
				if err != nil {
					return nil, err
				}
				return conf.DecodeLiterals(n), nil
			})
		}
		return in.yacsFrom(yacsClass, v, 40)
	}, home+".load_cfg")
}

func (yacsNode) item(in *Interp, self, key Value) Value {
	if v, ok := self.Object().Attrs.get(key); ok {
		return v
	}
	return in.fail("KeyError", "%s", key.String())
}

func (yacsNode) attribute(in *Interp, self Value, name string) (Value, bool) {
	d := self.Object().Attrs
	m := func(run func(in *Interp, c *Call) Value) (Value, bool) {
		return bound(self, "CfgNode."+name, run), true
	}
	merge := func(in *Interp, v Value) {
		in.mergeDict(d, in.yacsFrom(self.Object().Class, v, 40), mergeRules{cast: true})
		in.config(self)
	}
	switch name {
	case "merge_from_file":
		return m(func(in *Interp, c *Call) Value {
			v := natives["yacs.CfgNode.load_yaml_with_base"](in, c)
			if v.Dict() == nil {
				d.Open = true
				return none()
			}
			merge(in, v)
			return none()
		})
	case "load_yaml_with_base", "load_cfg":
		return m(natives["yacs.CfgNode."+name])
	case "merge_from_other_cfg", "update":
		return m(func(in *Interp, c *Call) Value {
			if confDict(c.first()) == nil {
				d.Open = true
				return none()
			}
			merge(in, c.first())
			return none()
		})
	case "merge_from_list":
		return m(func(in *Interp, c *Call) Value {
			words, whole := in.iterate(c.first(), listItems)
			if !whole {
				in.note("the pairs of a configuration are not all known")
			}
			for i := 0; i+1 < len(words); i += 2 {
				if words[i].Kind != Str {
					in.note("a key of the command is not known")
					continue
				}
				at := flagOrigin(words[i], words[i].Text)
				v := words[i+1]
				if v.Kind == Str {
					if got, ok := in.literal(v.Text); ok {
						v = in.placed(got, v.Origin, 20)
					}
				}
				if old, ok := in.pathValue(self, words[i].Text); ok {
					v = castLike(old, v)
				}
				in.setPath(self, words[i].Text, v.with(at))
			}
			in.config(self)
			return none()
		})
	case "clone", "copy":
		return m(func(in *Interp, c *Call) Value { return in.yacsFrom(self.Object().Class, self, 40) })
	case "freeze", "defrost", "set_new_allowed", "register_deprecated_key", "register_renamed_key", "_immutable":
		return m(func(in *Interp, c *Call) Value { return none() })
	case "is_frozen", "is_new_allowed", "key_is_deprecated", "key_is_renamed":
		return m(func(in *Interp, c *Call) Value { return boolean(false) })
	case "dump":
		return m(func(in *Interp, c *Call) Value { return str("") })
	}
	if f, ok := methods["dict"][name]; ok {
		return bound(Value{Kind: DictKind, Ref: d, Origin: self.Origin}, "dict."+name, f), true
	}
	return Value{}, false
}

// castLike changes a list to a tuple or back, as the older value was, and a
// whole number to a float.
func castLike(old, v Value) Value {
	switch {
	case old.Kind == TupleKind && v.Kind == ListKind, old.Kind == ListKind && v.Kind == TupleKind:
		v.Kind = old.Kind
	case old.Kind == Float && v.Kind == Int:
		v.Kind, v.Float, v.Int = Float, float64(v.Int), 0
	}
	return v
}
