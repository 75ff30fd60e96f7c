package pyeval

import (
	"runtime"
	"strings"
)

// flow says how a statement ended.
type flow uint8

const (
	next flow = iota
	returned
	broke
	continued
)

// block runs statements in order.
func (in *Interp) block(s *scope, statements []*node) flow {
	for _, n := range statements {
		if f := in.statement(s, n); f != next {
			return f
		}
	}
	return next
}

// statement runs one statement of a block. A broken file has trees that lack
// parts: what cannot be followed for that reason is noted and left out.
func (in *Interp) statement(s *scope, n *node) flow {
	state := in.state
	defer func() {
		if e := recover(); e != nil {
			if _, broken := e.(runtime.Error); !broken {
				panic(e)
			}
			in.state = state
			in.saw.Broken++
			in.note("%s:%d is not complete and not followed", s.module.File, n.line)
		}
	}()
	return in.exec(s, n)
}

func (in *Interp) body(s *scope, n *node) flow {
	if n == nil {
		return next
	}
	if n.kind != "block" && n.kind != "module" {
		return in.exec(s, n)
	}
	return in.block(s, n.kids)
}

// exec runs one statement.
func (in *Interp) exec(s *scope, n *node) flow {
	in.step()
	in.line = in.at(s, n, "")
	switch n.kind {
	case "expression_statement":
		for _, k := range n.kids {
			in.eval(s, k)
		}
	case "return_statement":
		v := none()
		if len(n.kids) > 0 {
			v = in.eval(s, n.kids[0])
		}
		in.giveBack(s, v)
		return returned
	case "if_statement":
		return in.execIf(s, n)
	case "for_statement":
		return in.execFor(s, n)
	case "while_statement":
		return in.execWhile(s, n)
	case "function_definition":
		fn := in.define(s, n)
		in.bind(s, fn.Name, Value{Kind: FunctionKind, Ref: fn, Origin: in.at(s, n, fn.Name)})
	case "class_definition":
		c := in.defineClass(s, n)
		in.bind(s, c.Name, Value{Kind: ClassKind, Ref: c, Origin: in.at(s, n, c.Name)})
	case "decorated_definition":
		in.decorated(s, n)
	case "import_statement", "import_from_statement", "future_import_statement":
		in.execImport(s, n)
	case "try_statement":
		return in.execTry(s, n)
	case "with_statement":
		return in.execWith(s, n)
	case "raise_statement":
		if s.may { // the function has returned already, unless the program ends here
			return returned
		}
		in.execRaise(s, n)
	case "assert_statement":
		in.execAssert(s, n)
	case "delete_statement":
		for _, k := range n.kids {
			in.del(s, k)
		}
	case "global_statement":
		s.globals = declare(s.globals, n)
	case "nonlocal_statement":
		s.outer = declare(s.outer, n)
	case "break_statement":
		return broke
	case "continue_statement":
		return continued
	case "match_statement":
		return in.execMatch(s, n)
	case "exec_statement", "print_statement":
		in.eval(s, n.kids[0])
	}
	return next
}

func declare(names map[string]bool, n *node) map[string]bool {
	if names == nil {
		names = map[string]bool{}
	}
	for _, k := range n.kids {
		names[k.text] = true
	}
	return names
}

// giveBack keeps what a function returns.
func (in *Interp) giveBack(s *scope, v Value) {
	if s.may {
		v = join(s.result, v)
	}
	s.result, s.may = v, true
}

func (in *Interp) del(s *scope, n *node) {
	switch n.kind {
	case "expression_list", "tuple":
		for _, k := range n.kids {
			in.del(s, k)
		}
	case "identifier":
		if in.weakFrom == 0 {
			s.vars.remove(str(n.text))
		}
	case "subscript":
		from := in.eval(s, n.get("value"))
		if d := from.Dict(); d != nil {
			if key := in.eval(s, n.get("subscript")); in.weakly(d.born) {
				d.Open = true
			} else {
				d.remove(key)
			}
		}
	case "attribute":
		if o := in.eval(s, n.get("object")).Object(); o != nil && !in.weakly(o.Attrs.born) {
			o.Attrs.remove(str(n.get("attribute").text))
		}
	}
}

