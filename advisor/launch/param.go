package launch

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/origin"
)

// always lists variables that every machine sets to something of its own.
var always = []string{"HOME", "USER", "LOGNAME", "HOSTNAME", "PATH", "LD_LIBRARY_PATH", "TMPDIR", "RANDOM", "SECONDS", "UID", "EUID",
	"SHELL", "LINENO", "PPID", "BASHPID", "HOSTTYPE", "OSTYPE", "DATE", "EPOCHSECONDS"}

var schedulers = []string{"SLURM_", "PBS_", "LSB_", "SGE_", "OMPI_", "PMI_", "KUBERNETES_"}

// lookup gives what a variable holds. Set is false when the submission
// certainly or probably leaves it unset.
func (s *shell) lookup(name string, pos syntax.Pos) (items []value, set bool) {
	switch name {
	case "@", "*":
		return s.args, len(s.args) > 0
	case "#":
		return []value{literal(strconv.Itoa(len(s.args)), s.at(pos, "$#"))}, true
	case "?":
		switch s.status {
		case yes:
			return []value{literal("0", nil)}, true
		case no:
			return []value{literal("1", nil)}, true
		}
		return []value{unknown("$?", nil)}, true
	case "0":
		return []value{s.name}, true
	case "$", "!", "-", "_":
		return []value{{{text: "$" + name, unknown: true, solid: true}}}, true
	case "PWD":
		return []value{literal(s.pwd(), s.at(pos, "$PWD"))}, true
	case "BASH_SOURCE":
		return []value{literal(path.Join("./", s.file), s.at(pos, name))}, true
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n >= 1 && n <= len(s.args) {
			return []value{s.args[n-1]}, true
		}
		return nil, false
	}
	if v, ok := s.vars[name]; ok {
		return v.items, true
	}
	if slices.Contains(always, name) {
		return []value{{{text: "$" + name, unknown: true, solid: true, from: origin.Named(origin.Env, name)}}}, true
	}
	for _, p := range schedulers {
		if strings.HasPrefix(name, p) && (s.m.kind == "slurm" || s.m.kind == "") {
			return []value{{{text: "$" + name, unknown: true, solid: name != "SLURM_JOB_NODELIST", from: origin.Named(origin.Env, name)}}}, true
		}
	}
	return nil, false
}

// pwd is the folder as a path: relative to the root, from which all names are
// found again.
func (s *shell) pwd() string {
	if s.dir == "." {
		return "."
	}
	return "./" + s.dir
}

// param expands ${...} to the values that it stands for.
func (s *shell) param(p *syntax.ParamExp) []value {
	if p.Param == nil {
		return []value{unknown("${...}", nil)}
	}
	name := p.Param.Value
	if p.Excl {
		return s.indirect(p)
	}
	items, set := s.lookup(name, p.Pos())
	items, set = s.index(p, items, set)
	shown := "$" + name
	missing := value{{text: shown, unknown: true, unset: true, from: origin.Named(origin.Env, name)}}
	switch {
	case p.Length:
		return []value{s.length(p, items)}
	case p.Slice != nil:
		return s.slice(p, items)
	case p.Repl != nil:
		return each(items, shown, func(t string) (string, bool) { return s.replace(p.Repl, t) })
	case p.Exp != nil:
		return s.operate(p, items, set, missing)
	}
	if !set && name != "@" && name != "*" && !isAll(p) {
		if n, err := strconv.Atoi(name); err == nil && n > 0 {
			return nil // a positional word that was not given
		}
		if s.m.own[name] {
			return []value{nil}
		}
		return []value{missing}
	}
	return items
}

func (s *shell) indirect(p *syntax.ParamExp) []value {
	if p.Names == 0 {
		items, set := s.lookup(p.Param.Value, p.Pos())
		if set && len(items) == 1 && items[0].known() && p.Index == nil {
			if target, ok := s.lookup(items[0].text(), p.Pos()); ok {
				return target
			}
			return nil
		}
		if v, ok := s.vars[p.Param.Value]; ok && indexText(p.Index) == "@" { // ${!a[@]}: the keys
			var keys []value
			for i := range v.items {
				key := strconv.Itoa(i)
				if i < len(v.keys) {
					key = v.keys[i]
				}
				keys = append(keys, literal(key, nil))
			}
			return keys
		}
	}
	return []value{unknown("${!"+p.Param.Value+"}", s.at(p.Pos(), p.Param.Value))}
}

