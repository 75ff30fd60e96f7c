package pyeval

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// Kind is the sort of a value.
type Kind uint8

const (
	Unknown Kind = iota // cannot be told; Text holds the reason
	None
	Bool
	Int
	Float
	Str
	ListKind
	TupleKind
	SetKind
	DictKind
	FunctionKind
	MethodKind
	ClassKind
	ObjectKind
	ModuleKind
	NativeKind
	ExternalKind   // something of a package that is not in the repository; Ref is *External
	CandidatesKind // one of several values; Ref is []Value
)

// Value is a handle of a Python value. Numbers and text are held in it; what
// can change is held behind Ref, so that copies of a Value share it.
//
// Invariant: Ref is *List for lists, tuples and sets, *Dict, *Function,
// *Method, *Class, *Object, *Module, *Native, *External or []Value as Kind
// says, and nil otherwise.
type Value struct {
	Kind   Kind
	Int    int64 // Bool: 0 or 1
	Float  float64
	Text   string
	Ref    any
	Origin *origin.Origin
}

// List is the contents of a list, tuple or set. Open says that items may be
// missing from it.
type List struct {
	Items []Value
	Open  bool
	maybe bool       // whatever is in it was put there behind unknown conditions
	born  int        // moment of its making; 0: before everything
	tree  *omegaTree // the OmegaConf configuration that it is part of
}

// unknown makes a value that cannot be told, for a reason a person can use.
func unknown(format string, args ...any) Value {
	text := fmt.Sprintf(format, args...)
	if len(text) > 300 { // a reason that quotes reasons grows without end
		text = text[:300] + "..."
	}
	return Value{Kind: Unknown, Text: text}
}

func none() Value            { return Value{Kind: None} }
func boolean(b bool) Value   { return Value{Kind: Bool, Int: b2i(b)} }
func integer(i int64) Value  { return Value{Kind: Int, Int: i} }
func float(f float64) Value  { return Value{Kind: Float, Float: f} }
func str(s string) Value     { return Value{Kind: Str, Text: s} }
func list(v ...Value) Value  { return Value{Kind: ListKind, Ref: &List{Items: v}} }
func tuple(v ...Value) Value { return Value{Kind: TupleKind, Ref: &List{Items: v}} }
func dict() Value            { return Value{Kind: DictKind, Ref: newDict()} }

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// with is the value with another origin.
func (v Value) with(o *origin.Origin) Value {
	v.Origin = o
	return v
}

// by is the value with an origin unless it has one.
func (v Value) by(o *origin.Origin) Value {
	if v.Origin == nil {
		v.Origin = o
	}
	return v
}

// Known reports whether the value is fully told at its top.
func (v Value) Known() bool { return v.Kind != Unknown && v.Kind != CandidatesKind }

// result reports whether the value is what a call of another package gave:
// it may be equal to anything.
func (v Value) result() bool {
	e := v.External()
	return e != nil && e.Call != nil && !e.solid
}

// Number returns the value of an integer, float or bool.
func (v Value) Number() (float64, bool) {
	switch v.Kind {
	case Int, Bool:
		return float64(v.Int), true
	case Float:
		return v.Float, true
	}
	return 0, false
}

// Items returns the contents of a list, tuple or set.
func (v Value) Items() ([]Value, bool) {
	if l, ok := v.Ref.(*List); ok {
		return l.Items, !l.Open
	}
	return nil, false
}

// Dict returns the contents of a dict, or nil.
func (v Value) Dict() *Dict {
	d, _ := v.Ref.(*Dict)
	return d
}

// Alternatives lists the values that v may be: itself unless it is a set of
// candidates.
func (v Value) Alternatives() []Value {
	if v.Kind == CandidatesKind {
		return v.Ref.([]Value)
	}
	return []Value{v}
}

// truth tells whether a value counts as true; known is false when that cannot
// be told.
func (v Value) truth() (yes, known bool) {
	switch v.Kind {
	case None:
		return false, true
	case Bool, Int:
		return v.Int != 0, true
	case Float:
		return v.Float != 0, true
	case Str:
		return v.Text != "", true
	case ListKind, TupleKind, SetKind:
		l := v.Ref.(*List)
		return len(l.Items) > 0, len(l.Items) > 0 && !l.maybe || len(l.Items) == 0 && !l.Open
	case DictKind:
		d := v.Ref.(*Dict)
		return len(d.keys) > 0, len(d.keys) > 0 || !d.Open
	case FunctionKind, MethodKind, ClassKind, ModuleKind, NativeKind:
		return true, true
	case ObjectKind:
		return true, true
	case ExternalKind:
		e := v.Ref.(*External)
		return true, e.Call == nil || e.solid
	case CandidatesKind:
		all := v.Ref.([]Value)
		for i, a := range all {
			y, k := a.truth()
			if !k || (i > 0 && y != yes) {
				return false, false
			}
			yes = y
		}
		return yes, len(all) > 0
	}
	return false, false
}

// key is the identity of a value as a dict's key; ok is false for what cannot
// be one here.
func (v Value) key() (string, bool) { return v.keyTo(4) }

