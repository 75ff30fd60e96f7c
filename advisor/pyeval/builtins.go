package pyeval

import (
	"math"
	"sort"
	"strconv"
	"strings"
)

func init() {
	for _, name := range []string{"property", "staticmethod", "classmethod"} {
		builtin(name, func(in *Interp, c *Call) Value { return c.first() })
	}
	builtin("print", func(*Interp, *Call) Value { return none() })
	number := func(convert func(Value) Value) func(in *Interp, c *Call) Value {
		return func(in *Interp, c *Call) Value {
			v := alt1(c, convert)
			if from := c.first(); v.Kind == Unknown && len(c.Args) > 0 {
				switch from.Kind {
				case Str:
					return in.fail("ValueError", "%s", v.Text)
				case None, ListKind, TupleKind, DictKind:
					return in.fail("TypeError", "%s", v.Text)
				}
			}
			return v
		}
	}
	builtin("int", number(toInt))
	builtin("float", number(toFloat))
	builtin("bool", func(in *Interp, c *Call) Value {
		if len(c.Args) == 0 {
			return boolean(false)
		}
		v := c.first()
		yes, known := v.truth()
		if !known {
			return unknown("bool of %s", v.String())
		}
		return boolean(yes).with(v.Origin)
	})
	builtin("str", func(in *Interp, c *Call) Value {
		if len(c.Args) == 0 {
			return str("")
		}
		return alt1(c, func(v Value) Value {
			if !v.Known() {
				return unknown("text of %s", v.String())
			}
			if v.Kind == ExternalKind && isWritten(v.External().Name) {
				return v
			}
			if v.Kind == ExternalKind {
				return str(v.External().Name).with(v.Origin)
			}
			return str(v.String()).with(v.Origin)
		})
	})
	builtins["repr"], builtins["bytes"] = builtins["str"], builtins["str"]
	builtin("len", func(in *Interp, c *Call) Value { return in.length(c.first()) })
	builtin("range", func(in *Interp, c *Call) Value {
		c.Name = "builtins.range"
		c.Site = in.line
		v := Value{Kind: ExternalKind, Ref: &External{Name: c.Name, Call: c, solid: true}}
		if len(c.Args) > 0 {
			v.Origin = c.Args[min(len(c.Args)-1, 1)].Origin
		}
		return v
	})
	builtin("isinstance", func(in *Interp, c *Call) Value { return in.isInstance(c) })
	builtin("issubclass", func(in *Interp, c *Call) Value {
		if len(c.Args) != 2 {
			return unknown("whether a class is below another")
		}
		of := []Value{c.Args[1]}
		if c.Args[1].Kind == TupleKind {
			of, _ = c.Args[1].Items()
		}
		sure := true
		for _, class := range of {
			yes, known := in.below(c.Args[0], class)
			if known && yes {
				return boolean(true)
			}
			sure = sure && known
		}
		if !sure {
			return unknown("whether a class is below another")
		}
		return boolean(false)
	})
	builtin("type", func(in *Interp, c *Call) Value { return in.typeOf(c.first()) })
	builtin("callable", func(in *Interp, c *Call) Value {
		switch v := c.first(); v.Kind {
		case FunctionKind, MethodKind, ClassKind, NativeKind:
			return boolean(true)
		case Unknown, CandidatesKind, ExternalKind:
			return unknown("whether %s can be called", v.String())
		case ObjectKind:
			_, _, ok := v.Object().Class.lookup("__call__")
			return boolean(ok)
		default:
			return boolean(false)
		}
	})
	for _, kind := range []string{"list", "tuple", "set", "frozenset", "sorted", "reversed"} {
		builtin(kind, func(in *Interp, c *Call) Value { return in.collect(kind, c) })
	}
	builtin("dict", func(in *Interp, c *Call) Value { return in.makeDict(c) })
	builtin("min", func(in *Interp, c *Call) Value { return in.extreme(c, -1) })
	builtin("max", func(in *Interp, c *Call) Value { return in.extreme(c, 1) })
	builtin("sum", func(in *Interp, c *Call) Value {
		items, whole := in.iterate(c.first(), listItems)
		if !whole {
			return unknown("a sum of unknown parts")
		}
		total := integer(0)
		if start, ok := c.Arg("start", 1); ok {
			total = start
		}
		for _, v := range items {
			total = in.binary("+", total, v)
		}
		return total
	})
	builtin("abs", func(in *Interp, c *Call) Value {
		return alt1(c, func(v Value) Value {
			switch v.Kind {
			case Int:
				return integer(max(v.Int, -v.Int)).with(v.Origin)
			case Float:
				return float(math.Abs(v.Float)).with(v.Origin)
			}
			return unknown("abs of %s", v.String())
		})
	})
	builtin("round", func(in *Interp, c *Call) Value {
		digits, _ := c.Arg("ndigits", 1)
		return alt1(c, func(v Value) Value {
			f, ok := v.Number()
			if !ok {
				return unknown("round of %s", v.String())
			}
			if digits.Kind == Int {
				p := math.Pow(10, float64(digits.Int))
				return float(math.RoundToEven(f*p) / p).with(v.Origin)
			}
			return integer(int64(math.RoundToEven(f))).with(v.Origin)
		})
	})
	builtin("pow", func(in *Interp, c *Call) Value {
		if len(c.Args) < 2 {
			return unknown("pow")
		}
		return in.binary("**", c.Args[0], c.Args[1])
	})
	builtin("divmod", func(in *Interp, c *Call) Value {
		if len(c.Args) < 2 {
			return unknown("divmod")
		}
		return tuple(in.binary("//", c.Args[0], c.Args[1]), in.binary("%", c.Args[0], c.Args[1]))
	})
	builtin("enumerate", func(in *Interp, c *Call) Value {
		items, whole := in.iterate(c.first(), loopItems)
		if !whole { // the loop keeps what it goes over
			return Value{Kind: ObjectKind, Ref: &Object{Class: pairsClass, Attrs: newDict(), data: pairs{over: c.first()}}, Origin: c.first().Origin}
		}
		start := int64(0)
		if s, ok := c.Arg("start", 1); ok {
			start = s.Int
		}
		out := &List{born: in.born()}
		for i, v := range items {
			out.Items = append(out.Items, tuple(integer(start+int64(i)), v))
		}
		return Value{Kind: ListKind, Ref: out, Origin: c.first().Origin}
	})
	builtin("zip", func(in *Interp, c *Call) Value {
		var columns [][]Value
		rows := loopItems
		for _, a := range c.Args {
			items, whole := in.iterate(a, loopItems)
			if !whole {
				return Value{Kind: ObjectKind, Ref: &Object{Class: pairsClass, Attrs: newDict(), data: pairs{over: a, all: c.Args}}}
			}
			columns = append(columns, items)
			rows = min(rows, len(items))
		}
		out := &List{born: in.born()}
		for i := 0; i < rows && len(columns) > 0; i++ {
			var row []Value
			for _, col := range columns {
				row = append(row, col[i])
			}
			out.Items = append(out.Items, tuple(row...))
		}
		return Value{Kind: ListKind, Ref: out}
	})
	builtin("map", func(in *Interp, c *Call) Value {
		if len(c.Args) < 2 {
			return unknown("map")
		}
		items, whole := in.iterate(c.Args[1], listItems)
		out := &List{born: in.born(), Open: !whole}
		start := in.steps
		for _, v := range items {
			if in.steps-start > loopSteps {
				out.Open = true
				break
			}
			out.Items = append(out.Items, in.call(c.Args[0], &Call{Name: "map", Args: []Value{v}}, nil))
		}
		return Value{Kind: ListKind, Ref: out, Origin: c.Args[1].Origin}
	})
	builtin("filter", func(in *Interp, c *Call) Value {
		if len(c.Args) < 2 {
			return unknown("filter")
		}
		items, whole := in.iterate(c.Args[1], listItems)
		out := &List{born: in.born(), Open: !whole}
		for _, v := range items {
			yes, known := v.truth()
			if c.Args[0].Kind != None {
				yes, known = in.call(c.Args[0], &Call{Name: "filter", Args: []Value{v}}, nil).truth()
			}
			if yes || !known {
				out.Items = append(out.Items, v)
				out.Open = out.Open || !known
			}
		}
		return Value{Kind: ListKind, Ref: out}
	})
	builtin("any", func(in *Interp, c *Call) Value { return in.anyAll(c.first(), true) })
	builtin("all", func(in *Interp, c *Call) Value { return in.anyAll(c.first(), false) })
	builtin("getattr", func(in *Interp, c *Call) Value {
		if len(c.Args) < 2 || c.Args[1].Kind != Str {
			return unknown("an attribute with an unknown name")
		}
		if len(c.Args) == 2 {
			return in.attribute(c.Args[0], c.Args[1].Text)
		}
		if has, known := in.hasAttr(c.Args[0], c.Args[1].Text); known {
			if has {
				return in.attribute(c.Args[0], c.Args[1].Text)
			}
			return c.Args[2]
		}
		return join(c.Args[2], unknown("an attribute that may be set"))
	})
	builtin("hasattr", func(in *Interp, c *Call) Value {
		if len(c.Args) < 2 || c.Args[1].Kind != Str {
			return unknown("an attribute with an unknown name")
		}
		has, known := in.hasAttr(c.Args[0], c.Args[1].Text)
		if !known {
			return unknown("whether %s has %s", c.Args[0].String(), c.Args[1].Text)
		}
		return boolean(has)
	})
	builtin("setattr", func(in *Interp, c *Call) Value {
		if len(c.Args) == 3 && c.Args[1].Kind == Str {
			in.setAttribute(c.Args[0], c.Args[1].Text, c.Args[2])
		} else if len(c.Args) == 3 {
			if o := c.Args[0].Object(); o != nil {
				o.Attrs.Open = true
			}
		}
		return none()
	})
	builtin("delattr", func(in *Interp, c *Call) Value {
		if len(c.Args) == 2 {
			if o := c.Args[0].Object(); o != nil && !in.weakly(o.Attrs.born) {
				o.Attrs.remove(c.Args[1])
			}
		}
		return none()
	})
	builtin("next", func(in *Interp, c *Call) Value {
		items, _ := in.iterate(c.first(), 1)
		if len(items) > 0 {
			return items[0]
		}
		return in.sample(c.first(), nil)
	})
	builtin("iter", func(in *Interp, c *Call) Value {
		if len(c.Args) == 2 {
			return unknown("rounds until a call gives a mark")
		}
		return c.first()
	})
	builtin("open", func(in *Interp, c *Call) Value { return in.openFile(c) })
	builtin("object", func(in *Interp, c *Call) Value {
		return Value{Kind: ObjectKind, Ref: in.object(plainClass)}
	})
	builtin("__import__", func(in *Interp, c *Call) Value {
		if name, ok := c.text("name", 0); ok {
			return in.importModule(name)
		}
		return unknown("an import with an unknown name")
	})
	builtin("input", func(*Interp, *Call) Value { return unknown("what somebody types") })
	builtin("id", func(in *Interp, c *Call) Value { return unknown("an identity") })
	builtin("hash", func(in *Interp, c *Call) Value { return unknown("a hash") })
	builtin("chr", func(in *Interp, c *Call) Value { return unknown("a character") })
	builtin("ord", func(in *Interp, c *Call) Value { return unknown("a character's number") })
	for _, name := range []string{"exit", "quit"} {
		builtin(name, func(in *Interp, c *Call) Value { panic(raised{class: "SystemExit", site: in.line}) })
	}
	builtins["__debug__"] = boolean(true)
	builtins["NotImplemented"] = none()
	builtins["__builtins__"] = unknown("the built-in names")
	for _, e := range []string{"Exception", "BaseException", "ValueError", "TypeError", "KeyError", "IndexError", "RuntimeError", "ImportError", "ModuleNotFoundError", "AttributeError", "NotImplementedError", "OSError", "IOError", "FileNotFoundError", "AssertionError", "StopIteration", "KeyboardInterrupt", "SystemExit", "NameError", "LookupError", "Warning", "UserWarning", "DeprecationWarning", "FutureWarning", "ZeroDivisionError", "FileExistsError", "PermissionError", "TimeoutError", "ConnectionError"} {
		builtins[e] = external("builtins." + e)
	}
}

