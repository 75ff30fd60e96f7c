package failure

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

// stackOf gives a sample line the stack it would have in a log.
func stackOf(r *Rule) *exception {
	switch {
	case r.looksAtStack():
		return &exception{files: r.Stack}
	case r.Exception:
		return &exception{files: []string{"/home/user/train.py"}}
	}
	return nil
}

// Every rule matches the lines it was made for, and of all rules it is the one
// that is believed, or one of the same kind.
func TestRulesMatchTheirSamples(t *testing.T) {
	set := Default()
	ofTable := map[string]bool{}
	for _, r := range set.Rules {
		if len(r.Positive) == 0 {
			t.Errorf("rule %s has no positive sample", r.ID)
		}
		for _, line := range r.Positive {
			stack := stackOf(r)
			f, ok := set.match([]byte(line), stack, new(matchScratch))
			if r.table != "" && !r.regexp().MatchString(line) {
				continue // of another code of the table
			}
			ofTable[r.table+line] = true
			switch {
			case !r.regexp().MatchString(line):
				t.Errorf("rule %s does not match its sample %q", r.ID, line)
			case r.Tries && !f.tentative:
				t.Errorf("rule %s: its sample %q is not known as a try", r.ID, line)
			case r.Tries:
			case !ok:
				t.Errorf("rule %s is not found by its literals %q in %q", r.ID, r.literals, line)
			case f.rule.Kind != r.Kind:
				t.Errorf("rule %s (%s): its sample %q is taken by rule %s (%s)", r.ID, r.Kind, line, f.rule.ID, f.rule.Kind)
			}
		}
	}
	for _, r := range set.Rules {
		for _, line := range r.Positive {
			if r.table != "" && !ofTable[r.table+line] {
				t.Errorf("rule %s: no code of the table matches its sample %q", r.table, line)
			}
		}
	}
}

// No rule takes a line for a failure that another rule's author knows to be
// none.
func TestRulesLeaveTheHarmlessAlone(t *testing.T) {
	set := Default()
	for _, owner := range set.Rules {
		for _, line := range owner.Negative {
			f, ok := set.match([]byte(line), &exception{}, new(matchScratch))
			if ok && f.rule.Tier != TierNoise && !f.tentative {
				t.Errorf("rule %s matches %q, which rule %s says is no failure", f.rule.ID, line, owner.ID)
			}
			if owner.Tier == TierNoise && owner.regexp().MatchString(line) {
				t.Errorf("rule %s matches its negative %q", owner.ID, line)
			}
		}
		for _, line := range owner.Near {
			if _, ok := owner.find([]byte(line), appendLower(nil, []byte(line)), view{to: len(line)}); ok {
				t.Errorf("rule %s matches %q, which is of another kind", owner.ID, line)
			}
		}
	}
}

// Lines are found as fast as their literals: the index finds the rules that a
// search for each literal finds.
func TestLiteralIndexIsASearch(t *testing.T) {
	set := Default()
	var samples []string
	for _, r := range set.Rules {
		samples = append(samples, r.Positive...)
		samples = append(samples, r.Negative...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.SampledFrom(samples).Draw(rt, "a"), rapid.SampledFrom(samples).Draw(rt, "b")
		line := appendLower(nil, []byte(a[:rapid.IntRange(0, len(a)).Draw(rt, "cut")]+b))
		found := set.index.rules(nil, line)
		i := 0
		for n, r := range set.Rules {
			in := true
			for _, list := range append([][]string{r.literals}, r.further...) {
				one := false
				for _, l := range list {
					one = one || bytes.Contains(line, []byte(l))
				}
				in = in && one
			}
			if listed := i < len(found) && found[i] == n; listed {
				i++
				if !in {
					rt.Fatalf("rule %s is found, but not all of %q %q are in %q", r.ID, r.literals, r.further, line)
				}
			} else if in {
				rt.Fatalf("rule %s is not found, but %q %q are in %q", r.ID, r.literals, r.further, line)
			}
		}
	})
}

func TestRequiredLiterals(t *testing.T) {
	for pattern, want := range map[string]string{
		`NVRM: Xid \(PCI:[^)]+\): 79`:         "nvrm: xid (pci:",
		`error 12, opcode`:                    ", opcode",
		`(?:foo bar|quux) \d+`:                "foo bar|quux",
		`(?i)No Space Left`:                   "no space left",
		`error (?:5|12).*, vendor err`:        ", vendor err & error",
		`(?:refused)?`:                        "",
		`\d+`:                                 "",
		`exit(?:ed with)? code (?P<exit>\d+)`: "exit & code",
		`ab|abcdef`:                           "",
	} {
		shown := analyse(pattern)
		got := strings.Join(shown.first, "|")
		for _, l := range shown.further {
			got += " & " + strings.Join(l, "|")
		}
		if got != want {
			t.Errorf("literals of %q: got %q, want %q", pattern, got, want)
		}
	}
}

