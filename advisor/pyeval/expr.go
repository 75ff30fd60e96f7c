package pyeval

import (
	"math"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// condition evaluates an expression as a truth value.
func (in *Interp) condition(s *scope, n *node) (yes, known bool) {
	if n == nil {
		return false, false
	}
	v := in.eval(s, n)
	if yes, known = v.truth(); !known && n.kind == "boolean_operator" && v.Kind == CandidatesKind {
		all := v.Alternatives() // "a or b" with an unknown a is true when b is
		return all[len(all)-1].truth()
	}
	return yes, known
}

// eval gives the value of an expression.
func (in *Interp) eval(s *scope, n *node) Value {
	in.step()
	if n == nil {
		return unknown("nothing stands here")
	}
	switch n.kind {
	case "identifier":
		if v, ok := in.find(s, n.text); ok {
			return v
		}
		return in.fail("NameError", "name %s is not bound", n.text)
	case "integer":
		return parseInt(n.text).with(in.at(s, n, n.text))
	case "float":
		f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(n.text, "jJ"), "_", ""), 64)
		if err != nil {
			return unknown("%s is no number", n.text)
		}
		return float(f).with(in.at(s, n, n.text))
	case "string":
		return in.evalString(s, n)
	case "concatenated_string":
		return in.concatenated(s, n)
	case "true":
		return boolean(true).with(in.at(s, n, "True"))
	case "false":
		return boolean(false).with(in.at(s, n, "False"))
	case "none":
		return none().with(in.at(s, n, "None"))
	case "ellipsis":
		return none()
	case "parenthesized_expression":
		if len(n.kids) > 0 {
			return in.eval(s, n.kids[0])
		}
	case "attribute":
		return in.attribute(in.eval(s, n.get("object")), n.get("attribute").text)
	case "subscript":
		return in.evalSubscript(s, n)
	case "call":
		return in.evalCall(s, n)
	case "assignment":
		return in.execAssign(s, n)
	case "augmented_assignment":
		return in.augmented(s, n)
	case "named_expression":
		v := in.eval(s, n.get("value"))
		in.bind(s, n.get("name").text, v)
		return v
	case "binary_operator":
		line := in.line
		a, b := in.eval(s, n.get("left")), in.eval(s, n.get("right"))
		in.line = line
		return in.binary(n.get("operator").text, a, b)
	case "unary_operator":
		return in.unary(n.get("operator").text, in.eval(s, n.get("argument")))
	case "not_operator":
		v := in.eval(s, n.get("argument"))
		yes, known := v.truth()
		if !known {
			return unknown("not %s", v.String())
		}
		return boolean(!yes).with(v.Origin)
	case "boolean_operator":
		return in.boolean(s, n)
	case "comparison_operator":
		return in.comparison(s, n)
	case "conditional_expression":
		return in.conditional(s, n)
	case "list", "tuple", "set", "expression_list", "pattern_list":
		return in.sequence(s, n)
	case "dictionary":
		return in.dictionary(s, n)
	case "list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension":
		return in.comprehension(s, n)
	case "lambda":
		fn := in.define(s, n)
		return Value{Kind: FunctionKind, Ref: fn, Origin: in.at(s, n, "lambda")}
	case "await":
		return in.eval(s, n.kids[0])
	case "yield":
		v := none()
		if len(n.kids) > 0 {
			v = in.eval(s, n.kids[0])
		}
		if s.yields != nil && len(s.yields.Items) < loopItems {
			s.yields.Items = append(s.yields.Items, v)
			s.yields.Open = s.yields.Open || in.weakly(s.yields.born)
		}
		return none()
	case "list_splat", "dictionary_splat", "type", "as_pattern":
		if len(n.kids) > 0 {
			return in.eval(s, n.kids[0])
		}
	case "pair", "keyword_argument":
		return in.eval(s, n.get("value"))
	}
	return unknown("%s is not followed", n.kind)
}

