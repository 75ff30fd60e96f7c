package cli

import (
	"cmp"

	"schedmate"
	"schedmate/failure"
	"schedmate/internal/redact"
)

// diagnosisLine is what 'diagnose --jsonl' says about one incident, on one line.
// Its field names never change.
type diagnosisLine struct {
	File  string `json:"file"`
	Error string `json:"error,omitempty"`

	Class        schedmate.FailureClass  `json:"class,omitempty"` // none: no failure, or nobody can tell
	Subclass     string                  `json:"subclass,omitempty"`
	Component    schedmate.Component     `json:"component,omitempty"`
	Node         string                  `json:"node,omitempty"`
	Rank         *int                    `json:"rank,omitempty"`
	RootLine     *int64                  `json:"root_line,omitempty"` // 0: none
	RootText     string                  `json:"root_text,omitempty"`
	Evidence     []schedmate.Quote       `json:"evidence,omitempty"`
	RestartHelps *bool                   `json:"restart_helps,omitempty"`
	Quarantine   *bool                   `json:"quarantine,omitempty"`
	Witnesses    []schedmate.Quote       `json:"witnesses,omitempty"`
	HeldBack     string                  `json:"held_back,omitempty"`
	Also         []schedmate.Finding     `json:"also,omitempty"`
	Determined   *bool                   `json:"determined,omitempty"`
	Confidence   *float64                `json:"confidence,omitempty"`
	Alternatives []schedmate.Alternative `json:"alternatives,omitempty"`
	NextTest     string                  `json:"next_test,omitempty"`
	VerdictWords

	ExplainedErrors *int     `json:"explained_errors,omitempty"`
	ErrorLines      *int     `json:"error_lines,omitempty"`
	Milliseconds    *float64 `json:"ms,omitempty"`
	BytesRead       *int64   `json:"bytes_read,omitempty"`
}

// noFailure is how documents write that there is no class.
const noFailure schedmate.FailureClass = "none"

// VerdictWords is what a verdict says beyond its figures: for people, in the language
// that they chose, and for programs that restart jobs. All are empty without a
// failure.
type VerdictWords struct {
	Title   string          `json:"title,omitempty"`
	Advice  string          `json:"advice,omitempty"`
	Acts    failure.Actor   `json:"acts,omitempty"`
	Restart failure.Restart `json:"restart,omitempty"`
	Meaning string          `json:"meaning,omitempty"`
	Frame   string          `json:"frame,omitempty"`
}

func wordsOf(d *diagnosed, language string) VerdictWords {
	w := VerdictWords{Restart: d.Incident.Restart, Acts: d.Kind.Actor(d.Diagnosis.Class), Meaning: d.Meaning, Frame: redact.Redact(d.Frame)}
	if d.Kind == nil {
		return w
	}
	w.Title, w.Advice = d.Kind.Title.English, d.Kind.Advice.English
	if language == "zh" {
		w.Title, w.Advice = d.Kind.Title.Chinese, d.Kind.Advice.Chinese
	}
	return w
}

func newDiagnosisLine(file string, d *diagnosed, language string) *diagnosisLine {
	x := &d.Diagnosis
	l := &diagnosisLine{
		File: validText(file), Class: cmp.Or(x.Class, noFailure), Subclass: x.Subclass, Component: x.Component, Node: x.Node, Rank: x.Rank,
		RootLine: new(int64), Evidence: x.Evidence, RestartHelps: &x.RestartHelps, Quarantine: &x.Quarantine, Witnesses: x.Witnesses, HeldBack: x.HeldBack,
		Also: x.Also, Determined: &x.Determined, Confidence: &x.Confidence, Alternatives: x.Alternatives, NextTest: x.NextTest,
		VerdictWords:    wordsOf(d, language),
		ExplainedErrors: &x.ExplainedErrors, ErrorLines: &x.ErrorLines, Milliseconds: &d.milliseconds, BytesRead: &d.bytesRead,
	}
	if x.Root != nil {
		*l.RootLine, l.RootText = x.Root.Line, x.Root.Text
	}
	return l
}

// diagnosisDocument is what diagnose answers with -o json or yaml.
type diagnosisDocument struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Files      []string            `json:"files"`
	Diagnosis  schedmate.Diagnosis `json:"diagnosis"`
	VerdictWords
	Remembered string `json:"remembered,omitempty"` // of past incidents, with --memory
	Lines      int64  `json:"lines"`
	BytesRead  int64  `json:"bytes_read"`
}

func newDiagnosisDocument(d *diagnosed, language string) *diagnosisDocument {
	remembered := d.remembered.English
	if language == "zh" {
		remembered = d.remembered.Chinese
	}
	doc := &diagnosisDocument{schedmate.APIVersion, "Diagnosis", d.files, d.Diagnosis, wordsOf(d, language), remembered, d.Lines, d.bytesRead}
	doc.Diagnosis.Class = cmp.Or(doc.Diagnosis.Class, noFailure)
	return doc
}
