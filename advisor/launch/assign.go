package launch

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

const maxVars = 5000

func (s *shell) set(name string, v value) {
	old := s.vars[name]
	s.put(name, variable{items: []value{v}, exported: old.exported})
}

func (s *shell) put(name string, v variable) {
	if _, ok := s.vars[name]; !ok && len(s.vars) >= maxVars {
		s.m.stop("a script sets more variables than are followed")
		return
	}
	s.vars[name] = v
}

// assign carries out name=value, name+=value, name[i]=value, name=(list).
func (s *shell) assign(a *syntax.Assign, export bool) {
	if a.Name == nil || !s.m.step() {
		return
	}
	name := a.Name.Value
	old, had := s.vars[name]
	export = export || old.exported
	switch {
	case a.Array != nil:
		s.put(name, s.array(a, old, export))
		return
	case a.Index != nil:
		s.element(a, old, export)
		return
	}
	v := s.single(a.Value)
	if s.file == "" { // of the submission's own text the variable is the evidence
		v = slices.Clone(v)
		for i, f := range v {
			if f.from != nil && f.from.Kind == origin.CLI {
				v[i].from = origin.Named(origin.Env, name)
			}
		}
	}
	if a.Append && had && len(old.items) > 0 {
		if old.array {
			old.items = slices.Clone(old.items)
			old.items[0] = join([]value{old.items[0], v}, "")
			s.put(name, old)
			return
		}
		v = join([]value{old.items[0], v}, "")
		if s.m.work += v.size() / 16; v.size() > maxBytes || len(v) > maxWords {
			s.m.stop("a variable holds more text than is followed")
			return
		}
	}
	s.put(name, variable{items: []value{v}, exported: export})
}

func (s *shell) array(a *syntax.Assign, old variable, export bool) variable {
	v := variable{array: true, exported: export}
	if a.Append {
		v.items, v.keys = slices.Clone(old.items), slices.Clone(old.keys)
	}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			if w, ok := e.Index.(*syntax.Word); ok && w != nil {
				v.keys, v.items = append(v.keys, s.single(w).text()), append(v.items, s.single(e.Value))
			}
			continue
		}
		if e.Value != nil {
			v.items = append(v.items, s.words([]*syntax.Word{e.Value})...)
		}
		if len(v.items) > maxWords {
			s.m.stop("an array has more items than are followed")
			break
		}
	}
	if s.m.work += 32 * len(v.items); len(v.keys) != len(v.items) {
		v.keys = nil
	}
	return v
}

func (s *shell) element(a *syntax.Assign, v variable, export bool) {
	name := a.Name.Value
	v.array, v.exported = true, export
	v.items, v.keys = slices.Clone(v.items), slices.Clone(v.keys)
	s.m.work += 32 * len(v.items)
	item := s.single(a.Value)
	n, ok := s.arith(a.Index)
	w, isWord := a.Index.(*syntax.Word)
	switch {
	case ok && len(v.keys) == 0 && n >= 0 && n <= int64(len(v.items)):
		if n == int64(len(v.items)) {
			v.items = append(v.items, item)
		} else {
			v.items[n] = item
		}
	case isWord:
		key := s.single(w).text()
		if i := slices.Index(v.keys, key); i >= 0 {
			v.items[i] = item
		} else if len(v.keys) == len(v.items) && len(v.items) < maxWords {
			v.keys, v.items = append(v.keys, key), append(v.items, item)
		}
	}
	s.put(name, v)
}

// declare carries out export, declare, local, readonly, typeset.
func (s *shell) declare(c *syntax.DeclClause) truth {
	export := c.Variant.Value == "export"
	for _, a := range c.Args {
		if a.Name != nil && !a.Naked {
			s.assign(a, export)
			continue
		}
		if a.Name != nil { // export NAME
			s.export(a.Name.Value, export)
			continue
		}
		v := s.single(a.Value)
		text := v.text()
		switch {
		case strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+"):
			export = export || strings.Contains(text, "x")
		case strings.Contains(text, "="): // export "A=b"
			for _, word := range splitWords(v) {
				name, _, _ := strings.Cut(word.text(), "=")
				if syntax.ValidName(name) {
					s.put(name, variable{items: []value{word.cutPrefix(len(name) + 1)}, exported: export})
				}
			}
		default:
			for _, word := range splitWords(v) {
				s.export(word.text(), export)
			}
		}
	}
	return yes
}

func (s *shell) export(name string, export bool) {
	if v, ok := s.vars[name]; ok && export {
		v.exported = true
		s.vars[name] = v
	}
}