func parseInt(text string) Value {
	text = strings.ReplaceAll(strings.TrimRight(text, "lLjJ"), "_", "")
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return integer(i)
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil { // 007
		return integer(i)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return float(f)
	}
	return unknown("%s is no number", text)
}

// evalString fills the fields of an f-string.
func (in *Interp) evalString(s *scope, n *node) Value {
	if len(n.kids) == 0 {
		return str(n.text).with(in.at(s, n, n.text))
	}
	var b strings.Builder
	var from []*origin.Origin
	parts := []Value{str("")}
	raw := len(n.kids) > 0 && strings.ContainsAny(n.kids[0].text, "rR")
	add := func(pieces []Value) {
		var grown []Value
		for _, p := range parts {
			for _, q := range pieces {
				if len(grown) < maxCandidates {
					grown = append(grown, str(p.Text+q.Text))
				}
			}
		}
		parts = grown
	}
	for _, k := range n.kids {
		switch k.kind {
		case "string_content":
			text := k.text
			if !raw {
				text = unescape(text)
			}
			add([]Value{str(strings.NewReplacer("{{", "{", "}}", "}").Replace(text))})
		case "interpolation":
			v := in.eval(s, k.get("expression"))
			from = append(from, v.Origin)
			if !v.Known() && v.Kind != CandidatesKind {
				return unknown("text with %s, which is unknown: %s", leafText(k.get("expression")), v.Text)
			}
			spec := ""
			if f := k.get("format_specifier"); f != nil {
				spec = strings.TrimPrefix(f.text, ":")
			}
			var pieces []Value
			for _, a := range v.Alternatives() {
				if !a.Known() {
					return unknown("text with %s, which may be unknown", leafText(k.get("expression")))
				}
				pieces = append(pieces, str(formatted(a, spec)))
			}
			add(pieces)
		}
	}
	_ = b
	o := in.at(s, n, "f-string")
	o.From = from
	out := parts[0].with(o)
	for _, p := range parts[1:] {
		out = join(out, p.with(o))
	}
	return out
}

// formatted applies the part of a format specifier that names are made with.
func formatted(v Value, spec string) string {
	if n, ok := v.Number(); ok && spec != "" {
		width := strings.TrimRight(spec, "df")
		if strings.HasSuffix(spec, "d") {
			if w, err := strconv.Atoi(strings.TrimLeft(width, "0")); err == nil && w < 100 {
				t := strconv.FormatInt(int64(n), 10)
				pad := " "
				if strings.HasPrefix(width, "0") {
					pad = "0"
				}
				return strings.Repeat(pad, max(0, w-len(t))) + t
			}
			return strconv.FormatInt(int64(n), 10)
		}
		if i := strings.Index(spec, "."); i >= 0 && strings.HasSuffix(spec, "f") {
			if d, err := strconv.Atoi(spec[i+1 : len(spec)-1]); err == nil && d < 30 {
				return strconv.FormatFloat(n, 'f', d, 64)
			}
		}
	}
	return v.String()
}

func (in *Interp) concatenated(s *scope, n *node) Value {
	out := str("")
	for _, k := range n.kids {
		v := in.eval(s, k)
		if v.Kind != Str {
			return unknown("text with unknown parts")
		}
		out = str(out.Text + v.Text).with(v.Origin)
	}
	return out
}

func (in *Interp) boolean(s *scope, n *node) Value {
	left := in.eval(s, n.get("left"))
	and := n.get("operator").text == "and"
	yes, known := left.truth()
	if known {
		if yes == and {
			return in.eval(s, n.get("right"))
		}
		return left
	}
	// A side that decides alone decides, whatever the unknown one is.
	var right Value
	in.doubtful(func() { right = in.eval(s, n.get("right")) })
	if r, ok := right.truth(); ok && r != and {
		if right.Kind == Bool {
			return boolean(r).with(right.Origin)
		}
		return join(left, right)
	}
	return unknown("%s %s %s", left.String(), n.get("operator").text, right.String())
}

