package pyeval

// Classes of the repository whose base is a built-in type.

// fillDict gives an object whose class is a dict its items. They are kept with
// its attributes: programs derive from dict to reach items as attributes.
func (in *Interp) fillDict(o *Object, c *Call) {
	made := in.makeDict(c).Dict()
	o.Attrs.Open = o.Attrs.Open || made.Open
	style := o.Class.itemStyle()
	made.Each(func(k, v Value) {
		if style != "" && v.Ref != nil {
			v = in.styled(in.copyOf(v, 60), style)
		}
		in.write(o.Attrs, k, v)
	})
}

// nativeMethod is a method that an object has from a built-in base.
func (in *Interp) nativeMethod(self Value, name string) (Value, bool) {
	kind := self.Object().Class.native()
	if kind != "dict" {
		return Value{}, false
	}
	items := Value{Kind: DictKind, Ref: self.Object().Attrs, Origin: self.Origin}
	bindTo := func(run func(in *Interp, c *Call) Value) (Value, bool) {
		return bound(items, "dict."+name, run), true
	}
	switch name {
	case "__init__":
		return bindTo(func(in *Interp, c *Call) Value {
			in.fillDict(self.Object(), c)
			return none()
		})
	case "__getitem__", "__getattr__", "__getattribute__":
		return bindTo(func(in *Interp, c *Call) Value { return in.item(items, c.first()) })
	case "__setitem__", "__setattr__":
		return bindTo(func(in *Interp, c *Call) Value {
			if len(c.Args) == 2 {
				in.setItem(items, c.Args[0], c.Args[1])
			}
			return none()
		})
	case "__contains__":
		return bindTo(func(in *Interp, c *Call) Value {
			yes, known := in.contains(items, c.first())
			if !known {
				return unknown("whether a key is set")
			}
			return boolean(yes)
		})
	}
	if f, ok := methods["dict"][name]; ok {
		return bindTo(f)
	}
	return Value{}, false
}

// constructNew makes an object by the class's own __new__, where that gives an
// object of another class or an object made before (a singleton).
func (in *Interp) constructNew(class Value, c *Call) (Value, bool) {
	cls := class.Ref.(*Class)
	make, _, ok := cls.lookup("__new__")
	if !ok || make.Kind != FunctionKind || in.depth >= in.budget.Depth-5 || in.inside(make) {
		return Value{}, false
	}
	d := *c
	d.Args = append([]Value{class}, c.Args...)
	made := in.call(make, &d, nil)
	o := made.Object()
	if o == nil {
		return Value{}, false
	}
	if init, _, ok := o.Class.lookup("__init__"); ok && o.Class.derives(cls) {
		in.call(Value{Kind: MethodKind, Ref: &Method{Self: made, Func: init}}, c, nil)
	}
	return made, true
}
