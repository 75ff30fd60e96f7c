package pyeval

import (
	"strings"

	"schedmate/advisor/origin"
)

// evalCall evaluates a call expression.
func (in *Interp) evalCall(s *scope, n *node) Value {
	fnNode, args := n.get("function"), n.get("arguments")
	if fnNode.kind == "identifier" {
		switch fnNode.text { // these need the scope
		case "super":
			if _, taken := in.find(s, "super"); !taken {
				return in.super(s, args)
			}
		case "globals", "locals", "vars", "exec", "eval", "dir":
			if v, done := in.scoped(s, n, fnNode.text, args); done {
				return v
			}
		}
	}
	fn := in.eval(s, fnNode)
	c := &Call{Name: leafText(fnNode)}
	in.arguments(s, args, c)
	in.line = in.at(s, n, c.Name)
	out := in.call(fn, c, n)
	in.line = in.at(s, n, c.Name)
	if out.Origin == nil {
		out.Origin = in.line
	}
	return out
}

func (in *Interp) arguments(s *scope, args *node, c *Call) {
	if args == nil {
		return
	}
	if args.kind == "generator_expression" {
		c.Args = append(c.Args, in.eval(s, args))
		return
	}
	for _, a := range args.kids {
		switch a.kind {
		case "keyword_argument":
			c.Kw = append(c.Kw, Keyword{a.get("name").text, in.eval(s, a.get("value"))})
		case "list_splat":
			items, whole := in.iterate(in.eval(s, a.kids[0]), listItems)
			c.Args = append(c.Args, items...)
			c.Open = c.Open || !whole
		case "dictionary_splat":
			v := in.eval(s, a.kids[0])
			d := v.Dict()
			if o := v.Object(); d == nil && o != nil {
				d = o.Attrs
			}
			if d == nil {
				c.Open = true
				continue
			}
			c.Open = c.Open || d.Open
			d.Each(func(k, v Value) {
				if k.Kind == Str {
					c.Kw = append(c.Kw, Keyword{k.Text, v})
				}
			})
		default:
			c.Args = append(c.Args, in.eval(s, a))
		}
	}
}

// call calls a value. The node is where it stands, or nil.
func (in *Interp) call(fn Value, c *Call, n *node) Value {
	in.step()
	switch fn.Kind {
	case NativeKind:
		nat := fn.Ref.(*Native)
		c.Name = nat.Name
		return nat.Run(in, c)
	case FunctionKind:
		return in.callFunction(fn.Ref.(*Function), c)
	case MethodKind:
		m := fn.Ref.(*Method)
		d := *c
		d.Args = append([]Value{m.Self}, c.Args...)
		if m.Func.Kind == FunctionKind {
			return in.callFunction(m.Func.Ref.(*Function), &d)
		}
		return in.call(m.Func, &d, n)
	case ClassKind:
		return in.construct(fn, c)
	case ObjectKind:
		o := fn.Object()
		if f, _, ok := o.Class.lookup("__call__"); ok {
			return in.call(Value{Kind: MethodKind, Ref: &Method{Self: fn, Func: f}}, c, n)
		}
		if m, ok := o.data.(interface {
			call(in *Interp, self Value, c *Call) Value
		}); ok {
			return m.call(in, fn, c)
		}
		c.Self, c.Name = fn, o.Class.Name+".__call__"
		if e := o.Class.foreign(); e != nil {
			c.Name = e.Name + ".__call__"
		}
		in.observe(c)
		return Value{Kind: ExternalKind, Ref: &External{Name: c.Name + "()", Call: c}}
	case ExternalKind:
		return in.callExternal(fn, c)
	case CandidatesKind:
		var out Value
		for i, a := range fn.Alternatives() {
			var got Value
			d := *c
			in.doubtful(func() { got = in.call(a, &d, n) })
			if i == 0 {
				out = got
			} else {
				out = join(out, got)
			}
		}
		return out
	}
	if i := strings.LastIndex(c.Name, "."); i >= 0 {
		c.Name = "?" + c.Name[i:]
	} else {
		c.Name = "?." + c.Name
	}
	c.Self = fn
	in.observe(c)
	if fn.Kind == Unknown {
		return Value{Kind: Unknown, Text: fn.Text}
	}
	return unknown("%s cannot be called", fn.String())
}