// execIf follows the branch that runs, or each that may run.
func (in *Interp) execIf(s *scope, n *node) flow {
	in.bounds(s, n.get("condition"), n.get("consequence"))
	yes, known := in.condition(s, n.get("condition"))
	rest := n.all("alternative")
	if known {
		switch {
		case !yes:
			in.passed(s, n.get("condition"), n.get("consequence"))
			return in.otherwise(s, rest)
		case in.guards(s, n.get("condition"), n.get("consequence")):
			return next
		}
		return in.within(s, n.get("condition"), n.get("consequence"))
	}
	return in.either(s, func() flow { return in.body(s, n.get("consequence")) }, func() flow { return in.otherwise(s, rest) })
}

// otherwise runs the elif and else clauses that follow a condition that does
// not hold.
func (in *Interp) otherwise(s *scope, clauses []*node) flow {
	if len(clauses) == 0 {
		return next
	}
	c := clauses[0]
	if c.kind == "else_clause" {
		return in.body(s, c.get("body"))
	}
	in.line = in.at(s, c, "")
	in.bounds(s, c.get("condition"), c.get("consequence"))
	yes, known := in.condition(s, c.get("condition"))
	if known {
		if yes {
			return in.within(s, c.get("condition"), c.get("consequence"))
		}
		in.passed(s, c.get("condition"), c.get("consequence"))
		return in.otherwise(s, clauses[1:])
	}
	return in.either(s, func() flow { return in.body(s, c.get("consequence")) }, func() flow { return in.otherwise(s, clauses[1:]) })
}

// outcome is how one of two possible branches ended.
type outcome struct {
	flow   flow
	dead   *raised
	vars   *Dict
	result Value
	may    bool
}

// either follows two branches of which nobody knows which runs, from the same
// state, and joins what they left. A branch that raises is taken not to run.
func (in *Interp) either(s *scope, a, b func() flow) flow {
	before, result, may := s.vars.copy(), s.result, s.may
	in.work(before.Len() / 4)
	weak := in.weakFrom
	in.doubt++
	run := func(f func() flow) (o outcome) {
		*s.vars = *before.copy() // in place: functions that are called look at the same names
		s.result, s.may = result, may
		in.weakFrom = in.born()
		func() {
			saved := in.state
			defer func() {
				switch e := recover().(type) {
				case nil:
				case raised:
					o.dead = &e
					in.state = saved
				default:
					panic(e)
				}
			}()
			o.flow = f()
		}()
		o.vars, o.result, o.may = s.vars.copy(), s.result, s.may
		return o
	}
	x := run(a)
	y := run(b)
	in.doubt--
	in.weakFrom = weak
	keep := func(vars *Dict) { *s.vars = *vars }
	ended := func(o outcome) bool { return o.dead != nil || o.flow == returned }
	switch {
	case x.dead != nil && y.dead != nil:
		keep(y.vars)
		s.result, s.may = result, may
		panic(*y.dead)
	case x.dead != nil:
		keep(y.vars)
		s.result, s.may = y.result, y.may
		return y.flow
	case y.dead != nil:
		keep(x.vars)
		s.result, s.may = x.result, x.may
		return x.flow
	case ended(x) && ended(y):
		keep(x.vars)
		s.result, s.may = join(x.result, y.result), true
		return returned
	case ended(x):
		keep(y.vars)
		s.result, s.may = mayReturn(x, y)
		return y.flow
	case ended(y):
		keep(x.vars)
		s.result, s.may = mayReturn(y, x)
		return x.flow
	}
	keep(joinVars(x.vars, y.vars))
	s.result, s.may = mayReturn(x, y)
	if x.flow == y.flow {
		return x.flow
	}
	return next
}

func mayReturn(a, b outcome) (Value, bool) {
	switch {
	case a.may && b.may:
		return join(a.result, b.result), true
	case a.may:
		return a.result, true
	}
	return b.result, b.may
}

func joinVars(a, b *Dict) *Dict {
	out := a.copy()
	for i, k := range b.keys {
		v := b.values[i]
		old, ok := out.getNear(i, k)
		if ok {
			if _, lazy := old.Ref.(*lazyName); lazy || old.identical(v) {
				continue
			}
			if _, lazy := v.Ref.(*lazyName); !lazy {
				v = join(old, v)
			}
		}
		out.set(k, v)
	}
	return out
}

