package pyeval

import (
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
	if path.Base(file) == "__init__.py" {
		m.globals.set(str("__path__"), list(str(path.Dir(file))))
	}
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
	if base, ok := in.installedAs(name); ok {
		for _, file := range []string{base + ".py", base + "/__init__.py"} {
			if in.root.IsFile(file) {
				m := in.module(name, file)
				in.modules[name] = m
				in.pending = append(in.pending, m)
				return m
			}
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
	if m := in.locateInside(name); m != nil {
		in.modules[name] = m
		return m
	}
	in.modules[name] = nil
	return nil
}

// locateInside finds "company.project.tools.train" as "tools.train" in the
// repository of the project: code that was taken out of a larger tree keeps
// the names that it had there. The part before must name a package of the
// repository, and two parts must be left: else names of other packages match.
func (in *Interp) locateInside(name string) *Module {
	parts := strings.Split(name, ".")
	for i := 2; i+2 <= len(parts) && i < 6; i++ {
		if dir := path.Join(".", parts[i-1]); !in.root.IsDir(dir) || !in.holdsCode(dir, 0) {
			continue
		}
		if file := strings.Join(parts[i:], "/") + ".py"; in.root.IsFile(file) {
			m := in.module(name, file)
			in.pending = append(in.pending, m)
			return m
		}
	}
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
			in.noTree(m, err)
			t = &node{kind: "module"}
		}
		m.tree = t
		in.parsed[m.File] = t
	}
	return m.tree
}

// noTree notes code that cannot be parsed. Several such files end the run: each
// takes long.
func (in *Interp) noTree(m *Module, err error) {
	in.note("%s: %v", m.File, err)
	if in.unparsed++; in.unparsed > 4 {
		panic(stop{"several files cannot be parsed"})
	}
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

var (
	listsExports = regexp.MustCompile(`(?m)^__all__\s*(:[^=\n]*)?=\s*[\[(]`)
	addsExports  = regexp.MustCompile(`(?m)^\s*__all__\s*(\+=|\.)|^__all__.*[\])]\s*\+`)
)

// frameworks are packages whose parts are known here, whoever holds their code.
var frameworks = map[string]bool{"flax": true, "jax": true, "optax": true, "haiku": true, "chex": true, "torch": true, "tensorflow": true, "keras": true, "transformers": true}