func (v Value) keyTo(depth int) (string, bool) {
	switch v.Kind {
	case Str:
		return "s" + v.Text, true
	case Int, Bool:
		return "n" + strconv.FormatInt(v.Int, 10), true
	case Float:
		if v.Float == math.Trunc(v.Float) && math.Abs(v.Float) < 1e15 {
			return "n" + strconv.FormatInt(int64(v.Float), 10), true
		}
		return "f" + strconv.FormatFloat(v.Float, 'g', -1, 64), true
	case None:
		return "none", true
	case TupleKind:
		var parts []string
		size := 0
		for _, item := range v.Ref.(*List).Items {
			if depth == 0 || size > 1<<16 {
				return "", false
			}
			k, ok := item.keyTo(depth - 1)
			if !ok {
				return "", false
			}
			size += len(k)
			parts = append(parts, k)
		}
		return "t" + strings.Join(parts, "\x00"), true
	case FunctionKind, ClassKind, ModuleKind, ObjectKind, NativeKind:
		return fmt.Sprintf("p%p", v.Ref), true
	case ExternalKind:
		if e := v.Ref.(*External); e.Call == nil {
			return "e" + e.Name, true
		}
		return fmt.Sprintf("p%p", v.Ref), true
	}
	return "", false
}

// shownDepth bounds how deep containers are written out: one may hold itself.
const shownDepth = 5

// String is the value as str() would show it, as far as it is known.
func (v Value) String() string { return v.show(shownDepth) }

func (v Value) show(depth int) string {
	switch v.Kind {
	case None:
		return "None"
	case Bool:
		if v.Int != 0 {
			return "True"
		}
		return "False"
	case Int:
		return strconv.FormatInt(v.Int, 10)
	case Float:
		return floatText(v.Float)
	case Str:
		return v.Text
	case ListKind, TupleKind, SetKind:
		var parts []string
		size := 0
		for i, item := range v.Ref.(*List).Items {
			if i == 16 || depth == 0 || size > 1<<12 {
				parts = append(parts, "...")
				break
			}
			part := item.repr(depth - 1)
			size += len(part)
			parts = append(parts, part)
		}
		open, shut := "[", "]"
		if v.Kind == TupleKind {
			open, shut = "(", ")"
		}
		return open + strings.Join(parts, ", ") + shut
	case DictKind:
		return fmt.Sprintf("{%d keys}", v.Ref.(*Dict).Len())
	case FunctionKind:
		return "<function " + v.Ref.(*Function).Name + ">"
	case ClassKind:
		return "<class " + v.Ref.(*Class).Name + ">"
	case ObjectKind:
		if p, ok := v.Ref.(*Object).data.(interface{ printed() string }); ok {
			return p.printed()
		}
		return "<" + v.Ref.(*Object).Class.Name + ">"
	case NativeKind:
		if typeName(v) == "type" {
			return "<class '" + v.Ref.(*Native).Name + "'>"
		}
		return "<function " + v.Ref.(*Native).Name + ">"
	case ModuleKind:
		return "<module " + v.Ref.(*Module).Name + ">"
	case ExternalKind:
		return "<" + v.Ref.(*External).Name + ">"
	case CandidatesKind:
		var parts []string
		for _, a := range v.Ref.([]Value) {
			if depth == 0 {
				return "one of several"
			}
			parts = append(parts, a.repr(depth-1))
		}
		return "one of " + strings.Join(parts, " | ")
	}
	return "?" + v.Text
}

func (v Value) repr(depth int) string {
	if v.Kind == Str {
		return strconv.Quote(v.Text)
	}
	return v.show(depth)
}

// floatText writes a float as Python does.
func floatText(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if f == math.Trunc(f) && math.Abs(f) < 1e16 {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return s
}

// maxCandidates bounds how many possibilities are kept; more are unknown.
const maxCandidates = 8

// join is the value that is a or b.
func join(a, b Value) Value {
	if same(a, b) {
		return a
	}
	var all []Value
	for _, v := range append(append([]Value{}, a.Alternatives()...), b.Alternatives()...) {
		dup := false
		for _, w := range all {
			dup = dup || same(v, w)
		}
		if !dup {
			all = append(all, v)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	if len(all) > maxCandidates {
		return unknown("more than %d possibilities", maxCandidates)
	}
	return Value{Kind: CandidatesKind, Ref: all}
}

// identical reports whether two handles are one; false may be wrong for
// candidates and for what is not plain.
func (v Value) identical(w Value) bool {
	if v.Kind != w.Kind || v.Origin != w.Origin {
		return false
	}
	switch v.Kind {
	case None, Bool, Int, Str:
		return v.Int == w.Int && v.Text == w.Text
	case ListKind, TupleKind, SetKind, DictKind, FunctionKind, ClassKind, ObjectKind, ModuleKind, ExternalKind:
		return v.Ref == w.Ref
	}
	return false
}

// same reports whether two handles are of equal value, by contents for plain
// data and by identity for what can change.
func same(a, b Value) bool { return sameTo(a, b, 6) }

func sameTo(a, b Value, depth int) bool {
	if depth == 0 {
		return false
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Unknown, None:
		return true
	case Bool, Int:
		return a.Int == b.Int
	case Float:
		return a.Float == b.Float
	case Str:
		return a.Text == b.Text
	case ListKind, TupleKind, SetKind:
		x, y := a.Ref.(*List), b.Ref.(*List)
		if x == y {
			return true
		}
		if a.Kind != TupleKind && (len(x.Items) > 32 || len(y.Items) > 32) || len(x.Items) != len(y.Items) {
			return false
		}
		for i := range x.Items {
			if !sameTo(x.Items[i], y.Items[i], depth-1) {
				return false
			}
		}
		return true
	case CandidatesKind:
		x, y := a.Ref.([]Value), b.Ref.([]Value)
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !sameTo(x[i], y[i], depth-1) {
				return false
			}
		}
		return true
	}
	return a.Ref == b.Ref
}
