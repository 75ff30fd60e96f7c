package failure

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// wordsAsRules is a set in which a line `TIER went wrong` is of that tier.
func wordsAsRules(t *testing.T) *RuleSet {
	t.Helper()
	var b strings.Builder
	b.WriteString("kinds:\n")
	kind := func(name, more string) {
		fmt.Fprintf(&b, "  - {name: %s, class: infrastructure, component: unknown, restart: yes, quarantine: no, title: {en: a, zh: a}, advice: {en: a, zh: a}, test: {en: a, zh: a}%s}\n", name, more)
	}
	kind("python_exception", "")
	kinds := []struct{ name, rule string }{
		{"device", "tier: 1"}, {"scheduler", "tier: 2"}, {"surfaced", "tier: 3"}, {"transport", "tier: 4"}, {"told", "tier: 5"},
		{"exception", "tier: 5, generic: true, exception: true"}, {"ended", "tier: 5, alone: true"},
		{"peer", "tier: 6"}, {"launcher", "tier: 7"}, {"signal", "tier: 7"}, {"timeout", "tier: 6"}, {"left", "tier: 7"}, {"cause", "tier: 5"}, {"effect", "tier: 4"},
	}
	for _, k := range kinds {
		kind(k.name, map[string]string{"signal": ", fatal_signal: true", "timeout": ", waits: true, tears_down: true", "left": ", exited: true"}[k.name])
	}
	b.WriteString("rules:\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "  - {id: %s, pattern: '%s went wrong', kind: %s, source: here, %s}\n", k.name, k.name, k.name, k.rule)
	}
	b.WriteString("  - {id: bare, pattern: 'told nothing but the end', kind: told, source: here, tier: 5, alone: true}\n")
	b.WriteString("  - {id: tries, pattern: 'trying again', tries: true, source: here, tier: 8}\n")
	b.WriteString("links:\n  - {because: [cause], then: [effect], why: {en: the cause, zh: the cause}}\n  - {because: [effect], then: [cause], why: {en: the other, zh: the other}}\n")
	set, err := ReadRules(fstest.MapFS{"a.yaml": {Data: []byte(b.String())}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Each principle decides on a pair of lines as its name says.
func TestPrinciples(t *testing.T) {
	set := wordsAsRules(t)
	stack := func(text string) string {
		return "Traceback (most recent call last):\n  File \"/home/ann/a.py\", line 1, in a\n" + text + "\n"
	}
	const chained = "\nDuring handling of the above exception, another exception occurred:\n\n"
	var progress strings.Builder
	for step := range 20 {
		fmt.Fprintf(&progress, "step %d loss 2.2\n", step+1)
	}
	tested := map[string]bool{}
	for _, c := range []struct {
		story     string
		files     []string
		a, b      string // kinds; ? before one: no rule knows it
		principle string
		holds     bool
	}{
		{"a try that is not the last", []string{"device went wrong, trying again\npeer went wrong\n"}, "device", "peer", "a try explains nothing", false},
		{"a line that nobody knows, beside one that is known", []string{"told went wrong\nlauncher went wrong\n"}, "told", "?launcher", "the known explains the unknown", true},
		{"the same, long after it", []string{"told went wrong\n" + progress.String() + "launcher went wrong\n"}, "told", "?launcher", "the known explains the unknown", false},
		{"a line that nobody knows, after the one it would explain", []string{"peer went wrong\ntold went wrong\n"}, "?told", "peer", "a guess explains only what the clock puts after it", false},
		{"a line that nobody knows and the exit code, in another file", []string{"left went wrong\n", "told went wrong\n"}, "?told", "left", "a program that leaves with a code says why, in words that no rule may know", true},
		{"the same, after the code", []string{"left went wrong\ntold went wrong\n"}, "?told", "left", "a program that leaves with a code says why, in words that no rule may know", false},
		{"two files without clocks, linked both ways", []string{"cause went wrong\n", "effect went wrong\n"}, "cause", "effect", "without clocks the one nearest to the hardware is the cause", false},
		{"the same, from the other side", []string{"cause went wrong\n", "effect went wrong\n"}, "effect", "cause", "the kinds are linked", true},
		{"linked, in order", []string{"cause went wrong\neffect went wrong\n"}, "cause", "effect", "the kinds are linked", true},
		{"what the lines below an exception name", []string{stack("RuntimeError: exception went wrong") + "2024-03-01 10:00:00 told went wrong\n"}, "told", "exception", "the lines below an exception say what it was", true},
		{"an exception within the handling of another", []string{stack("ValueError: told went wrong") + chained + stack("RuntimeError: surfaced went wrong")}, "told", "surfaced", "raised while another was handled", true},
		{"another rank says the same", []string{"[rank0]: told went wrong\n[rank1]: told went wrong\n"}, "told", "told", "told again", true},
		{"two files tell the same without clocks", []string{"told went wrong\n", "told went wrong\n"}, "told", "told", "told again", true},
		{"a bare end, told before the line that says why", []string{"told nothing but the end\ntold went wrong\n"}, "told", "later told", "told again", false},
		{"the same, from the other side", []string{"told nothing but the end\ntold went wrong\n"}, "later told", "told", "told again", true},
		{"the second of them is not the cause of the first", []string{"told went wrong\n", "told went wrong\n"}, "later told", "told", "of files that tell the same without clocks the first given counts", false},
		{"a job that is cancelled loses its connections", []string{"scheduler went wrong\npeer went wrong\n"}, "scheduler", "peer", "the scheduler ended it", true},
		{"a cancelled job is no reason for a device to fail", []string{"scheduler went wrong\nsurfaced went wrong\n"}, "scheduler", "surfaced", "the scheduler ended it", false},
		{"a signal after an error", []string{"told went wrong\nsignal went wrong\n"}, "told", "signal", "a process that failed was ended by a signal", true},
		{"a signal after a wait", []string{"timeout went wrong\nsignal went wrong\n"}, "timeout", "signal", "a process that failed was ended by a signal", true},
		{"a signal after a lost peer", []string{"peer went wrong\nsignal went wrong\n"}, "peer", "signal", "a process that failed was ended by a signal", false},
		{"a launcher that follows another", []string{"signal went wrong\nlauncher went wrong\n"}, "signal", "launcher", "a launcher tells of the end after the one it saw first", true},
		{"a killed process is missed", []string{"peer went wrong\nsignal went wrong\n"}, "signal", "peer", "a process that was killed is missed by its peers", true},
		{"what was killed after a long wait is not what was waited for", []string{"timeout went wrong\nsignal went wrong\n"}, "signal", "timeout", "a process that was killed is missed by its peers", false},
		{"an error and the launcher", []string{"told went wrong\nlauncher went wrong\n"}, "told", "launcher", "a launcher tells of the end of what went wrong", true},
		{"a bare end and the exit code of it", []string{"ended went wrong\nleft went wrong\n"}, "ended", "left", "a launcher tells of the end of what went wrong", true},
		{"an error and a bare end", []string{"told went wrong\nended went wrong\n"}, "told", "ended", "what went wrong explains what only tells of an end", true},
		{"a peer misses the process before it says why it died", []string{"[rank1]: peer went wrong\n[rank0]: device went wrong\n"}, "device", "peer", "a process that failed is missed by its peers", true},
		{"an error after a long wait did not bring it about", []string{"timeout went wrong\ntold went wrong\n"}, "told", "timeout", "a process that failed is missed by its peers", false},
		{"a lost peer and the launcher", []string{"peer went wrong\nlauncher went wrong\n"}, "peer", "launcher", "a lost peer is missed by the others and by the launcher", true},
		{"a device and the process that used it", []string{"device went wrong\nsurfaced went wrong\n"}, "device", "surfaced", "a device's failure surfaces in processes", true},
		{"a device does not raise exceptions that say something else", []string{"device went wrong\ntold went wrong\n"}, "device", "told", "a device's failure surfaces in processes", false},
		{"a connection and the exception it ends in", []string{"transport went wrong\n" + stack("RuntimeError: exception went wrong")}, "transport", "exception", "an error below surfaces as an exception that says little", true},
		{"a connection and an exception that says more", []string{"transport went wrong\ntold went wrong\n"}, "transport", "told", "an error below surfaces as an exception that says little", false},
	} {
		s := NewScanner(set)
		for i, text := range c.files {
			if err := s.Read(fmt.Sprintf("%d.log", i), strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
		}
		find := func(kind string, not *event) *event {
			name, guess := strings.CutPrefix(kind, "?")
			name, later := strings.CutPrefix(name, "later ")
			events := slices.Clone(s.events)
			if later {
				slices.Reverse(events)
			}
			for _, e := range events {
				if e.rule.Kind == name && e != not {
					if guess {
						r := *e.rule
						r.guess = true
						e.rule = &r
					}
					return e
				}
			}
			t.Fatalf("%s: no event is of kind %s", c.story, kind)
			return nil
		}
		a := find(c.a, nil)
		b := find(c.b, a)
		x, ok := s.reason().explains(a, b)
		if x.principle != c.principle || ok != c.holds {
			t.Errorf("%s: explained %v by %q, want %v by %q", c.story, ok, x.principle, c.holds, c.principle)
		}
		if ok && x.why == "" {
			t.Errorf("%s: %q says no why", c.story, x.principle)
		}
		tested[x.principle] = true
	}
	for _, p := range principles {
		if !tested[p.name] {
			t.Errorf("no story is about %q", p.name)
		}
		if (p.why.English == "") != (p.why.Chinese == "") {
			t.Errorf("%q gives its why in one language only", p.name)
		}
	}
}
