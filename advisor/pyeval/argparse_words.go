package pyeval

import (
	"slices"
	"strings"

	"schedmate/advisor/origin"
)

// fill sets the options of a parser from words, and returns the words that are
// left.
func (in *Interp) fill(p *ArgumentParser, ns *Object, words []Value) (rest []Value) {
	byName := map[string]*Option{}
	var positional []*Option
	for _, o := range p.Options {
		if o.Positional {
			positional = append(positional, o)
			continue
		}
		for _, n := range o.Names {
			byName[n] = o
		}
	}
	for _, k := range sortedKeys(p.defaults) {
		if _, ok := ns.Attrs.Get(k); !ok {
			ns.Attrs.set(str(k), p.defaults[k])
		}
	}
	for _, o := range p.Options {
		if o.Default.Kind == Str && o.Default.Text == "==SUPPRESS==" || o.Action == "help" || o.Action == "version" {
			continue
		}
		if _, ok := ns.Attrs.Get(o.Dest); !ok {
			d := o.Default
			if d.Kind == Str && o.Type.Kind != Unknown && o.Type.Ref != nil { // a default that is text is converted
				d = in.converted(o, d)
			}
			ns.Attrs.set(str(o.Dest), d)
		}
	}
	onlyPositional := false
	remainder := len(positional) > 0 && positional[len(positional)-1].Nargs.Text == "..." // it takes all that follows, options too
	var free []Value
	words = in.withRank(p, words)
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.Kind != Str {
			free = append(free, w)
			continue
		}
		if w.Text == "--" && !onlyPositional {
			onlyPositional = true
			continue
		}
		if onlyPositional || !strings.HasPrefix(w.Text, "-") || w.Text == "-" || isNumber(w.Text) && byName[w.Text] == nil {
			if sub := p.sub(w.Text); sub != nil && len(free) >= len(positional) {
				for _, s := range p.subs {
					if s.dest != "" {
						ns.Attrs.set(str(s.dest), w)
					}
				}
				below := in.object(ns.Class) // what the command below has beats what stands above it
				left := in.fill(sub, below, words[i+1:])
				below.Attrs.Each(ns.Attrs.set)
				return append(rest, left...)
			}
			free = append(free, w)
			onlyPositional = onlyPositional || remainder && len(free) >= max(1, len(positional)-1)
			continue
		}
		name, value, hasValue := strings.Cut(w.Text, "=")
		o := byName[w.Text]
		if o != nil {
			name, hasValue = w.Text, false
		} else if o = byName[name]; o == nil && strings.HasPrefix(name, "--") && p.abbrev {
			o = abbreviated(byName, name)
		}
		if o == nil && !strings.HasPrefix(w.Text, "--") && len(w.Text) > 2 { // -j8
			if o = byName[w.Text[:2]]; o != nil {
				name, value, hasValue = w.Text[:2], strings.TrimPrefix(w.Text[2:], "="), true
			}
		}
		if o == nil {
			rest = append(rest, w)
			if !hasValue {
				for i+1 < len(words) && words[i+1].Kind == Str && !strings.HasPrefix(words[i+1].Text, "-") && (len(positional) == 0) {
					i++
					rest = append(rest, words[i])
				}
			}
			continue
		}
		var given []Value
		if hasValue {
			given = []Value{str(value).with(w.Origin)}
		} else {
			n := in.wants(o)
			for len(given) < n && i+1 < len(words) && !isFlag(words[i+1], byName) {
				i++
				given = append(given, words[i])
			}
		}
		in.set(o, ns, given, flagOrigin(w, name))
	}
	for _, o := range positional {
		n := in.wants(o)
		take := min(n, len(free))
		if n > 1000 { // "*": leave enough for those that follow
			take = max(0, len(free)-(len(positional)-1-slices.Index(positional, o)))
		}
		if take == 0 && o.Nargs.Kind == Str {
			continue
		}
		if take > 0 {
			in.set(o, ns, free[:take], free[0].Origin)
			free = free[take:]
		}
	}
	return append(rest, free...)
}

// withRank adds the rank that some launchers give each process as an option,
// where the parser has it: what asks for none fails under them.
func (in *Interp) withRank(p *ArgumentParser, words []Value) []Value {
	if !in.program.RankOption {
		return words
	}
	for _, o := range p.Options {
		for _, name := range o.Names {
			if name != "--local_rank" && name != "--local-rank" {
				continue
			}
			if slices.ContainsFunc(words, func(w Value) bool { return strings.HasPrefix(w.Text, name) }) {
				return words
			}
			at := origin.Named(origin.Rule, "the launcher gives each process its rank")
			return append([]Value{str(name + "=0").with(at)}, words...)
		}
	}
	return words
}

