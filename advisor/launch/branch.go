package launch

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// either goes both ways of an unknown condition and keeps what they agree on.
// A way that ends the script (a guard: "the folder is missing, exit") is left
// out of what comes after: the run that trains is the one that goes on.
func (s *shell) either(place string, ways ...func(*shell)) {
	var alive []*shell
	var ended *shell
	for _, way := range ways {
		b := s.fork()
		if b.doubt == "" {
			b.doubt = "depends on a condition that is not known before it runs (" + place + ")"
		}
		way(b)
		if b.end == exits || b.end == returns {
			ended = b
			continue
		}
		alive = append(alive, b)
	}
	if len(alive) == 0 {
		s.end = ended.end
		return
	}
	s.vars, s.funcs = alive[0].vars, alive[0].funcs
	s.args, s.dir, s.end, s.levels = alive[0].args, alive[0].dir, alive[0].end, alive[0].levels
	for _, other := range alive[1:] {
		s.agree(other)
	}
}

// agree makes unknown what the other way left with another value.
func (s *shell) agree(o *shell) {
	for name, v := range o.vars {
		mine, ok := s.vars[name]
		if !ok {
			mine = variable{items: []value{nil}, exported: v.exported}
		}
		s.vars[name] = mergeVariables(name, mine, v)
	}
	for name, v := range s.vars {
		if _, ok := o.vars[name]; !ok {
			s.vars[name] = mergeVariables(name, v, variable{items: []value{nil}})
		}
	}
	for name, f := range o.funcs {
		if _, ok := s.funcs[name]; !ok {
			s.funcs[name] = f
		}
	}
	if len(o.args) < len(s.args) {
		s.args = o.args
	}
	if o.end == runs {
		s.end, s.levels = runs, 0
	}
}

func mergeVariables(name string, a, b variable) variable {
	if sameItems(a.items, b.items) {
		return a
	}
	merged := variable{array: a.array || b.array, exported: a.exported || b.exported}
	if merged.array || len(a.items) != 1 || len(b.items) != 1 {
		n := 0
		for n < min(len(a.items), len(b.items)) && a.items[n].text() == b.items[n].text() {
			n++
		}
		merged.items = append(slices.Clone(a.items[:n]), unknown("${"+name+"[@]}", nil))
		merged.array = true
		return merged
	}
	merged.items = []value{mergeValues(name, a.items[0], b.items[0])}
	return merged
}

// mergeValues keeps the pieces that both values start with: the flags that a
// command has in either case.
func mergeValues(name string, a, b value) value {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	var from = a.origin()
	if from == nil {
		from = b.origin()
	}
	return append(slices.Clone(a[:n]), frag{text: "$" + name, unknown: true, from: from})
}

func sameItems(a, b []value) bool {
	return slices.EqualFunc(a, b, func(x, y value) bool { return x.known() == y.known() && x.text() == y.text() })
}

func (s *shell) ifClause(c *syntax.IfClause) truth {
	if c == nil {
		return yes
	}
	if len(c.Cond) == 0 { // else
		return s.list(c.Then)
	}
	cond := s.list(c.Cond)
	if s.end != runs {
		return cond
	}
	switch cond {
	case yes:
		return s.list(c.Then)
	case no:
		return s.ifClause(c.Else)
	}
	s.either(s.at(c.Position, "if").Place(), func(b *shell) { b.list(c.Then) }, func(b *shell) { b.ifClause(c.Else) })
	return maybe
}

func (s *shell) caseClause(c *syntax.CaseClause) truth {
	subject := s.single(c.Word)
	var open []*syntax.CaseItem // that may be the one
	sure := false
	for i := 0; i < len(c.Items) && !sure; i++ {
		item := c.Items[i]
		match := no
		for _, p := range item.Patterns {
			if t := s.matches(subject, p); t == yes || (t == maybe && match == no) {
				match = t
			}
		}
		switch match {
		case yes:
			open, sure = append(open, item), true
		case maybe:
			open = append(open, item)
		}
	}
	if sure && len(open) == 1 {
		return s.list(open[0].Stmts)
	}
	if len(open) == 0 {
		return yes
	}
	var ways []func(*shell)
	for _, item := range open {
		ways = append(ways, func(b *shell) { b.list(item.Stmts) })
	}
	if !sure {
		ways = append(ways, func(*shell) {})
	}
	s.either(s.at(c.Case, "case").Place(), ways...)
	return maybe
}

// turn runs a loop's body once and tells whether the loop goes on.
func (s *shell) turn(body []*syntax.Stmt) bool {
	s.list(body)
	switch s.end {
	case breaks, continues:
		s.levels--
		if s.levels > 0 {
			return false
		}
		again := s.end == continues
		s.end = runs
		return again
	}
	return s.end == runs
}

