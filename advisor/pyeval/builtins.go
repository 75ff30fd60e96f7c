package pyeval

import (
	"math"
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
			if v.Kind == ExternalKind && v.External().Call != nil {
				return unknown("text of %s", v.String())
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
		builtin(name, func(in *Interp, c *Call) Value {
			panic(raised{class: "SystemExit", site: in.line, sure: in.decided() && in.chosen()})
		})
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
