package pyeval

import (
	"slices"
	"strings"
)

// What a program may ask about the fields of a dataclass: frameworks make the
// flags of their command line of it, fill objects by it, and check it.
func init() {
	native(func(in *Interp, c *Call) Value {
		var cls *Class
		switch r := c.first().Ref.(type) {
		case *Class:
			cls = r
		case *Object:
			cls = r.Class
		default:
			return unknown("fields of %s", c.first().String())
		}
		out := &List{born: in.born(), Open: hasForeignFields(cls)}
		in.describedFields(cls).Dict().Each(func(_, f Value) { out.Items = append(out.Items, f) })
		return Value{Kind: TupleKind, Ref: out}
	}, "dataclasses.fields", "attr.fields")
}

var (
	fieldClass = nativeClass("Field")
	aliasClass = nativeClass("GenericAlias")
	noDefault  = external("dataclasses.MISSING")
)

// describedFields is __dataclass_fields__ of a class: its fields by name, in
// order.
func (in *Interp) describedFields(cls *Class) Value {
	if cls.described != nil {
		return Value{Kind: DictKind, Ref: cls.described}
	}
	d := dict()
	cls.described = d.Dict()
	d.Dict().Open = hasForeignFields(cls)
	for _, f := range in.classFields(cls) {
		in.step()
		o := in.object(fieldClass)
		set := func(name string, v Value) { o.Attrs.set(str(name), v) }
		def, factory, meta, kwOnly := noDefault, noDefault, dict(), in.keywordOnly(cls, f.name)
		if f.meta != nil {
			for _, k := range f.meta.Kw {
				switch k.Name {
				case "default":
					def = k.Value
				case "default_factory", "factory":
					factory = k.Value
				case "metadata":
					meta = k.Value
				case "kw_only":
					kwOnly, _ = k.Value.truth()
				}
			}
		} else if f.hasDefault {
			def = f.def
		}
		set("name", str(f.name))
		set("default", def)
		set("default_factory", factory)
		set("metadata", meta)
		set("init", boolean(!f.initFalse))
		set("kw_only", boolean(kwOnly))
		set("type", in.typeObject(f.typ))
		d.Dict().set(str(f.name), Value{Kind: ObjectKind, Ref: o, Origin: f.origin})
	}
	return d
}

// keywordOnly reports whether the class that a field stands in was made a
// dataclass with kw_only=True.
func (in *Interp) keywordOnly(c *Class, name string) bool {
	for _, k := range slices.Backward(c.mro()) {
		if k.notes[name] == c.notes[name] {
			yes, known := k.dataOption("kw_only").truth()
			return known && yes
		}
	}
	return false
}

// dataOption is an argument of the decorator that made a class a dataclass.
func (c *Class) dataOption(name string) Value {
	for _, m := range c.marks {
		if e := m.External(); e != nil && e.Name == "dataclasses.dataclass" && e.Call != nil {
			if v, ok := e.Call.Arg(name, -1); ok {
				return v
			}
		}
	}
	return boolean(false)
}

// typeObject is the value that an annotation is at run time.
func (in *Interp) typeObject(t annotated) Value {
	plain := t
	plain.optional = false
	if t.optional {
		inner := in.typeObject(plain)
		return in.alias("typing.Optional["+typeText(plain)+"]", external("typing.Union"), inner, external("builtins.NoneType"))
	}
	var of []Value
	for _, p := range t.of {
		of = append(of, in.typeObject(p))
	}
	switch {
	case t.class != nil:
		return Value{Kind: ClassKind, Ref: t.class}
	case t.foreign != "":
		return external(t.foreign)
	case t.name == "union":
		return in.alias(typeText(t), external("typing.Union"), of...)
	case t.name == "literal":
		return in.alias(typeText(t), external("typing.Literal"), t.choices...)
	case len(of) > 0:
		return in.alias(typeText(t), builtins[t.name], of...)
	}
	if b, ok := builtins[t.name]; ok && t.name != "any" {
		return b
	}
	return external("typing.Any")
}

// typeText is an annotation as Python prints it.
func typeText(t annotated) string {
	inner := make([]string, 0, len(t.of))
	for _, p := range t.of {
		inner = append(inner, typeText(p))
	}
	for _, c := range t.choices {
		inner = append(inner, c.String())
	}
	name := t.name
	switch {
	case t.optional:
		plain := t
		plain.optional = false
		return "typing.Optional[" + typeText(plain) + "]"
	case t.class != nil:
		return "<class '" + t.class.module.Name + "." + t.class.Name + "'>"
	case t.foreign != "":
		return "<class '" + t.foreign + "'>"
	case name == "any":
		return "typing.Any"
	case len(inner) == 0:
		return "<class '" + name + "'>"
	case len(t.of) > 0 || name == "literal":
		name = "typing." + strings.ToUpper(name[:1]) + name[1:]
		for i, s := range inner {
			inner[i] = strings.TrimSuffix(strings.TrimPrefix(s, "<class '"), "'>")
		}
	}
	return name + "[" + strings.Join(inner, ", ") + "]"
}

// genericAlias is a type with arguments: "typing.List[int]".
type genericAlias struct{ text string }

func (g *genericAlias) printed() string { return g.text }

func (in *Interp) alias(text string, base Value, of ...Value) Value {
	o := in.object(aliasClass)
	o.data = &genericAlias{text}
	o.Attrs.set(str("__origin__"), base)
	o.Attrs.set(str("__args__"), tuple(of...))
	return Value{Kind: ObjectKind, Ref: o}
}
