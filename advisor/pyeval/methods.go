package pyeval

import (
	"path"
	"strings"
)

func init() {
	s := map[string]func(in *Interp, c *Call) Value{}
	methods["str"] = s
	plain := func(name string, f func(string) string) {
		s[name] = func(in *Interp, c *Call) Value { return str(f(c.Self.Text)).with(c.Self.Origin) }
	}
	plain("lower", strings.ToLower)
	plain("upper", strings.ToUpper)
	plain("casefold", strings.ToLower)
	plain("title", strings.ToTitle)
	plain("capitalize", func(t string) string {
		if t == "" {
			return t
		}
		return strings.ToUpper(t[:1]) + strings.ToLower(t[1:])
	})
	plain("encode", func(t string) string { return t })
	plain("decode", func(t string) string { return t })
	trim := func(name string, cut func(string, string) string) {
		s[name] = func(in *Interp, c *Call) Value {
			set := " \t\r\n"
			if t, ok := c.text("chars", 0); ok {
				set = t
			}
			return str(cut(c.Self.Text, set)).with(c.Self.Origin)
		}
	}
	trim("strip", strings.Trim)
	trim("lstrip", strings.TrimLeft)
	trim("rstrip", strings.TrimRight)
	test := func(name string, f func(string, string) bool) {
		s[name] = func(in *Interp, c *Call) Value {
			arg := c.first()
			options := []Value{arg}
			if arg.Kind == TupleKind {
				options, _ = arg.Items()
			}
			for _, o := range options {
				if o.Kind != Str {
					return unknown("%s with an unknown word", name)
				}
				if f(c.Self.Text, o.Text) {
					return boolean(true).with(c.Self.Origin)
				}
			}
			return boolean(false).with(c.Self.Origin)
		}
	}
	test("startswith", strings.HasPrefix)
	test("endswith", strings.HasSuffix)
	words := func(name string, f func(t, sep string, n int, given bool) []string) {
		s[name] = func(in *Interp, c *Call) Value {
			sep, given := c.text("sep", 0)
			n := -1
			if m, ok := c.Arg("maxsplit", 1); ok && m.Kind == Int {
				n = int(m.Int)
			}
			if v, ok := c.Arg("sep", 0); ok && !given && v.Kind != None {
				return unknown("a split at an unknown word")
			}
			out := &List{born: in.born()}
			for _, w := range f(c.Self.Text, sep, n, given && sep != "") {
				out.Items = append(out.Items, str(w).with(c.Self.Origin))
			}
			return Value{Kind: ListKind, Ref: out, Origin: c.Self.Origin}
		}
	}
	words("split", func(t, sep string, n int, given bool) []string {
		if !given {
			return strings.Fields(t)
		}
		if n >= 0 {
			return strings.SplitN(t, sep, n+1)
		}
		return strings.Split(t, sep)
	})
	words("rsplit", func(t, sep string, n int, given bool) []string {
		if !given {
			return strings.Fields(t)
		}
		all := strings.Split(t, sep)
		if n >= 0 && len(all) > n+1 {
			head := strings.Join(all[:len(all)-n], sep)
			all = append([]string{head}, all[len(all)-n:]...)
		}
		return all
	})
	words("splitlines", func(t, _ string, _ int, _ bool) []string {
		return strings.Split(strings.TrimSuffix(strings.ReplaceAll(t, "\r\n", "\n"), "\n"), "\n")
	})
	part := func(name string, index func(string, string) int, missingFirst bool) {
		s[name] = func(in *Interp, c *Call) Value {
			sep, _ := c.text("sep", 0)
			i := index(c.Self.Text, sep)
			if i < 0 || sep == "" {
				if missingFirst {
					return tuple(str(""), str(""), c.Self)
				}
				return tuple(c.Self, str(""), str(""))
			}
			return tuple(str(c.Self.Text[:i]).with(c.Self.Origin), str(sep), str(c.Self.Text[i+len(sep):]).with(c.Self.Origin))
		}
	}
	part("partition", strings.Index, false)
	part("rpartition", strings.LastIndex, true)
	s["replace"] = func(in *Interp, c *Call) Value {
		if len(c.Args) < 2 || c.Args[0].Kind != Str || c.Args[1].Kind != Str || len(c.Self.Text) > 1<<16 || len(c.Args[1].Text) > 1<<10 {
			return unknown("a replacement with unknown words")
		}
		return str(strings.ReplaceAll(c.Self.Text, c.Args[0].Text, c.Args[1].Text)).with(c.Self.Origin)
	}
	s["removeprefix"] = func(in *Interp, c *Call) Value {
		return str(strings.TrimPrefix(c.Self.Text, c.first().Text)).with(c.Self.Origin)
	}
	s["removesuffix"] = func(in *Interp, c *Call) Value {
		return str(strings.TrimSuffix(c.Self.Text, c.first().Text)).with(c.Self.Origin)
	}
	s["join"] = func(in *Interp, c *Call) Value {
		items, whole := in.iterate(c.first(), listItems)
		var parts []string
		size := 0
		for _, v := range items {
			if v.Kind != Str || size > 1<<20 {
				return unknown("words joined of unknown parts")
			}
			size += len(v.Text) + len(c.Self.Text)
			parts = append(parts, v.Text)
		}
		if !whole {
			return unknown("words joined of unknown parts")
		}
		return str(strings.Join(parts, c.Self.Text)).with(c.first().Origin)
	}
	s["format"] = func(in *Interp, c *Call) Value { return formatCall(c) }
	s["find"] = func(in *Interp, c *Call) Value { return integer(int64(strings.Index(c.Self.Text, c.first().Text))) }
	s["rfind"] = func(in *Interp, c *Call) Value {
		return integer(int64(strings.LastIndex(c.Self.Text, c.first().Text)))
	}
	s["index"] = s["find"]
	s["count"] = func(in *Interp, c *Call) Value { return integer(int64(strings.Count(c.Self.Text, c.first().Text))) }
	is := func(name string, ok func(r rune) bool) {
		s[name] = func(in *Interp, c *Call) Value {
			return boolean(c.Self.Text != "" && strings.IndexFunc(c.Self.Text, func(r rune) bool { return !ok(r) }) < 0)
		}
	}
	is("isdigit", func(r rune) bool { return r >= '0' && r <= '9' })
	s["isnumeric"], s["isdecimal"] = s["isdigit"], s["isdigit"]
	is("isalpha", func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	is("isupper", func(r rune) bool { return !(r >= 'a' && r <= 'z') })
	is("islower", func(r rune) bool { return !(r >= 'A' && r <= 'Z') })
	is("isspace", func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
	is("isidentifier", func(r rune) bool {
		return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	})

	listMethods()
	dictMethods()
	pathMethods()
}

// formatCall applies str.format with simple fields.
func formatCall(c *Call) Value {
	var b strings.Builder
	t, auto := c.Self.Text, 0
	for i := 0; i < len(t); i++ {
		switch {
		case strings.HasPrefix(t[i:], "{{"), strings.HasPrefix(t[i:], "}}"):
			b.WriteByte(t[i])
			i++
		case t[i] == '{':
			end := strings.IndexByte(t[i:], '}')
			if end < 0 {
				return unknown("a broken format")
			}
			field, spec, _ := strings.Cut(t[i+1:i+end], ":")
			field, _, _ = strings.Cut(field, "!")
			i += end
			v, ok := Value{}, false
			if field == "" {
				v, ok = c.Arg("", auto)
				auto++
			} else if n, err := parseSmall(field); err == nil {
				v, ok = c.Arg("", n)
			} else {
				v, ok = c.Arg(field, -1)
			}
			if ok && !v.Known() && isCommandLine(t) {
				v = str(unknownWord)
			}
			if !ok || !v.Known() {
				return unknown("a format of unknown parts")
			}
			b.WriteString(formatted(v, spec))
		default:
			b.WriteByte(t[i])
		}
	}
	return str(b.String()).with(c.Self.Origin)
}

// unknownWord stands for an unknown part of a command line: what is known of
// the rest still says what the program starts.
const unknownWord = "<unknown>"

func isCommandLine(template string) bool { return strings.Contains(template, " --") }

func parseSmall(s string) (int, error) {
	v := parseInt(s)
	if v.Kind != Int || v.Int < 0 || v.Int > 100 {
		return 0, errNotSmall
	}
	return int(v.Int), nil
}

func listMethods() {
	l := map[string]func(in *Interp, c *Call) Value{}
	methods["list"] = l
	change := func(name string, f func(in *Interp, items *List, c *Call)) {
		l[name] = func(in *Interp, c *Call) Value {
			items := c.Self.Ref.(*List)
			if len(items.Items) > listItems {
				items.Open = true
				return none()
			}
			if in.weakly(items.born) {
				items.Open = true
			}
			f(in, items, c)
			return none()
		}
	}
	change("append", func(in *Interp, items *List, c *Call) {
		items.maybe = in.weakly(items.born) && (items.maybe || len(items.Items) == 0)
		items.Items = append(items.Items, c.first())
	})
	l["add"] = l["append"]
	change("extend", func(in *Interp, items *List, c *Call) {
		more, whole := in.iterate(c.first(), listItems)
		items.Items = append(items.Items, more...)
		items.Open = items.Open || !whole
	})
	l["update"] = l["extend"]
	change("insert", func(in *Interp, items *List, c *Call) {
		if len(c.Args) == 2 && c.Args[0].Kind == Int && c.Args[0].Int >= 0 && int(c.Args[0].Int) <= len(items.Items) {
			i := int(c.Args[0].Int)
			items.Items = append(items.Items[:i:i], append([]Value{c.Args[1]}, items.Items[i:]...)...)
		} else {
			items.Open = true
		}
	})
	change("clear", func(in *Interp, items *List, c *Call) {
		if !items.Open {
			items.Items = nil
		}
	})
	change("remove", func(in *Interp, items *List, c *Call) {
		for i, v := range items.Items {
			if same(v, c.first()) {
				items.Items = append(items.Items[:i:i], items.Items[i+1:]...)
				return
			}
		}
	})
	l["discard"] = l["remove"]
	change("sort", func(in *Interp, items *List, c *Call) {
		if !in.sortItems(items.Items, c) {
			items.Open = true
		}
	})
	change("reverse", func(in *Interp, items *List, c *Call) {
		for i, j := 0, len(items.Items)-1; i < j; i, j = i+1, j-1 {
			items.Items[i], items.Items[j] = items.Items[j], items.Items[i]
		}
	})
	l["pop"] = func(in *Interp, c *Call) Value {
		items := c.Self.Ref.(*List)
		i := len(items.Items) - 1
		if len(c.Args) > 0 && c.Args[0].Kind == Int {
			if i = int(c.Args[0].Int); i < 0 {
				i += len(items.Items)
			}
		}
		if i < 0 || i >= len(items.Items) || items.Open {
			return unknown("an item of %s", c.Self.String())
		}
		v := items.Items[i]
		if in.weakly(items.born) {
			items.Open = true
			return v
		}
		items.Items = append(items.Items[:i:i], items.Items[i+1:]...)
		return v
	}
	l["copy"] = func(in *Interp, c *Call) Value {
		from := c.Self.Ref.(*List)
		return Value{Kind: c.Self.Kind, Ref: &List{Items: append([]Value(nil), from.Items...), Open: from.Open, born: in.born()}, Origin: c.Self.Origin}
	}
	l["index"] = func(in *Interp, c *Call) Value {
		for i, v := range c.Self.Ref.(*List).Items {
			if e, k := in.equal(v, c.first(), false); k && e {
				return integer(int64(i))
			} else if !k {
				return unknown("where %s stands", c.first().String())
			}
		}
		return in.fail("ValueError", "%s is not in the list", c.first().String())
	}
	l["count"] = func(in *Interp, c *Call) Value {
		n := int64(0)
		for _, v := range c.Self.Ref.(*List).Items {
			if same(v, c.first()) {
				n++
			}
		}
		return integer(n)
	}
	setOp := func(op string) func(in *Interp, c *Call) Value {
		return func(in *Interp, c *Call) Value {
			self := Value{Kind: SetKind, Ref: c.Self.Ref}
			items, whole := in.iterate(c.first(), listItems)
			return in.binary(op, self, Value{Kind: SetKind, Ref: &List{Items: items, Open: !whole, born: in.born()}})
		}
	}
	l["union"], l["intersection"], l["difference"] = setOp("|"), setOp("&"), setOp("-")
}

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
