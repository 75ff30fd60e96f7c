package recovery

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"schedmate"
	"schedmate/failure"
	"schedmate/logs"
)

// Incident is one failed attempt of a job, and what is known about it.
//
// Invariant: ID and Job are not empty; Revision >= 0; 0 <= At <= MaxSeconds; the
// Diagnosis is valid; Restart and Grade are given with a root, and agree with
// the diagnosis; Tries are in the order of time, each incident once.
type Incident struct {
	ID       string            `json:"id" yaml:"id"`
	Revision int               `json:"revision,omitempty" yaml:"revision,omitempty"` // grows when more is known: another log, the result of a test
	At       schedmate.Seconds `json:"at_s" yaml:"at_s"`                             // when the attempt ended

	Job       string   `json:"job" yaml:"job"`
	User      string   `json:"user,omitempty" yaml:"user,omitempty"` // empty: unknown, and then no independent witness
	Framework string   `json:"framework,omitempty" yaml:"framework,omitempty"`
	Nodes     []string `json:"nodes,omitempty" yaml:"nodes,omitempty"` // that the attempt ran on, by the scheduler

	Diagnosis schedmate.Diagnosis `json:"diagnosis" yaml:"diagnosis"`
	Restart   failure.Restart     `json:"restart,omitempty" yaml:"restart,omitempty"` // what the rule of the root says
	Grade     failure.Quarantine  `json:"grade,omitempty" yaml:"grade,omitempty"`     // likewise
	SameOn    []string            `json:"same_on,omitempty" yaml:"same_on,omitempty"` // further nodes for which the logs show the same kind
	Service   string              `json:"service,omitempty" yaml:"service,omitempty"` // that failed; empty: taken from the nodes' mounts

	Tries []Try `json:"tries,omitempty" yaml:"tries,omitempty"` // earlier attempts of the job that failed and were restarted
}

// Try is a failed attempt as the history of its job keeps it.
type Try struct {
	Incident string                 `json:"incident" yaml:"incident"`
	At       schedmate.Seconds      `json:"at_s" yaml:"at_s"`
	Verdict  Verdict                `json:"verdict" yaml:"verdict"`
	Class    schedmate.FailureClass `json:"class,omitempty" yaml:"class,omitempty"`
	Kind     string                 `json:"kind,omitempty" yaml:"kind,omitempty"`
	Template string                 `json:"template,omitempty" yaml:"template,omitempty"` // of the root line; empty without a root
	Step     *float64               `json:"step,omitempty" yaml:"step,omitempty"`         // the last seen; nil: unknown
	Nodes    []string               `json:"nodes,omitempty" yaml:"nodes,omitempty"`
}

// Of takes over what a failure handler worked out. It returns a copy.
func (in Incident) Of(found *failure.Incident) Incident {
	in.Diagnosis = found.Diagnosis
	in.Restart, in.Grade = "", ""
	if found.Kind == nil {
		return in
	}
	in.Restart, in.Grade = found.Kind.Restart, found.Kind.Quarantine
	// A rule may say otherwise than its kind; the diagnosis has the rule's word.
	switch d := &in.Diagnosis; {
	case !d.RestartHelps:
		in.Restart = failure.RestartNo
	case in.Restart == failure.RestartNo:
		in.Restart = failure.RestartOnce
	}
	switch {
	case in.Diagnosis.Class != schedmate.InfrastructureFailure:
		in.Grade = failure.QuarantineNo
	case in.Diagnosis.Quarantine && in.Grade == failure.QuarantineNo:
		in.Grade = failure.QuarantineSecond
	}
	return in
}

// failed tells whether the logs show a failure.
func (in *Incident) failed() bool {
	return in.Diagnosis.Determined && in.Diagnosis.Class != schedmate.NoFailure
}

// template is the shape of the root line; "" without a root.
func (in *Incident) template() string {
	if in.Diagnosis.Root == nil {
		return ""
	}
	return fmt.Sprintf("%016x", logs.Template([]byte(in.Diagnosis.Root.Text)))
}

// try is this attempt as a later one will see it.
func (in *Incident) try(v Verdict) Try {
	t := Try{Incident: in.ID, At: in.At, Verdict: v, Class: in.Diagnosis.Class, Kind: in.Diagnosis.Subclass, Template: in.template(), Nodes: slices.Clone(in.Nodes)}
	if r := in.Diagnosis.LastStep; r != nil {
		step := r.Value
		t.Step = &step
	}
	return t
}

// earlier are the tries before this incident, without itself: who proposes
// again may hand in a history that already has it.
func (in *Incident) earlier() []Try {
	var out []Try
	for _, t := range in.Tries {
		if t.Incident != in.ID && t.At <= in.At {
			out = append(out, t)
		}
	}
	return out
}

