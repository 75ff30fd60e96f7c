package launch

import (
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/origin"
)

const blanks = " \t\n"

// words expands the words of a command. A word of the submission that follows
// a flag carries the flag's name in its evidence.
func (s *shell) words(list []*syntax.Word) []value {
	var all []value
	size := 0
	for _, w := range list {
		for _, one := range s.braces(w) {
			if !s.m.step() {
				return all
			}
			var b fields
			for _, part := range one.Parts {
				s.part(&b, part, false)
			}
			b.end()
			for _, v := range b.out {
				if v.absent() && len(one.Parts) == 1 && vanishes(v, all) {
					continue
				}
				all = append(all, v)
				if size += v.size() + 16; size > maxBytes || len(all) > maxWords {
					s.m.stop("a command has more words than are followed")
					return all
				}
			}
			s.m.work += size / 4
		}
	}
	for i := 1; i < len(all); i++ {
		all[i] = named(all[i-1], all[i])
	}
	return all
}

// named gives a submitted word that follows a flag the flag's name.
func named(flag, v value) value {
	name := flag.text()
	if len(v) != 1 || !strings.HasPrefix(name, "-") || strings.Contains(name, "=") || strings.HasPrefix(v[0].text, "-") ||
		v[0].from == nil || v[0].from.Kind != origin.CLI || (v[0].from.Key != clip(flagName(v[0].text), 80) && v[0].from.Key != computedKey) {
		return v
	}
	f := v[0]
	f.from = origin.Named(origin.CLI, clip(name, 80))
	return value{f}
}

// absent reports that nothing of the submission sets the variable that the
// value stands for.
func (v value) absent() bool {
	for _, f := range v {
		if !f.unset {
			return false
		}
	}
	return len(v) > 0
}

var extra = regexp.MustCompile(`(?i)arg|opt|extra|flag|param|debug|resume`)

// vanishes tells whether an unset variable that is a word of its own is an
// empty list of extra words rather than a value of the user's environment.
func vanishes(v value, before []value) bool {
	name := strings.Trim(v.text(), "${}")
	if name == strings.ToLower(name) {
		return true
	}
	if len(before) > 0 && strings.HasPrefix(before[len(before)-1].text(), "-") {
		return false
	}
	return extra.MatchString(name)
}

// single expands a word that stays one: the right side of an assignment.
func (s *shell) single(w *syntax.Word) value {
	if w == nil || !s.m.step() {
		return nil
	}
	var b fields
	for _, part := range w.Parts {
		s.part(&b, part, true)
	}
	b.end()
	v := join(b.out, " ")
	s.m.work += v.size()
	if v.size() > maxBytes || len(v) > maxWords {
		s.m.stop("a variable holds more text than is followed")
		return nil
	}
	return v
}

// part expands one part of a word. Whole keeps what is not quoted together.
func (s *shell) part(b *fields, part syntax.WordPart, whole bool) {
	if s.depth > maxDepth*8 || !s.m.step() {
		s.m.stop("the scripts of this submission are nested too deeply")
		return
	}
	s.depth++
	defer func() { s.depth-- }()
	switch p := part.(type) {
	case *syntax.Lit:
		b.add(frag{text: unescape(p.Value, false), from: s.at(p.Pos(), p.Value)})
	case *syntax.SglQuoted:
		text := p.Value
		if p.Dollar {
			text = ansi.Replace(text)
		}
		b.add(frag{text: text, from: s.at(p.Pos(), text)})
	case *syntax.DblQuoted:
		s.quoted(b, p)
	case *syntax.ParamExp:
		s.expansion(b, s.param(p), false, whole)
	case *syntax.CmdSubst:
		s.expansion(b, []value{s.capture(p.Stmts)}, false, whole)
	case *syntax.ArithmExp:
		b.add(s.number(p))
	case *syntax.ProcSubst:
		b.add(frag{text: "/dev/fd/63", unknown: true, from: s.at(p.Pos(), "")})
	case *syntax.ExtGlob:
		b.add(frag{text: p.Op.String() + p.Pattern.Value + ")", from: s.at(p.Pos(), "")})
	case *syntax.BraceExp:
		for i, e := range p.Elems { // not expanded: keep the text
			text := ","
			if i == 0 {
				text = "{"
			}
			b.add(frag{text: text})
			for _, q := range e.Parts {
				s.part(b, q, whole)
			}
		}
		b.add(frag{text: "}"})
	}
}

