package docfile

import (
	"errors"
	"fmt"
	"strings"

	"schedmate"
)

// Error is a document that cannot be used, and where and why.
type Error struct {
	File    string // as the reader was told; "-" is standard input
	Line    int    // from 1; 0 when the document as a whole is meant
	Path    string // for example "waiting[3].job.gpus"; may be empty
	Problem string
	Next    string // what a person can do about it
	Err     error  // the cause, when another error told of the problem
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(title(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Problem)
	if e.Next != "" {
		b.WriteString("; " + e.Next)
	}
	return b.String()
}

// title is what a person calls the file.
func title(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func (e *Error) Unwrap() error { return e.Err }

// pages names the description of each kind of document.
var pages = map[string]string{
	schedmate.SnapshotKind: "docs/format/snapshot.md",
	JobKind:                "docs/format/job.md",
	"Config":               "docs/format/config.md",
}

// seePage is the next step where nothing more precise is known.
func (d *Document) seePage() string {
	if page := pages[d.Kind()]; page != "" {
		return "see " + page
	}
	return "correct the value"
}

// Explain turns a [schedmate.FieldError] about the decoded document into an
// [Error] with the line of the field. A field that is absent is reported at
// the line of the nearest mapping that should hold it. Any other error gets
// the name of the file in front.
func (d *Document) Explain(err error) error {
	if err == nil {
		return nil
	}
	var field *schedmate.FieldError
	if !errors.As(err, &field) {
		return fmt.Errorf("%s: %w", title(d.Name), err)
	}
	line, _ := d.Line(field.Path)
	return &Error{File: d.Name, Line: line, Path: field.Path, Problem: field.Problem, Next: d.seePage(), Err: err}
}
