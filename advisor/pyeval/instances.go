package pyeval

import "strings"

func (in *Interp) hasAttr(v Value, name string) (has, known bool) {
	switch v.Kind {
	case Unknown, CandidatesKind:
		return false, false
	case ExternalKind:
		return true, v.External().Call == nil
	case ModuleKind:
		_, ok := in.lookModule(v.Ref.(*Module), name)
		return ok, true
	case ObjectKind:
		o := v.Object()
		if _, ok := o.Attrs.Get(name); ok {
			return true, true
		}
		if _, _, ok := o.Class.lookup(name); ok {
			return true, true
		}
		if m, ok := o.data.(interface {
			attribute(in *Interp, self Value, name string) (Value, bool)
		}); ok {
			if _, ok := m.attribute(in, v, name); ok {
				return true, true
			}
		}
		return false, o.Class.foreign() == nil && !o.Attrs.Open
	case ClassKind:
		_, _, ok := v.Ref.(*Class).lookup(name)
		return ok, ok || v.Ref.(*Class).foreign() == nil
	case DictKind:
		if d := v.Dict(); d.attrs {
			_, ok := d.Get(name)
			return ok, ok || !d.Open
		}
	}
	kind := typeName(v)
	_, ok := methods[kind][name]
	return ok, true
}

func typeName(v Value) string {
	switch v.Kind {
	case None:
		return "NoneType"
	case Bool:
		return "bool"
	case Int:
		return "int"
	case Float:
		return "float"
	case Str:
		return "str"
	case ListKind:
		return "list"
	case TupleKind:
		return "tuple"
	case SetKind:
		return "set"
	case DictKind:
		return "dict"
	case NativeKind:
		n := v.Ref.(*Native)
		if n.partial != nil {
			return "functools.partial"
		}
		switch n.Name {
		case "int", "float", "bool", "str", "list", "tuple", "set", "dict", "bytes", "object", "type", "frozenset":
			return "type"
		}
		return "function"
	case FunctionKind, MethodKind:
		return "function"
	case ClassKind:
		return "type"
	}
	return ""
}

func (in *Interp) typeOf(v Value) Value {
	switch v.Kind {
	case ObjectKind:
		return Value{Kind: ClassKind, Ref: v.Object().Class}
	case Unknown, CandidatesKind:
		return unknown("the type of %s", v.String())
	case None:
		return external("builtins.NoneType")
	case ExternalKind:
		if e := v.External(); e.Call != nil {
			return external(e.Name)
		}
		if v.External().Name == "dataclasses.MISSING" {
			return external("dataclasses._MISSING_TYPE")
		}
		return unknown("the type of %s", v.String())
	}
	if b, ok := builtins[typeName(v)]; ok {
		return b
	}
	return unknown("the type of %s", v.String())
}

func (in *Interp) isInstance(c *Call) Value {
	if len(c.Args) != 2 {
		return unknown("isinstance")
	}
	v := c.Args[0]
	classes := []Value{c.Args[1]}
	if c.Args[1].Kind == TupleKind {
		classes, _ = c.Args[1].Items()
	}
	out := each2(v, none(), func(v, _ Value) Value {
		sure := true
		for _, class := range classes {
			yes, known := in.instanceOf(v, class)
			if known && yes {
				return boolean(true)
			}
			sure = sure && known
		}
		if !sure {
			return unknown("the type of %s", v.String())
		}
		return boolean(false)
	})
	return out
}