// plainClass is the class of simple namespaces.
var plainClass = nativeClass("object")
var pairsClass = nativeClass("pairs")

func nativeClass(name string) *Class {
	return &Class{Name: name, module: &Module{Name: "builtins", globals: newDict(), state: 2}, attrs: newDict(), notes: map[string]*node{}}
}

// pairs is an enumerate or zip over something whose items nobody knows.
type pairs struct {
	over Value
	all  []Value // of a zip: what it goes over side by side; nil for enumerate
}

func alt1(c *Call, f func(Value) Value) Value {
	v := c.first()
	if len(c.Args) == 0 && len(c.Kw) == 0 {
		return f(integer(0))
	}
	out := Value{}
	for i, a := range v.Alternatives() {
		got := f(a)
		if i == 0 {
			out = got
		} else {
			out = join(out, got)
		}
	}
	return out
}

func toInt(v Value) Value {
	switch v.Kind {
	case Int, Bool:
		return integer(v.Int).with(v.Origin)
	case Float:
		if math.Abs(v.Float) < 1e18 {
			return integer(int64(v.Float)).with(v.Origin)
		}
	case Str:
		if i, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(v.Text), "_", ""), 10, 64); err == nil {
			return integer(i).with(v.Origin)
		}
		return unknown("int of %q", v.Text)
	case ExternalKind:
		return v
	}
	return unknown("int of %s", v.String())
}

