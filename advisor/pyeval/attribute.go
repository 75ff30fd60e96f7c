package pyeval

import (
	"path"
	"strconv"
	"strings"
)

func joinPath(a, b string) string {
	if strings.HasPrefix(b, "/") || a == "" {
		return b
	}
	if strings.HasSuffix(a, "/") {
		return a + b
	}
	return a + "/" + b
}

// attribute gives the value of an attribute.
func (in *Interp) attribute(v Value, name string) Value {
	switch v.Kind {
	case CandidatesKind:
		var out Value
		for i, a := range v.Alternatives() {
			got := in.attribute(a, name)
			if i == 0 {
				out = got
			} else {
				out = join(out, got)
			}
		}
		return out
	case ModuleKind:
		return in.moduleAttr(v.Ref.(*Module), name)
	case ExternalKind:
		return in.externalAttr(v, name)
	case ClassKind:
		return in.classAttr(v, name)
	case ObjectKind:
		return in.objectAttr(v, name)
	case DictKind:
		d := v.Dict()
		if d.attrs {
			if got, ok := d.Get(name); ok {
				return got
			}
		}
		if f, ok := styleAttrs[d.style+"."+name]; ok {
			return f(in, v)
		}
		if f, ok := methods[d.style][name]; ok && d.style != "" {
			return bound(v, d.style+"."+name, f)
		}
		if f, ok := methods["dict"][name]; ok {
			return bound(v, "dict."+name, f)
		}
		if d.attrs {
			if d.Open {
				return unknown("%s is not known to be set", name)
			}
			return in.fail("AttributeError", "the configuration has no key %s", name)
		}
	case Str:
		if f, ok := methods["str"][name]; ok {
			return bound(v, "str."+name, f)
		}
		if f, ok := pathAttrs[name]; ok { // paths are kept as text
			return f(in, v)
		}
		if f, ok := methods["path"][name]; ok {
			return bound(v, "path."+name, f)
		}
	case ListKind, TupleKind, SetKind:
		if f, ok := methods["list"][name]; ok {
			return bound(v, "list."+name, f)
		}
	case FunctionKind:
		fn := v.Ref.(*Function)
		switch name {
		case "remote":
			return in.remote(v)
		case "options":
			return in.workerOptions(v)
		case "__name__", "__qualname__":
			return str(fn.Name)
		case "__module__":
			return str(fn.module.Name)
		case "__wrapped__":
			return v
		}
	case MethodKind:
		switch name {
		case "__self__":
			return v.Ref.(*Method).Self
		case "__func__":
			return v.Ref.(*Method).Func
		case "remote":
			return in.remote(v)
		}
		return in.attribute(v.Ref.(*Method).Func, name)
	case NativeKind:
		n := v.Ref.(*Native)
		if name == "__name__" {
			return str(n.Name)
		}
		if p := n.partial; p != nil {
			switch name {
			case "func":
				return p.Args[0]
			case "args":
				return tuple(p.Args[1:]...)
			case "keywords":
				d := dict()
				for _, k := range p.Kw {
					d.Dict().set(str(k.Name), k.Value)
				}
				return d
			}
			return unknown("%s of a partial function", name)
		}
		if f, ok := staticMethods[n.Name+"."+name]; ok {
			return f
		}
		if f, ok := methods[n.Name][name]; ok { // str.lower as a function
			return Value{Kind: NativeKind, Ref: &Native{Name: n.Name + "." + name, Run: func(in *Interp, c *Call) Value {
				if len(c.Args) == 0 {
					return unknown("no argument")
				}
				d := *c
				d.Self, d.Args = c.Args[0], c.Args[1:]
				return f(in, &d)
			}}}
		}
	case Unknown:
		return Value{Kind: Unknown, Text: v.Text}
	case Int, Float, Bool:
		if name == "value" || name == "real" {
			return v
		}
		if name == "is_integer" {
			return Value{Kind: NativeKind, Ref: &Native{Name: name, Run: func(*Interp, *Call) Value {
				f, _ := v.Number()
				return boolean(f == float64(int64(f)))
			}}}
		}
	}
	if name == "__class__" {
		return in.typeOf(v)
	}
	if surelyLacks(v, name) {
		return in.fail("AttributeError", "%s has no attribute %s", v.String(), name)
	}
	return unknown("%s has no attribute %s that is followed", v.String(), name)
}

