package pyeval

// super gives the next class's view of the object.
func (in *Interp) super(s *scope, args *node) Value {
	var fn *Function
	for at := s; at != nil && fn == nil; at = at.parent {
		if at.fn != nil && at.fn.class != nil {
			fn = at.fn
		}
	}
	if fn == nil {
		return unknown("super() outside of a method")
	}
	params := fn.node.get("parameters")
	if params == nil || len(params.kids) == 0 {
		return unknown("super() without an object")
	}
	self, _ := in.find(s, leafName(params.kids[0]))
	return Value{Kind: ObjectKind, Ref: &Object{Class: in.superClass(self, fn.class), Attrs: newDict(), data: superView{self}}}
}

func leafName(n *node) string {
	if len(n.kids) > 0 && n.text == "" {
		return leafName(n.kids[0])
	}
	return n.text
}

// superView is what super() gave: methods are found in the bases and bound to
// the object itself.
type superView struct{ self Value }

func (v superView) attribute(in *Interp, view Value, name string) (Value, bool) {
	c := view.Object().Class
	if v.self.Kind == ObjectKind && !c.defines(name) {
		if got, ok := in.nativeMethod(v.self, name); ok {
			return got, true
		}
	}
	for _, b := range c.bases {
		switch r := b.Ref.(type) {
		case *Class:
			if got, _, ok := r.lookup(name); ok {
				if v.self.Kind == ObjectKind {
					return in.bindTo(v.self, got), true
				}
				if got.Kind == FunctionKind && !got.Ref.(*Function).static {
					return Value{Kind: MethodKind, Ref: &Method{Self: v.self, Func: got}}, true
				}
				return got, true
			}
			if e := r.foreign(); e != nil {
				return in.externalSuper(v.self, e, name), true
			}
		case *External:
			return in.externalSuper(v.self, r, name), true
		}
	}
	return Value{Kind: NativeKind, Ref: &Native{Name: "object." + name, Run: func(in *Interp, c *Call) Value {
		if o := v.self.Object(); name == "__setattr__" && o != nil && len(c.Args) == 2 {
			in.write(o.Attrs, c.Args[0], c.Args[1])
		}
		if name == "__new__" && v.self.Kind == ClassKind {
			return Value{Kind: ObjectKind, Ref: in.object(v.self.Ref.(*Class))}
		}
		return none()
	}}}, true
}

// externalSuper is a base's method of another package, called on an object.
func (in *Interp) externalSuper(self Value, e *External, name string) Value {
	if o := self.Object(); o != nil && name != "__init__" { // a modelled base
		if m, ok := o.data.(interface {
			attribute(in *Interp, self Value, name string) (Value, bool)
		}); ok {
			if got, ok := m.attribute(in, self, name); ok {
				return got
			}
		}
	}
	return Value{Kind: NativeKind, Ref: &Native{Name: e.Name + "." + name, Run: func(in *Interp, c *Call) Value {
		o := self.Object()
		c.Self, c.Name = self, e.Name+"."+name
		if name == "__init__" {
			c.Name = e.Name
			if f, ok := baseInits[canonicalName(e.Name)]; ok && o != nil {
				f(in, self, c)
				return none()
			}
		}
		in.observe(c)
		if o != nil && name == "__init__" {
			o.ext = c
			return none()
		}
		return Value{Kind: ExternalKind, Ref: &External{Name: c.Name + "()", Call: c}}
	}}}
}

// superClass is a class whose bases are what follows a class in the order of
// the object's own class, so that cooperative calls go on to siblings.
func (in *Interp) superClass(self Value, after *Class) *Class {
	var own *Class
	if o := self.Object(); o != nil {
		own = o.Class
	} else if c, ok := self.Ref.(*Class); ok {
		own = c
	}
	view := &Class{Name: "super", module: after.module, attrs: newDict()}
	if own == nil || !own.derives(after) {
		view.bases = after.bases
		return view
	}
	order := own.mro()
	for i, c := range order {
		if c == after {
			for _, next := range order[i+1:] {
				view.bases = append(view.bases, Value{Kind: ClassKind, Ref: next})
			}
			break
		}
	}
	if e := after.foreign(); e != nil {
		view.bases = append(view.bases, Value{Kind: ExternalKind, Ref: e})
	} else if e := own.foreign(); e != nil {
		view.bases = append(view.bases, Value{Kind: ExternalKind, Ref: e})
	}
	if len(view.bases) == 0 {
		view.bases = after.bases
	}
	return view
}
