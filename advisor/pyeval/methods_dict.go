package pyeval

import (
	"path"
	"strings"
)

func dictMethods() {
	d := map[string]func(in *Interp, c *Call) Value{}
	methods["dict"] = d
	d["get"] = func(in *Interp, c *Call) Value {
		self, key := c.Self.Dict(), c.first()
		otherwise := none()
		if v, ok := c.Arg("default", 1); ok {
			otherwise = v
		}
		if v, ok := self.get(key); ok {
			return in.settle(self, key.Text, v)
		}
		if key.Kind == Str && self.module != nil && in.searchPending(key.Text) {
			if v, ok := self.get(key); ok {
				return v
			}
		}
		if key.Kind == Unknown || self.Open || key.result() {
			return join(otherwise, unknown("a key that may be set"))
		}
		if key.Kind == CandidatesKind {
			return each2(key, none(), func(k, _ Value) Value {
				if v, ok := self.get(k); ok {
					return v
				}
				return otherwise
			})
		}
		return otherwise
	}
	d["items"] = func(in *Interp, c *Call) Value {
		in.fillers(c.Self.Dict())
		self := c.Self.Dict()
		out := &List{Open: self.Open, born: in.born()}
		self.Each(func(k, v Value) {
			if _, lazy := v.Ref.(*lazyName); lazy {
				v = unknown("a name that was not used yet")
			}
			out.Items = append(out.Items, tuple(k, v))
		})
		return Value{Kind: ListKind, Ref: out, Origin: c.Self.Origin}
	}
	d["keys"] = func(in *Interp, c *Call) Value {
		self := c.Self.Dict()
		return Value{Kind: ListKind, Ref: &List{Items: append([]Value(nil), self.keys...), Open: self.Open, born: in.born()}, Origin: c.Self.Origin}
	}
	d["values"] = func(in *Interp, c *Call) Value {
		self := c.Self.Dict()
		return Value{Kind: ListKind, Ref: &List{Items: append([]Value(nil), self.values...), Open: self.Open, born: in.born()}, Origin: c.Self.Origin}
	}
	d["copy"] = func(in *Interp, c *Call) Value {
		e := c.Self.Dict().copy()
		e.born = in.born()
		return Value{Kind: DictKind, Ref: e, Origin: c.Self.Origin}
	}
	d["update"] = func(in *Interp, c *Call) Value {
		self := c.Self.Dict()
		add := func(k, v Value) { in.write(self, k, v) }
		if len(c.Args) > 0 {
			from := c.Args[0]
			if e := from.Dict(); e != nil {
				e.Each(add)
				self.Open = self.Open || e.Open
			} else if items, whole := in.iterate(from, listItems); whole {
				for _, row := range items {
					if pair, ok := row.Items(); ok && len(pair) == 2 {
						add(pair[0], pair[1])
					}
				}
			} else {
				self.Open = true
			}
		}
		for _, k := range c.Kw {
			add(str(k.Name), k.Value)
		}
		return none()
	}
	d["pop"] = func(in *Interp, c *Call) Value {
		self, key := c.Self.Dict(), c.first()
		if v, ok := self.get(key); ok {
			if !in.weakly(self.born) {
				self.remove(key)
			}
			return v
		}
		if v, ok := c.Arg("default", 1); ok {
			if self.Open {
				return join(v, unknown("a key that may be set"))
			}
			return v
		}
		if self.Open || !key.Known() {
			return unknown("the key %s may be set", key.String())
		}
		return in.fail("KeyError", "%s", key.String())
	}
	d["setdefault"] = func(in *Interp, c *Call) Value {
		self, key := c.Self.Dict(), c.first()
		if v, ok := self.get(key); ok {
			return v
		}
		v := none()
		if len(c.Args) > 1 {
			v = c.Args[1]
		}
		self.set(key, v)
		return v
	}
	d["clear"] = func(in *Interp, c *Call) Value {
		if self := c.Self.Dict(); in.weakly(self.born) {
			self.Open = true
		} else {
			*self = Dict{index: map[string]int{}, born: self.born}
		}
		return none()
	}
	staticMethods["dict.fromkeys"] = Value{Kind: NativeKind, Ref: &Native{Name: "dict.fromkeys", Run: func(in *Interp, c *Call) Value {
		out := newDict()
		out.born = in.born()
		v := none()
		if len(c.Args) > 1 {
			v = c.Args[1]
		}
		keys, whole := in.iterate(c.first(), listItems)
		out.Open = !whole
		for _, k := range keys {
			out.set(k, v)
		}
		return Value{Kind: DictKind, Ref: out}
	}}}
}

// pathMethods are those of pathlib: a path is kept as its text.
func pathMethods() {
	p := map[string]func(in *Interp, c *Call) Value{}
	methods["path"] = p
	same := func(in *Interp, c *Call) Value { return c.Self }
	for _, name := range []string{"resolve", "absolute", "expanduser", "as_posix", "mkdir"} {
		p[name] = same
	}
	p["joinpath"] = func(in *Interp, c *Call) Value {
		t := c.Self.Text
		for _, a := range c.Args {
			if a.Kind != Str {
				return unknown("a path with unknown parts")
			}
			t = joinPath(t, a.Text)
		}
		return str(t).with(c.Self.Origin)
	}
	p["with_suffix"] = func(in *Interp, c *Call) Value {
		return str(strings.TrimSuffix(c.Self.Text, path.Ext(c.Self.Text)) + c.first().Text).with(c.Self.Origin)
	}
	p["with_name"] = func(in *Interp, c *Call) Value {
		return str(path.Join(path.Dir(c.Self.Text), c.first().Text)).with(c.Self.Origin)
	}
	p["exists"] = func(in *Interp, c *Call) Value { return in.pathExists(c.Self, false) }
	p["is_file"] = func(in *Interp, c *Call) Value { return in.pathExists(c.Self, false) }
	p["is_dir"] = func(in *Interp, c *Call) Value { return in.pathExists(c.Self, true) }
	p["open"] = func(in *Interp, c *Call) Value {
		d := *c
		d.Args = append([]Value{c.Self}, c.Args...)
		return in.openFile(&d)
	}
	p["read_text"] = func(in *Interp, c *Call) Value { return in.readText(c.Self) }
	p["relative_to"] = func(in *Interp, c *Call) Value { return c.Self }
	p["iterdir"] = func(in *Interp, c *Call) Value { return in.listDir(c.Self, true) }
	p["glob"] = func(in *Interp, c *Call) Value {
		pattern, _ := c.text("pattern", 0)
		return in.glob(joinPath(c.Self.Text, pattern), c.Self)
	}
	p["rglob"] = func(in *Interp, c *Call) Value {
		pattern, _ := c.text("pattern", 0)
		return in.glob(joinPath(c.Self.Text, "**/"+pattern), c.Self)
	}
}
