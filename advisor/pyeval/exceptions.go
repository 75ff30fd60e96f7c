package pyeval

import "strings"

// execTry runs the body and, when it raises, the handler that fits.
func (in *Interp) execTry(s *scope, n *node) flow {
	var caught *raised
	f := next
	func() {
		before := in.state
		if handles(n) {
			in.trying++
			in.tries = append(in.tries[:len(in.tries):len(in.tries)], n)
		}
		defer func() {
			in.trying, in.tries = before.trying, before.tries
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
// a handler that neither raises again nor ends the program.
func handles(try *node) bool {
	for _, k := range try.kids {
		if (k.kind == "except_clause" || k.kind == "except_group_clause") && len(k.kids) > 0 && !k.kids[len(k.kids)-1].holds("raise_statement") && !endsProgram(k.kids[len(k.kids)-1]) {
			return true
		}
	}
	return false
}

// endsProgram reports whether a block ends with a call that ends the program.
func endsProgram(block *node) bool {
	if len(block.kids) == 0 {
		return false
	}
	last := block.kids[len(block.kids)-1]
	for last.kind == "expression_statement" && len(last.kids) > 0 {
		last = last.kids[0]
	}
	if last.kind != "call" {
		return false
	}
	switch leafText(last.get("function")) {
	case "os._exit", "sys.exit", "exit", "quit":
		return true
	}
	return false
}

// catches reports whether an except clause takes an exception, and binds its
// name.
func (in *Interp) catches(s *scope, clause *node, e *raised) bool {
	if len(clause.kids) < 2 {
		return true
	}
	if what := clause.kids[0]; what.kind == "as_pattern" {
		if alias := what.get("alias"); alias != nil {
			in.bind(s, strings.TrimSpace(leafText(alias)), e.value)
		}
	}
	return takes(clause, e.class)
}

// wouldCatch reports whether one of the try statements around has a clause for
// a class of exceptions.
func (in *Interp) wouldCatch(class string) bool {
	for _, try := range in.tries {
		for _, k := range try.kids {
			if (k.kind == "except_clause" || k.kind == "except_group_clause") && takes(k, class) {
				return true
			}
		}
	}
	return false
}

// takes reports whether an except clause is for a class of exceptions. One
// whose names are computed may be for any.
func takes(clause *node, class string) bool {
	if len(clause.kids) < 2 {
		return true
	}
	what := clause.kids[0]
	if what.kind == "as_pattern" {
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
		if exceptionIs(class, text) {
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
	if in.trying == 0 && e.site != nil && in.program.Past[e.site.String()] {
		in.abort(e)
		return
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