// doubtful evaluates something that may not be evaluated at all.
func (in *Interp) doubtful(f func()) {
	before := in.state
	in.doubt++
	in.weakFrom = in.born()
	defer func() {
		in.doubt--
		in.weakFrom = before.weakFrom
		if e := recover(); e != nil {
			if _, ok := e.(raised); !ok {
				panic(e)
			}
			in.state = before
		}
	}()
	f()
}

func (in *Interp) conditional(s *scope, n *node) Value {
	yes, known := in.condition(s, n.kids[1])
	switch {
	case known && yes:
		return in.eval(s, n.kids[0])
	case known:
		return in.eval(s, n.kids[2])
	}
	a, b := unknown("not followed"), unknown("not followed")
	in.doubtful(func() { a = in.eval(s, n.kids[0]) })
	in.doubtful(func() { b = in.eval(s, n.kids[2]) })
	return join(a, b)
}

func (in *Interp) sequence(s *scope, n *node) Value {
	l := &List{born: in.born()}
	for _, k := range n.kids {
		if k.kind == "list_splat" {
			items, whole := in.iterate(in.eval(s, k.kids[0]), listItems)
			l.Items = append(l.Items, items...)
			l.Open = l.Open || !whole
			continue
		}
		l.Items = append(l.Items, in.eval(s, k))
	}
	kind := ListKind
	switch n.kind {
	case "tuple", "expression_list", "pattern_list":
		kind = TupleKind
	case "set":
		kind = SetKind
	}
	return Value{Kind: kind, Ref: l, Origin: in.at(s, n, n.kind)}
}

func (in *Interp) dictionary(s *scope, n *node) Value {
	d := newDict()
	d.born = in.born()
	if s.vars == s.module.globals || s.class != nil && s.vars == s.class.attrs {
		d.module, d.filled = s.module, len(n.kids) == 0
	} else if len(n.kids) == 0 && in.loadingBeside() && in.doubt == 0 { // a registry that a function makes for a module
		d.module = s.module
	}
	for _, k := range n.kids {
		if k.kind == "dictionary_splat" {
			from := in.eval(s, k.kids[0])
			e := from.Dict()
			if o := from.Object(); o != nil && o.Class.native() == "dict" {
				e = o.Attrs
			}
			if e != nil {
				e.Each(d.set)
				d.Open = d.Open || e.Open
			} else {
				d.Open = true
			}
			continue
		}
		key := in.eval(s, k.get("key"))
		d.set(key, in.eval(s, k.get("value")))
	}
	return Value{Kind: DictKind, Ref: d, Origin: in.at(s, n, "dict")}
}

// comprehension runs its loops over known items. Its names live in a scope of
// their own.
func (in *Interp) comprehension(s *scope, n *node) Value {
	inner := &scope{vars: newDict(), parent: s, module: s.module, fn: s.fn}
	if s.vars == s.module.globals {
		inner.parent = nil
	}
	if s.class != nil { // the outermost iterable sees the class body; the rest seldom matters
		inner.parent = s
	}
	out := &List{born: in.born()}
	d := newDict()
	d.born = out.born
	var clauses []*node
	for _, k := range n.kids {
		if k.kind == "if_clause" || k.get("left") != nil {
			clauses = append(clauses, k)
		}
	}
	body := n.get("body")
	start := in.steps
	var walk func(i int) bool
	walk = func(i int) bool {
		if in.steps-start > loopSteps {
			out.Open, d.Open = true, true
			return false
		}
		if i == len(clauses) {
			if n.kind == "dictionary_comprehension" {
				d.set(in.eval(inner, body.get("key")), in.eval(inner, body.get("value")))
			} else {
				out.Items = append(out.Items, in.eval(inner, body))
			}
			if len(out.Items) >= listItems || in.steps-start > listSteps {
				out.Open, d.Open = true, true
				return false
			}
			return true
		}
		c := clauses[i]
		if c.kind == "if_clause" {
			yes, known := in.condition(inner, c.kids[0])
			if !known {
				out.Open, d.Open = true, true
				return walk(i + 1)
			}
			return !yes || walk(i+1)
		}
		over := in.eval(inner, c.get("right"))
		items, whole := in.iterate(over, listItems)
		if !whole {
			out.Open, d.Open = true, true
			if len(items) == 0 {
				in.assign(inner, c.get("left"), in.sample(over, nil))
				in.doubtful(func() { walk(i + 1) })
				out.Items = nil
				d.clear()
				return true
			}
		}
		for _, item := range items {
			in.assign(inner, c.get("left"), item.by(over.Origin))
			if !walk(i + 1) {
				return false
			}
		}
		return true
	}
	walk(0)
	o := in.at(s, n, "comprehension")
	switch n.kind {
	case "dictionary_comprehension":
		return Value{Kind: DictKind, Ref: d, Origin: o}
	case "set_comprehension":
		return Value{Kind: SetKind, Ref: out, Origin: o}
	}
	return Value{Kind: ListKind, Ref: out, Origin: o}
}