// repeated runs a loop and joins the invocations of its turns: the first turn
// speaks for all, with the number of turns.
func (s *shell) repeated(loop func()) {
	before := len(s.m.launch.Invocations)
	loop()
	all := s.m.launch.Invocations
	first := map[string]int{}
	kept := all[:before:before]
	for _, inv := range all[before:] {
		key := fmt.Sprint(inv.Program, inv.Name, inv.NameFrom.String(), inv.Dir, inv.Nodes.N, inv.Processes.N, inv.Doubt, len(inv.Args))
		if i, seen := first[key]; seen && sameOrigins(kept[i].Args, inv.Args) {
			kept[i].Repeats += inv.Repeats
			kept[i].turned(append([][]Word{inv.Args}, inv.Turns...))
			continue
		}
		first[key] = len(kept)
		kept = append(kept, inv)
	}
	s.m.launch.Invocations = kept
}

// mostTurns bounds the turns of a loop whose words are kept.
const mostTurns = 32

// turned keeps the words of other turns.
func (inv *Invocation) turned(turns [][]Word) {
	for _, words := range turns {
		if len(inv.Turns) < mostTurns && !sameWords(inv.Args, words) {
			inv.Turns = append(inv.Turns, words)
		}
	}
}

func sameWords(a, b []Word) bool {
	return slices.EqualFunc(a, b, func(x, y Word) bool { return x.Text == y.Text && x.Known == y.Known })
}

// sameOrigins reports whether two commands differ in values alone, not in
// their flags.
func sameOrigins(a, b []Word) bool {
	return slices.EqualFunc(a, b, func(x, y Word) bool {
		return x.Text == y.Text || !strings.HasPrefix(x.Text, "--") || flagName(x.Text) == flagName(y.Text)
	})
}

func (s *shell) while(c *syntax.WhileClause) truth {
	s.repeated(func() {
		for i := 0; s.m.step(); i++ {
			cond := s.list(c.Cond)
			if c.Until {
				cond = cond.not()
			}
			if cond == no || s.end != runs {
				return
			}
			if cond == maybe {
				s.either(s.at(c.WhilePos, "while").Place(), func(b *shell) { b.turn(c.Do) }, func(*shell) {})
				return
			}
			before := s.m.state(s)
			if !s.turn(c.Do) {
				return
			}
			if i >= maxLoop || before == s.m.state(s) {
				s.m.warn("a loop does not end by itself; its body is counted once", s.at(c.WhilePos, "while"))
				return
			}
		}
	})
	return yes
}

// state is a fingerprint of what a loop's condition can depend on; equal
// before and after a turn, the loop never ends.
func (m *machine) state(s *shell) string {
	var b strings.Builder
	names := make([]string, 0, len(s.vars))
	for name := range s.vars {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(name)
		for _, v := range s.vars[name].items {
			b.WriteString("\x00" + v.text())
		}
	}
	fmt.Fprint(&b, len(s.args), s.dir)
	m.work += b.Len() / 8
	return b.String()
}

func (s *shell) forClause(c *syntax.ForClause) truth {
	s.repeated(func() {
		switch loop := c.Loop.(type) {
		case *syntax.WordIter:
			items := s.args
			if loop.InPos.IsValid() {
				items = s.words(loop.Items)
			}
			for _, item := range items {
				if !s.m.step() {
					return
				}
				s.set(loop.Name.Value, item)
				if !item.known() && !item.solid() { // it may be several words, or none
					s.either(s.at(c.ForPos, "for").Place(), func(b *shell) { b.turn(c.Do) })
					continue
				}
				if !s.turn(c.Do) {
					return
				}
			}
		case *syntax.CStyleLoop:
			s.counted(c, loop)
		}
	})
	return yes
}

func (v value) solid() bool {
	for _, f := range v {
		if f.unknown && !f.solid {
			return false
		}
	}
	return true
}

func (s *shell) counted(c *syntax.ForClause, loop *syntax.CStyleLoop) {
	if loop.Init != nil {
		s.arith(loop.Init)
	}
	for i := 0; s.m.step(); i++ {
		cond := yes
		if loop.Cond != nil {
			n, ok := s.arith(loop.Cond)
			cond = numberTruth(n, ok)
		}
		if cond == no {
			return
		}
		if cond == maybe {
			s.either(s.at(c.ForPos, "for").Place(), func(b *shell) { b.turn(c.Do) }, func(*shell) {})
			return
		}
		if !s.turn(c.Do) || i >= maxLoop {
			return
		}
		if loop.Post != nil {
			s.arith(loop.Post)
		}
	}
}