func toFloat(v Value) Value {
	if f, ok := v.Number(); ok {
		return float(f).with(v.Origin)
	}
	if v.Kind == Str {
		if f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(v.Text), "_", ""), 64); err == nil {
			return float(f).with(v.Origin)
		}
	}
	if v.Kind == ExternalKind {
		return v
	}
	return unknown("float of %s", v.String())
}

func (in *Interp) length(v Value) Value {
	switch v.Kind {
	case Str:
		return integer(int64(len([]rune(v.Text)))).with(v.Origin)
	case ListKind, TupleKind, SetKind:
		if l := v.Ref.(*List); !l.Open {
			return integer(int64(len(l.Items))).with(v.Origin)
		}
	case DictKind:
		if d := v.Dict(); !d.Open {
			return integer(int64(d.Len())).with(v.Origin)
		}
	case ExternalKind:
		e := v.External()
		if e.Name == "builtins.range" && e.Call != nil {
			if items, whole := rangeItems(e.Call, v, 1<<20); whole {
				return integer(int64(len(items))).with(v.Origin)
			}
			return unknown("the length of a long range")
		}
		if strings.HasPrefix(e.Name, "torch.nn.") {
			if items, whole := in.iterate(v, listItems); whole {
				return integer(int64(len(items))).with(v.Origin)
			}
		}
		return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + ".__len__", Call: e.Call}, Origin: v.Origin}
	case ObjectKind:
		if n, ok := in.tryCall(v, "__len__"); ok {
			return n
		}
		if v.Object().Class.native() == "dict" {
			return in.length(Value{Kind: DictKind, Ref: v.Object().Attrs, Origin: v.Origin})
		}
	}
	return unknown("the length of %s", v.String())
}