// ofClassAlone reports whether an annotation says that a name is no field of
// the objects.
func ofClassAlone(t *node) bool {
	for len(t.kids) > 0 {
		t = t.kids[0]
	}
	return t.text == "ClassVar" || t.text == "KW_ONLY"
}

func (in *Interp) execAssign(s *scope, n *node) Value {
	right := n.get("right")
	left := n.get("left")
	if t := n.get("type"); t != nil && s.class != nil && left.kind == "identifier" && !ofClassAlone(t) {
		if _, had := s.class.notes[left.text]; !had {
			s.class.fields = append(s.class.fields, left.text)
		}
		s.class.notes[left.text] = t
	}
	if right == nil {
		return none()
	}
	v := in.eval(s, right)
	if v.Origin == nil {
		v.Origin = in.at(s, n, leafText(left))
	} else if v.Origin.Kind == origin.Python && v.Origin.Line == n.line && len(v.Origin.From) == 0 && left.kind != "pattern_list" {
		o := *v.Origin
		o.Key = leafText(left)
		v.Origin = &o
	}
	in.assign(s, left, v)
	return v
}

// assign binds a target: a name, an attribute, an item, or several.
func (in *Interp) assign(s *scope, target *node, v Value) {
	if target == nil {
		return
	}
	switch target.kind {
	case "identifier":
		in.bind(s, target.text, v)
	case "attribute":
		in.setAttribute(in.eval(s, target.get("object")), target.get("attribute").text, v)
	case "subscript":
		base := in.eval(s, target.get("value"))
		subs := target.all("subscript")
		if len(subs) == 1 {
			in.setItem(base, in.eval(s, subs[0]), v)
		}
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		in.unpack(s, target.kids, v)
	case "list_splat_pattern", "list_splat", "parenthesized_expression", "as_pattern_target":
		if len(target.kids) > 0 {
			in.assign(s, target.kids[0], v)
		}
	}
}

func (in *Interp) unpack(s *scope, targets []*node, v Value) {
	items, whole := in.iterate(v, listItems)
	star := -1
	for i, t := range targets {
		if t.kind == "list_splat_pattern" || t.kind == "list_splat" {
			star = i
		}
	}
	if !whole || (star < 0 && len(items) != len(targets)) || (star >= 0 && len(items) < len(targets)-1) {
		for i, t := range targets {
			part := unknown("part %d of %s", i, v.String())
			if e := v.External(); e != nil {
				part = Value{Kind: ExternalKind, Ref: &External{Name: e.Name + "[" + strconv.Itoa(i) + "]", Call: e.Call}, Origin: v.Origin}
			}
			in.assign(s, t, part)
		}
		return
	}
	for i, t := range targets {
		switch {
		case star < 0 || i < star:
			in.assign(s, t, items[i].by(v.Origin))
		case i == star:
			in.assign(s, t, list(items[i:len(items)-(len(targets)-1-i)]...))
		default:
			in.assign(s, t, items[len(items)-(len(targets)-i)].by(v.Origin))
		}
	}
}

