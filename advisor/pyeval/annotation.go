package pyeval

import (
	"strings"

	"schedmate/advisor/conf"
	"schedmate/advisor/origin"
)

// annotated is what an annotation says of a value: how a word of the command
// line becomes one.
type annotated struct {
	name     string // int, float, bool, str, list, tuple, set, dict, literal, enum, class, any
	of       []annotated
	choices  []Value
	class    *Class
	foreign  string // qualified name of a class of another package
	optional bool
}

// field is one parameter of a function or field of a dataclass.
type field struct {
	name       string
	typ        annotated
	def        Value
	hasDefault bool
	meta       *Call // the call of field(), if any
	positional bool  // without a default, before the star
	initFalse  bool
	origin     *origin.Origin
}

// fieldType is what a class says of the type of a field.
func (in *Interp) fieldType(c *Class, name string) annotated {
	n := c.notes[name]
	owner := c
	for _, k := range c.mro() {
		if k.notes[name] == n {
			owner = k // the last one is where it stands
		}
	}
	return in.annotation(owner.module, n, 8)
}

// annotation reads an annotation.
func (in *Interp) annotation(m *Module, n *node, depth int) annotated {
	any := annotated{name: "any"}
	if n == nil || depth == 0 || m == nil {
		return any
	}
	in.step()
	kids := n.kids
	switch n.kind {
	case "type", "parenthesized_expression":
		if len(kids) > 0 {
			return in.annotation(m, kids[0], depth)
		}
	case "string":
		tree, err := parse([]byte(strings.TrimSpace(n.text)))
		if err == nil && len(n.text) < 1000 && len(tree.kids) == 1 && len(tree.kids[0].kids) == 1 {
			return in.annotation(m, tree.kids[0].kids[0], depth-1)
		}
	case "none":
		return annotated{name: "none"}
	case "binary_operator", "union_type":
		var parts []annotated
		for _, k := range kids {
			if k.field != "operator" {
				parts = append(parts, in.annotation(m, k, depth-1))
			}
		}
		return union(parts)
	case "generic_type", "subscript":
		base := kids[0]
		var args []*node
		for _, k := range kids[1:] {
			if k.kind == "type_parameter" || k.kind == "tuple" || k.kind == "expression_list" {
				args = append(args, k.kids...)
			} else {
				args = append(args, k)
			}
		}
		return in.generic(m, base, args, depth)
	case "identifier", "attribute", "member_type":
		return in.named(m, n)
	}
	return any
}

func (in *Interp) generic(m *Module, base *node, args []*node, depth int) annotated {
	name := lastName(leafText(base))
	of := func() (all []annotated) {
		for _, a := range args {
			all = append(all, in.annotation(m, a, depth-1))
		}
		return all
	}
	switch name {
	case "Optional":
		if len(args) > 0 {
			t := in.annotation(m, args[0], depth-1)
			t.optional = true
			return t
		}
	case "Union":
		return union(of())
	case "Annotated", "Final", "ClassVar", "InitVar", "Conf", "Suppress", "Fixed", "SuppressConditional":
		if len(args) > 0 {
			return in.annotation(m, args[0], depth-1)
		}
	case "List", "list", "Sequence", "Iterable", "ListConfig", "MutableSequence":
		return annotated{name: "list", of: of()}
	case "Set", "set", "FrozenSet":
		return annotated{name: "set", of: of()}
	case "Tuple", "tuple":
		return annotated{name: "tuple", of: of()}
	case "Dict", "dict", "Mapping", "MutableMapping", "OrderedDict":
		return annotated{name: "dict", of: of()}
	case "Literal":
		t := annotated{name: "literal"}
		for _, a := range args {
			for a.kind == "type" && len(a.kids) > 0 {
				a = a.kids[0]
			}
			t.choices = append(t.choices, in.eval(m.scope(), a))
		}
		return t
	}
	return in.named(m, base)
}

func (in *Interp) named(m *Module, n *node) annotated {
	switch name := lastName(leafText(n)); name {
	case "int", "float", "bool", "str", "dict", "list", "tuple", "set":
		return annotated{name: name}
	case "Path", "PathLike", "path_type", "AnyPath":
		return annotated{name: "str"}
	case "List", "Sequence":
		return annotated{name: "list"}
	case "Dict", "Mapping":
		return annotated{name: "dict"}
	case "Tuple":
		return annotated{name: "tuple"}
	case "Any", "object":
		return annotated{name: "any"}
	case "PositiveInt", "NonNegativeInt":
		return annotated{name: "int"}
	case "PositiveFloat", "NonNegativeFloat":
		return annotated{name: "float"}
	}
	v := unknown("a type")
	if !in.attempt(func() { v = in.eval(m.scope(), n) }) {
		return annotated{name: "any"}
	}
	return in.typeValue(v)
}

// typeValue is the annotation that a value stands for.
func (in *Interp) typeValue(v Value) annotated {
	switch v.Kind {
	case NativeKind:
		return annotated{name: v.Ref.(*Native).Name}
	case ClassKind:
		c := v.Ref.(*Class)
		if in.isEnum(c) {
			return annotated{name: "enum", class: c}
		}
		return annotated{name: "class", class: c}
	case ExternalKind:
		if name := v.External().Name; !strings.HasPrefix(name, "typing.") && !strings.HasPrefix(name, "typing_extensions.") && constructs(lastName(name)) {
			return annotated{name: "class", foreign: name}
		}
	}
	return annotated{name: "any"}
}

func union(parts []annotated) annotated {
	var kept []annotated
	optional := false
	for _, p := range parts {
		if p.name == "none" {
			optional = true
			continue
		}
		optional = optional || p.optional
		kept = append(kept, p)
	}
	if len(kept) == 1 {
		t := kept[0]
		t.optional = optional
		return t
	}
	return annotated{name: "union", of: kept, optional: optional}
}

