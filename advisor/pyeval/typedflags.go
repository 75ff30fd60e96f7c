package pyeval

import (
	"strings"

	"schedmate/advisor/origin"
)

// leaf is one value that a typed command line can set.
type leaf struct {
	path string // dotted
	field
}

// typedFlags are the words that set fields of dataclasses or parameters of
// functions.
type typedFlags struct {
	leaves  map[string]*leaf // by name, dashes as underscores
	foreign bool             // names that are not known are fields of a base of another package
	merge   bool             // names that end a path are enough when they are unique ("lr" for "train.lr")
	python  bool             // words are Python literals (fire)
}

// given is what a command line or a file set, by dotted path, in order.
type given struct {
	paths  []string
	values map[string]Value
}

func (g *given) set(path string, v Value) {
	if g.values == nil {
		g.values = map[string]Value{}
	}
	if old, ok := g.values[path]; ok {
		v = setting(v, v.Origin, old)
	} else {
		g.paths = append(g.paths, path)
	}
	g.values[path] = v
}

// below lists what is set below a path.
func (g *given) below(prefix string) *given {
	out := &given{}
	for _, p := range g.paths {
		if rest, ok := strings.CutPrefix(p, prefix+"."); ok {
			out.set(rest, g.values[p])
		}
	}
	return out
}

func flagKey(name string) string {
	return strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
}

// find looks a flag up by its name, whole or, where that is allowed, by its
// unique end.
func (f *typedFlags) find(name string) *leaf {
	key := flagKey(name)
	if l := f.leaves[key]; l != nil {
		return l
	}
	var found *leaf
	if f.merge {
		for _, k := range sortedKeys(f.leaves) {
			if strings.HasSuffix(k, "."+key) {
				if found != nil {
					return nil
				}
				found = f.leaves[k]
			}
		}
	}
	return found
}

// holds reports whether a dotted name lies below a field that may hold
// anything.
func (f *typedFlags) holds(key string) bool {
	for i := strings.LastIndex(key, "."); i > 0; i = strings.LastIndex(key[:i], ".") {
		if l := f.leaves[key[:i]]; l != nil {
			return l.nested() == nil
		}
	}
	return false
}

// readFlags takes the words apart: what they set, unknown flags as fields of a
// foreign base, words in front that are no flags, and what is left.
func (in *Interp) readFlags(f *typedFlags, words []Value) (set *given, foreign *given, positional, rest []Value) {
	set, foreign = &given{}, &given{}
	flag := func(w Value) bool {
		if w.Kind != Str || len(w.Text) < 2 || w.Text[0] != '-' {
			return false
		}
		return !isNumber(w.Text)
	}
	for i := 0; i < len(words); i++ {
		in.step()
		w := words[i]
		if !flag(w) {
			positional = append(positional, w)
			continue
		}
		if w.Text == "--" {
			positional = append(positional, words[i+1:]...)
			break
		}
		name, value, hasValue := strings.Cut(w.Text, "=")
		at := flagOrigin(w, name)
		l := f.find(name)
		var values []Value
		if hasValue {
			values = []Value{str(value).with(at)}
		}
		start := i
		for !hasValue && i+1 < len(words) && !flag(words[i+1]) {
			i++
			values = append(values, words[i].with(at))
		}
		if l == nil {
			key := flagKey(name)
			if f.holds(key) { // an argument of an object, or a key of a dict
				set.set(strings.TrimLeft(name, "-"), in.foreignValue(values[:min(1, len(values))], at))
				if !hasValue {
					i = start + min(1, len(values))
				}
				continue
			}
			dash := strings.LastIndex(key, ".") + 1
			if off, ok := strings.CutPrefix(key[dash:], "no_"); ok && len(values) == 0 {
				if l = f.find(key[:dash] + off); l != nil && l.typ.name == "bool" {
					set.set(l.path, boolean(false).with(at))
					continue
				}
			}
			if f.foreign && strings.HasPrefix(name, "--") {
				foreign.set(key, in.foreignValue(values, at))
				continue
			}
			rest = append(rest, words[start:i+1]...)
			continue
		}
		take := 1
		switch {
		case l.typ.many() || l.typ.name == "dict":
			take = len(values)
		case l.typ.name == "bool" && len(values) > 0 && in.word(l.typ, values[0]).Kind == Unknown:
			take = 0
		}
		take = min(take, len(values))
		set.set(l.path, in.flagValue(f, l, values[:take], at))
		if !hasValue {
			i = start + take
		}
	}
	return set, foreign, positional, rest
}

// flagValue is the value of a known flag.
func (in *Interp) flagValue(f *typedFlags, l *leaf, words []Value, at *origin.Origin) Value {
	switch {
	case len(words) == 0 && !l.typ.many():
		return boolean(true).with(at)
	case f.python:
		return in.scalar(words[0]).with(at)
	case l.typ.many():
		if len(words) == 1 && words[0].Kind == Str && strings.HasPrefix(strings.TrimSpace(words[0].Text), "[") {
			return in.scalar(words[0])
		}
		out := &List{born: in.born()}
		for i, w := range words {
			out.Items = append(out.Items, in.word(l.typ.item(i), w))
		}
		kind := ListKind
		if l.typ.name == "tuple" {
			kind = TupleKind
		}
		return Value{Kind: kind, Ref: out, Origin: at}
	case l.typ.name == "dict" && (len(words) > 1 || strings.Contains(words[0].Text, "=")):
		out := newDict()
		out.born = in.born()
		for _, w := range words {
			k, v, _ := strings.Cut(w.Text, "=")
			out.set(str(k), in.scalar(str(v).with(at)))
		}
		return Value{Kind: DictKind, Ref: out, Origin: at}
	}
	return in.word(l.typ, words[0]).with(at)
}