// callExternal records a call into another package, or answers it where the
// package is modelled.
func (in *Interp) callExternal(fn Value, c *Call) Value {
	e := fn.External()
	c.Name = e.Name
	if e.Args.Ref != nil {
		c.Self = e.Args
	} else if e.Call != nil {
		made := parentName(e.Name)
		c.Self = Value{Kind: ExternalKind, Ref: &External{Name: made, Call: e.Call, solid: made == e.Call.Name && makes(made)}}
	}
	if f, ok := natives[canonicalName(e.Name)]; ok && e.Call == nil {
		return f(in, c)
	}
	if f, ok := resultCalls[lastName(e.Name)]; ok && (e.Call != nil || e.Args.Ref != nil) {
		if v, done := f(in, e, c); done {
			return v
		}
	}
	if f, ok := decorators[canonicalName(e.Name)]; ok && e.Call != nil && e.Name == e.Call.Name && len(c.Args) == 1 && len(c.Kw) == 0 { // a decorator that is called as what it is
		switch c.Args[0].Kind {
		case FunctionKind, ClassKind, ObjectKind:
			line := in.line
			if e.Call.Site != nil {
				in.line = e.Call.Site
			}
			out := f(in, e.Call, c.Args[0])
			in.line = line
			return out
		}
	}
	if strings.EqualFold(lastName(e.Name), "tqdm") { // the bars of other packages are made after it
		return progress(in, c)
	}
	in.observe(c)
	in.callbacks(c)
	name := e.Name
	if e.Call != nil {
		name += "()"
		return Value{Kind: ExternalKind, Ref: &External{Name: name, Call: c}, Origin: c.Site}
	}
	solid := makes(name)
	return Value{Kind: ExternalKind, Ref: &External{Name: name, Call: c, solid: solid}, Origin: c.Site}
}

// makes reports whether a call of a name makes an object of a class: what is
// called and starts with a capital is a class ("SGD", "Linear").
func makes(name string) bool {
	last := lastName(name)
	return last != "" && last[0] >= 'A' && last[0] <= 'Z'
}

// constructs reports whether a name is written as classes are.
func constructs(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && strings.ToUpper(name) != name
}

func lastName(full string) string {
	if i := strings.LastIndex(full, "."); i >= 0 {
		return full[i+1:]
	}
	return full
}

func parentName(full string) string {
	if i := strings.LastIndex(full, "."); i >= 0 {
		return full[:i]
	}
	return full
}

// define makes a function of its definition.
func (in *Interp) define(s *scope, n *node) *Function {
	fn := &Function{Name: "lambda", module: s.module, node: n, closure: s, class: s.class, defaults: map[string]Value{}}
	if name := n.get("name"); name != nil {
		fn.Name = name.text
	}
	fn.yields = n.yields()
	if params := n.get("parameters"); params != nil {
		for _, p := range params.kids {
			if d := p.get("value"); d != nil {
				name := p.get("name")
				v := in.eval(s, d)
				if v.Origin != nil && v.Origin.Line == p.line && v.Origin.Kind == origin.Python && len(v.Origin.From) == 0 {
					o := *v.Origin
					o.Key = name.text
					v.Origin = &o
				}
				fn.defaults[name.text] = v.by(in.at(s, p, name.text))
			}
		}
	}
	return fn
}

// maxRecursion is how often a function may stand on the stack: enough for one
// that goes down a nested configuration.
const maxRecursion = 6

// maxGuesses is the same for one that goes down what nobody knows to be there:
// each level would be followed once for every unknown item.
const maxGuesses = 2

// callFunction follows a call of a function of the repository.
func (in *Interp) callFunction(fn *Function, c *Call) Value {
	if in.doubt > in.guess.doubt {
		return in.guessAt(fn, c)
	}
	return in.follow(fn, c)
}

