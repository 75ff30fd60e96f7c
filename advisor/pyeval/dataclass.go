package pyeval

import "strings"

func init() {
	for _, name := range []string{"dataclasses.dataclass", "attr.s", "attr.attrs", "attr.define", "attrs.define", "attrs.frozen", "chex.dataclass", "flax.struct.dataclass", "pydantic.dataclasses.dataclass", "simple_parsing.dataclass"} {
		decorators[name] = func(in *Interp, c *Call, v Value) Value {
			if cls, ok := v.Ref.(*Class); ok {
				cls.marks = append(cls.marks, Value{Kind: ExternalKind, Ref: &External{Name: "dataclasses.dataclass", Call: c}})
				if yes, known := cls.dataOption("slots").truth(); known && yes {
					slots := tuple()
					for _, f := range cls.fields {
						slots.Ref.(*List).Items = append(slots.Ref.(*List).Items, str(f))
					}
					cls.attrs.set(str("__slots__"), slots)
				}
			}
			return v
		}
	}
	field := func(in *Interp, c *Call) Value {
		v := Value{Kind: ExternalKind, Ref: &External{Name: "dataclasses.field", Call: c, solid: true}, Origin: in.line}
		c.Site = in.line
		return v
	}
	native(field, "dataclasses.field", "attr.ib", "attr.field", "attrs.field", "pydantic.Field", "simple_parsing.field", "simple_parsing.choice")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		if o := v.Object(); o != nil {
			d := o.Attrs.copy()
			d.born = in.born()
			return Value{Kind: DictKind, Ref: d, Origin: v.Origin}
		}
		return unknown("asdict of %s", v.String())
	}, "dataclasses.asdict", "attr.asdict", "attrs.asdict")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		o := v.Object()
		if o == nil {
			return unknown("replace of %s", v.String())
		}
		made := in.object(o.Class)
		o.Attrs.Each(made.Attrs.set)
		for _, k := range c.Kw {
			in.write(made.Attrs, str(k.Name), k.Value)
		}
		return Value{Kind: ObjectKind, Ref: made, Origin: v.Origin}
	}, "dataclasses.replace", "attr.evolve")
	native(func(in *Interp, c *Call) Value {
		switch r := c.first().Ref.(type) {
		case *Object:
			return boolean(r.Class.isData())
		case *Class:
			return boolean(r.isData())
		}
		return boolean(false)
	}, "dataclasses.is_dataclass")
}

// isData reports whether a class makes its constructor of its fields.
func (c *Class) isData() bool {
	for _, k := range c.mro() {
		for _, m := range k.marks {
			if e := m.External(); e != nil && e.Name == "dataclasses.dataclass" {
				return true
			}
		}
		for _, b := range k.Bases() {
			switch lastName(b) {
			case "BaseModel", "BaseSettings", "NamedTuple", "TypedDict", "Struct", "Serializable":
				return true
			}
		}
	}
	return false
}

// fieldDefault is the value of a field's default, given plainly or by field().
func (in *Interp) fieldDefault(v Value) Value {
	e := v.External()
	if e == nil || e.Name != "dataclasses.field" || e.Call == nil {
		return v
	}
	if d, ok := e.Call.Arg("default", -1); ok {
		return d.by(v.Origin)
	}
	for _, k := range e.Call.Kw {
		if k.Name == "default_factory" || k.Name == "factory" {
			return in.call(k.Value, &Call{Name: "default_factory"}, nil).by(v.Origin)
		}
	}
	if len(e.Call.Args) > 0 && strings.HasSuffix(e.Call.Name, "Field") {
		return e.Call.Args[0].by(v.Origin)
	}
	return unknown("the field has no default")
}

// dataclassInit sets the fields of an object from arguments and defaults. done
// is false for a class without generated constructor.
func (in *Interp) dataclassInit(cls *Class, self Value, c *Call) (Value, bool) {
	if !cls.isData() {
		return Value{}, false
	}
	o := self.Object()
	o.Attrs.Open = c.Open || hasForeignFields(cls)
	at := 0
	for _, name := range cls.fields {
		def, _, hasDefault := cls.lookup(name)
		if hasDefault {
			def = in.fieldDefault(def)
		}
		v, given := c.Arg(name, -1)
		if !given && at < len(c.Args) {
			v, given = c.Args[at], true
		}
		at++
		switch {
		case given && hasDefault && v.Origin != nil && v.Known():
			v.Origin = v.Origin.Over(def.Origin)
		case given:
		case c.Open:
			v = unknown("%s may be among arguments that are not known", name)
		case hasDefault:
			v = def
		default:
			v = unknown("%s is not given to %s", name, cls.Name)
		}
		o.Attrs.set(str(name), v)
	}
	for _, k := range c.Kw {
		if _, ok := o.Attrs.Get(k.Name); !ok {
			o.Attrs.set(str(k.Name), k.Value)
		}
	}
	in.tryCall(self, "__post_init__")
	in.tryCall(self, "model_post_init", none())
	return self, true
}

// hasForeignFields reports whether fields may come from a base of another
// package.
func hasForeignFields(c *Class) bool {
	for _, b := range c.Bases() {
		switch lastName(b) {
		case "BaseModel", "BaseSettings", "NamedTuple", "TypedDict", "Struct", "Serializable", "ABC", "Generic", "Protocol", "object":
		default:
			return true
		}
	}
	return false
}