// foreignValue is the value of a flag whose type stands in another package.
func (in *Interp) foreignValue(words []Value, at *origin.Origin) Value {
	switch len(words) {
	case 0:
		return boolean(true).with(at)
	case 1:
		if words[0].Kind != Str {
			return words[0]
		}
		return in.scalar(words[0]).with(at)
	}
	out := &List{born: in.born()}
	for _, w := range words {
		if w.Kind == Str {
			w = in.scalar(w)
		}
		out.Items = append(out.Items, w)
	}
	return Value{Kind: ListKind, Ref: out, Origin: at}
}

// leavesOf lists all values that can be set below a dataclass: nested ones by
// dotted paths.
func (in *Interp) leavesOf(fields []field, prefix string, depth int, into map[string]*leaf) {
	for _, f := range fields {
		path := prefix + f.name
		if f.initFalse {
			continue
		}
		into[flagKey(path)] = &leaf{path: path, field: f}
		if c := f.nested(); c != nil && depth > 0 && len(into) < 4000 {
			in.leavesOf(in.classFields(c), path+".", depth-1, into)
		}
	}
}

// nested is the dataclass that a field holds, or nil.
func (f field) nested() *Class {
	if o := f.def.Object(); f.hasDefault && o != nil && o.Class.isData() {
		return o.Class
	}
	if f.typ.class != nil && f.typ.name == "class" && f.typ.class.isData() {
		return f.typ.class
	}
	for _, t := range f.typ.of {
		if f.typ.name == "union" && t.class != nil && t.class.isData() {
			return t.class
		}
	}
	return nil
}

// build makes an object of a dataclass with what is given for it and for what
// is nested in it.
func (in *Interp) build(c *Class, g *given, depth int) Value {
	call := &Call{Name: c.Name, Kw: in.buildArgs(in.classFields(c), g, depth)}
	return in.construct(Value{Kind: ClassKind, Ref: c}, call)
}

// buildArgs are the arguments that what is given makes for fields.
func (in *Interp) buildArgs(fields []field, g *given, depth int) []Keyword {
	var kw []Keyword
	known := map[string]bool{}
	for _, f := range fields {
		known[f.name] = true
		v, ok := g.values[f.name]
		below := g.below(f.name)
		c := f.nested()
		if ok && v.Dict() != nil && (c != nil || len(below.paths) > 0 || in.isSubclass(f)) {
			whole := &given{}
			flatten(whole, "", v, 12)
			for _, p := range below.paths {
				whole.set(p, below.values[p])
			}
			below, ok = whole, false
		}
		switch {
		case depth > 0 && in.isSubclass(f) && (len(below.paths) > 0 || ok && v.Kind == Str):
			if !ok {
				v = f.def
			}
			kw = append(kw, Keyword{f.name, in.subclass(f.typ, v, below, depth-1)})
		case c != nil && depth > 0 && !ok && (len(below.paths) > 0 || !f.hasDefault && !f.typ.optional):
			if o := f.def.Object(); f.hasDefault && o != nil {
				copied := in.copyOf(f.def, 10)
				for _, p := range below.paths {
					to := below.values[p]
					if t := in.leafType(o.Class, p); to.Kind == Str && t.name != "any" {
						to = in.word(t, to)
					}
					in.setPath(copied, p, to)
				}
				kw = append(kw, Keyword{f.name, copied})
				continue
			}
			kw = append(kw, Keyword{f.name, in.build(c, below, depth-1)})
		case !ok && len(below.paths) > 0:
			d := dict()
			d.Dict().born = in.born()
			if f.hasDefault && f.def.Dict() != nil {
				d = in.copyOf(f.def, 10)
			}
			for _, p := range below.paths {
				in.setPath(d, p, below.values[p])
			}
			d.Origin = below.values[below.paths[0]].Origin
			kw = append(kw, Keyword{f.name, d})
		case ok:
			if v.Kind == Str && f.typ.name != "any" {
				v = in.word(f.typ, v)
			}
			kw = append(kw, Keyword{f.name, v})
		}
	}
	for _, p := range g.paths { // fields of a base of another package
		if !known[p] && !strings.Contains(p, ".") {
			kw = append(kw, Keyword{p, g.values[p]})
		}
	}
	return kw
}

// leafType is the type at a dotted path below a dataclass.
func (in *Interp) leafType(c *Class, path string) annotated {
	name, rest, deeper := strings.Cut(path, ".")
	t := in.fieldType(c, name)
	switch {
	case !deeper:
		return t
	case t.class != nil && t.name == "class":
		return in.leafType(t.class, rest)
	}
	return annotated{name: "any"}
}

// isSubclass reports whether a field takes an object that is named by its
// class, with arguments of its own.
func (in *Interp) isSubclass(f field) bool {
	t := f.typ
	if t.name == "union" {
		for _, u := range t.of {
			if u.name == "class" && (u.foreign != "" || !u.class.isData()) {
				return true
			}
		}
	}
	return t.name == "class" && (t.foreign != "" || !t.class.isData())
}

// flatten lists the leaves of a mapping by dotted paths.
func flatten(g *given, prefix string, v Value, depth int) {
	d := v.Dict()
	if d == nil || depth == 0 {
		return
	}
	d.Each(func(k, item Value) {
		path := prefix + k.String()
		if e := item.Dict(); e != nil && e.Len() > 0 && depth > 1 {
			flatten(g, path+".", item, depth-1)
			return
		}
		g.set(path, item)
	})
}
