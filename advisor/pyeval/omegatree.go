package pyeval

import (
	"strconv"
	"strings"

	"schedmate/advisor/conf"
)

// omegaTree is one OmegaConf configuration. Its containers hold values with
// the interpolations filled; the raw texts are kept beside, and every change
// of the tree fills them again.
type omegaTree struct {
	root  Value
	slots []*omegaSlot
	paths map[any][]string
}

// omegaSlot is one place that holds an interpolation or the mark of a missing
// value.
type omegaSlot struct {
	in  any // *Dict or *List
	key Value
	raw Value
}

func (s *omegaSlot) put(v Value) {
	switch r := s.in.(type) {
	case *Dict:
		r.set(s.key, v)
	case *List:
		if i := int(s.key.Int); i < len(r.Items) {
			r.Items[i] = v
		}
	}
}

func isInterpolation(v Value) bool {
	return v.Kind == Str && (strings.Contains(v.Text, "${") || v.Text == "???")
}

// omega makes an OmegaConf configuration of plain contents that nobody else
// holds.
func (in *Interp) omega(v Value) Value {
	t := &omegaTree{root: v, paths: map[any][]string{}}
	in.markAttrs(v, 60)
	t.adopt(in, v, nil, 60)
	in.omegaFill(t)
	return v
}

func (t *omegaTree) adopt(in *Interp, v Value, path []string, depth int) {
	if depth == 0 {
		return
	}
	in.step()
	add := func(container any, key, item Value) {
		if isInterpolation(item) {
			t.slots = append(t.slots, &omegaSlot{container, key, item})
			return
		}
		t.adopt(in, item, append(path[:len(path):len(path)], key.String()), depth-1)
	}
	switch r := v.Ref.(type) {
	case *Dict:
		r.tree, r.attrs, r.style = t, true, "omegaconf"
		t.paths[r] = path
		for i := range r.keys {
			add(r, r.keys[i], r.values[i])
		}
	case *List:
		r.tree = t
		t.paths[r] = path
		for i := range r.Items {
			add(r, integer(int64(i)), r.Items[i])
		}
	}
}

// omegaFill fills all interpolations of a tree.
func (in *Interp) omegaFill(t *omegaTree) {
	if len(t.slots) == 0 || in.resolving > 3 {
		return
	}
	in.resolving++
	defer func() { in.resolving-- }()
	for _, s := range t.slots {
		s.put(s.raw)
	}
	filled := in.interpolation().Resolve(in.toNode(t.root))
	for _, s := range t.slots {
		n := filled
		for _, name := range t.paths[s.in] {
			n = nodeChild(n, name)
		}
		if n = nodeChild(n, s.key.String()); n != nil {
			s.put(in.fromNode(n, true))
		}
	}
}

func nodeChild(n *conf.Node, name string) *conf.Node {
	if n == nil {
		return nil
	}
	if n.Kind == conf.List {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Items) {
			return n.Items[i]
		}
		return nil
	}
	return n.Fields[name]
}

// interpolation is how this program fills "${...}": resolvers are functions of
// the repository, followed like any other.
func (in *Interp) interpolation() conf.Interpolation {
	fill := conf.Interpolation{Functions: map[string]func([]*conf.Node) *conf.Node{}}
	for _, name := range sortedKeys(in.resolvers) {
		fn := in.resolvers[name]
		fill.Functions[name] = func(args []*conf.Node) (out *conf.Node) {
			c := &Call{Name: name}
			for _, a := range args {
				c.Args = append(c.Args, in.fromNode(a, true))
			}
			var v Value
			line := in.line
			if !in.attempt(func() { v = in.call(fn, c, nil) }) || !v.Known() {
				in.line = line
				return nil
			}
			in.line = line
			return in.toNode(v)
		}
	}
	fill.Functions["hydra"] = func(args []*conf.Node) *conf.Node {
		if len(args) == 1 && args[0].Kind == conf.String {
			if v, ok := in.pathValue(in.hydra, args[0].Text); ok {
				return in.toNode(v)
			}
			if strings.HasPrefix(args[0].Text, "runtime.cwd") {
				return conf.Text(".", nil)
			}
		}
		return nil
	}
	fill.Env = func(name string) *conf.Node {
		if v, ok := in.environ.Get(name); ok && v.Kind == Str {
			return conf.Text(v.Text, v.Origin)
		}
		return nil
	}
	return fill
}

// attempt runs f and reports whether it came to its end without an exception.
func (in *Interp) attempt(f func()) (ok bool) {
	depth, loop, doubt, weak, trying, name := in.depth, in.loop, in.doubt, in.weakFrom, in.trying, in.funcName
	defer func() {
		if e := recover(); e != nil {
			r, is := e.(raised)
			if !is {
				panic(e)
			}
			in.depth, in.loop, in.doubt, in.weakFrom, in.trying, in.funcName = depth, loop, doubt, weak, trying, name
			in.note("%s: %s", r.class, r.text)
			ok = false
		}
	}()
	f()
	return true
}

