package pyeval

import (
	"math"
	"strings"

	"schedmate/advisor/origin"
)

// binary applies an arithmetic operator, on each combination of candidates.
func (in *Interp) binary(op string, a, b Value) Value {
	if a.Kind == CandidatesKind || b.Kind == CandidatesKind {
		return each2(a, b, func(x, y Value) Value { return in.binary(op, x, y) })
	}
	if a.Kind == Unknown {
		return unknown("%s", a.Text)
	}
	if b.Kind == Unknown {
		return unknown("%s", b.Text)
	}
	v := arithmetic(op, a, b, in.born())
	in.work(len(v.Text) / 64)
	if l, ok := v.Ref.(*List); ok {
		in.work(len(l.Items) / 2)
	}
	if v.Kind == Unknown {
		for _, e := range []*External{a.External(), b.External()} {
			if e != nil && len(e.Name) > 200 {
				return unknown("a long computation with %s", e.Name[:60])
			}
		}
		if e := a.External(); e != nil {
			sum := &External{Name: e.Name + op, Call: e.Call}
			if _, number := b.Number(); op == "+" && number {
				sum.Added = b
			}
			return Value{Kind: ExternalKind, Ref: sum, Origin: a.Origin}
		}
		if e := b.External(); e != nil {
			return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + op, Call: e.Call}, Origin: b.Origin}
		}
		if o := a.Object(); o != nil {
			if f, _, ok := o.Class.lookup(dunder[op]); ok {
				return in.call(Value{Kind: MethodKind, Ref: &Method{Self: a, Func: f}}, &Call{Name: dunder[op], Args: []Value{b}}, nil)
			}
		}
	}
	if _, number := v.Number(); number {
		o := origin.Computed(a.String()+op+b.String(), a.Origin, b.Origin)
		if in.line != nil {
			o.File, o.Line = in.line.File, in.line.Line
		}
		return v.with(o)
	}
	return v.by(a.Origin).by(b.Origin)
}

var dunder = map[string]string{"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__", "|": "__or__", "%": "__mod__"}

func each2(a, b Value, f func(x, y Value) Value) Value {
	var out Value
	first := true
	for _, x := range a.Alternatives() {
		for _, y := range b.Alternatives() {
			v := f(x, y)
			if first {
				out, first = v, false
			} else {
				out = join(out, v)
			}
			if out.Kind == Unknown {
				return out
			}
		}
	}
	return out
}

func arithmetic(op string, a, b Value, born int) Value {
	if (a.Kind == Int || a.Kind == Bool) && (b.Kind == Int || b.Kind == Bool) {
		return whole(op, a.Int, b.Int)
	}
	x, okA := a.Number()
	y, okB := b.Number()
	if okA && okB {
		return fraction(op, x, y)
	}
	switch {
	case op == "+" && a.Kind == Str && b.Kind == Str && len(a.Text)+len(b.Text) < 1<<20:
		return str(a.Text + b.Text)
	case op == "%" && a.Kind == Str:
		return percent(a.Text, b)
	case op == "*" && a.Kind == Int && b.Kind == Str:
		return arithmetic(op, b, a, born)
	case op == "*" && a.Kind == Str && b.Kind == Int && b.Int >= 0 && int64(len(a.Text))*b.Int < 1<<20 && b.Int < 1<<20:
		return str(strings.Repeat(a.Text, int(b.Int)))
	case op == "/" && a.Kind == Str && b.Kind == Str: // a path
		return str(joinPath(a.Text, b.Text))
	}
	la, isA := a.Ref.(*List)
	lb, isB := b.Ref.(*List)
	switch {
	case op == "+" && isA && isB && len(la.Items)+len(lb.Items) <= listItems:
		items := append(append([]Value{}, la.Items...), lb.Items...)
		return Value{Kind: a.Kind, Ref: &List{Items: items, Open: la.Open || lb.Open, born: born}, Origin: a.Origin}
	case op == "*" && isA && b.Kind == Int, op == "*" && isB && a.Kind == Int:
		l, n, kind := la, b.Int, a.Kind
		if !isA {
			l, n, kind = lb, a.Int, b.Kind
		}
		if n < 0 {
			n = 0
		}
		if n > listItems || int64(len(l.Items))*n > listItems {
			return unknown("a long list")
		}
		var items []Value
		for range n {
			items = append(items, l.Items...)
		}
		return Value{Kind: kind, Ref: &List{Items: items, Open: l.Open, born: born}}
	case op == "|" && a.Dict() != nil && b.Dict() != nil:
		d := a.Dict().copy()
		d.born = born
		b.Dict().Each(d.set)
		return Value{Kind: DictKind, Ref: d}
	case (op == "-" || op == "|" || op == "&") && isA && isB && a.Kind == SetKind && len(la.Items) < 4000 && len(lb.Items) < 4000:
		return sets(op, la, lb, born)
	}
	return unknown("%s %s %s is not followed", a.String(), op, b.String())
}

