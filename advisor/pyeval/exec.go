package pyeval

import "runtime"

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
		if v, ok := copied(c); ok {
			in.bind(s, c.Name, v)
			break
		}
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
	if l, ok := v.Ref.(*List); ok && v.Kind == ListKind && len(l.Items) > 0 { // of a generator function, what it yields
		return l.Items[0]
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