// index picks the item that ${a[i]} names.
func (s *shell) index(p *syntax.ParamExp, items []value, set bool) ([]value, bool) {
	v, ok := s.vars[p.Param.Value]
	text := indexText(p.Index)
	switch {
	case p.Index == nil:
		if ok && v.array && len(items) > 1 { // $a is ${a[0]}
			return items[:1], set
		}
		return items, set
	case text == "@" || text == "*":
		return items, set
	}
	if len(v.keys) > 0 {
		if w, isWord := p.Index.(*syntax.Word); isWord {
			key := s.single(w)
			if i := slices.Index(v.keys, key.text()); i >= 0 && key.known() {
				return items[i : i+1], true
			}
		}
		return nil, false
	}
	n, known := s.arith(p.Index)
	if !known {
		return []value{unknown("${"+p.Param.Value+"[...]}", s.at(p.Pos(), p.Param.Value))}, true
	}
	if n < 0 {
		n += int64(len(items))
	}
	if n < 0 || n >= int64(len(items)) {
		if open := len(items) > 0 && !items[len(items)-1].solid(); open { // an unknown item may be several
			return []value{unknown("${"+p.Param.Value+"[...]}", items[len(items)-1].origin())}, true
		}
		return nil, false
	}
	if !items[n].known() && !items[n].solid() {
		return []value{unknown("${"+p.Param.Value+"["+strconv.FormatInt(n, 10)+"]}", items[n].origin())}, true
	}
	return items[n : n+1], true
}

func (s *shell) length(p *syntax.ParamExp, items []value) value {
	at := s.at(p.Pos(), "${#"+p.Param.Value+"}")
	if t := indexText(p.Index); t == "@" || t == "*" || p.Param.Value == "@" || p.Param.Value == "*" {
		for _, v := range items {
			if !v.known() && !v.solid() {
				return value{{text: "${#" + p.Param.Value + "[@]}", unknown: true, solid: true, from: at}}
			}
		}
		return literal(strconv.Itoa(len(items)), at)
	}
	text := join(items, " ").present()
	if !text.known() {
		return value{{text: "${#" + p.Param.Value + "}", unknown: true, solid: true, from: at}}
	}
	return literal(strconv.Itoa(len([]rune(text.text()))), at)
}

func (s *shell) slice(p *syntax.ParamExp, items []value) []value {
	offset, ok1 := s.arith(p.Slice.Offset)
	length, ok2 := int64(1<<40), true
	if p.Slice.Length != nil {
		length, ok2 = s.arith(p.Slice.Length)
	}
	if !ok1 || !ok2 {
		return []value{unknown("${"+p.Param.Value+":...}", s.at(p.Pos(), p.Param.Value))}
	}
	if isAll(p) || p.Param.Value == "*" {
		if p.Param.Value == "@" || p.Param.Value == "*" {
			items = append([]value{s.name}, items...)
		}
		low, top := span(offset, length, len(items))
		return items[low:top]
	}
	return each(items, "$"+p.Param.Value, func(t string) (string, bool) {
		low, top := span(offset, length, len(t))
		return t[low:top], true
	})
}

// span is the part of n items that an offset and a length name, as in bash:
// negative ones count from the end.
func span(offset, length int64, n int) (int, int) {
	size := int64(n)
	if offset < 0 {
		offset += size
	}
	if offset < 0 || offset > size {
		return n, n
	}
	top := offset + min(length, size-offset)
	if length < 0 {
		top = max(size+length, offset)
	}
	return int(offset), int(top)
}

func each(items []value, name string, f func(string) (string, bool)) []value {
	var all []value
	for _, v := range items {
		v = v.present()
		text, ok := "", false
		if v.known() {
			text, ok = f(v.text())
		}
		if ok {
			all = append(all, literal(text, v.origin()))
		} else {
			all = append(all, value{{text: name, unknown: true, solid: v.solid(), from: v.origin()}})
		}
	}
	return all
}