func (in *Interp) collect(kind string, c *Call) Value {
	out := &List{born: in.born()}
	result := Value{Kind: ListKind, Ref: out}
	switch kind {
	case "tuple":
		result.Kind = TupleKind
	case "set", "frozenset":
		result.Kind = SetKind
	}
	if len(c.Args) == 0 {
		return result
	}
	from := c.first()
	items, whole := in.iterate(from, listItems)
	if !whole && len(items) == 0 {
		if from.Kind == ExternalKind && kind != "set" {
			return from
		}
	}
	out.Items, out.Open, result.Origin = items, !whole, from.Origin
	switch kind {
	case "set", "frozenset":
		var seen []Value
		dup := map[string]bool{}
		for _, v := range items {
			if k, ok := v.key(); !ok || !dup[k] {
				dup[k] = ok
				seen = append(seen, v)
			}
		}
		out.Items = seen
	case "reversed":
		for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
			items[i], items[j] = items[j], items[i]
		}
	case "sorted":
		if !in.sortItems(out.Items, c) {
			out.Open = true
		}
	}
	return result
}

// sortItems sorts plain values in place; false when their order is unknown.
func (in *Interp) sortItems(items []Value, c *Call) bool {
	keys := make([]Value, len(items))
	by, has := c.Arg("key", -1)
	for i, v := range items {
		keys[i] = v
		if has && by.Kind != None {
			keys[i] = in.call(by, &Call{Name: "key", Args: []Value{v}}, nil)
		}
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	sure := true
	sort.SliceStable(order, func(a, b int) bool {
		yes, known := in.compare("<", keys[order[a]], keys[order[b]]).truth()
		sure = sure && known
		return known && yes
	})
	if !sure {
		return false
	}
	if r, ok := c.Arg("reverse", -1); ok {
		if yes, _ := r.truth(); yes {
			for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
				order[i], order[j] = order[j], order[i]
			}
		}
	}
	sorted := make([]Value, len(items))
	for i, o := range order {
		sorted[i] = items[o]
	}
	copy(items, sorted)
	return true
}