func sets(op string, a, b *List, born int) Value {
	in := func(l *List, v Value) bool {
		for _, w := range l.Items {
			if same(v, w) {
				return true
			}
		}
		return false
	}
	out := &List{born: born, Open: a.Open || b.Open}
	for _, v := range a.Items {
		if op == "|" || in(b, v) == (op == "&") {
			out.Items = append(out.Items, v)
		}
	}
	if op == "|" {
		for _, v := range b.Items {
			if !in(a, v) {
				out.Items = append(out.Items, v)
			}
		}
	}
	return Value{Kind: SetKind, Ref: out}
}

func whole(op string, x, y int64) Value {
	switch op {
	case "+":
		if s := x + y; (s > x) == (y > 0) {
			return integer(s)
		}
	case "-":
		if d := x - y; (d < x) == (y > 0) {
			return integer(d)
		}
	case "*":
		if x == 0 || y == 0 {
			return integer(0)
		}
		if p := x * y; p/y == x && !(x == -1 && y == math.MinInt64) {
			return integer(p)
		}
	case "//":
		if y != 0 {
			q := x / y
			if (x%y != 0) && ((x < 0) != (y < 0)) {
				q--
			}
			return integer(q)
		}
		return unknown("a division by zero")
	case "%":
		if y != 0 {
			m := x % y
			if m != 0 && (m < 0) != (y < 0) {
				m += y
			}
			return integer(m)
		}
		return unknown("a division by zero")
	case "**":
		if y >= 0 && y < 64 {
			out, ok := int64(1), true
			for range y {
				if x != 0 && (out > math.MaxInt64/max(x, -x, 1)) {
					ok = false
					break
				}
				out *= x
			}
			if ok {
				return integer(out)
			}
		}
	case "<<":
		if y >= 0 && y < 40 && x >= 0 && x < 1<<20 {
			return integer(x << uint(y))
		}
	case ">>":
		if y >= 0 && y < 63 {
			return integer(x >> uint(y))
		}
	case "&":
		return integer(x & y)
	case "|":
		return integer(x | y)
	case "^":
		return integer(x ^ y)
	}
	return fraction(op, float64(x), float64(y))
}

func fraction(op string, x, y float64) Value {
	var f float64
	switch op {
	case "+":
		f = x + y
	case "-":
		f = x - y
	case "*":
		f = x * y
	case "/":
		if y == 0 {
			return unknown("a division by zero")
		}
		f = x / y
	case "//":
		if y == 0 {
			return unknown("a division by zero")
		}
		f = math.Floor(x / y)
	case "%":
		if y == 0 {
			return unknown("a division by zero")
		}
		f = x - y*math.Floor(x/y)
	case "**":
		f = math.Pow(x, y)
	default:
		return unknown("the operator %s on numbers", op)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return unknown("a number out of range")
	}
	return float(f)
}

func (in *Interp) unary(op string, v Value) Value {
	if v.Kind == CandidatesKind {
		return each2(v, none(), func(x, _ Value) Value { return in.unary(op, x) })
	}
	switch {
	case op == "-" && (v.Kind == Int || v.Kind == Bool):
		return integer(-v.Int).with(v.Origin)
	case op == "-" && v.Kind == Float:
		return float(-v.Float).with(v.Origin)
	case op == "+":
		return v
	case op == "~" && v.Kind == Int:
		return integer(^v.Int).with(v.Origin)
	}
	return unknown("%s%s", op, v.String())
}

// percent applies old-style formatting where all parts are known.
func percent(format string, arg Value) Value {
	args := []Value{arg}
	if arg.Kind == TupleKind {
		args = arg.Ref.(*List).Items
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 >= len(format) {
			b.WriteByte(format[i])
			continue
		}
		j := i + 1
		name := ""
		if format[j] == '(' {
			end := strings.IndexByte(format[j:], ')')
			if end < 0 {
				return unknown("a broken format")
			}
			name = format[j+1 : j+end]
			j += end + 1
		}
		for j < len(format) && strings.IndexByte("0123456789.-+ #", format[j]) >= 0 {
			j++
		}
		if j >= len(format) {
			return unknown("a broken format")
		}
		if format[j] == '%' {
			b.WriteByte('%')
			i = j
			continue
		}
		var v Value
		if name != "" {
			d := arg.Dict()
			if d == nil {
				return unknown("a format of unknown parts")
			}
			v, _ = d.Get(name)
		} else if len(args) > 0 {
			v, args = args[0], args[1:]
		}
		if !v.Known() {
			return unknown("a format of unknown parts")
		}
		spec := format[i+1 : j+1]
		if strings.ContainsRune("ds", rune(format[j])) && len(spec) == 1 {
			b.WriteString(v.String())
		} else {
			b.WriteString(formatted(v, spec))
		}
		i = j
	}
	return str(b.String())
}
