package pyeval

import (
	"bytes"
	"strings"
)

// lookup is a name that is being looked for in a module.
type lookup struct {
	module *Module
	name   string
}

// moduleGet looks a global name up.
func (in *Interp) moduleGet(m *Module, name string) (Value, bool) {
	if v, ok := m.own(name); ok {
		return in.settle(m.globals, name, v), true
	}
	for i := len(m.stars) - 1; i >= 0; i-- {
		if star := m.stars[i]; in.exports(star, name) && in.provides(star, name, 12) {
			if v, ok := in.lookModule(star, name); ok {
				m.globals.set(str(name), v)
				return v, true
			}
		}
	}
	return Value{}, false
}

// exports reports whether "import *" may bring a name, as far as a written
// list of exports says.
func (in *Interp) exports(m *Module, name string) bool {
	if strings.HasPrefix(name, "_") {
		return false
	}
	if !m.isFile {
		return true
	}
	if m.exportsAll == 0 {
		m.exportsAll = 1
		if text := in.textOf(m); bytes.Contains(text, []byte("__all__")) && listsExports.Match(text) && !addsExports.Match(text) {
			m.exportsAll = 2
		}
	}
	if m.exportsAll == 1 {
		return true
	}
	text := in.textOf(m)
	return bytes.Contains(text, []byte("'"+name+"'")) || bytes.Contains(text, []byte(`"`+name+`"`))
}

// provides reports whether a module binds a name, by its text alone.
func (in *Interp) provides(m *Module, name string, depth int) bool {
	in.step()
	if _, ok := m.own(name); ok {
		return true
	}
	if depth == 0 || !m.isFile {
		return false
	}
	if m.state != 0 {
		for _, star := range m.stars {
			if in.exports(star, name) && in.provides(star, name, depth-1) {
				return true
			}
		}
		return false
	}
	has := containsWord(in.textOf(m), name)
	if !has && !bytes.Contains(in.textOf(m), []byte("import *")) {
		return false
	}
	if m.names == nil {
		m.names = map[string]bool{}
		topNames(in.treeOf(m), m.names)
	}
	if m.names[name] {
		return true
	}
	if m.names["*"] { // what it star-imports is known when it has run
		in.runModule(m)
		return in.provides(m, name, depth-1)
	}
	return false
}

// topNames collects the names that statements bind; "*" for a star import.
func topNames(n *node, names map[string]bool) {
	for _, k := range n.kids {
		switch k.kind {
		case "function_definition", "class_definition":
			names[leafText(k.get("name"))] = true
		case "decorated_definition", "if_statement", "try_statement", "block", "else_clause", "elif_clause", "except_clause", "with_statement", "expression_statement", "for_statement":
			topNames(k, names)
		case "assignment":
			for left := k; left != nil && left.kind == "assignment"; left = left.get("right") {
				collectTargets(left.get("left"), names)
			}
		case "import_statement", "import_from_statement":
			for _, name := range k.all("name") {
				if alias := name.get("alias"); alias != nil {
					names[alias.text] = true
				} else {
					first, _, _ := strings.Cut(name.text, ".")
					names[first] = true
				}
			}
			for _, w := range k.kids {
				if w.kind == "wildcard_import" {
					names["*"] = true
				}
			}
		}
	}
}

func collectTargets(n *node, names map[string]bool) {
	if n == nil {
		return
	}
	if n.kind == "identifier" {
		names[n.text] = true
	}
	for _, k := range n.kids {
		if n.kind != "attribute" && n.kind != "subscript" {
			collectTargets(k, names)
		}
	}
}

// lookModule finds a name in a module of the repository: bound by its code, or
// a module below it.
func (in *Interp) lookModule(m *Module, name string) (Value, bool) {
	key := lookup{m, name}
	if in.looking[key] { // modules that import a name from each other
		return Value{}, false
	}
	in.looking[key] = true
	defer delete(in.looking, key)
	if replaced[m.Name+"."+name] {
		return external(m.Name + "." + name), true
	}
	if v, ok := m.own(name); ok {
		return in.settle(m.globals, name, v), true
	}
	if m.state == 0 && m.isFile && !in.provides(m, name, 12) {
		if sub := in.locate(m.Name + "." + name); sub != nil {
			return Value{Kind: ModuleKind, Ref: sub}, true
		}
	}
	in.runModule(m)
	if v, ok := in.moduleGet(m, name); ok {
		if d := v.Dict(); d != nil && !d.attrs && in.lazyFiles != "" && strings.HasPrefix(m.File, in.lazyFiles) {
			in.markAttrs(v, 60) // what lazy configurations import from each other are nodes
		}
		return v, true
	}
	if sub := in.locate(m.Name + "." + name); sub != nil && m.Name != "__main__" {
		return Value{Kind: ModuleKind, Ref: sub}, true
	}
	if v, ok := in.listedName(m, name); ok {
		return v, true
	}
	if get, ok := m.globals.Get("__getattr__"); ok && name != "__getattr__" && !strings.HasPrefix(name, "__") {
		return in.call(get, &Call{Name: "__getattr__", Args: []Value{str(name)}}, nil), true
	}
	return Value{}, false
}

// namespace is the dict of all names of a module, with those that its star
// imports bring.
func (in *Interp) namespace(m *Module) Value {
	in.runModule(m)
	in.spread(m, 12)
	return Value{Kind: DictKind, Ref: m.globals}
}

func (in *Interp) spread(m *Module, depth int) {
	for i := len(m.stars) - 1; i >= 0 && depth > 0; i-- {
		star := m.stars[i]
		in.step()
		in.runModule(star)
		in.spread(star, depth-1)
		star.globals.Each(func(k, v Value) {
			if _, has := m.globals.get(k); !has && k.Kind == Str && in.exports(star, k.Text) {
				m.globals.set(k, v)
			}
		})
	}
}

func (in *Interp) moduleAttr(m *Module, name string) Value {
	if name == "__dict__" {
		return in.namespace(m)
	}
	if v, ok := in.lookModule(m, name); ok {
		return v
	}
	if m.state == 1 {
		return unknown("%s is imported while %s still loads", name, m.Name)
	}
	return in.fail("ImportError", "%s has no name %s", m.File, name)
}