// A set without rules is an alarm, and broken rules say what is wrong.
func TestReadRulesRefuses(t *testing.T) {
	kind := "kinds:\n  - {name: k, class: user, component: data, restart: no, quarantine: no, title: {en: a, zh: b}, advice: {en: a, zh: b}, test: {en: a, zh: b}}\n"
	kindWith := func(more string) string { return strings.TrimSuffix(kind, "}\n") + ", " + more + "}\n" }
	for name, c := range map[string]struct{ text, want string }{
		"no rules":              {kind, "no failure rules are loaded"},
		"empty kind":            {"kinds: [null]\n", "a.yaml: an entry is empty"},
		"empty rule":            {"rules:\n  -\n", "a.yaml: an entry is empty"},
		"unknown field":         {"rules:\n  - {id: a, patern: b}\n", "field patern not found"},
		"bad pattern":           {kind + "rules:\n  - {id: a, pattern: 'abc(', tier: 5, kind: k, source: s}\n", "rule a: pattern: error parsing regexp"},
		"no literal":            {kind + "rules:\n  - {id: a, pattern: '\\d+', tier: 5, kind: k, source: s}\n", "no literal text"},
		"no such kind":          {kind + "rules:\n  - {id: a, pattern: 'abc', tier: 5, kind: q, source: s}\n", `no kind is called "q"`},
		"twice":                 {kind + "rules:\n  - {id: a, pattern: 'abc', tier: 5, kind: k, source: s}\n  - {id: a, pattern: 'abd', tier: 5, kind: k, source: s}\n", "rule a: is there twice"},
		"tier":                  {kind + "rules:\n  - {id: a, pattern: 'abc', tier: 9, kind: k, source: s}\n", "tier: must be 1 to 8, got 9"},
		"user quarantine":       {kind + "rules:\n  - {id: a, pattern: 'abc', tier: 5, kind: k, source: s, quarantine: yes}\n", "no node is taken out for a failure of class user"},
		"links in one language": {kind + "rules:\n  - {id: a, pattern: 'abc', tier: 5, kind: k, source: s}\nlinks:\n  - {because: [k], then: [k], why: {en: a}}\n", "links: from k to k: why: must be given in en and zh"},
		"no such condition":     {kindWith("in_context: [{when: [sunny], why: {en: a, zh: b}}]"), "kind k: in_context[0]: when: \"sunny\" is none of [alone device_line"},
		"never reached":         {kindWith("in_context: [{why: {en: a, zh: b}}, {when: [alone], why: {en: a, zh: b}}]"), "kind k: in_context[0]: when: must not be empty but in the last entry"},
		"context without why":   {kindWith("in_context: [{when: [alone], restart: yes}]"), "kind k: in_context[0]: why: must be given in en and zh"},
		"context of no kind":    {kindWith("in_context: [{when: [alone], kind: q, why: {en: a, zh: b}}]") + "rules:\n  - {id: a, pattern: 'abc', tier: 5, kind: k, source: s}\n", `kind k: in_context: no kind is called "q"`},
		"context of bad class":  {kindWith("in_context: [{when: [alone], class: nobody, why: {en: a, zh: b}}]"), "kind k: in_context[0]: class: must be infrastructure, framework or user"},
		"otherwise itself":      {kindWith("otherwise: [{kind: k, why: {en: a, zh: b}}]"), "kind k: otherwise[0]: kind: must be another kind"},
		"otherwise of no kind":  {kindWith("otherwise: [{kind: q, why: {en: a, zh: b}}]") + "rules:\n  - {id: a, pattern: 'abc', tier: 5, kind: k, source: s}\n", `kind k: otherwise: no kind is called "q"`},
		"source":                {kind + "rules:\n  - {id: a, pattern: 'abc', tier: 5, kind: k}\n", "source: must say where the text comes from"},
	} {
		_, err := ReadRules(fstest.MapFS{"a.yaml": {Data: []byte(c.text)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// A pattern that tells some numbers from others is tried on every line of a shape;
// the others have their say after a few.
func TestPatternsThatLookAtNumbers(t *testing.T) {
	for pattern, want := range map[string]bool{
		`error (?:5|12)`: true, `code [1-9]\d*`: true, `\d{4} errors`: true, `Xid .*: 79`: true,
		`error \d+`: false, `rank .{0,80} failed`: false, `[\w.]+ refused`: false, `took [\d.]+ s`: false,
	} {
		if got := analyse(pattern).valued; got != want {
			t.Errorf("%q looks at numbers: %v, want %v", pattern, got, want)
		}
	}
}
