package pyeval

import "strings"

// scoped answers the built-in functions that look at the scope they are called
// in. done is false when the name means something else there.
func (in *Interp) scoped(s *scope, n *node, name string, args *node) (v Value, done bool) {
	if own, ok := in.find(s, name); ok && own.Kind != NativeKind {
		return Value{}, false
	}
	c := &Call{Name: name}
	in.arguments(s, args, c)
	in.line = in.at(s, n, name)
	switch name {
	case "globals":
		return in.namespace(s.module), true
	case "locals":
		return Value{Kind: DictKind, Ref: s.vars}, true
	case "vars":
		if len(c.Args) == 0 {
			return Value{Kind: DictKind, Ref: s.vars}, true
		}
		if o := c.Args[0].Object(); o != nil {
			return Value{Kind: DictKind, Ref: o.Attrs}, true
		}
		if m, ok := c.Args[0].Ref.(*Module); ok {
			return in.namespace(m), true
		}
		if c.Args[0].Kind == DictKind {
			return c.Args[0], true
		}
		return unknown("the attributes of %s", c.Args[0].String()), true
	case "dir":
		return in.names(s, c), true
	case "exec":
		in.execText(s, c)
		return none(), true
	case "eval":
		return in.evalText(s, c), true
	}
	return Value{}, false
}

func (in *Interp) names(s *scope, c *Call) Value {
	from := s.vars
	if len(c.Args) > 0 {
		switch r := c.Args[0].Ref.(type) {
		case *Module:
			from = in.namespace(r).Dict()
		case *Object:
			from = newDict()
			r.Attrs.Each(from.set)
			for _, c := range r.Class.mro() {
				c.attrs.Each(from.set)
			}
		case *Class:
			from = r.attrs
		default:
			return unknown("the names of %s", c.Args[0].String())
		}
	}
	return Value{Kind: ListKind, Ref: &List{Items: append([]Value(nil), from.keys...), born: in.born()}}
}

// execText runs text as statements: of a file of the repository, mostly.
func (in *Interp) execText(s *scope, c *Call) {
	text := c.first()
	if text.Kind != Str || in.depth >= in.budget.Depth {
		in.note("exec of %s is not followed", text.String())
		return
	}
	tree, err := trees.parse([]byte(text.Text))
	if err != nil {
		in.note("exec: %v", err)
		return
	}
	where := s
	if len(c.Args) > 1 && c.Args[1].Dict() != nil {
		d := c.Args[1].Dict()
		where = &scope{vars: d, module: &Module{Name: s.module.Name, File: s.module.File, globals: d, state: 1}}
	}
	// Evidence names the file that the text came from.
	if file := in.fileOf(text); file != "" {
		m := *where.module
		m.File = file
		inner := *where
		inner.module = &m
		where = &inner
	}
	in.depth++
	defer func() { in.depth-- }()
	in.block(where, tree.kids)
}

// fileOf is the file whose whole text a value holds.
func (in *Interp) fileOf(text Value) string {
	for _, name := range in.root.FilesRead() {
		if got, err := in.root.Read(name); err == nil && len(got) == len(text.Text) && len(got) > 0 && string(got) == text.Text {
			return name
		}
	}
	return ""
}

// evalText evaluates text as an expression.
func (in *Interp) evalText(s *scope, c *Call) Value {
	text := c.first()
	if text.Kind != Str || len(text.Text) > 1<<14 || in.depth >= in.budget.Depth {
		return unknown("eval of %s", text.String())
	}
	tree, err := parse([]byte(strings.TrimSpace(text.Text)))
	if err != nil || len(tree.kids) != 1 || tree.kids[0].kind != "expression_statement" {
		return unknown("eval of %q", text.Text)
	}
	where := &scope{vars: newDict(), parent: s, module: s.module}
	if s.vars == s.module.globals {
		where.parent = nil
	}
	if len(c.Args) > 1 && c.Args[1].Dict() != nil {
		where.vars = c.Args[1].Dict()
	}
	in.depth++
	defer func() { in.depth-- }()
	v := in.eval(where, tree.kids[0].kids[0])
	if text.Origin != nil && v.Kind != FunctionKind {
		v.Origin = text.Origin
	}
	return v
}

// literal reads text as ast.literal_eval does; ok is false for anything else.
func (in *Interp) literal(text string) (Value, bool) {
	if len(text) > 1<<14 || startsAsName(strings.TrimSpace(text)) {
		return Value{}, false
	}
	tree, err := parse([]byte(strings.TrimSpace(text)))
	if err != nil || len(tree.kids) != 1 || tree.kids[0].kind != "expression_statement" || len(tree.kids[0].kids) != 1 || !isLiteral(tree.kids[0].kids[0]) {
		return Value{}, false
	}
	m := &Module{Name: "literal", globals: newDict(), state: 2}
	v := in.eval(m.scope(), tree.kids[0].kids[0])
	v.Origin = nil
	return v, v.Kind != Unknown
}

// startsAsName reports whether a text begins with a name, as no literal does:
// most words of command lines are told apart without a parser.
func startsAsName(text string) bool {
	end := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		end = len(text)
	}
	word, rest := text[:end], text[end:]
	if word == "" || word[0] >= '0' && word[0] <= '9' || word == "True" || word == "False" || word == "None" {
		return false
	}
	return !strings.HasPrefix(rest, "'") && !strings.HasPrefix(rest, `"`)
}

func isLiteral(n *node) bool {
	switch n.kind {
	case "integer", "float", "true", "false", "none":
		return true
	case "string":
		return len(n.kids) == 0
	case "unary_operator", "list", "tuple", "set", "dictionary", "pair", "parenthesized_expression", "binary_operator", "concatenated_string":
		for _, k := range n.kids {
			if k.field != "operator" && !isLiteral(k) {
				return false
			}
		}
		return true
	}
	return false
}
