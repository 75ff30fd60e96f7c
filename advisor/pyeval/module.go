package pyeval

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// Module is one file of the repository.
type Module struct {
	Name    string // dotted
	File    string // relative to the root; a folder for a package without __init__.py
	pkg     string // dotted name of the package that relative imports start from
	globals *Dict
	stars   []*Module // modules whose names were imported with *
	text    []byte    // read when it is first needed
	isFile  bool
	read    bool
	tree    *node
	state   int // 0: not run, 1: running, 2: done
	names   map[string]bool

	exportsAll int // 1: "import *" brings all names, 2: those of a written list, 0: not looked at
}

// Globals calls f for the plain values that a module's names ended as.
func (m *Module) Globals(f func(name string, v Value)) {
	m.globals.Each(func(k, v Value) {
		switch v.Kind {
		case Int, Float, Str, Bool, None, CandidatesKind, ListKind, TupleKind:
			f(k.Text, v)
		}
	})
}

// lazyName is a name imported from a module that has not run yet. It never
// leaves a scope's map.
type lazyName struct {
	module *Module
	name   string
	busy   bool // being looked up: its module asked for it itself
}

// own returns what a module itself binds a name to, other than a name that is
// being looked up.
func (m *Module) own(name string) (Value, bool) {
	v, ok := m.globals.Get(name)
	if l, lazy := v.Ref.(*lazyName); lazy && l.busy {
		return Value{}, false
	}
	return v, ok
}

// entryModule finds the file of the program.
func (in *Interp) entryModule() *Module {
	p := in.program
	dirs := []string{}
	add := func(d string) {
		d = path.Clean(d)
		for _, have := range dirs {
			if have == d {
				return
			}
		}
		dirs = append(dirs, d)
	}
	file := p.File
	if file != "" {
		add(path.Dir(file))
	} else {
		add(p.Dir)
	}
	for _, d := range p.Paths {
		add(d)
	}
	add(p.Dir)
	for _, d := range []string{".", "src", "lib", "python"} { // installed in place, with the usual layouts
		if d == "." || in.root.IsDir(d) {
			add(d)
		}
	}
	for d := p.Dir; d != "." && d != "/"; d = path.Dir(d) {
		add(d)
		if in.root.IsDir(path.Join(d, "src")) {
			add(path.Join(d, "src"))
		}
	}
	in.paths = dirs
	args := []Value{str(file)}
	if file == "" {
		m := in.locate(p.Module)
		if m == nil || !m.isFile {
			if main := in.locate(p.Module + ".__main__"); main != nil {
				m = main
			}
		}
		if m == nil {
			in.saw.Missing = append(in.saw.Missing, Missing{Path: p.Module})
			return nil
		}
		if strings.HasSuffix(m.File, "/__init__.py") {
			if main := in.locate(p.Module + ".__main__"); main != nil && p.Func == "" {
				m = main
			}
		}
		args[0] = str(m.File)
		in.sysArgv = list(append(args, p.Args...)...)
		if p.Func == "" {
			m.globals.set(str("__name__"), str("__main__"))
		}
		return m
	}
	in.sysArgv = list(append(args, p.Args...)...)
	if _, err := in.root.Read(file); err != nil {
		in.saw.Missing = append(in.saw.Missing, Missing{Path: file})
		in.note("%v", err)
		return nil
	}
	m := in.module("__main__", file)
	m.isFile = true
	in.modules["__main__"] = m
	return m
}

func (in *Interp) module(name, file string) *Module {
	m := &Module{Name: name, File: file, isFile: strings.HasSuffix(file, ".py"), globals: newDict()}
	m.pkg = name
	if !strings.HasSuffix(file, "__init__.py") && m.isFile {
		m.pkg = ""
		if i := strings.LastIndex(name, "."); i >= 0 {
			m.pkg = name[:i]
		}
	}
	m.globals.set(str("__name__"), str(name))
	m.globals.set(str("__file__"), str(file))
	m.globals.set(str("__doc__"), none())
	return m
}

