package launch

import (
	"regexp"
	"strings"

	"schedmate/advisor/origin"
)

// make runs the recipes of the repository's Makefile for its targets.
func (s *shell) make(args []value) truth {
	file, dir := "", s.dir
	var targets, sets []value
	for i := 0; i < len(args); i++ {
		w := args[i].text()
		switch {
		case (w == "-C" || w == "-f") && i+1 < len(args):
			i++
			if w == "-C" {
				if d, ok := s.findDir(args[i].text()); ok {
					dir = d
				}
			} else {
				file = args[i].text()
			}
		case strings.HasPrefix(w, "-"):
		case strings.Contains(w, "="):
			sets = append(sets, args[i])
		default:
			targets = append(targets, args[i])
		}
	}
	c := s.child()
	c.dir = dir
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	if file != "" {
		names = []string{file}
	}
	for _, name := range names {
		if text, at, ok := c.readFile(literal(name, nil)); ok && len(text) <= maxBytes {
			c.exportWords(sets)
			c.makefile(text, at, targets)
			return yes
		}
	}
	return maybe
}

var (
	makeRule = regexp.MustCompile(`^([A-Za-z0-9_.\-/ ]+):([^=].*)?$`)
	makeSet  = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s*([?:+]?)=\s*(.*)$`)
	makeVar  = regexp.MustCompile(`\$[({]([A-Za-z_][A-Za-z0-9_]*)[)}]`)
)

// makefile follows plain rules and variables; functions and patterns of make
// are not followed.
func (s *shell) makefile(text, at string, targets []value) {
	type rule struct {
		needs  []string
		recipe []string
		line   []int
	}
	rules := map[string]*rule{}
	var first string
	var open []*rule
	text = strings.ReplaceAll(text, "\\\n", " \x00")
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n += 1 + strings.Count(line, "\x00")
		line = strings.ReplaceAll(line, "\x00", "")
		if strings.HasPrefix(line, "\t") {
			for _, r := range open {
				r.recipe, r.line = append(r.recipe, strings.TrimLeft(line, "\t@-")), append(r.line, n)
			}
			continue
		}
		if m := makeSet.FindStringSubmatch(line); m != nil {
			if _, set := s.vars[m[1]]; !set || (m[2] != "?" && !s.vars[m[1]].exported) {
				s.set(m[1], literal(makeVar.ReplaceAllString(m[3], "$${$1}"), origin.At(origin.Shell, at, n, m[1])))
			}
			continue
		}
		if m := makeRule.FindStringSubmatch(line); m != nil && len(rules) < 2000 {
			open = nil
			needs, _, _ := strings.Cut(m[2], "#")
			for target := range strings.FieldsSeq(m[1]) {
				r := &rule{needs: strings.Fields(needs)}
				rules[target], open = r, append(open, r)
				if first == "" && target[0] != '.' {
					first = target
				}
			}
		}
	}
	done := map[string]bool{}
	var build func(string)
	build = func(target string) {
		r := rules[target]
		if r == nil || done[target] || !s.m.step() || len(done) > 200 {
			return
		}
		done[target] = true
		for _, need := range r.needs {
			build(need)
		}
		for i, line := range r.recipe {
			c := s.fork()
			c.file, c.line = at, r.line[i]-1
			line = makeVar.ReplaceAllString(line, "$${$1}")
			for range 3 { // variables whose text names variables
				line = makeVar.ReplaceAllStringFunc(line, func(use string) string {
					if v, ok := s.vars[use[2:len(use)-1]]; ok && len(line) < 1<<16 && strings.Contains(join(v.items, " ").text(), "${") {
						return join(v.items, " ").text()
					}
					return use
				})
			}
			c.source(strings.ReplaceAll(line, "$$", "$"))
		}
	}
	if len(targets) == 0 && first != "" {
		targets = []value{literal(first, nil)}
	}
	for _, t := range targets {
		build(t.text())
	}
}
