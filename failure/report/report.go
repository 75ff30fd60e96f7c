package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"schedmate/failure"
)

// Format is the form of a report.
type Format string

const (
	Text     Format = "text"     // a screen of a terminal
	Markdown Format = "markdown" // a ticket
	HTML     Format = "html"     // a page of its own
)

// Language is what a report is written in.
type Language string

const (
	English Language = "en"
	Chinese Language = "zh"
)

// Options say how to write a report. The zero value writes English text of 80
// columns without colours.
type Options struct {
	Format     Format
	Language   Language
	Both       bool                // HTML: the other language too, behind a switch
	Now        time.Time           // when the report is made; zero: it does not say
	Width      int                 // text: columns of the terminal; 0: 80
	Rows       int                 // text: rows of the terminal, which the report is made to fit; 0: it is as long as it is
	Colour     bool                // text: with colours
	Redact     func(string) string // is applied to every text from outside; nil: nothing is hidden
	Chinese    func(string) string // the rules' own translation of a reason, its argument when they have none; nil: they have none
	Remembered failure.Text        // what is known of earlier incidents; empty: nobody asked
	JSON       []byte              // the same for machines, for the end of Markdown and HTML; it has been redacted. nil: the diagnosis as JSON
}

// Write writes the report of an incident. The same incident and options give the
// same bytes. Nothing is written when the incident breaks the invariant of its
// diagnosis.
func Write(w io.Writer, in *failure.Incident, o Options) error {
	out, err := render(in, o)
	if err != nil {
		return fmt.Errorf("write failure report: %w", err)
	}
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("write failure report: %w", err)
	}
	return nil
}

func render(in *failure.Incident, o Options) ([]byte, error) {
	if in == nil {
		return nil, errors.New("there is no incident: diagnose some logs first")
	}
	if err := in.Diagnosis.Validate("diagnosis"); err != nil {
		return nil, fmt.Errorf("%w: this is a fault of whoever made the diagnosis", err)
	}
	if o.Language == "" {
		o.Language = English
	}
	if o.Language != English && o.Language != Chinese {
		return nil, fmt.Errorf("language %q is none of en, zh: choose one of them", o.Language)
	}
	if o.Width == 0 {
		o.Width = 80
	}
	in = cleaned(in, o.Redact)
	newCleaner(o.Redact).texts(&o.Remembered.English, &o.Remembered.Chinese)
	machine, err := machineForm(in, o.JSON)
	if err != nil {
		return nil, err
	}
	shorten(in)
	switch o.Format {
	case Text, "":
		return screen(newPage(in, o.Language, o), o), nil
	case Markdown:
		return ticket(newPage(in, o.Language, o), o, machine), nil
	case HTML:
		return document(in, o, machine)
	}
	return nil, fmt.Errorf("format %q is none of text, markdown, html: choose one of them", o.Format)
}

// machineForm is what stands at the end of a report for machines.
func machineForm(in *failure.Incident, given []byte) (string, error) {
	if given != nil {
		var indented bytes.Buffer
		if err := json.Indent(&indented, bytes.TrimSpace(given), "", "  "); err != nil {
			return "", fmt.Errorf("the machine-readable form is no JSON: %w: give one JSON value or none", err)
		}
		return visible(indented.String()), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(in.Diagnosis); err != nil {
		return "", fmt.Errorf("encode the diagnosis: %w", err)
	}
	return visible(b.String()), nil
}