func (p *ArgumentParser) sub(word string) *ArgumentParser {
	for _, s := range p.subs {
		if q, ok := s.parsers[word]; ok {
			return q
		}
	}
	return nil
}

func flagOrigin(w Value, name string) *origin.Origin {
	if w.Origin == nil {
		return nil
	}
	o := *w.Origin
	o.Key = name
	return &o
}

func abbreviated(byName map[string]*Option, name string) *Option {
	var found *Option
	for n, o := range byName {
		if strings.HasPrefix(n, name) {
			if found != nil && found != o {
				return nil
			}
			found = o
		}
	}
	return found
}

func isNumber(s string) bool {
	v := parseInt(strings.TrimPrefix(s, "-"))
	return v.Kind != Unknown && s != "-"
}

func isFlag(w Value, byName map[string]*Option) bool {
	if w.Kind != Str || len(w.Text) < 2 || w.Text[0] != '-' {
		return false
	}
	if w.Text == "--" {
		return true
	}
	return !isNumber(w.Text) || byName[w.Text] != nil
}

// wants is the number of words that an option takes at most.
func (in *Interp) wants(o *Option) int {
	switch o.Action {
	case "store_true", "store_false", "store_const", "count", "append_const", "help", "version", "BooleanOptionalAction":
		return 0
	}
	switch o.Nargs.Kind {
	case Int:
		return int(min(o.Nargs.Int, 1<<20))
	case Str:
		if o.Nargs.Text == "?" {
			return 1
		}
		return 1 << 20
	}
	return 1
}

// set gives an option its value.
func (in *Interp) set(o *Option, ns *Object, given []Value, at *origin.Origin) {
	o.check(given, at)
	old, had := ns.Attrs.Get(o.Dest)
	var v Value
	switch o.Action {
	case "store_true":
		v = boolean(true)
	case "store_false":
		v = boolean(false)
	case "store_const", "append_const":
		v = o.Const
	case "count":
		v = integer(old.Int + 1)
	case "BooleanOptionalAction":
		v = boolean(at == nil || !strings.HasPrefix(at.Key, "--no-"))
	default:
		many := o.Nargs.Kind == Int || (o.Nargs.Kind == Str && o.Nargs.Text != "?")
		switch {
		case many:
			l := &List{born: in.born()}
			for _, g := range given {
				l.Items = append(l.Items, in.converted(o, g).with(at))
			}
			v = Value{Kind: ListKind, Ref: l}
		case len(given) == 0:
			v = o.Const
			if v.Ref == nil && v.Kind == Unknown {
				v = none()
			}
		default:
			v = in.converted(o, given[0])
			if given[0].Kind == Unknown {
				v = given[0]
			}
		}
		if o.Action == "append" || o.Action == "extend" {
			items, _ := old.Items()
			l := &List{Items: append(append([]Value(nil), items...), v), born: in.born()}
			v = Value{Kind: ListKind, Ref: l}
		}
		if o.Action == "custom" || o.Action == "DictAction" {
			v = in.customAction(v)
		}
	}
	v.Origin = at
	if had && at != nil && old.Origin != nil && v.Known() {
		v.Origin = at.Over(old.Origin)
	}
	ns.Attrs.set(str(o.Dest), v)
}

// customAction is what most actions of programs make of a list of KEY=VALUE
// or KEY:VALUE words: a dictionary.
func (in *Interp) customAction(v Value) Value {
	items, _ := v.Items()
	d := newDict()
	d.born = in.born()
	for _, w := range items {
		k, val, ok := strings.Cut(w.Text, "=")
		if !ok {
			k, val, ok = strings.Cut(w.Text, ":")
			ok = ok && identifier(k)
		}
		if w.Kind != Str || !ok {
			return v
		}
		parsed, isLit := in.literal(val)
		if !isLit {
			parsed = str(val)
		}
		parsed.Origin = flagOrigin(w, k)
		d.set(str(k), parsed)
	}
	if len(items) == 0 {
		return v
	}
	return Value{Kind: DictKind, Ref: d}
}

// converted applies an option's type to a word.
func (in *Interp) converted(o *Option, w Value) Value {
	if o.Type.Ref == nil || w.Kind != Str {
		return w
	}
	got := in.call(o.Type, &Call{Name: "type", Args: []Value{w}}, nil)
	if got.Kind == ExternalKind && got.External().Call != nil { // a type of another package
		return w
	}
	if got.Origin != w.Origin && w.Origin != nil {
		got.Origin = w.Origin
	}
	return got
}