// follow binds the arguments and runs the body.
func (in *Interp) follow(fn *Function, c *Call) Value {
	if in.depth >= in.budget.Depth || in.active[fn.node] >= maxRecursion || in.doubt > 0 && in.active[fn.node] >= maxGuesses {
		return unknown("%s calls itself or is nested too deeply", fn.Name)
	}
	local := &scope{vars: newDict(), module: fn.module, fn: fn, parent: fn.closure}
	local.vars.born = in.born()
	if fn.closure != nil && fn.closure.vars == fn.module.globals {
		local.parent = nil
	}
	if fn.class == nil && fn.Name != "lambda" {
		c.Name = fn.module.Name + "." + fn.Name
		in.observe(&Call{Name: "repo:" + c.Name, Args: c.Args, Kw: c.Kw})
	}
	in.ginBind(fn, c)
	in.bindArguments(fn, local, c)
	line, loop, name, trying, frame, under := in.line, in.loop, in.funcName, in.trying, in.frame, in.under
	in.depth++
	in.active[fn.node]++
	in.funcName, in.frame = fn.Name, local
	defer func() {
		in.depth--
		in.active[fn.node]--
		in.line, in.loop, in.funcName, in.trying, in.frame, in.under = line, loop, name, trying, frame, under
	}()
	body := fn.node.get("body")
	if fn.node.kind == "lambda" {
		return in.eval(local, body)
	}
	if fn.yields {
		local.yields = &List{born: in.born()}
	}
	in.readable(fn, body)
	in.body(local, body)
	if fn.yields {
		return Value{Kind: ListKind, Ref: local.yields}
	}
	if !local.may {
		return none()
	}
	return local.result
}

// parameter kinds of the grammar, by what they bind.
func (in *Interp) bindArguments(fn *Function, local *scope, c *Call) {
	params := fn.node.get("parameters")
	if params == nil {
		return
	}
	used := map[string]bool{}
	kw := map[string]Value{}
	for _, k := range c.Kw {
		kw[k.Name] = k.Value
	}
	at, star := 0, false
	set := func(name string, v Value) { local.vars.set(str(name), v) }
	for _, p := range params.kids {
		name := ""
		switch p.kind {
		case "identifier":
			name = p.text
		case "default_parameter", "typed_default_parameter":
			name = p.get("name").text
		case "typed_parameter":
			inner := p.kids[0]
			if inner.kind == "list_splat_pattern" || inner.kind == "dictionary_splat_pattern" {
				p = inner
			} else {
				name = inner.text
			}
		case "keyword_separator":
			star = true
			continue
		}
		switch p.kind {
		case "list_splat_pattern":
			star = true
			if len(p.kids) > 0 {
				rest := &List{Open: c.Open, born: in.born()}
				if at < len(c.Args) {
					rest.Items = append(rest.Items, c.Args[at:]...)
					at = len(c.Args)
				}
				set(p.kids[0].text, Value{Kind: TupleKind, Ref: rest})
			}
			continue
		case "dictionary_splat_pattern":
			d := newDict()
			d.born, d.Open = in.born(), c.Open
			for _, k := range c.Kw {
				if !used[k.Name] {
					d.set(str(k.Name), k.Value)
				}
			}
			if len(p.kids) > 0 {
				set(p.kids[0].text, Value{Kind: DictKind, Ref: d})
			}
			continue
		}
		if name == "" {
			continue
		}
		used[name] = true
		given, isKw := kw[name]
		def, hasDefault := fn.defaults[name]
		switch {
		case !star && at < len(c.Args):
			v := c.Args[at]
			at++
			if hasDefault && v.Origin != nil && v.Known() && def.Origin != nil {
				v.Origin = v.Origin.Over(def.Origin)
			}
			set(name, v)
		case isKw:
			set(name, given)
		case c.Open:
			set(name, unknown("%s may be among arguments that are not known", name))
		case hasDefault:
			set(name, def)
			in.defaulted(fn, name, def)
		default:
			set(name, unknown("%s is not given to %s", name, fn.Name))
		}
	}
}