const computedKey = "$((...))"

func (s *shell) number(p *syntax.ArithmExp) frag {
	n, ok := s.arith(p.X)
	if !ok {
		return frag{text: "$((...))", unknown: true, solid: true, from: s.at(p.Pos(), computedKey)}
	}
	return frag{text: strconv.FormatInt(n, 10), from: s.at(p.Pos(), computedKey)}
}

func (s *shell) quoted(b *fields, q *syntax.DblQuoted) {
	b.started = true
	for _, part := range q.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.add(frag{text: unescape(p.Value, true), from: s.at(p.Pos(), p.Value)})
		case *syntax.ParamExp:
			if len(q.Parts) == 1 && isAll(p) && len(s.param(p)) == 0 {
				b.started = false // "$@" without any is no word
				return
			}
			s.expansion(b, s.param(p), true, !isAll(p))
		case *syntax.CmdSubst:
			s.expansion(b, []value{s.capture(p.Stmts)}, true, true)
		case *syntax.ArithmExp:
			b.add(s.number(p))
		default:
			s.part(b, p, true)
		}
	}
}

// isAll tells whether an expansion is "$@" or "${a[@]}", which stays a list
// inside quotes.
func isAll(p *syntax.ParamExp) bool {
	if p.Length || p.Param == nil {
		return false
	}
	return p.Param.Value == "@" || indexText(p.Index) == "@"
}

func indexText(x syntax.ArithmExpr) string {
	if w, ok := x.(*syntax.Word); ok && w != nil {
		return w.Lit()
	}
	return ""
}

func (s *shell) expansion(b *fields, items []value, quoted, whole bool) {
	ifs := blanks
	if v, ok := s.vars["IFS"]; ok && len(v.items) == 1 && v.items[0].known() {
		ifs = v.items[0].text()
	}
	if whole {
		b.add(join(items, " ")...)
		return
	}
	for i, v := range items {
		if i > 0 {
			b.end()
		}
		if quoted {
			b.add(v...)
		} else {
			b.split(v, ifs)
		}
	}
}

var ansi = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`, `\'`, "'", `\"`, `"`)

func unescape(text string, inQuotes bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		next := text[i+1]
		switch {
		case next == '\n':
			i++
		case !inQuotes || strings.IndexByte("$`\"\\", next) >= 0:
			b.WriteByte(next)
			i++
		default:
			b.WriteByte('\\')
		}
	}
	return b.String()
}

// matches tells whether a text fits a shell pattern.
func (s *shell) matches(subject value, w *syntax.Word) truth {
	subject = subject.present()
	p, ok := s.pattern(w)
	if !ok {
		return maybe
	}
	if p == "*" {
		return yes
	}
	if !subject.known() {
		return maybe
	}
	re := compile(p, pattern.EntireString|pattern.ExtendedOperators)
	if re == nil {
		return maybe
	}
	return truthOf(re.MatchString(subject.text()))
}

func compile(p string, mode pattern.Mode) *regexp.Regexp {
	if len(p) > 4096 {
		return nil
	}
	expr, err := pattern.Regexp(p, mode)
	if err != nil {
		return nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil
	}
	return re
}

// pattern is a word as a pattern: what was quoted in it stands for itself.
func (s *shell) pattern(w *syntax.Word) (string, bool) {
	var text strings.Builder
	known := true
	if w == nil {
		return "", true
	}
	for _, part := range w.Parts {
		if l, ok := part.(*syntax.Lit); ok {
			text.WriteString(l.Value)
			continue
		}
		v := s.single(&syntax.Word{Parts: []syntax.WordPart{part}}).present()
		known = known && v.known()
		if _, open := part.(*syntax.ParamExp); open {
			text.WriteString(v.text())
		} else if _, glob := part.(*syntax.ExtGlob); glob {
			text.WriteString(v.text())
		} else {
			text.WriteString(pattern.QuoteMeta(v.text(), 0))
		}
	}
	return text.String(), known
}

// present is the value as a test sees it: what nothing sets is empty.
func (v value) present() value {
	var kept value
	for _, f := range v {
		if !f.unset {
			kept = append(kept, f)
		}
	}
	return kept
}