// execTry runs the body and, when it raises, the handler that fits.
func (in *Interp) execTry(s *scope, n *node) flow {
	var caught *raised
	f := next
	func() {
		before := in.state
		if handles(n) {
			in.trying++
		}
		defer func() {
			in.trying = before.trying
			switch e := recover().(type) {
			case nil:
			case raised:
				caught = &e
				in.state = before
			default:
				panic(e)
			}
		}()
		f = in.body(s, n.get("body"))
	}()
	handled := caught == nil
	for _, k := range n.kids {
		switch k.kind {
		case "except_clause", "except_group_clause":
			if caught == nil || handled || !in.catches(s, k, caught) {
				continue
			}
			handled = true
			outer := in.handling
			in.handling = caught
			f = in.body(s, k.kids[len(k.kids)-1])
			in.handling = outer
		case "else_clause":
			if caught == nil && f == next {
				f = in.body(s, k.get("body"))
			}
		case "finally_clause":
			if g := in.body(s, k.kids[len(k.kids)-1]); g != next {
				f = g
			}
		}
	}
	if !handled {
		panic(*caught)
	}
	return f
}

// handles reports whether a try statement goes on after an exception: it has
// a handler that does not raise again.
func handles(try *node) bool {
	for _, k := range try.kids {
		if (k.kind == "except_clause" || k.kind == "except_group_clause") && len(k.kids) > 0 && !k.kids[len(k.kids)-1].holds("raise_statement") {
			return true
		}
	}
	return false
}

// catches reports whether an except clause takes an exception, and binds its
// name.
func (in *Interp) catches(s *scope, clause *node, e *raised) bool {
	if len(clause.kids) < 2 {
		return true
	}
	what := clause.kids[0]
	if what.kind == "as_pattern" {
		if alias := what.get("alias"); alias != nil {
			in.bind(s, strings.TrimSpace(leafText(alias)), e.value)
		}
		what = what.kids[0]
	}
	names := []*node{what}
	if what.kind == "tuple" {
		names = what.kids
	}
	for _, name := range names {
		text := leafText(name)
		if i := strings.LastIndex(text, "."); i >= 0 {
			text = text[i+1:]
		}
		if exceptionIs(e.class, text) {
			return true
		}
	}
	return false
}

// exceptionParents is the part of Python's tree of exceptions that programs
// catch by a parent's name.
var exceptionParents = map[string]string{
	"ModuleNotFoundError": "ImportError", "KeyError": "LookupError", "IndexError": "LookupError",
	"FileNotFoundError": "OSError", "PermissionError": "OSError", "IOError": "OSError", "NotImplementedError": "RuntimeError",
	"UnicodeDecodeError": "ValueError", "ZeroDivisionError": "ArithmeticError", "OverflowError": "ArithmeticError", "NameError": "Exception",
}

func exceptionIs(class, name string) bool {
	for {
		if class == name || (class == "OSError" && name == "IOError") {
			return true
		}
		parent, ok := exceptionParents[class]
		if !ok {
			return name == "BaseException" || (name == "Exception" && class != "SystemExit" && class != "KeyboardInterrupt")
		}
		class = parent
	}
}

func (in *Interp) execRaise(s *scope, n *node) {
	e := raised{class: "Exception", site: in.line, sure: in.decided()}
	if len(n.kids) == 0 && in.handling != nil {
		panic(*in.handling)
	}
	if len(n.kids) > 0 {
		k := n.kids[0]
		name := k
		if k.kind == "call" {
			name = k.get("function")
			if args := k.get("arguments"); args != nil && len(args.kids) > 0 {
				e.text = in.eval(s, args.kids[0]).String()
			}
		}
		e.class = leafText(name)
		if i := strings.LastIndex(e.class, "."); i >= 0 {
			e.class = e.class[i+1:]
		}
		e.value = unknown("an exception")
	}
	panic(e)
}

func (in *Interp) execAssert(s *scope, n *node) {
	if len(n.kids) == 0 {
		return
	}
	yes, known := in.condition(s, n.kids[0])
	if !known || yes || in.doubt > 0 {
		return
	}
	text := "assertion fails"
	if len(n.kids) > 1 {
		text = in.eval(s, n.kids[1]).String()
	}
	e := raised{class: "AssertionError", text: text, site: in.at(s, n, "assert"), sure: in.decided() && in.certain(s, n.kids[0], 12)}
	if in.trying > 0 {
		panic(e)
	}
	// The program would end here; what it would do with the assertion switched
	// off still says what it was meant to do.
	in.abort(e)
}