func (in *Interp) makeDict(c *Call) Value {
	d := newDict()
	d.born = in.born()
	d.Open = c.Open
	if in.funcName == "" && in.line != nil {
		if m := in.saw.Entry; m != nil {
			d.module = m
		}
	}
	if len(c.Args) > 0 {
		from := c.Args[0]
		if e := from.Dict(); e != nil {
			e.Each(d.set)
			d.Open = d.Open || e.Open
		} else if o := from.Object(); o != nil {
			o.Attrs.Each(d.set)
		} else {
			items, whole := in.iterate(from, listItems)
			d.Open = d.Open || !whole
			for _, row := range items {
				if pair, ok := row.Items(); ok && len(pair) == 2 {
					d.set(pair[0], pair[1])
				}
			}
		}
	}
	for _, k := range c.Kw {
		d.set(str(k.Name), k.Value)
	}
	return Value{Kind: DictKind, Ref: d}
}

// isLength reports an unknown number of items of data. There is more data than
// the numbers it is compared with, such as a batch.
func isLength(v Value) bool {
	e := v.External()
	return e != nil && strings.HasSuffix(e.Name, "__len__") || v.Kind == Unknown && strings.HasPrefix(v.Text, "the length of")
}

func (in *Interp) extreme(c *Call, sign int) Value {
	items := c.Args
	whole := true
	if len(items) == 1 {
		items, whole = in.iterate(items[0], listItems)
	}
	if !whole || len(items) == 0 {
		if d, ok := c.Arg("default", -1); ok && whole {
			return d
		}
		return unknown("an extreme of unknown values")
	}
	best := items[0]
	for _, v := range items[1:] {
		best = each2(best, v, func(x, y Value) Value {
			more, known := in.compare(">", x, y).truth()
			if !known {
				if _, is := x.Number(); is && sign < 0 && isLength(y) {
					return x
				} else if _, is := y.Number(); is && sign < 0 && isLength(x) {
					return y
				}
				return join(x, y)
			}
			if more == (sign > 0) {
				return x
			}
			return y
		})
		if !best.Known() && best.Kind != CandidatesKind {
			return best
		}
	}
	return best
}

func (in *Interp) anyAll(v Value, any bool) Value {
	items, whole := in.iterate(v, listItems)
	sure := whole
	for _, item := range items {
		yes, known := item.truth()
		if known && yes == any {
			return boolean(any)
		}
		sure = sure && known
	}
	if !sure {
		return unknown("whether any or all hold")
	}
	return boolean(!any)
}

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
