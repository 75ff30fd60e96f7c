package pyeval

import "strings"

// listedName finds a name that a package brings only when it is asked for: large
// packages list under "_import_structure" which of their modules has which
// names, and put an object in their place that looks there.
func (in *Interp) listedName(m *Module, name string) (Value, bool) {
	listed, ok := m.globals.Get("_import_structure")
	if !ok {
		return Value{}, false
	}
	for _, table := range listed.Alternatives() {
		d := table.Dict()
		if d == nil {
			continue
		}
		module := ""
		d.Each(func(k, names Value) {
			items, _ := names.Items()
			for _, item := range items {
				if module == "" && k.Kind == Str && item.Kind == Str && item.Text == name {
					module = k.Text
				}
			}
		})
		if module == "" {
			continue
		}
		if sub := in.locate(m.Name + "." + module); sub != nil {
			return in.lookModule(sub, name)
		}
	}
	return Value{}, false
}

// libraryLoader is from_pretrained of a class that inherits it, or of a package
// that lists its names: the repository is a library of models, and what its
// loader does with files of a hub tells no more than that it was asked.
func (in *Interp) libraryLoader(c *Class) Value {
	return external(c.module.Name + "." + c.Name + ".from_pretrained")
}

// isLibrary reports whether a class is of a package that lists its names.
func (in *Interp) isLibrary(c *Class) bool {
	root, _, _ := strings.Cut(c.module.Name, ".")
	m := in.locate(root)
	if m == nil {
		return false
	}
	_, lists := m.globals.Get("_import_structure")
	return lists
}