func (in *Interp) augmented(s *scope, n *node) Value {
	left := n.get("left")
	old := in.eval(s, left)
	v := in.eval(s, n.get("right"))
	op := strings.TrimSuffix(n.get("operator").text, "=")
	if l, ok := old.Ref.(*List); ok && op == "+" && old.Kind == ListKind {
		items, whole := in.iterate(v, listItems)
		if in.weakly(l.born) {
			l.Open = true
		}
		if len(l.Items) > listItems {
			items, whole = nil, false
		}
		l.Items = append(l.Items, items...)
		l.Open = l.Open || !whole
		return old
	}
	if d := old.Dict(); d != nil && op == "|" {
		if e := v.Dict(); e != nil {
			e.Each(d.set)
		}
		return old
	}
	out := in.binary(op, old, v)
	in.assign(s, left, out)
	return out
}

func (in *Interp) evalSubscript(s *scope, n *node) Value {
	base := in.eval(s, n.get("value"))
	subs := n.all("subscript")
	if len(subs) == 0 {
		return unknown("no subscript")
	}
	if len(subs) == 1 && subs[0].kind == "slice" {
		return in.slice(s, base, subs[0])
	}
	if len(subs) > 1 {
		for _, k := range subs {
			if k.kind == "slice" {
				return unknown("a slice of several dimensions")
			}
		}
		var parts []Value
		for _, k := range subs {
			parts = append(parts, in.eval(s, k))
		}
		return in.item(base, tuple(parts...))
	}
	return in.item(base, in.eval(s, subs[0]))
}

func (in *Interp) slice(s *scope, base Value, n *node) Value {
	var bounds [3]Value
	given := [3]bool{}
	at := 0
	for _, k := range n.kids {
		if k.kind == ":" {
			at++
			continue
		}
		if at < 3 {
			bounds[at], given[at] = in.eval(s, k), true
		}
	}
	cut := func(length int) (from, to, by int, ok bool) {
		by, ok = 1, true
		num := func(i, otherwise int) int {
			if !given[i] || bounds[i].Kind == None {
				return otherwise
			}
			if bounds[i].Kind != Int {
				ok = false
				return otherwise
			}
			v := int(max(min(bounds[i].Int, math.MaxInt32), math.MinInt32))
			if v < 0 && i < 2 {
				v += length
			}
			return v
		}
		by = num(2, 1)
		if by == 0 {
			return 0, 0, 1, false
		}
		if by < 0 {
			from, to = num(0, length-1), num(1, -1)
			if given[1] && bounds[1].Kind == Int && bounds[1].Int < 0 {
				to = max(to, -1)
			}
			return min(from, length-1), max(to, -1), by, ok
		}
		return max(0, min(num(0, 0), length)), max(0, min(num(1, length), length)), by, ok
	}
	if base.Kind == Str {
		runes := []rune(base.Text)
		from, to, by, ok := cut(len(runes))
		if !ok {
			return unknown("a slice with unknown bounds")
		}
		var out []rune
		for i := from; (by > 0 && i < to) || (by < 0 && i > to); i += by {
			out = append(out, runes[i])
		}
		return str(string(out)).with(base.Origin)
	}
	if l, ok := base.Ref.(*List); ok {
		from, to, by, sure := cut(len(l.Items))
		if !sure {
			return unknown("a slice with unknown bounds")
		}
		out := &List{Open: l.Open, born: in.born()}
		for i := from; (by > 0 && i < to) || (by < 0 && i > to); i += by {
			out.Items = append(out.Items, l.Items[i])
		}
		return Value{Kind: base.Kind, Ref: out, Origin: base.Origin}
	}
	if e := base.External(); e != nil {
		return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + "[:]", Call: e.Call}, Origin: base.Origin}
	}
	return unknown("a slice of %s", base.String())
}
