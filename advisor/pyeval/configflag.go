package pyeval

import (
	"strings"

	"schedmate/advisor/conf"
)

// configFlag runs the file of a configuration flag and lays the words
// "--config.a.b=v" over what its get_config gave.
func (in *Interp) configFlag(f *abslFlag) Value {
	v := f.def
	words := in.abslWords()
	if f.kind == "config_file" {
		file := f.def
		for i, w := range words {
			name, text, has := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
			if w.Kind == Str && strings.HasPrefix(w.Text, "-") && name == f.name {
				at := flagOrigin(w, "--"+name)
				switch {
				case has:
					file = str(text).with(at)
				case i+1 < len(words):
					file = words[i+1].with(at)
				}
			}
		}
		v = in.configFile(file)
	}
	if o := v.Object(); v.Dict() == nil && o == nil {
		return v
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.Kind != Str || !strings.HasPrefix(w.Text, "-") {
			continue
		}
		name, text, has := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
		off := false
		path, mine := strings.CutPrefix(name, f.name+".")
		if !mine {
			path, mine = strings.CutPrefix(name, "no"+f.name+".")
			off = mine
		}
		if !mine {
			continue
		}
		at := flagOrigin(w, "--"+name)
		old, had := in.pathValue(v, path)
		word := str(text).with(at)
		switch {
		case off:
			word = str("false").with(at)
		case has:
		case had && old.Kind == Bool:
			word = str("true").with(at)
		case i+1 < len(words):
			i++
			word = words[i].with(at)
		}
		if !had {
			if d := v.Dict(); d != nil && !d.Open {
				in.note("the configuration has no key %s", path)
			}
		}
		in.setPath(v, path, in.like(old, word).with(at))
	}
	return in.config(v)
}

// like reads a word as a value of the type of an older one.
func (in *Interp) like(old, w Value) Value {
	if w.Kind != Str {
		return w
	}
	switch old.Kind {
	case Str:
		return w
	case Bool:
		return in.word(annotated{name: "bool"}, w)
	case Float:
		return in.word(annotated{name: "float"}, w)
	case Int:
		if v := parseInt(w.Text); v.Kind == Int {
			return v.with(w.Origin)
		}
	}
	v := in.scalar(w)
	if l, ok := v.Ref.(*List); ok && old.Kind == TupleKind {
		v = Value{Kind: TupleKind, Ref: l, Origin: v.Origin}
	}
	return v
}

// configFile runs "file.py" or "file.py:argument" and calls its get_config.
func (in *Interp) configFile(file Value) Value {
	if file.Kind != Str {
		return unknown("a configuration file with an unknown name: %s", file.String())
	}
	name, arg, hasArg := strings.Cut(file.Text, ":")
	full, ok := in.resolvePath(name)
	if !ok {
		return unknown("%s lies outside of the repository", name)
	}
	if !in.root.IsFile(full) && in.saw.Entry != nil {
		if near := besides(in.saw.Entry.File, name); in.root.IsFile(near) {
			full = near
		}
	}
	if extension(full) == ".yaml" || extension(full) == ".yml" || extension(full) == ".json" {
		n, ok := in.loadConf(str(full), conf.PyYAML)
		if !ok {
			return unknown("the configuration %s", full)
		}
		return in.styled(in.fromNode(n, true), "mlc")
	}
	m, ok := in.moduleFromFile(full).Ref.(*Module)
	if !ok {
		return unknown("the configuration %s", full)
	}
	get, ok := in.lookModule(m, "get_config")
	if !ok {
		return unknown("%s has no get_config", full)
	}
	c := &Call{Name: "get_config"}
	if hasArg {
		c.Args = []Value{str(arg).with(file.Origin)}
	}
	return in.call(get, c, nil)
}
