package docfile

import (
	"fmt"
	"io"

	"schedmate"
)

// JobKind is the value of JobDocument.Kind.
const JobKind = "Job"

// JobDocument is one job in a file of its own, as a person asks for it, with
// what is known about it beyond the request.
//
// Invariant: APIVersion and Kind are the declared ones; Job is valid and
// carries no Outcome; Facts are valid, each kind at most once.
type JobDocument struct {
	APIVersion string           `json:"apiVersion" yaml:"apiVersion"`
	Kind       string           `json:"kind" yaml:"kind"` // "Job"
	Job        schedmate.Job    `json:"job" yaml:"job"`
	Facts      []schedmate.Fact `json:"facts,omitempty" yaml:"facts,omitempty"`
}

// Validate checks the invariant of JobDocument.
func (d *JobDocument) Validate() error {
	switch {
	case d.APIVersion != schedmate.APIVersion:
		return &schedmate.FieldError{Path: "apiVersion", Problem: fmt.Sprintf("must be %q, got %q", schedmate.APIVersion, d.APIVersion)}
	case d.Kind != JobKind:
		return &schedmate.FieldError{Path: "kind", Problem: fmt.Sprintf("must be %q, got %q", JobKind, d.Kind)}
	case d.Job.Outcome != nil:
		return &schedmate.FieldError{Path: "job.outcome", Problem: "a job that is asked for has not ended"}
	}
	if err := d.Job.Validate("job"); err != nil {
		return err
	}
	return schedmate.ValidateFacts("facts", d.Job.ID, d.Facts)
}

// ReadSnapshot reads and validates a snapshot document.
func ReadSnapshot(name string, r io.Reader) (*schedmate.Snapshot, error) {
	return readKind[schedmate.Snapshot](name, r, schedmate.SnapshotKind)
}

// ReadObservation reads and validates an observation document.
func ReadObservation(name string, r io.Reader) (*schedmate.Observation, error) {
	return readKind[schedmate.Observation](name, r, schedmate.ObservationKind)
}

// SnapshotOf and ObservationOf make of a document that has been parsed what its
// kind says, and so does JobOf.
func SnapshotOf(d *Document) (*schedmate.Snapshot, error) {
	return kindOf[schedmate.Snapshot](d, schedmate.SnapshotKind)
}

// ObservationOf is described with SnapshotOf.
func ObservationOf(d *Document) (*schedmate.Observation, error) {
	return kindOf[schedmate.Observation](d, schedmate.ObservationKind)
}

// JobOf is described with SnapshotOf.
func JobOf(d *Document) (*JobDocument, error) { return kindOf[JobDocument](d, JobKind) }

// ReadJob reads and validates a job document, and returns the job alone.
func ReadJob(name string, r io.Reader) (*schedmate.Job, error) {
	d, err := readKind[JobDocument](name, r, JobKind)
	if err != nil {
		return nil, err
	}
	return &d.Job, nil
}

// readKind looks at the header first: a job given where a snapshot is needed
// is one mistake, not a list of unknown fields.
func readKind[T any](name string, r io.Reader, kind string) (*T, error) {
	d, err := Parse(name, r)
	if err != nil {
		return nil, err
	}
	return kindOf[T](d, kind)
}

func kindOf[T any](d *Document, kind string) (*T, error) {
	if err := d.RequireKind(kind); err != nil {
		return nil, err
	}
	v := new(T)
	if err := Decode(d, v); err != nil {
		return nil, err
	}
	return v, nil
}

// RequireKind returns an error unless the document's header says that it is of
// this kind and of the version this program knows.
func (d *Document) RequireKind(kind string) error {
	refuse := func(field, want string) error {
		line, found := d.Line(field)
		e := &Error{File: d.Name, Line: line, Path: field, Problem: "is missing", Next: fmt.Sprintf("begin the document with %s: %s", field, want)}
		if found {
			e.Problem = fmt.Sprintf("must be %s, got %q", want, shorten(d.text(field)))
			e.Next = "give a " + kind + " document here, " + d.seeKind(kind)
		}
		return e
	}
	if got := d.text("apiVersion"); got != schedmate.APIVersion {
		return refuse("apiVersion", schedmate.APIVersion)
	}
	if d.Kind() != kind {
		return refuse("kind", kind)
	}
	return nil
}

func (d *Document) seeKind(kind string) string {
	if page := pages[kind]; page != "" {
		return "see " + page
	}
	return "or correct the header"
}
