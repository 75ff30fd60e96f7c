package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks may follow each other. Real scripts
// need two or three; a tower of them would be painted over other rows.
const maxMarks = 4

// visible returns the text with every character that has no shape of its own
// written out, such as "⟨U+202E⟩": controls, bidirectional overrides,
// zero-width characters, private and unassigned code points. Line breaks and
// tabs stay, they are white space to HTML. Markup is not touched here, it is
// escaped where the text meets the page.
func visible(text string) string {
	var b strings.Builder
	marks := 0
	for i, r := range text {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, "⟨0x%02X⟩", text[i])
		case marks <= maxMarks && (unicode.IsGraphic(r) || r == '\n' || r == '\t'):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// cleaned returns a copy of the page in which every text has been through
// visible, so that no later code has to think of it.
func cleaned(p Page) Page {
	clean(&p.Title, &p.Intro, &p.Command)
	p.Facts = slices.Clone(p.Facts)
	for i := range p.Facts {
		clean(&p.Facts[i].Name, &p.Facts[i].Value)
	}
	p.Notes = slices.Clone(p.Notes)
	for i := range p.Notes {
		clean(&p.Notes[i])
	}
	p.Runs = slices.Clone(p.Runs)
	for i := range p.Runs {
		p.Runs[i] = cleanedRun(p.Runs[i])
	}
	return p
}

func cleanedRun(r Run) Run {
	clean(&r.Policy, &r.Preset, &r.Hash)
	r.Metrics = slices.Clone(r.Metrics)
	for i := range r.Metrics {
		clean(&r.Metrics[i].Name, &r.Metrics[i].Unit, &r.Metrics[i].Help, &r.Metrics[i].Group)
	}
	r.Nodes = slices.Clone(r.Nodes)
	for i := range r.Nodes {
		clean(&r.Nodes[i].Name)
	}
	r.Bars = slices.Clone(r.Bars)
	for i := range r.Bars {
		clean(&r.Bars[i].Job)
	}
	r.Pairs = slices.Clone(r.Pairs)
	for i := range r.Pairs {
		p := &r.Pairs[i]
		clean(&p.Host, &p.Guest)
		if p.Undo != nil {
			u := *p.Undo
			clean(&u.Slower)
			p.Undo = &u
		}
	}
	r.Reference = slices.Clone(r.Reference)
	for i := range r.Reference {
		clean(&r.Reference[i].Name, &r.Reference[i].Unit, &r.Reference[i].Source)
	}
	return r
}

func clean(texts ...*string) {
	for _, t := range texts {
		*t = visible(*t)
	}
}

// tail shortens a name to its last n characters, where names that are
// numbered differ.
func tail(name string, n int) string {
	runes := []rune(name)
	if len(runes) <= n {
		return name
	}
	return "…" + string(runes[len(runes)-n+1:])
}

// list joins names for a sentence: "a", "a and b", "a, b and c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