// Validate checks the invariant of Incident.
func (in *Incident) Validate(path string) error {
	d := &in.Diagnosis
	switch {
	case in.ID == "":
		return fieldErr(path+".id", "must not be empty: give each failed attempt an id of its own")
	case in.Revision < 0:
		return fieldErr(path+".revision", "must not be negative, got %d", in.Revision)
	case in.Job == "":
		return fieldErr(path+".job", "must not be empty: name the job that failed")
	}
	if err := first(
		checkTime(path+".at_s", in.At),
		checkTexts(path, map[string]string{"id": in.ID, "job": in.Job, "user": in.User, "framework": in.Framework, "service": in.Service}),
		checkNames(path+".nodes", in.Nodes),
		checkNames(path+".same_on", in.SameOn),
		d.Validate(path+".diagnosis"),
		checkReading(path+".diagnosis.last_step", d.LastStep),
		checkReading(path+".diagnosis.last_checkpoint", d.LastCheckpoint),
	); err != nil {
		return err
	}
	switch {
	case !in.failed() && (in.Restart != "" || in.Grade != ""):
		return fieldErr(path+".restart", "must be missing, as restart and grade are those of a root and there is none")
	case in.failed():
		if err := in.validateRule(path); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for i := range in.Tries {
		t, at := &in.Tries[i], fmt.Sprintf("%s.tries[%d]", path, i)
		if err := t.validate(at); err != nil {
			return err
		}
		switch {
		case seen[t.Incident]:
			return fieldErr(at+".incident", "%q is there twice: keep each attempt once", t.Incident)
		case i > 0 && in.Tries[i-1].At > t.At:
			return fieldErr(at+".at_s", "tries must be in the order of time: %d follows %d", t.At, in.Tries[i-1].At)
		}
		seen[t.Incident] = true
	}
	return nil
}

func (in *Incident) validateRule(path string) error {
	d := &in.Diagnosis
	switch {
	case d.Subclass == "":
		return fieldErr(path+".diagnosis.subclass", "must name the kind of the failure")
	case !slices.Contains(classes, d.Class):
		return fieldErr(path+".diagnosis.class", "must be infrastructure, framework or user, got %q", d.Class)
	case !slices.Contains([]failure.Restart{failure.RestartYes, failure.RestartOnce, failure.RestartNo}, in.Restart):
		return fieldErr(path+".restart", "must be yes, once or no, got %q", in.Restart)
	case !slices.Contains([]failure.Quarantine{failure.QuarantineYes, failure.QuarantineSecond, failure.QuarantineNo}, in.Grade):
		return fieldErr(path+".grade", "must be yes, second or no, got %q", in.Grade)
	case d.RestartHelps != (in.Restart != failure.RestartNo):
		return fieldErr(path+".restart", "is %q, but diagnosis.restart_helps is %v: take both from one rule", in.Restart, d.RestartHelps)
	case d.Quarantine && in.Grade == failure.QuarantineNo:
		return fieldErr(path+".grade", "is no, but diagnosis.quarantine is true: take both from one rule")
	case in.Grade != failure.QuarantineNo && d.Class != schedmate.InfrastructureFailure:
		return fieldErr(path+".grade", "must be no for a failure of class %s", d.Class)
	}
	return nil
}

func (t *Try) validate(path string) error {
	switch {
	case t.Incident == "":
		return fieldErr(path+".incident", "must not be empty")
	case !slices.Contains(verdicts, t.Verdict):
		return fieldErr(path+".verdict", "must be one of %v, got %q", verdicts, t.Verdict)
	case t.Class != schedmate.NoFailure && !slices.Contains(classes, t.Class):
		return fieldErr(path+".class", "must be infrastructure, framework, user or missing, got %q", t.Class)
	case t.Step != nil && !(*t.Step >= 0 && *t.Step <= math.MaxInt64):
		return fieldErr(path+".step", "must be a step count, got %g", *t.Step)
	}
	return first(checkTime(path+".at_s", t.At), checkNames(path+".nodes", t.Nodes))
}

var classes = []schedmate.FailureClass{schedmate.InfrastructureFailure, schedmate.FrameworkFailure, schedmate.UserFailure}

func fieldErr(path, format string, args ...any) error {
	return &schedmate.FieldError{Path: path, Problem: fmt.Sprintf(format, args...)}
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkTime(path string, t schedmate.Seconds) error {
	if t < 0 || t > schedmate.MaxSeconds {
		return fieldErr(path, "must lie in [0, %d] seconds, got %d", schedmate.MaxSeconds, t)
	}
	return nil
}

func checkReading(path string, r *schedmate.Reading) error {
	if r != nil && !(r.Value >= 0 && r.Value <= math.MaxInt64) {
		return fieldErr(path+".value", "must be a step count, got %g", r.Value)
	}
	return nil
}

func checkNames(path string, names []string) error {
	for i, n := range names {
		if n == "" || !utf8.ValidString(n) {
			return fieldErr(fmt.Sprintf("%s[%d]", path, i), "must be the name of a node in UTF-8, got %q", n)
		}
	}
	return nil
}

// checkTexts reports the first field, by name, that is not UTF-8.
func checkTexts(path string, texts map[string]string) error {
	var bad []string
	for name, text := range texts {
		if !utf8.ValidString(text) {
			bad = append(bad, name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	name := slices.Min(bad)
	return fieldErr(path+"."+name, "must be UTF-8, got %q", texts[name])
}