// locate finds a module of the repository by its dotted name, without running
// it; nil when the repository has none.
//
// A framework that lies in the repository beside its examples is known by its
// interface: its own code is far from what a job is about.
func (in *Interp) locate(name string) *Module {
	if m, ok := in.modules[name]; ok {
		return m
	}
	if first, _, _ := strings.Cut(name, "."); frameworks[first] && !strings.HasPrefix(in.program.File, first+"/") {
		in.modules[name] = nil
		return nil
	}
	rel := strings.ReplaceAll(name, ".", "/")
	for _, dir := range in.paths {
		base := path.Join(dir, rel)
		for _, file := range []string{base + ".py", base + "/__init__.py"} {
			if !in.root.IsFile(file) {
				continue
			}
			m := in.module(name, file)
			in.modules[name] = m
			in.pending = append(in.pending, m)
			return m
		}
	}
	for _, dir := range in.paths { // a package without __init__.py, if it holds code
		base := path.Join(dir, rel)
		if base != "." && in.root.IsDir(base) && in.holdsCode(base, 2) {
			m := in.module(name, base)
			m.state = 2
			in.modules[name] = m
			return m
		}
	}
	in.modules[name] = nil
	return nil
}

func (in *Interp) holdsCode(dir string, depth int) bool {
	for _, e := range in.root.List(dir) {
		if strings.HasSuffix(e.Name(), ".py") {
			return true
		}
		if depth > 0 && e.IsDir() && in.holdsCode(path.Join(dir, e.Name()), depth-1) {
			return true
		}
	}
	return false
}

// textOf reads a module's file once.
func (in *Interp) textOf(m *Module) []byte {
	if !m.read {
		m.read = true
		text, err := in.root.Read(m.File)
		if err != nil {
			in.note("%v", err)
		}
		m.text = text
	}
	return m.text
}

// treeOf parses a module once.
func (in *Interp) treeOf(m *Module) *node {
	if m.tree == nil {
		if t, ok := in.parsed[m.File]; ok {
			m.tree = t
			return t
		}
		t, err := trees.parse(in.textOf(m))
		if err != nil {
			in.note("%s: %v", m.File, err)
			if in.unparsed++; in.unparsed > 4 {
				panic(stop{"several files cannot be parsed"})
			}
			t = &node{kind: "module"}
		}
		m.tree = t
		in.parsed[m.File] = t
	}
	return m.tree
}

// runModule runs the statements of a module, once.
func (in *Interp) runModule(m *Module) {
	if m.state != 0 {
		return
	}
	m.state = 1
	if i := strings.LastIndex(m.Name, "."); i >= 0 { // a package runs before its modules
		if parent := in.locate(m.Name[:i]); parent != nil && in.depth < in.budget.Depth {
			in.runModule(parent)
		}
	}
	if in.depth >= in.budget.Depth {
		m.state = 2
		in.note("%s: imports are nested too deeply", m.File)
		return
	}
	line, loop, name, weak, doubt, trying, under := in.line, in.loop, in.funcName, in.weakFrom, in.doubt, in.trying, in.under
	in.loop, in.funcName, in.weakFrom, in.doubt, in.under = nil, "", 0, 0, nil
	in.depth++
	in.loading++
	func() {
		defer func() {
			in.loading--
			if e := recover(); e != nil {
				r, ok := e.(raised)
				if !ok || m == in.saw.Entry {
					panic(e)
				}
				in.note("%s: %s: %s", m.File, r.class, r.text)
				if r.class == "SystemExit" {
					panic(e)
				}
			}
		}()
		if m == in.saw.Entry {
			in.trying = 0
		}
		in.block(m.scope(), in.treeOf(m).kids)
	}()
	in.depth--
	in.line, in.loop, in.funcName, in.weakFrom, in.doubt, in.trying, in.under = line, loop, name, weak, doubt, trying, under
	m.state = 2
}

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

var (
	listsExports = regexp.MustCompile(`(?m)^__all__\s*(:[^=\n]*)?=\s*[\[(]`)
	addsExports  = regexp.MustCompile(`(?m)^\s*__all__\s*(\+=|\.)|^__all__.*[\])]\s*\+`)
)

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
	has := bytes.Contains(in.textOf(m), []byte(name))
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

