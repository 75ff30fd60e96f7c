package memory

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"schedmate"
	"schedmate/logs"
)

// Version is the version of the format of a record.
const Version = 1

// MaxText is how many bytes of a root line are remembered.
const MaxText = 2048

// Record is one past incident.
//
// Invariant: Version is the declared one; Incident is not empty; 0 <= At <=
// MaxSeconds; Text is not empty, in one line, at most MaxText bytes of UTF-8;
// Template is its shape; Kind and Class are given.
type Record struct {
	Version   int                    `json:"v"`
	Incident  string                 `json:"incident"`
	At        schedmate.Seconds      `json:"at_s"`
	Template  string                 `json:"template"` // 16 hexadecimal digits
	Text      string                 `json:"text"`     // of the root line
	Kind      string                 `json:"kind"`
	Class     schedmate.FailureClass `json:"class"`
	Component schedmate.Component    `json:"component"`
	Node      string                 `json:"node,omitempty"`
	Job       string                 `json:"job,omitempty"`
	User      string                 `json:"user,omitempty"`
	Outcome   *Outcome               `json:"outcome,omitempty"` // nil: nobody has confirmed anything
}

// Outcome is what a person has confirmed about an incident. An empty class, and
// then an empty kind, means that it was no failure.
type Outcome struct {
	Kind      string                 `json:"kind,omitempty"`
	Class     schedmate.FailureClass `json:"class,omitempty"`
	Component schedmate.Component    `json:"component"`
	Helped    string                 `json:"helped,omitempty"` // what was done and helped
	By        string                 `json:"by"`               // who says so
	At        schedmate.Seconds      `json:"at_s"`
}

// NewRecord remembers a diagnosis. It is false when there is no root, and so
// nothing to recognise.
func NewRecord(incident string, at schedmate.Seconds, d *schedmate.Diagnosis, job, user string) (Record, bool) {
	if d.Root == nil {
		return Record{}, false
	}
	text := oneLine(d.Root.Text)
	return Record{
		Version: Version, Incident: incident, At: at, Template: templateOf(text), Text: text,
		Kind: d.Subclass, Class: d.Class, Component: d.Component, Node: d.Node, Job: job, User: user,
	}, true
}

// oneLine makes a quoted text fit for a record: valid UTF-8, without control
// characters, clipped at a rune.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\x1b' || r == 0x7F {
			return ' '
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if len(text) > MaxText {
		cut := MaxText
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = strings.TrimSpace(text[:cut])
	}
	return text
}

func templateOf(text string) string { return fmt.Sprintf("%016x", logs.Template([]byte(text))) }

// Validate checks the invariant of Record, but for whether Template is the shape
// of Text: shapes may differ between versions of the program, and [Read] renews
// them.
func (r *Record) Validate(path string) error {
	switch {
	case r.Version != Version:
		return fieldErr(path, "v", "must be %d, got %d", Version, r.Version)
	case r.Incident == "":
		return fieldErr(path, "incident", "must not be empty")
	case r.At < 0 || r.At > schedmate.MaxSeconds:
		return fieldErr(path, "at_s", "must lie in [0, %d] seconds, got %d", schedmate.MaxSeconds, r.At)
	case len(r.Template) != 16 || strings.Trim(r.Template, "0123456789abcdef") != "":
		return fieldErr(path, "template", "must be 16 hexadecimal digits, got %q", r.Template)
	case r.Text == "" || r.Text != oneLine(r.Text):
		return fieldErr(path, "text", "must be one line of at most %d bytes of UTF-8 without control characters", MaxText)
	case r.Kind == "":
		return fieldErr(path, "kind", "must not be empty")
	case !slices.Contains(classes, r.Class):
		return fieldErr(path, "class", "must be infrastructure, framework or user, got %q", r.Class)
	case !r.Component.Known():
		return fieldErr(path, "component", "must be one of the components, got %q", r.Component)
	}
	for _, t := range []struct{ field, text string }{{"incident", r.Incident}, {"kind", r.Kind}, {"node", r.Node}, {"job", r.Job}, {"user", r.User}} {
		if !utf8.ValidString(t.text) {
			return fieldErr(path, t.field, "must be UTF-8, got %q", t.text)
		}
	}
	if r.Outcome != nil {
		return r.Outcome.validate(join(path, "outcome"))
	}
	return nil
}

func (o *Outcome) validate(path string) error {
	switch {
	case o.Class != schedmate.NoFailure && !slices.Contains(classes, o.Class):
		return fieldErr(path, "class", "must be infrastructure, framework, user, or missing when it was no failure, got %q", o.Class)
	case (o.Class == schedmate.NoFailure) != (o.Kind == ""):
		return fieldErr(path, "kind", "must be given with the class, and missing without")
	case !o.Component.Known():
		return fieldErr(path, "component", "must be one of the components, got %q", o.Component)
	case o.By == "":
		return fieldErr(path, "by", "must name who confirmed it")
	case o.At < 0 || o.At > schedmate.MaxSeconds:
		return fieldErr(path, "at_s", "must lie in [0, %d] seconds, got %d", schedmate.MaxSeconds, o.At)
	}
	for _, t := range []struct{ field, text string }{{"kind", o.Kind}, {"helped", o.Helped}, {"by", o.By}} {
		if !utf8.ValidString(t.text) {
			return fieldErr(path, t.field, "must be UTF-8, got %q", t.text)
		}
	}
	return nil
}

var classes = []schedmate.FailureClass{schedmate.InfrastructureFailure, schedmate.FrameworkFailure, schedmate.UserFailure}

func fieldErr(path, field, format string, args ...any) error {
	return &schedmate.FieldError{Path: join(path, field), Problem: fmt.Sprintf(format, args...)}
}

func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}