// pathValue finds a value by a dotted path.
func (in *Interp) pathValue(v Value, path string) (Value, bool) {
	for _, name := range conf.SplitPath(path) {
		switch r := v.Ref.(type) {
		case *Dict:
			got, ok := r.Get(name)
			if !ok && isDigits(name) {
				got, ok = r.get(parseInt(name))
			}
			if !ok {
				return Value{}, false
			}
			v = got
		case *List:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(r.Items) {
				return Value{}, false
			}
			v = r.Items[i]
		case *Object:
			got, ok := r.Attrs.Get(name)
			if !ok {
				return Value{}, false
			}
			v = got
		default:
			return Value{}, false
		}
	}
	return v, v.Kind != Unknown || v.Text != ""
}

// omegaChanged follows a write into a tree.
func (in *Interp) omegaChanged(d *Dict, key Value) {
	t := d.tree
	var kept []*omegaSlot
	for _, s := range t.slots {
		if s.in != any(d) || !same(s.key, key) {
			kept = append(kept, s)
		}
	}
	t.slots = kept
	if v, ok := d.get(key); ok {
		if isInterpolation(v) {
			t.slots = append(t.slots, &omegaSlot{d, key, v})
		} else {
			path := t.paths[d]
			t.adopt(in, v, append(path[:len(path):len(path)], key.String()), 60)
		}
	}
	in.omegaFill(t)
}

// rawCopy is a deep copy of a configuration with its interpolations as they
// were written.
func (in *Interp) rawCopy(v Value, depth int) Value {
	if depth == 0 {
		return v
	}
	raw := func(t *omegaTree, container any, key, item Value) Value {
		if t != nil {
			for _, s := range t.slots {
				if s.in == container && same(s.key, key) {
					return s.raw
				}
			}
		}
		return in.rawCopy(item, depth-1)
	}
	in.step()
	switch r := v.Ref.(type) {
	case *List:
		out := &List{Open: r.Open, born: in.born()}
		for i, item := range r.Items {
			out.Items = append(out.Items, raw(r.tree, r, integer(int64(i)), item))
		}
		kind := v.Kind
		if kind == TupleKind {
			kind = ListKind
		}
		return Value{Kind: kind, Ref: out, Origin: v.Origin}
	case *Dict:
		out := newDict()
		out.Open, out.born, out.schema = r.Open, in.born(), r.schema
		for i := range r.keys {
			out.set(r.keys[i], raw(r.tree, r, r.keys[i], r.values[i]))
		}
		return Value{Kind: DictKind, Ref: out, Origin: v.Origin}
	}
	return v
}

// plainConfig turns dataclasses and their objects into mappings.
func plainConfig(in *Interp, v Value) Value { return in.structured(v, 12) }

func (in *Interp) structured(v Value, depth int) Value {
	if depth == 0 {
		return v
	}
	in.step()
	switch r := v.Ref.(type) {
	case *Object:
		if !r.Class.isData() {
			return v
		}
		d := newDict()
		d.born, d.Open, d.schema = in.born(), r.Attrs.Open && r.Class.foreign() == nil, r.Class
		r.Attrs.Each(func(k, item Value) { d.set(k, in.structured(item, depth-1)) })
		return Value{Kind: DictKind, Ref: d, Origin: v.Origin}
	case *Class:
		if !r.isData() {
			return v
		}
		d := newDict()
		d.born, d.schema = in.born(), r
		for _, name := range r.fields {
			def, _, ok := r.lookup(name)
			if ok {
				def = in.fieldDefault(def)
			} else if typ := in.fieldType(r, name); typ.class != nil && typ.class.isData() && !typ.optional {
				def = Value{Kind: ClassKind, Ref: typ.class, Origin: r.Origin}
			} else {
				def = str("???").with(r.Origin)
			}
			d.set(str(name), in.structured(def, depth-1))
		}
		return Value{Kind: DictKind, Ref: d, Origin: v.Origin}
	case *Dict:
		for i, item := range r.values {
			if item.Kind == ObjectKind {
				r = r.copy()
				r.put(i, in.structured(item, depth-1))
				v.Ref = r
			}
		}
	}
	return v
}

// setPath sets a value at a dotted path and makes the mappings on the way.
func (in *Interp) setPath(v Value, path string, to Value) {
	names := conf.SplitPath(path)
	for i, name := range names {
		switch r := v.Ref.(type) {
		case *List:
			j, err := strconv.Atoi(name)
			if err != nil || j < 0 || j >= len(r.Items) {
				return
			}
			if i == len(names)-1 {
				r.Items[j] = setting(to, to.Origin, r.Items[j])
				return
			}
			v = r.Items[j]
		case *Dict:
			key := str(name)
			if _, ok := r.get(key); !ok && isDigits(name) {
				if _, ok := r.get(parseInt(name)); ok {
					key = parseInt(name)
				}
			}
			if i == len(names)-1 {
				in.write(r, key, to)
				return
			}
			next, ok := r.get(key)
			if !ok || next.Ref == nil {
				made := newDict()
				made.born, made.attrs, made.style = in.born(), r.attrs, r.style
				in.write(r, key, Value{Kind: DictKind, Ref: made, Origin: to.Origin})
				next, _ = r.get(key)
			}
			v = next
		case *Object:
			if i == len(names)-1 {
				in.setAttribute(v, name, to)
				return
			}
			v = in.attribute(v, name)
		default:
			return
		}
	}
}
