package pyeval

import "strings"

func (in *Interp) classAttr(v Value, name string) Value {
	c := v.Ref.(*Class)
	switch name {
	case "__name__", "__qualname__":
		return str(c.Name)
	case "__module__":
		return str(c.module.Name)
	case "__mro__":
		return in.order(c)
	case "__dict__":
		return Value{Kind: DictKind, Ref: c.attrs}
	case "__doc__":
		return none()
	case "__bases__":
		return tuple(c.bases...)
	case "__dataclass_fields__":
		if c.isData() {
			return in.describedFields(c)
		}
	}
	if got, where, ok := c.lookup(name); ok {
		if got.Kind == FunctionKind {
			fn := got.Ref.(*Function)
			if fn.ofClass {
				if name == "from_pretrained" && (where != c || in.isLibrary(c)) {
					return in.libraryLoader(c)
				}
				return Value{Kind: MethodKind, Ref: &Method{Self: v, Func: got}}
			}
		}
		if in.isEnum(c) && got.Kind != FunctionKind {
			return in.enumMember(where, name, got)
		}
		return got
	}
	if e := c.foreign(); e != nil {
		return in.externalAttr(Value{Kind: ExternalKind, Ref: &External{Name: e.Name, solid: true, Args: v}}, name)
	}
	if name == "remote" && len(c.marks) > 0 {
		return in.remote(v)
	}
	if name == "options" && len(c.marks) > 0 {
		return in.workerOptions(v)
	}
	if f, ok := classMethods[name]; ok {
		return bound(v, "class."+name, f)
	}
	return in.fail("AttributeError", "class %s has no attribute %s", c.Name, name)
}

func (in *Interp) isEnum(c *Class) bool {
	e := c.foreign()
	return e != nil && strings.HasPrefix(e.Name, "enum.")
}

// enumMember is the object behind a member's name.
func (in *Interp) enumMember(c *Class, name string, value Value) Value {
	o := in.object(c)
	o.Attrs.set(str("name"), str(name))
	o.Attrs.set(str("value"), value)
	out := Value{Kind: ObjectKind, Ref: o, Origin: value.Origin}
	if value.Kind != ObjectKind {
		c.attrs.set(str(name), out)
		return out
	}
	return value
}

func (in *Interp) object(c *Class) *Object {
	o := &Object{Class: c, Attrs: newDict(), Made: in.line}
	o.Attrs.born = in.born()
	return o
}

func (in *Interp) objectAttr(v Value, name string) Value {
	o := v.Object()
	if view, ok := o.data.(superView); ok {
		got, _ := view.attribute(in, v, name)
		return got
	}
	if got, ok := o.Attrs.Get(name); ok {
		return in.settle(o.Attrs, name, got)
	}
	switch name {
	case "__dict__":
		return Value{Kind: DictKind, Ref: o.Attrs}
	case "__class__":
		return Value{Kind: ClassKind, Ref: o.Class}
	case "__dataclass_fields__":
		if o.Class.isData() {
			return in.describedFields(o.Class)
		}
	}
	if got, _, ok := o.Class.lookup(name); ok {
		return in.bindTo(v, got)
	}
	if _, ok := methods["dict"][name]; ok && o.Class.native() == "dict" {
		got, _ := in.nativeMethod(v, name)
		return got
	}
	if get, _, ok := o.Class.lookup("__getattr__"); ok && !strings.HasPrefix(name, "__") && in.depth < in.budget.Depth-5 {
		return in.call(Value{Kind: MethodKind, Ref: &Method{Self: v, Func: get}}, &Call{Name: "__getattr__", Args: []Value{str(name)}}, nil)
	}
	if m, ok := o.data.(interface {
		attribute(in *Interp, self Value, name string) (Value, bool)
	}); ok {
		if got, ok := m.attribute(in, v, name); ok {
			return got
		}
	}
	if got, ok := in.nativeMethod(v, name); ok {
		return got
	}
	if in.isEnum(o.Class) {
		return in.fail("AttributeError", "%s has no attribute %s", o.Class.Name, name)
	}
	if e := o.Class.foreign(); e != nil {
		if f, ok := resultAttrs[canonicalName(e.Name)+"."+name]; ok {
			return f(in, v)
		}
		if got, ok := in.unset(e.Name, name); ok {
			return got
		}
		call := o.ext
		return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + "." + name, Call: call, Args: v, solid: call == nil}}
	}
	if o.Attrs.Open {
		return unknown("%s of %s is not known", name, o.Class.Name)
	}
	if v, ok := in.absentItem(o.Class.itemStyle()); ok && !strings.HasPrefix(name, "__") {
		return v
	}
	return in.fail("AttributeError", "%s has no attribute %s", o.Class.Name, name)
}

// bindTo makes a method of a function that was found in a class.
func (in *Interp) bindTo(self, got Value) Value {
	if got.Kind != FunctionKind {
		return got
	}
	fn := got.Ref.(*Function)
	switch {
	case fn.static:
		return got
	case fn.ofClass:
		return Value{Kind: MethodKind, Ref: &Method{Self: Value{Kind: ClassKind, Ref: self.Object().Class}, Func: got}}
	case fn.property:
		return in.call(Value{Kind: MethodKind, Ref: &Method{Self: self, Func: got}}, &Call{Name: fn.Name}, nil)
	}
	return Value{Kind: MethodKind, Ref: &Method{Self: self, Func: got}}
}

// setAttribute writes an attribute, weakly where the write may not happen.
func (in *Interp) setAttribute(v Value, name string, to Value) {
	var d *Dict
	switch v.Kind {
	case CandidatesKind:
		in.doubtful(func() {
			for _, a := range v.Alternatives() {
				if a.Kind != CandidatesKind {
					in.setAttribute(a, name, to)
				}
			}
		})
		return
	case ObjectKind:
		o := v.Object()
		if set, _, ok := o.Class.lookup("__setattr__"); ok && set.Kind == FunctionKind && in.depth < in.budget.Depth-5 && !in.inside(set) {
			in.call(Value{Kind: MethodKind, Ref: &Method{Self: v, Func: set}}, &Call{Name: "__setattr__", Args: []Value{str(name), to}}, nil)
		}
		if got, _, ok := o.Class.lookup(name); ok && got.Kind == FunctionKind && got.Ref.(*Function).property {
			if set, _, ok := o.Class.lookup(name + ".setter"); ok {
				in.call(Value{Kind: MethodKind, Ref: &Method{Self: v, Func: set}}, &Call{Name: name, Args: []Value{to}}, nil)
				return
			}
		}
		d = o.Attrs
	case ClassKind:
		d = v.Ref.(*Class).attrs
	case ModuleKind:
		d = v.Ref.(*Module).globals
	case ExternalKind:
		if items, whole := to.Items(); name == "argv" && v.External().Name == "sys" && whole && len(items) > 0 && in.doubt == 0 {
			in.sysArgv = to // the words for a program that is run from here
		}
		if name == "requires_grad" && to.Kind == Bool { // what "requires_grad_" does
			in.observe(&Call{Name: v.External().Name + ".requires_grad_", Self: v, Args: []Value{to}})
		}
		return
	case DictKind:
		if d = v.Dict(); !d.attrs {
			return
		}
	default:
		return
	}
	in.write(d, str(name), to)
}

func (in *Interp) inside(f Value) bool { return in.active[f.Ref.(*Function).node] > 0 }
