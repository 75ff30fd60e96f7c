package pyeval

import (
	"path"
	"strings"
)

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