// surelyLacks reports whether a value has no attribute of a name in Python
// either: not all methods of the built-in types are modelled here.
func surelyLacks(v Value, name string) bool {
	switch v.Kind {
	case None, Int, Float, Bool:
		return true
	case ListKind, TupleKind, SetKind, DictKind:
		_, text := methods["str"][name]
		_, list := methods["list"][name]
		_, dict := methods["dict"][name]
		return (text && !list && !dict) || (v.Kind != DictKind && dict && !list)
	}
	return false
}

func bound(self Value, name string, run func(*Interp, *Call) Value) Value {
	return Value{Kind: NativeKind, Ref: &Native{Name: name, Run: func(in *Interp, c *Call) Value {
		c.Self = self
		return run(in, c)
	}}}
}

func (in *Interp) externalAttr(v Value, name string) Value {
	e := v.External()
	full := e.Name + "." + name
	if e.Call == nil {
		if f, ok := constants[full]; ok {
			return f(in)
		}
		if f, ok := natives[canonicalName(full)]; ok && !constructs(name) { // a class stays a name: programs derive from it and compare with it
			return Value{Kind: NativeKind, Ref: &Native{Name: full, Run: f}}
		}
		return Value{Kind: ExternalKind, Ref: &External{Name: full, solid: true}}
	}
	if e.Call != nil {
		if f, ok := resultAttrs[canonicalName(e.Name)+"."+name]; ok {
			return f(in, v)
		}
		if got, ok := in.constructed(e, name); ok {
			return got
		}
		if got, ok := in.unset(e.Name, name); ok {
			return got
		}
	}
	if len(full) > 400 {
		return unknown("a long chain from %s", full[:60])
	}
	return Value{Kind: ExternalKind, Ref: &External{Name: full, Call: e.Call, Args: e.Args}, Origin: v.Origin}
}

func (in *Interp) classAttr(v Value, name string) Value {
	c := v.Ref.(*Class)
	switch name {
	case "__name__", "__qualname__":
		return str(c.Name)
	case "__module__":
		return str(c.module.Name)
	case "__mro__":
		return unknown("the order of bases")
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

// write sets a key of a container, weakly where the write may not happen, and
// keeps what the new value beats.
func (in *Interp) write(d *Dict, key, to Value) {
	old, had := d.get(key)
	if had && old.Ref != nil {
		if _, lazy := old.Ref.(*lazyName); lazy {
			had = false
		}
	}
	if had && to.Origin != nil && old.Origin != nil && old.Known() && to.Known() && !descends(to.Origin, old.Origin, 6) && !descends(old.Origin, to.Origin, 6) {
		to.Origin = to.Origin.Over(old.Origin)
	}
	if in.weakly(d.born) {
		if had {
			to = join(old, to)
		}
	}
	if d.tree != nil {
		to = in.rawCopy(plainConfig(in, to), 60)
	} else if e := to.Dict(); e != nil && !e.attrs && d.style != "" { // a configuration takes a copy
		to = in.styled(in.copyOf(to, 40), d.style)
	}
	d.set(key, to)
	if d.tree != nil {
		in.omegaChanged(d, key)
	}
}

// item gives the value of a subscript.
func (in *Interp) item(base, key Value) Value {
	switch base.Kind {
	case CandidatesKind:
		return each2(base, none(), func(b, _ Value) Value { return in.item(b, key) })
	case DictKind:
		if key.Kind == CandidatesKind {
			return each2(key, none(), func(k, _ Value) Value { return in.item(base, k) })
		}
		d := base.Dict()
		if got, ok := d.get(key); ok {
			return in.settle(d, key.Text, got)
		}
		if key.Kind == Unknown || key.result() {
			return unknown("an item with an unknown key: %s", key.Text)
		}
		if key.Kind == Str && d.module != nil && in.searchPending(key.Text) {
			if got, ok := d.get(key); ok {
				return got
			}
		}
		if d.Open {
			return unknown("the key %s is not known to be set", key.String())
		}
		return in.fail("KeyError", "%s", key.String())
	case ListKind, TupleKind:
		l := base.Ref.(*List)
		if key.Kind == Int {
			i := key.Int
			if i < 0 {
				i += int64(len(l.Items))
			}
			if i >= 0 && i < int64(len(l.Items)) && (key.Int >= 0 || !l.Open) {
				return l.Items[i].by(base.Origin)
			}
			if !l.Open {
				return in.fail("IndexError", "index %d of a list of %d", key.Int, len(l.Items))
			}
		}
		return unknown("an item of %s", base.String())
	case Str:
		runes := []rune(base.Text)
		i := key.Int
		if i < 0 {
			i += int64(len(runes))
		}
		if key.Kind == Int && i >= 0 && i < int64(len(runes)) {
			return str(string(runes[i])).with(base.Origin)
		}
	case ClassKind: // Generic[T], or an enumeration by name
		if f, _, ok := base.Ref.(*Class).lookup("__class_getitem__"); ok {
			return in.call(Value{Kind: MethodKind, Ref: &Method{Self: base, Func: f}}, &Call{Name: "__class_getitem__", Args: []Value{key}}, nil)
		}
		if c := base.Ref.(*Class); in.isEnum(c) && key.Kind == Str {
			return in.classAttr(base, key.Text)
		}
		return base
	case NativeKind, FunctionKind:
		return base
	case ObjectKind:
		o := base.Object()
		if f, _, ok := o.Class.lookup("__getitem__"); ok {
			return in.call(Value{Kind: MethodKind, Ref: &Method{Self: base, Func: f}}, &Call{Name: "__getitem__", Args: []Value{key}}, nil)
		}
		if o.Class.native() == "dict" {
			return in.item(Value{Kind: DictKind, Ref: o.Attrs, Origin: base.Origin}, key)
		}
		if m, ok := o.data.(interface {
			item(in *Interp, self, key Value) Value
		}); ok {
			return m.item(in, base, key)
		}
		if got, ok := o.Attrs.get(key); ok {
			return got
		}
		if e := o.Class.foreign(); e != nil {
			return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + "[]", Call: o.ext, Args: base}}
		}
	case ExternalKind:
		e := base.External()
		if e.Call == nil {
			return base // a generic type
		}
		if e.Name == "builtins.range" && key.Kind == Int {
			if items, _ := rangeItems(e.Call, base, 100000); key.Int >= 0 && key.Int < int64(len(items)) {
				return items[key.Int]
			}
		}
		name := "[]"
		if key.Kind == Int || key.Kind == Str {
			name = "[" + key.String() + "]"
		}
		return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + name, Call: e.Call, Args: e.Args}, Origin: base.Origin}
	}
	return unknown("an item of %s", base.String())
}

