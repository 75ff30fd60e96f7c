package pyeval

import "strings"

// transparent are bases of other packages that add nothing to an object.
var transparent = map[string]bool{"abc.ABC": true, "typing.Generic": true, "typing.Protocol": true, "collections.abc.Mapping": true, "builtins.object": true}

// defineClass runs a class body.
func (in *Interp) defineClass(s *scope, n *node) *Class {
	c := &Class{Name: leafText(n.get("name")), node: n, module: s.module, attrs: newDict(), notes: map[string]*node{}, Origin: in.at(s, n, "")}
	c.Origin.Key = c.Name
	c.attrs.born = in.born()
	if bases := n.get("superclasses"); bases != nil {
		for _, b := range bases.kids {
			if b.kind == "keyword_argument" {
				in.eval(s, b.get("value"))
				continue
			}
			if b.kind == "list_splat" && len(b.kids) > 0 { // class Config(*PARTS)
				all, _ := in.eval(s, b.kids[0]).Items()
				for _, v := range all {
					if v.Kind == ClassKind || v.Kind == ExternalKind {
						c.bases = append(c.bases, v)
					}
				}
				continue
			}
			for _, v := range in.eval(s, b).Alternatives() {
				if e := v.External(); e != nil && transparent[canonicalName(e.Name)] {
					break
				}
				if e := v.External(); e != nil && e.Call == nil && attrDicts[e.Name] != "" {
					c.items, v = attrDicts[e.Name], builtins["dict"]
				}
				if v.Kind == ClassKind || v.Kind == ExternalKind || v.Kind == NativeKind {
					c.bases = append(c.bases, v)
					break
				}
			}
		}
	}
	for _, b := range c.bases { // a dataclass's fields come before those of its heirs
		if base, ok := b.Ref.(*Class); ok {
			for _, f := range base.fields {
				c.fields = append(c.fields, f)
				c.notes[f] = base.notes[f]
			}
		}
	}
	body := &scope{vars: c.attrs, parent: s, module: s.module, class: c}
	if s.vars == s.module.globals {
		body.parent = nil
	}
	loop := in.loop
	in.body(body, n.get("body"))
	in.loop = loop
	if hook, _, ok := c.lookup("__init_subclass__"); ok {
		if _, own := c.attrs.Get("__init_subclass__"); !own && in.depth < in.budget.Depth-10 {
			in.call(Value{Kind: MethodKind, Ref: &Method{Self: Value{Kind: ClassKind, Ref: c}, Func: hook}}, &Call{Name: "__init_subclass__"}, nil)
		}
	}
	return c
}

// decorated runs a definition and its decorators, the innermost first.
func (in *Interp) decorated(s *scope, n *node) {
	def := n.get("definition")
	if def == nil {
		return
	}
	var v Value
	name := ""
	if def.kind == "class_definition" {
		c := in.defineClass(s, def)
		v, name = Value{Kind: ClassKind, Ref: c, Origin: in.at(s, def, c.Name)}, c.Name
	} else {
		fn := in.define(s, def)
		v, name = Value{Kind: FunctionKind, Ref: fn, Origin: in.at(s, def, fn.Name)}, fn.Name
	}
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].kind != "decorator" || len(n.kids[i].kids) == 0 {
			continue
		}
		d := n.kids[i].kids[0]
		if fn, ok := v.Ref.(*Function); ok && s.class != nil && d.kind == "attribute" && d.get("attribute").text == "setter" {
			name = fn.Name + ".setter"
			continue
		}
		dec := in.eval(s, d)
		in.line = in.at(s, n.kids[i], leafText(d))
		v = in.decorate(dec, v)
	}
	in.bind(s, name, v)
}