func (s *shell) replace(r *syntax.Replace, text string) (string, bool) {
	orig, ok := s.pattern(r.Orig)
	with := s.single(r.With)
	anchor := ""
	if !r.All && orig != "" && (orig[0] == '#' || orig[0] == '%') {
		anchor, orig = orig[:1], orig[1:]
	}
	re := compile(orig, pattern.ExtendedOperators)
	if !ok || re == nil || !with.known() {
		return "", false
	}
	if anchor == "" && !r.All {
		at := re.FindStringIndex(text)
		if at == nil {
			return text, true
		}
		return text[:at[0]] + with.text() + text[at[1]:], true
	}
	if anchor != "" {
		for _, at := range re.FindAllStringIndex(text, -1) {
			if (anchor == "#" && at[0] == 0) || (anchor == "%" && at[1] == len(text)) {
				return text[:at[0]] + with.text() + text[at[1]:], true
			}
		}
		return text, true
	}
	if re.MatchString("") || len(text)*(1+with.size()) > maxBytes {
		return "", false
	}
	return re.ReplaceAllLiteralString(text, with.text()), true
}

// operate applies ${x:-d}, ${x%.*}, ${x^^} and their kin.
func (s *shell) operate(p *syntax.ParamExp, items []value, set bool, missing value) []value {
	name, word := p.Param.Value, p.Exp.Word
	current := join(items, " ").present()
	filled := truthOf(set && current.size() > 0)
	if set && !current.known() && !current.solid() && allUnknown(current) {
		filled = maybe // what a command printed: perhaps nothing
	}
	op := p.Exp.Op
	switch op {
	case syntax.DefaultUnset, syntax.AssignUnset, syntax.ErrorUnset, syntax.AlternateUnset:
		filled = truthOf(set)
	}
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if filled == no {
			return s.fallback(word)
		}
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if filled == no {
			items = []value{s.single(word)}
			s.set(name, items[0])
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if filled == no {
			return []value{missing}
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if filled == no {
			return nil
		}
		return s.fallback(word)
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		pat, ok := s.pattern(word)
		return each(items, "$"+name, func(t string) (string, bool) {
			if !ok {
				return "", false
			}
			return strip(op, pat, t)
		})
	case syntax.UpperAll:
		return each(items, "$"+name, func(t string) (string, bool) { return strings.ToUpper(t), true })
	case syntax.LowerAll:
		return each(items, "$"+name, func(t string) (string, bool) { return strings.ToLower(t), true })
	case syntax.UpperFirst, syntax.LowerFirst:
		return each(items, "$"+name, func(t string) (string, bool) {
			if t == "" {
				return t, true
			}
			if op == syntax.UpperFirst {
				return strings.ToUpper(t[:1]) + t[1:], true
			}
			return strings.ToLower(t[:1]) + t[1:], true
		})
	}
	return items
}

func allUnknown(v value) bool {
	for _, f := range v {
		if !f.unknown && f.text != "" {
			return false
		}
	}
	return true
}

// fallback expands the word of ${x:-word}, which may hold quotes and lists.
func (s *shell) fallback(w *syntax.Word) []value {
	if w == nil {
		return []value{nil}
	}
	if len(w.Parts) == 1 {
		if q, ok := w.Parts[0].(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
			if p, ok := q.Parts[0].(*syntax.ParamExp); ok && isAll(p) { // ${a+"${a[@]}"}
				return s.param(p)
			}
		}
	}
	return []value{s.single(w)}
}

// strip removes the shortest or longest match of a pattern from an end. It
// tries every cut, so long texts are refused.
func strip(op syntax.ParExpOperator, pat, text string) (string, bool) {
	re := compile(pat, pattern.EntireString|pattern.ExtendedOperators)
	if re == nil || len(text) > 4096 {
		return "", false
	}
	prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
	large := op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix
	for i := 0; i <= len(text); i++ {
		n := i // length of what is cut off
		if large {
			n = len(text) - i
		}
		if prefix && re.MatchString(text[:n]) {
			return text[n:], true
		}
		if !prefix && re.MatchString(text[len(text)-n:]) {
			return text[:len(text)-n], true
		}
	}
	return text, true
}