func (in *Interp) setItem(base, key, to Value) {
	switch base.Kind {
	case DictKind:
		d := base.Dict()
		if _, ok := key.key(); !ok || !key.Known() {
			for _, k := range key.Alternatives() {
				if _, fine := k.key(); fine && key.Kind == CandidatesKind {
					in.doubtful(func() { in.write(d, k, to) })
				}
			}
			d.Open = true
			return
		}
		in.write(d, key, to)
	case ListKind:
		l := base.Ref.(*List)
		i := key.Int
		if i < 0 {
			i += int64(len(l.Items))
		}
		if key.Kind == Int && i >= 0 && i < int64(len(l.Items)) {
			if in.weakly(l.born) {
				to = join(l.Items[i], to)
			}
			l.Items[i] = to
			return
		}
		l.Open = true
	case ObjectKind:
		o := base.Object()
		if f, _, ok := o.Class.lookup("__setitem__"); ok {
			in.call(Value{Kind: MethodKind, Ref: &Method{Self: base, Func: f}}, &Call{Name: "__setitem__", Args: []Value{key, to}}, nil)
			return
		}
		if key.Kind == Str {
			in.write(o.Attrs, key, to)
		}
	case ExternalKind:
		if e := base.External(); e.Name == "os.environ" && key.Kind == Str {
			in.write(in.environ, key, to)
		}
	}
}

var pathAttrs = map[string]func(in *Interp, v Value) Value{
	"name": func(_ *Interp, v Value) Value { return str(path.Base(v.Text)).with(v.Origin) },
	"stem": func(_ *Interp, v Value) Value {
		return str(strings.TrimSuffix(path.Base(v.Text), path.Ext(v.Text))).with(v.Origin)
	},
	"suffix": func(_ *Interp, v Value) Value { return str(path.Ext(v.Text)).with(v.Origin) },
	"parent": func(_ *Interp, v Value) Value { return str(path.Dir(v.Text)).with(v.Origin) },
	"parents": func(_ *Interp, v Value) Value {
		var all []Value
		for p, n := v.Text, 0; p != "." && p != "/" && n < 32; n++ {
			p = path.Dir(p)
			all = append(all, str(p))
		}
		return list(all...)
	},
	"parts": func(_ *Interp, v Value) Value {
		var all []Value
		for _, p := range strings.Split(v.Text, "/") {
			all = append(all, str(p))
		}
		return tuple(all...)
	},
	"value": func(_ *Interp, v Value) Value { return v }, // members of enumerations of text
}

func itoa(i int) string { return strconv.Itoa(i) }
