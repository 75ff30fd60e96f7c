package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"schedmate"
	"schedmate/failure"
)

// maxMarks is how many combining marks may follow each other. Real scripts need
// two or three; a tower of them would be painted over other lines.
const maxMarks = 4

// visible returns the text with every character that has no shape of its own
// written out, such as ⟨U+202E⟩: controls and escape codes, bidirectional
// overrides, zero-width characters, private and unassigned code points. Line
// breaks stay.
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
		case marks <= maxMarks && unicode.IsGraphic(r) || r == '\n':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// oneLine is visible text without line breaks and with single blanks.
func oneLine(text string) string {
	return strings.Join(strings.Fields(visible(blanks.Replace(text))), " ")
}

var blanks = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ", "\f", " ", "\v", " ")

// cleaner makes text from outside fit to be shown.
type cleaner func(string) string

// newCleaner redacts first, if it is given how.
func newCleaner(redact func(string) string) cleaner {
	if redact == nil {
		return oneLine
	}
	return func(text string) string { return oneLine(redact(text)) }
}

// cleaned returns a copy of the incident in which every text has been redacted
// and made visible, so that no later code has to think of it.
func cleaned(in *failure.Incident, redact func(string) string) *failure.Incident {
	clean := newCleaner(redact)
	c := *in
	c.Kind = clean.kind(c.Kind)
	clean.texts(&c.Meaning, &c.Frame, &c.RanOn)
	c.Kinds = make(map[string]*failure.Kind, len(in.Kinds))
	for name, k := range in.Kinds {
		c.Kinds[clean(name)] = clean.kind(k)
	}
	clean.diagnosis(&c.Diagnosis)
	c.Logs = slices.Clone(c.Logs)
	for i := range c.Logs {
		clean.texts(&c.Logs[i].Name)
	}
	c.Lanes = slices.Clone(c.Lanes)
	for i := range c.Lanes {
		l := &c.Lanes[i]
		clean.texts(&l.Host)
		l.Marks = slices.Clone(l.Marks)
		for k := range l.Marks {
			clean.texts(&l.Marks[k].Kind)
		}
	}
	c.Groups = slices.Clone(c.Groups)
	for i := range c.Groups {
		g := &c.Groups[i]
		g.Kind, g.Quote = clean.kind(g.Kind), clean.quote(g.Quote)
		g.Effects = slices.Clone(g.Effects)
		for k := range g.Effects {
			e := &g.Effects[k]
			e.Kind, e.First = clean.kind(e.Kind), clean.quote(e.First)
			clean.texts(&e.Why)
		}
	}
	return &c
}

func (clean cleaner) texts(texts ...*string) {
	for _, t := range texts {
		*t = clean(*t)
	}
}

func (clean cleaner) kind(k *failure.Kind) *failure.Kind {
	if k == nil {
		return nil
	}
	c := *k
	clean.texts(&c.Name, &c.Title.English, &c.Title.Chinese, &c.Advice.English, &c.Advice.Chinese, &c.Test.English, &c.Test.Chinese)
	return &c
}

func (clean cleaner) diagnosis(d *schedmate.Diagnosis) {
	clean.texts(&d.Subclass, &d.Node, &d.HeldBack, &d.NextTest)
	if d.Root != nil {
		root := clean.quote(*d.Root)
		d.Root = &root
	}
	d.Evidence, d.Witnesses = clean.quotes(d.Evidence), clean.quotes(d.Witnesses)
	d.Also = slices.Clone(d.Also)
	for i := range d.Also {
		f := &d.Also[i]
		clean.texts(&f.File, &f.Subclass, &f.Node, &f.Text)
	}
	d.Alternatives = slices.Clone(d.Alternatives)
	for i := range d.Alternatives {
		clean.texts(&d.Alternatives[i].Subclass, &d.Alternatives[i].Why)
	}
	d.LastStep, d.LastCheckpoint = clean.reading(d.LastStep), clean.reading(d.LastCheckpoint)
}

func (clean cleaner) quotes(quotes []schedmate.Quote) []schedmate.Quote {
	quotes = slices.Clone(quotes)
	for i := range quotes {
		quotes[i] = clean.quote(quotes[i])
	}
	return quotes
}

func (clean cleaner) quote(q schedmate.Quote) schedmate.Quote {
	clean.texts(&q.File, &q.Text, &q.Why)
	return q
}

func (clean cleaner) reading(r *schedmate.Reading) *schedmate.Reading {
	if r == nil {
		return nil
	}
	c := *r
	clean.texts(&c.Name, &c.Method)
	return &c
}