// execImport binds imported names, lazily.
func (in *Interp) execImport(s *scope, n *node) {
	if n.kind == "future_import_statement" {
		return
	}
	if n.kind == "import_statement" {
		for _, k := range n.all("name") {
			name, alias := k.text, ""
			if k.kind == "aliased_import" {
				name, alias = k.get("name").text, k.get("alias").text
			}
			if alias != "" {
				in.bind(s, alias, in.importModule(name))
				continue
			}
			first, _, _ := strings.Cut(name, ".")
			v := in.importModule(first)
			if strings.Contains(name, ".") && v.Kind == ModuleKind {
				in.locate(name)
			}
			in.bind(s, first, v)
		}
		return
	}
	from := n.get("module_name")
	name := from.text
	if from.kind == "relative_import" {
		dots := len(name) - len(strings.TrimLeft(name, "."))
		pkg := s.module.pkg
		if s.module.Name == "__main__" || (pkg == "" && s.module.Name == "") {
			pkg = in.packageOf(s.module.File)
		}
		for range dots - 1 {
			i := strings.LastIndex(pkg, ".")
			pkg = pkg[:max(i, 0)]
		}
		name = strings.Trim(pkg+"."+strings.TrimLeft(name, "."), ".")
	}
	m := in.locate(name)
	for _, k := range n.kids {
		if k.kind == "wildcard_import" {
			if m != nil {
				s.module.stars = append(s.module.stars, m)
			}
			continue
		}
		if k.field != "name" {
			continue
		}
		what, alias := k.text, k.text
		if k.kind == "aliased_import" {
			what, alias = k.get("name").text, k.get("alias").text
		}
		switch {
		case m == nil:
			if f, ok := constants[name+"."+what]; ok {
				in.bind(s, alias, f(in))
			} else {
				in.bind(s, alias, external(name+"."+what))
			}
		default:
			if strings.HasSuffix(m.File, "__init__.py") && what == strings.ToLower(what) {
				in.locate(m.Name + "." + what) // "from . import x" names a module: it waits to run
			}
			in.bind(s, alias, Value{Ref: &lazyName{module: m, name: what}})
		}
	}
}

// packageOf is the dotted name of the package that a script lies in.
func (in *Interp) packageOf(file string) string {
	dir := path.Dir(file)
	for _, p := range in.paths[1:] {
		if p == "." && dir != "." {
			return strings.ReplaceAll(dir, "/", ".")
		}
		if strings.HasPrefix(dir, p+"/") {
			return strings.ReplaceAll(dir[len(p)+1:], "/", ".")
		}
	}
	return ""
}

func (in *Interp) importModule(name string) Value {
	if m := in.locate(name); m != nil {
		return Value{Kind: ModuleKind, Ref: m}
	}
	return external(name)
}

func external(name string) Value {
	return Value{Kind: ExternalKind, Ref: &External{Name: name, solid: true}}
}

// containsWord reports whether a text holds a word that no letter or digit
// touches.
func containsWord(text []byte, word string) bool {
	inWord := func(i int) bool {
		if i < 0 || i >= len(text) {
			return false
		}
		c := text[i]
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		at += i
		if !inWord(at-1) && !inWord(at+len(word)) {
			return true
		}
		at += len(word)
	}
}

// loadingBeside reports whether a module other than the entry is running.
func (in *Interp) loadingBeside() bool {
	loading := in.loading
	if e := in.saw.Entry; e != nil && e.state == 1 {
		loading--
	}
	return loading > 0
}

// searchPending runs the modules that were imported and have not run, when
// their text holds a word: one of them may fill the registry that was asked.
// It reports whether any ran. While a module loads, a registry holds only what
// was registered before, as in Python.
func (in *Interp) searchPending(word string) bool {
	if len(word) < 2 || in.depth > in.budget.Depth-10 || in.loadingBeside() {
		return false
	}
	ran := false
	from := in.searched[word]
	for i := from; i < len(in.pending); i++ {
		m := in.pending[i]
		if m.state == 0 && m.isFile && containsWord(in.textOf(m), word) {
			in.runModule(m)
			ran = true
		}
	}
	if in.searched == nil {
		in.searched = map[string]int{}
	}
	in.searched[word] = len(in.pending)
	return ran
}

// fillers runs the modules that are imported, have not run and name the module
// of a registry: who goes through all of a registry sees what they put there.
// Where many name it, none is run: the word says too little.
func (in *Interp) fillers(d *Dict) {
	const few = 12
	if d.module == nil || !d.filled || in.depth > in.budget.Depth-10 || in.loadingBeside() {
		return
	}
	d.filled = false
	var all []*Module
	for _, m := range in.pending {
		if m.state == 0 && m.isFile && containsWord(in.textOf(m), lastName(d.module.Name)) {
			all = append(all, m)
		}
	}
	for _, m := range all {
		if len(all) <= few {
			in.runModule(m)
		}
	}
}

// frameworks are packages whose parts are known here, whoever holds their code.
var frameworks = map[string]bool{"flax": true, "jax": true, "optax": true, "haiku": true, "chex": true, "torch": true, "tensorflow": true, "keras": true}