// decorate applies one decorator. A decorator of another package leaves the
// function as it is, marked.
func (in *Interp) decorate(dec, v Value) Value {
	fn, isFn := v.Ref.(*Function)
	mark := func() Value {
		in.markAs(dec, v)
		if isFn {
			fn.marks = append(fn.marks, dec)
		} else if c, ok := v.Ref.(*Class); ok {
			c.marks = append(c.marks, dec)
		}
		return v
	}
	switch dec.Kind {
	case NativeKind:
		switch dec.Ref.(*Native).Name {
		case "property":
			if isFn {
				fn.property = true
			}
			return v
		case "staticmethod":
			if isFn {
				fn.static = true
			}
			return v
		case "classmethod":
			if isFn {
				fn.ofClass = true
			}
			return v
		}
		return in.call(dec, &Call{Args: []Value{v}}, nil)
	case ExternalKind:
		e := dec.External()
		name := e.Name
		if strings.HasSuffix(name, "cached_property") || strings.HasSuffix(name, "abstractproperty") {
			fn.property = isFn
			return v
		}
		if f, ok := decorators[canonicalName(name)]; ok {
			c := e.Call
			if c == nil {
				c = &Call{Name: name}
			}
			return f(in, c, v)
		}
		return mark()
	case FunctionKind, MethodKind, ClassKind, ObjectKind:
		got := in.call(dec, &Call{Name: "decorator", Args: []Value{v}}, nil)
		switch got.Kind {
		case FunctionKind, ClassKind, MethodKind:
			if w, ok := got.Ref.(*Function); ok && isFn && w != fn && wraps(w, fn) {
				return mark()
			}
			return got
		case ObjectKind, NativeKind, ExternalKind:
			return got
		}
		return mark()
	}
	return mark()
}

// wraps reports whether a function is a plain wrapper that passes everything
// on to the one it decorates: following the decorated one directly says the
// same, and with its own names of parameters.
func wraps(w, fn *Function) bool {
	params := w.node.get("parameters")
	if params == nil || len(params.kids) == 0 {
		return false
	}
	for _, p := range params.kids {
		if p.kind != "list_splat_pattern" && p.kind != "dictionary_splat_pattern" && p.kind != "typed_parameter" {
			return false
		}
	}
	own := map[string]bool{}
	for _, p := range params.kids {
		own[splatName(p)] = true
	}
	calls, plain := passesOn(w.node.get("body"), w.closure, fn, own)
	return calls && plain
}

// splatName is the name behind the stars of a parameter or an argument.
func splatName(n *node) string {
	if n.kind == "typed_parameter" || n.kind == "list_splat" || n.kind == "dictionary_splat" || n.kind == "list_splat_pattern" || n.kind == "dictionary_splat_pattern" {
		if len(n.kids) > 0 {
			return splatName(n.kids[0])
		}
	}
	return leafText(n)
}

// passesOn reports whether a body calls a function, and whether it always hands
// over its own arguments as they are.
func passesOn(n *node, s *scope, fn *Function, own map[string]bool) (calls, plain bool) {
	plain = true
	if n == nil {
		return false, true
	}
	if n.kind == "call" {
		if f := n.get("function"); f != nil && f.kind == "identifier" {
			if v, ok := s.vars.Get(f.text); ok && v.Ref == fn {
				calls = true
				handed := false
				if args := n.get("arguments"); args != nil {
					for _, a := range args.kids {
						if a.kind != "list_splat" && a.kind != "dictionary_splat" {
							continue
						}
						handed = handed || own[splatName(a)]
						plain = plain && own[splatName(a)]
					}
				}
				plain = plain && handed // "main(configuration)" has arguments that nobody gave it
			}
		}
	}
	for _, k := range n.kids {
		c, p := passesOn(k, s, fn, own)
		calls, plain = calls || c, plain && p
	}
	return calls, plain
}

// construct makes an object of a class of the repository.
func (in *Interp) construct(class Value, c *Call) Value {
	cls := class.Ref.(*Class)
	if in.isEnum(cls) && len(c.Args) == 1 {
		var found Value
		ok := false
		cls.attrs.Each(func(k, v Value) {
			member := in.classAttr(class, k.Text)
			if o := member.Object(); o != nil {
				if value, has := o.Attrs.Get("value"); has && same(value, c.Args[0]) {
					found, ok = member, true
				}
			}
		})
		if ok {
			return found
		}
		return unknown("a member of %s", cls.Name)
	}
	o := in.object(cls)
	self := Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	kept := *c
	kept.Name, kept.Self = "repo:"+cls.module.Name+"."+cls.Name, self
	in.observe(&kept)
	if made, ok := in.constructNew(class, c); ok {
		return made
	}
	if init, _, ok := cls.lookup("__init__"); ok {
		in.call(Value{Kind: MethodKind, Ref: &Method{Self: self, Func: init}}, c, nil)
		return self
	}
	if made, done := in.dataclassInit(cls, self, c); done {
		return made
	}
	if cls.native() == "dict" {
		in.fillDict(o, c)
		return self
	}
	if e := cls.foreign(); e != nil {
		if f, ok := baseInits[canonicalName(e.Name)]; ok {
			d := *c
			d.Name = e.Name
			f(in, self, &d)
			return self
		}
		d := *c
		d.Name, d.Self = e.Name, self
		o.ext = in.observe(&d)
	}
	return self
}