// redirect applies the redirections of a statement and returns what has to be
// done after it: text that goes to a file is kept as that file.
func (s *shell) redirect(redirs []*syntax.Redirect) func() {
	finish := func() {}
	for _, r := range redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			s.in, s.hasIn = s.heredoc(r), true
		case syntax.WordHdoc:
			s.in, s.hasIn = append(slices.Clone(s.single(r.Word)), frag{text: "\n"}), true
		case syntax.RdrIn:
			s.in, s.hasIn = s.content(s.single(r.Word)), true
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
			if r.N != nil && r.N.Value != "1" {
				continue
			}
			target := s.single(r.Word)
			printed := &value{}
			s.out = printed
			add := r.Op == syntax.AppOut || r.Op == syntax.AppAll
			finish = func() { s.write(target, *printed, add) }
		}
	}
	return finish
}

func (s *shell) heredoc(r *syntax.Redirect) value {
	if r.Hdoc == nil {
		return nil
	}
	v := s.single(r.Hdoc)
	if r.Op == syntax.DashHdoc {
		v = slices.Clone(v)
		for i, f := range v {
			lines := strings.Split(f.text, "\n")
			for j := range lines {
				if i == 0 || j > 0 {
					lines[j] = strings.TrimLeft(lines[j], "\t")
				}
			}
			v[i].text = strings.Join(lines, "\n")
		}
	}
	return v
}

// content is the text of a file of the repository or of the script's making.
func (s *shell) content(name value) value {
	text, at, ok := s.readFile(name)
	if !ok {
		return unknown("<"+name.text(), nil)
	}
	return literal(text, origin.At(origin.Shell, at, 1, at))
}

func (s *shell) readFile(name value) (text, at string, ok bool) {
	if !name.known() {
		return "", "", false
	}
	at, ok = s.find(name.text())
	if !ok {
		return "", "", false
	}
	if text, written := s.m.launch.Written[at]; written {
		return text, at, true
	}
	data, err := s.m.root.Read(at)
	return string(data), at, err == nil
}

func (s *shell) write(target, text value, add bool) {
	name, ok := s.path(target.text())
	if !ok || !target.known() || source.Secret(name) {
		return
	}
	if add {
		text = append(literal(s.m.launch.Written[name], nil), text...)
	}
	if !text.known() || text.size() == 0 || text.size() > maxBytes {
		delete(s.m.launch.Written, name)
		return
	}
	if len(s.m.launch.Written) < 100 {
		s.m.work += text.size()
		s.m.launch.Written[name] = text.text()
	}
}

func (s *shell) getopts(args []value) truth {
	if len(args) < 2 || !args[0].known() {
		return maybe
	}
	words := s.args
	if len(args) > 2 {
		words = args[2:]
	}
	// OPTIND counts words; the place within a word of several options follows it.
	state, _ := s.lookup("OPTIND", syntax.Pos{})
	ind, sub := 1, 0
	if len(state) == 1 {
		a, b, _ := strings.Cut(state[0].text(), ".")
		ind, _ = strconv.Atoi(a)
		sub, _ = strconv.Atoi(b)
	}
	done := func() truth {
		s.set("OPTIND", literal(strconv.Itoa(ind), nil))
		s.set(args[1].text(), literal("?", nil))
		return no
	}
	if ind < 1 || ind > len(words) {
		return done()
	}
	w := words[ind-1]
	text := w.text()
	if !w.known() {
		return maybe
	}
	if text == "--" {
		ind++
		return done()
	}
	if len(text) < 2 || text[0] != '-' {
		return done()
	}
	letter := text[1+min(sub, len(text)-2)]
	at := strings.IndexByte(args[0].text(), letter)
	rest := 2 + sub
	switch {
	case at < 0 || letter == ':':
		s.set(args[1].text(), literal("?", nil))
	default:
		s.set(args[1].text(), literal(string(letter), nil))
		if at+1 < len(args[0].text()) && args[0].text()[at+1] == ':' {
			arg := w.cutPrefix(min(rest, len(text)))
			if rest >= len(text) && ind < len(words) {
				arg = words[ind]
				ind++
			}
			s.set("OPTARG", arg)
			rest = len(text)
		}
	}
	if rest >= len(text) {
		s.set("OPTIND", literal(strconv.Itoa(ind+1), nil))
	} else {
		s.set("OPTIND", literal(strconv.Itoa(ind)+"."+strconv.Itoa(sub+1), nil))
	}
	return yes
}
