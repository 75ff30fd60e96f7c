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

// comparison evaluates a chain of comparisons.
func (in *Interp) comparison(s *scope, n *node) Value {
	if len(n.kids) < 3 {
		return unknown("a comparison is not complete")
	}
	left := in.eval(s, n.kids[0])
	out := boolean(true)
	for i := 1; i+1 < len(n.kids); i += 2 {
		right := in.eval(s, n.kids[i+1])
		out = in.compare(n.kids[i].text, left, right)
		if yes, known := out.truth(); !known || !yes {
			return out
		}
		left = right
	}
	return out
}

func (in *Interp) compare(op string, a, b Value) Value {
	if (a.Kind == CandidatesKind || b.Kind == CandidatesKind) && op != "in" && op != "not in" {
		return each2(a, b, func(x, y Value) Value { return in.compare(op, x, y) })
	}
	doubt := unknown("%s %s %s", a.String(), op, b.String())
	switch op {
	case "in", "not in":
		yes, known := in.contains(b, a)
		if !known {
			return doubt
		}
		return boolean(yes == (op == "in")).by(a.Origin)
	case "is", "is not", "==", "!=", "<>":
		yes, known := in.equal(a, b, strings.HasPrefix(op, "is"))
		if !known {
			return doubt
		}
		return boolean(yes == (op == "is" || op == "==")).by(a.Origin).by(b.Origin)
	}
	x, okA := a.Number()
	y, okB := b.Number()
	c := 0
	switch {
	case okA && okB:
		c = int(b2i(x > y) - b2i(x < y))
	case a.Kind == Str && b.Kind == Str:
		c = strings.Compare(a.Text, b.Text)
	default:
		if ta, ok := a.Ref.(*List); ok && a.Kind == TupleKind {
			if tb, ok := b.Ref.(*List); ok && len(ta.Items) > 0 && len(tb.Items) > 0 {
				for i := range min(len(ta.Items), len(tb.Items)) {
					if e, k := in.equal(ta.Items[i], tb.Items[i], false); k && e {
						continue
					}
					return in.compare(op, ta.Items[i], tb.Items[i])
				}
			}
		}
		return doubt
	}
	out := false
	switch op {
	case "<":
		out = c < 0
	case "<=":
		out = c <= 0
	case ">":
		out = c > 0
	case ">=":
		out = c >= 0
	default:
		return doubt
	}
	return boolean(out).by(a.Origin).by(b.Origin)
}

// equal compares two values; identity is asked for with "is".
func (in *Interp) equal(a, b Value, identity bool) (yes, known bool) {
	return in.equalTo(a, b, identity, 6)
}

func (in *Interp) equalTo(a, b Value, identity bool, depth int) (yes, known bool) {
	if depth == 0 {
		return false, false
	}
	if !a.Known() || !b.Known() {
		return false, false
	}
	ea, eb := a.External(), b.External()
	switch {
	case ea != nil && eb != nil:
		if ea.Call == nil && eb.Call == nil {
			return ea.Name == eb.Name, true
		}
		return ea == eb, ea == eb
	case ea != nil || eb != nil:
		e, other := ea, b
		if e == nil {
			e, other = eb, a
		}
		if other.Kind == None { // a name or a constructed object is not None; what a call gave may be
			return false, e.Call == nil || e.solid
		}
		switch other.Kind {
		case NativeKind, ClassKind, FunctionKind: // definitions of the repository and of the language
			return false, e.Call == nil
		case ObjectKind:
			if _, generic := other.Object().data.(*genericAlias); generic {
				return false, e.Call == nil
			}
		}
		return false, e.Call == nil && identity
	}
	x, okA := a.Number()
	y, okB := b.Number()
	if okA && okB {
		return x == y, true
	}
	if a.Kind != b.Kind {
		return false, true
	}
	if a.Kind == ListKind || a.Kind == TupleKind {
		la, lb := a.Ref.(*List), b.Ref.(*List)
		if la == lb {
			return true, true
		}
		if la.Open || lb.Open {
			return false, false
		}
		if len(la.Items) != len(lb.Items) {
			return false, true
		}
		if len(la.Items) > 64 {
			return false, false
		}
		for i := range la.Items {
			if e, k := in.equalTo(la.Items[i], lb.Items[i], false, depth-1); !k || !e {
				return e, k
			}
		}
		return true, true
	}
	if a.Kind == DictKind && a.Ref != b.Ref {
		return false, a.Dict().Len() != b.Dict().Len()
	}
	return same(a, b), true
}

// contains answers "item in container".
func (in *Interp) contains(container, item Value) (yes, known bool) {
	if container.Kind == CandidatesKind || item.Kind == CandidatesKind {
		first := true
		for _, c := range container.Alternatives() {
			for _, i := range item.Alternatives() {
				if c.Kind == CandidatesKind || i.Kind == CandidatesKind {
					return false, false
				}
				y, k := in.contains(c, i)
				if !k || (!first && y != yes) {
					return false, false
				}
				yes, first = y, false
			}
		}
		return yes, !first
	}
	if container.Kind == Unknown || item.Kind == Unknown {
		return false, false
	}
	switch container.Kind {
	case Str:
		if item.Kind == Str {
			return strings.Contains(container.Text, item.Text), true
		}
	case DictKind:
		d := container.Dict()
		if _, ok := d.get(item); ok {
			return true, true
		}
		if item.Kind == Str && d.module != nil && in.searchPending(item.Text) {
			if _, ok := d.get(item); ok {
				return true, true
			}
		}
		return false, !d.Open && !item.result()
	case ListKind, TupleKind, SetKind:
		l := container.Ref.(*List)
		sure := !l.Open
		if len(l.Items) > 2000 {
			return false, false
		}
		for _, v := range l.Items {
			if e, k := in.equal(v, item, false); k && e {
				return true, true
			} else if !k {
				sure = false
			}
		}
		return false, sure
	case ObjectKind:
		o := container.Object()
		if o.Class.native() == "dict" {
			return in.contains(Value{Kind: DictKind, Ref: o.Attrs}, item)
		}
		if isYacs(container) {
			_, has := o.Attrs.get(item)
			return has, has || !o.Attrs.Open
		}
		if m, ok := o.data.(interface {
			contains(in *Interp, key Value) (yes, known bool)
		}); ok {
			return m.contains(in, item)
		}
		if f, _, ok := o.Class.lookup("__contains__"); ok {
			return in.call(Value{Kind: MethodKind, Ref: &Method{Self: container, Func: f}}, &Call{Name: "__contains__", Args: []Value{item}}, nil).truth()
		}
		if item.Kind == Str && o.Class.attrs.Len() == 0 && o.ext == nil {
			_, has := o.Attrs.Get(item.Text)
			return has, has || !o.Attrs.Open
		}
	case ClassKind:
		if e := item.Object(); e != nil {
			return e.Class == container.Ref, true
		}
	case ExternalKind:
		if e := container.External(); e.Name == "builtins.range" && e.Call != nil {
			items, whole := rangeItems(e.Call, container, 100000)
			if whole && item.Kind == Int {
				return len(items) > 0 && item.Int >= items[0].Int && item.Int <= items[len(items)-1].Int, true
			}
		}
	}
	return false, false
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