// below reports whether a class is another one or derives from it.
func (in *Interp) below(v, class Value) (yes, known bool) {
	c, _ := v.Ref.(*Class)
	if of, ok := class.Ref.(*Class); ok && c != nil {
		return c.derives(of), true
	}
	if n, ok := class.Ref.(*Native); ok && n.Name == "object" {
		return true, c != nil || v.Kind == NativeKind
	}
	last := ""
	if e := class.External(); e != nil {
		last = lastName(e.Name)
	}
	switch {
	case c != nil && last != "":
		for _, b := range c.Bases() {
			if lastName(b) == last {
				return true, true
			}
		}
		return false, c.foreign() == nil && !ancestral[last]
	case v.Kind == NativeKind && typeName(v) == "type": // int, list, ...
		if n, ok := class.Ref.(*Native); ok {
			name := v.Ref.(*Native).Name
			return name == n.Name || name == "bool" && n.Name == "int", true
		}
		return strings.EqualFold(last, v.Ref.(*Native).Name), class.Kind == ClassKind || last != "" && !ancestral[last] && !strings.Contains(class.External().Name, "numbers.")
	}
	return false, false
}

// ancestral are classes of other packages that much else derives from: whether
// an object of a third class is one of them cannot be told by names.
var ancestral = map[string]bool{"Module": true, "object": true, "ABC": true, "Mapping": true, "Iterable": true, "Callable": true, "Dataset": true, "LightningModule": true, "PreTrainedModel": true, "Layer": true, "Model": true, "Sized": true, "Sequence": true}

func packageName(full string) string {
	top, _, _ := strings.Cut(full, ".")
	return top
}

func (in *Interp) instanceOf(v, class Value) (yes, known bool) {
	if !v.Known() || !class.Known() {
		return false, false
	}
	switch class.Kind {
	case NativeKind:
		want := class.Ref.(*Native).Name
		if n, ok := v.Ref.(*Native); ok && n.partial != nil {
			return want == "functools.partial", true
		}
		if e := v.External(); e != nil { // what a call gave may be of any type
			return false, e.solid && want != "dict"
		}
		if o := v.Object(); o != nil {
			return want == "object" || o.Class.native() == want, true
		}
		got := typeName(v)
		return got == want || (want == "int" && got == "bool") || want == "object" || (want == "type" && got == "type") ||
			((want == "frozenset") && got == "set"), true
	case ClassKind:
		o := v.Object()
		if o == nil {
			return false, v.Kind != ExternalKind
		}
		return o.Class.derives(class.Ref.(*Class)), true
	case ExternalKind:
		name := class.External().Name
		last := lastName(name)
		switch v.Kind {
		case ObjectKind:
			for _, b := range v.Object().Class.Bases() {
				if b == name || lastName(b) == last {
					return true, true
				}
				if packageName(b) == packageName(name) && strings.HasSuffix(b, last) { // CompositeScheduler is a Scheduler
					return true, true
				}
			}
			if v.Object().Class.Name == last {
				return true, true
			}
			return false, v.Object().Class.foreign() == nil || !ancestral[last]
		case ExternalKind:
			if v.External().Name == "dataclasses.MISSING" {
				return last == "_MISSING_TYPE", true
			}
			if e := v.External(); e.Call != nil && (e.Name == name || lastName(e.Name) == last) {
				return true, true
			}
			return false, false
		case DictKind:
			switch last {
			case "Mapping", "MutableMapping", "Dict", "OrderedDict":
				return last != "OrderedDict" || true, true
			case "DictConfig", "ConfigDict", "CfgNode", "Config":
				return v.Dict().attrs, true
			}
			return false, true
		case ListKind, TupleKind:
			return last == "Sequence" || last == "Iterable" || last == "Collection" || (v.Kind == ListKind && (last == "ListConfig" || last == "List" || last == "MutableSequence")), true
		case Str:
			return last == "Sequence" || last == "Iterable" || last == "string_types" || last == "Path" || last == "PathLike" || last == "PurePath", last != "Path"
		case FunctionKind, MethodKind, ClassKind, NativeKind:
			return last == "Callable" || v.Kind != ClassKind && last == "FunctionType", true
		case Int, Float, Bool:
			return last == "Number" || last == "Real" || (last == "Integral" && v.Kind != Float), true
		}
		return false, v.Kind != ExternalKind
	}
	return false, false
}
