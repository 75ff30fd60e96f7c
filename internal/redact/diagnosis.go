package redact

import (
	"slices"

	"schedmate"
)

// Diagnosis returns a copy of a diagnosis without secrets in what it quotes.
func (r Redactor) Diagnosis(d schedmate.Diagnosis) schedmate.Diagnosis {
	r.texts(&d.Subclass, &d.Node, &d.HeldBack, &d.NextTest)
	if d.Root != nil {
		d.Root = &r.quotes([]schedmate.Quote{*d.Root})[0]
	}
	d.Evidence, d.Witnesses = r.quotes(d.Evidence), r.quotes(d.Witnesses)
	d.Also = slices.Clone(d.Also)
	for i := range d.Also {
		f := &d.Also[i]
		r.texts(&f.File, &f.Subclass, &f.Node, &f.Text)
	}
	d.Alternatives = slices.Clone(d.Alternatives)
	for i := range d.Alternatives {
		r.texts(&d.Alternatives[i].Subclass, &d.Alternatives[i].Why)
	}
	d.LastStep, d.LastCheckpoint = r.reading(d.LastStep), r.reading(d.LastCheckpoint)
	return d
}

func (r Redactor) quotes(quotes []schedmate.Quote) []schedmate.Quote {
	quotes = slices.Clone(quotes)
	for i := range quotes {
		r.texts(&quotes[i].File, &quotes[i].Text, &quotes[i].Why)
	}
	return quotes
}

func (r Redactor) reading(of *schedmate.Reading) *schedmate.Reading {
	if of == nil {
		return nil
	}
	c := *of
	r.texts(&c.Name, &c.Method)
	return &c
}

func (r Redactor) texts(texts ...*string) {
	for _, t := range texts {
		*t = r.Redact(*t)
	}
}
