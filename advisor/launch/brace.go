package launch

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// braces expands {a,b} and {1..4}; more than maxBraces words stay as typed.
func (s *shell) braces(w *syntax.Word) []*syntax.Word {
	has := false
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			has = true
		}
	}
	if !has {
		return []*syntax.Word{w}
	}
	split := *w
	if !syntax.SplitBraces(&split) {
		return []*syntax.Word{w}
	}
	all, ok := s.product(split.Parts, 0)
	if !ok {
		s.m.warn("a word with braces stands for more words than are followed", s.at(w.Pos(), "{"))
		return []*syntax.Word{w}
	}
	return all
}

const maxBraces = 4096

func (s *shell) product(parts []syntax.WordPart, depth int) ([]*syntax.Word, bool) {
	all := []*syntax.Word{{}}
	if depth > maxDepth {
		return nil, false
	}
	for _, p := range parts {
		brace, ok := p.(*syntax.BraceExp)
		if !ok {
			for _, w := range all {
				w.Parts = append(w.Parts[:len(w.Parts):len(w.Parts)], p)
			}
			continue
		}
		choices, ok := s.choices(brace, depth)
		if !ok || len(choices)*len(all) > maxBraces {
			return nil, false
		}
		s.m.work += 64 * len(choices) * len(all)
		var next []*syntax.Word
		for _, w := range all {
			for _, c := range choices {
				next = append(next, &syntax.Word{Parts: append(w.Parts[:len(w.Parts):len(w.Parts)], c.Parts...)})
			}
		}
		all = next
	}
	return all, true
}

func (s *shell) choices(b *syntax.BraceExp, depth int) ([]*syntax.Word, bool) {
	var all []*syntax.Word
	if !b.Sequence {
		for _, e := range b.Elems {
			some, ok := s.product(e.Parts, depth+1)
			if !ok {
				return nil, false
			}
			all = append(all, some...)
		}
		return all, len(all) <= maxBraces
	}
	if len(b.Elems) < 2 {
		return nil, false
	}
	low, top := b.Elems[0].Lit(), b.Elems[1].Lit()
	step := int64(1)
	if len(b.Elems) > 2 {
		step, _ = strconv.ParseInt(b.Elems[2].Lit(), 10, 64)
		step = max(step, -step, 1)
	}
	from, err1 := strconv.ParseInt(low, 10, 64)
	to, err2 := strconv.ParseInt(top, 10, 64)
	letters := err1 != nil || err2 != nil
	if letters {
		if len(low) != 1 || len(top) != 1 {
			return nil, false
		}
		from, to = int64(low[0]), int64(top[0])
	}
	if max(from, -from, to, -to) > 1<<50 || max(from-to, to-from)/step >= maxBraces {
		return nil, false
	}
	width := 0
	if !letters && (strings.HasPrefix(strings.TrimPrefix(low, "-"), "0") && len(low) > 1 || strings.HasPrefix(top, "0") && len(top) > 1) {
		width = max(len(low), len(top))
	}
	pos := b.Pos()
	for n := from; ; n += step * sign(to-from) {
		text := string(rune(n))
		if !letters {
			text = strconv.FormatInt(n, 10)
			for len(text) < width {
				text = "0" + text
			}
		}
		all = append(all, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: pos, ValueEnd: pos, Value: text}}})
		if n == to || (to-n)*sign(to-from) < step {
			return all, true
		}
	}
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}