// word makes a value of one word of the command line. What the annotation does
// not tell is read as YAML would.
func (in *Interp) word(t annotated, w Value) Value {
	if w.Kind != Str {
		return w
	}
	lower := strings.ToLower(w.Text)
	if t.optional && (lower == "none" || lower == "null") {
		return none().with(w.Origin)
	}
	switch t.name {
	case "str":
		return w
	case "int":
		if v := parseInt(w.Text); v.Kind == Int {
			return v.with(w.Origin)
		}
	case "float":
		if v := toFloat(w); v.Known() {
			return v.with(w.Origin)
		}
	case "bool":
		switch lower {
		case "true", "yes", "y", "t", "1", "on":
			return boolean(true).with(w.Origin)
		case "false", "no", "n", "f", "0", "off":
			return boolean(false).with(w.Origin)
		}
		return unknown("%s is no truth value", w.Text).with(w.Origin)
	case "literal":
		for _, c := range t.choices {
			if c.String() == w.Text {
				return c.with(w.Origin)
			}
		}
		return w
	case "enum":
		if _, ok := t.class.attrs.Get(w.Text); ok {
			return in.classAttr(Value{Kind: ClassKind, Ref: t.class}, w.Text).with(w.Origin)
		}
		return in.construct(Value{Kind: ClassKind, Ref: t.class}, &Call{Args: []Value{w}}).with(w.Origin)
	case "union":
		for _, p := range t.of {
			if v := in.word(p, w); v.Kind != Unknown && p.name != "str" {
				if p.name == "bool" && lower != "true" && lower != "false" {
					continue
				}
				return v
			}
		}
		return in.scalar(w)
	}
	return in.scalar(w)
}

// scalar reads a word as a value of YAML, but for the words that YAML alone
// takes for truth values.
func (in *Interp) scalar(w Value) Value {
	switch strings.ToLower(w.Text) {
	case "yes", "no", "on", "off", "y", "n":
		return w
	case "none":
		return none().with(w.Origin)
	}
	if strings.ContainsAny(w.Text, "[{(") {
		if v, ok := in.literal(w.Text); ok {
			return in.placed(v, w.Origin, 20)
		}
		if n, err := conf.ParseYAML("", []byte(w.Text), conf.OmegaConf); err == nil {
			return in.placed(in.fromNode(n, false), w.Origin, 20)
		}
		return w
	}
	return in.fromNode(conf.Scalar(w.Text, conf.OmegaConf, w.Origin), false).with(w.Origin)
}

// placed gives a value and all that is in it one origin.
func (in *Interp) placed(v Value, at *origin.Origin, depth int) Value {
	v.Origin = at
	if depth == 0 {
		return v
	}
	in.step()
	switch r := v.Ref.(type) {
	case *List:
		for i := range r.Items {
			r.Items[i] = in.placed(r.Items[i], at, depth-1)
		}
	case *Dict:
		for i := range r.values {
			r.put(i, in.placed(r.values[i], at, depth-1))
		}
	}
	return v
}

// many reports whether a type takes several words.
func (t annotated) many() bool { return t.name == "list" || t.name == "tuple" || t.name == "set" }

// item is the type of an item of a list.
func (t annotated) item(i int) annotated {
	switch {
	case len(t.of) == 0:
		return annotated{name: "any"}
	case t.name == "tuple" && i < len(t.of):
		return t.of[i]
	}
	return t.of[0]
}

// classFields lists the fields of a dataclass.
func (in *Interp) classFields(c *Class) []field {
	var all []field
	for _, name := range c.fields {
		f := field{name: name, typ: in.fieldType(c, name), origin: c.Origin}
		if n := c.notes[name]; n != nil {
			at := *c.Origin
			for _, k := range c.mro() {
				if k.notes[name] == n {
					at = *k.Origin
				}
			}
			at.Line, at.Key = n.line, name
			f.origin = &at
		}
		if def, _, ok := c.lookup(name); ok {
			if e := def.External(); e != nil && e.Name == "dataclasses.field" && e.Call != nil {
				f.meta = e.Call
				if v, ok := e.Call.Arg("init", -1); ok {
					yes, known := v.truth()
					f.initFalse = known && !yes
				}
			}
			v := in.fieldDefault(def)
			if !(f.meta != nil && v.Kind == Unknown && v.Text == "the field has no default") {
				f.def, f.hasDefault = v, true
			}
		}
		all = append(all, f)
	}
	return all
}

// parameters lists the parameters of a function, without self.
func (in *Interp) parameters(fn *Function) (all []field, open bool) {
	params := fn.node.get("parameters")
	if params == nil {
		return nil, false
	}
	star := false
	for i, p := range params.kids {
		name := ""
		switch p.kind {
		case "identifier":
			name = p.text
		case "default_parameter", "typed_default_parameter":
			name = p.get("name").text
		case "typed_parameter":
			if k := p.kids[0]; k.kind == "identifier" {
				name = k.text
			} else {
				open = open || k.kind == "dictionary_splat_pattern"
				star = star || k.kind == "list_splat_pattern"
			}
		case "keyword_separator", "list_splat_pattern":
			star = true
		case "dictionary_splat_pattern":
			open = true
		}
		if name == "" || (i == 0 && fn.class != nil && !fn.static) {
			continue
		}
		at := *in.at(fn.module.scope(), p, name)
		f := field{name: name, typ: in.annotation(fn.module, p.get("type"), 8), origin: &at}
		f.def, f.hasDefault = fn.defaults[name]
		f.positional = !f.hasDefault && !star
		all = append(all, f)
	}
	return all, open
}