func (in *Interp) execWith(s *scope, n *node) flow {
	for _, clause := range n.kids {
		if clause.kind != "with_clause" {
			continue
		}
		for _, item := range clause.kids {
			what := item.get("value")
			if what == nil {
				continue
			}
			if what.kind == "as_pattern" {
				v := in.eval(s, what.kids[0])
				if alias := what.get("alias"); alias != nil && len(alias.kids) > 0 {
					in.assign(s, alias.kids[0], in.entered(v))
				}
				continue
			}
			in.entered(in.eval(s, what))
		}
	}
	return in.body(s, n.get("body"))
}

// entered is what a context manager gives its block.
func (in *Interp) entered(v Value) Value {
	if o := v.Object(); o != nil {
		if enter, _, ok := o.Class.lookup("__enter__"); ok {
			return in.call(Value{Kind: MethodKind, Ref: &Method{Self: v, Func: enter}}, &Call{Name: "__enter__"}, nil)
		}
	}
	return v
}

func (in *Interp) execMatch(s *scope, n *node) flow {
	subject := in.eval(s, n.kids[0])
	for _, k := range n.kids[1:] {
		cases := []*node{k}
		if k.kind == "block" {
			cases = k.kids
		}
		for _, c := range cases {
			if c.kind != "case_clause" {
				continue
			}
			hit, sure := false, false
			for _, p := range c.kids {
				if p.kind != "case_pattern" || hit {
					continue
				}
				text := p.text
				if len(p.kids) > 0 {
					text = leafText(p.kids[0])
				}
				if text == "_" {
					hit, sure = true, true
					continue
				}
				for _, alt := range p.kids {
					want := in.eval(s, alt)
					hit = hit || (want.Known() && same(want, subject))
				}
				sure = subject.Known()
			}
			if hit && sure {
				return in.body(s, c.get("consequence"))
			}
		}
	}
	return next
}

// leafText is the source-like text of a small node.
func leafText(n *node) string {
	if n == nil {
		return ""
	}
	switch n.kind {
	case "attribute":
		return leafText(n.get("object")) + "." + leafText(n.get("attribute"))
	case "call":
		return leafText(n.get("function")) + "()"
	case "subscript":
		return leafText(n.get("value")) + "[" + leafText(n.get("subscript")) + "]"
	case "parenthesized_expression", "as_pattern_target":
		if len(n.kids) > 0 {
			return leafText(n.kids[0])
		}
	case "binary_operator":
		return leafText(n.get("left")) + leafText(n.get("operator")) + leafText(n.get("right"))
	}
	return n.text
}

// bounds records the comparisons of a condition that ends the loop around it.
func (in *Interp) bounds(s *scope, cond, body *node) {
	if in.loop == nil || cond == nil || body == nil || !(body.holds("break_statement") || (in.loop.Func == in.funcName && body.holds("return_statement")) || calls(body, "exit")) {
		return
	}
	in.comparisons(s, cond)
}

// calls reports whether a call of a function with a last name stands below n.
func calls(n *node, name string) bool {
	for _, k := range n.kids {
		if k.kind == "call" {
			text := leafText(k.get("function"))
			if text == name || strings.HasSuffix(text, "."+name) {
				return true
			}
		}
		if calls(k, name) {
			return true
		}
	}
	return false
}

func (in *Interp) comparisons(s *scope, cond *node) {
	switch cond.kind {
	case "boolean_operator", "parenthesized_expression", "not_operator":
		for _, k := range cond.kids {
			if k.field != "operator" {
				in.comparisons(s, k)
			}
		}
	case "comparison_operator":
		if len(cond.kids) != 3 || len(in.loop.Bounds) >= 16 {
			return
		}
		left, op, right := cond.kids[0], cond.kids[1], cond.kids[2]
		if strings.HasPrefix(op.text, "<") && cond.kids[0].kind == "integer" {
			return
		}
		in.loop.Bounds = append(in.loop.Bounds, Bound{Left: leafText(left), From: in.eval(s, left), Op: op.text, Right: in.eval(s, right), RightText: leafText(right), Site: in.at(s, cond, leafText(right))})
	}
}

func (in *Interp) newLoop(s *scope, n *node, over Value, while bool) *Loop {
	if o := over.Object(); o != nil { // enumerate and zip go over something
		if p, ok := o.data.(pairs); ok {
			over = p.over
		}
	}
	l := &Loop{Parent: in.loop, Site: in.at(s, n, ""), Over: over, While: while, Func: in.funcName, Doubt: in.doubt > 0}
	if len(in.saw.Loops) < 4000 {
		in.saw.Loops = append(in.saw.Loops, l)
	}
	return l
}
