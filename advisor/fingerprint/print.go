package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"schedmate/advisor/workload"
)

// Form is the version of the canonical form and of what the hashes are taken
// over. Prints of two forms are never compared.
const Form = 1

// Print identifies a job's work.
//
// Invariant: the hashes follow from Fields, Code, Form and what With adds; see
// [New].
type Print struct {
	Form     int       `json:"form"`
	Workload string    `json:"workload"`           // equal: the same is computed, perhaps more or less of it
	Cost     string    `json:"cost"`               // equal: the same amount of it, on as many GPUs
	Code     string    `json:"code,omitempty"`     // the caller's hash of the code that the cost depends on
	Recipe   string    `json:"recipe,omitempty"`   // the caller's hash of all that a run is made from; equal: the same run, however little is known of it
	Settings Settings  `json:"settings,omitempty"` // the caller's hashes of what was set beyond the fields
	Fields   Canonical `json:"fields"`
	Whole    string    `json:"-"` // equal: all that is known is equal; such prints need not be kept twice
}

// workloadFields say what is computed, costFields how much of it and on what.
// Neither holds what only changes the result: learning rate, seed, where the
// weights come from.
var (
	workloadFields = []workload.Field{
		workload.ModelName, workload.Dataset, workload.Task, workload.Tuning, workload.Precision,
		workload.SeqLen, workload.ImageSize, workload.DModel, workload.NLayers, Purpose,
	}
	costFields = []workload.Field{
		workload.Iterations, workload.IterationType, workload.PerDeviceBatchSize, workload.GradAccum, workload.GlobalBatchSize,
		workload.GPUsTotal, workload.TensorParallel, workload.PipelineParallel, workload.ParallelStrategy, Runs,
	}
)

// Of makes the print of metadata. Names may be nil. Code is a hash of what the
// cost depends on beyond the fields, empty if it was not taken: the part of the
// code that is run, and settings that no field holds, such as a cap on samples.
// Settings that fields hold do not belong in it, else near work looks different.
func Of(m *workload.Metadata, names Canonicaliser, code string) Print {
	return New(Canonicalise(m, names), code)
}

// New makes the print of canonical fields.
func New(fields Canonical, code string) Print {
	p := Print{Form: Form, Code: code, Fields: fields}
	p.Workload = digest("workload", p.lines(workloadFields)+code)
	p.Cost = digest("cost", p.Workload+"\n"+p.lines(costFields))
	p.Whole = digest("whole", fields.Text()+code)
	return p
}

// With returns the print with a recipe and settings, either of which may be
// empty.
func (p Print) With(recipe string, settings Settings) Print {
	p = New(p.Fields, p.Code)
	p.Recipe, p.Settings = recipe, settings
	if recipe == "" && len(settings) == 0 {
		return p
	}
	var b strings.Builder
	for _, name := range settings.names() {
		b.WriteString(name + "=" + settings[name] + "\n")
	}
	p.Whole = digest("whole", p.Whole+recipe+"\n"+b.String())
	return p
}

// lines writes some fields; names without the borders of their words, and a
// default that may as well be left out is left out.
func (p Print) lines(fields []workload.Field) string {
	var b strings.Builder
	for _, f := range fields {
		v, ok := p.Fields[f]
		if !ok || neutral(f, v) {
			continue
		}
		b.WriteString(string(f) + ": " + squeeze(v.String()) + "\n")
	}
	return b.String()
}

// neutral tells whether a value says the same as its absence.
func neutral(f workload.Field, v Value) bool {
	switch f {
	case workload.GradAccum, workload.TensorParallel, workload.PipelineParallel, Runs:
		x, ok := v.single()
		return ok && x == 1
	case workload.ParallelStrategy:
		return v.Text == "none"
	case workload.Tuning:
		return v.Text == "full"
	}
	return false
}

func digest(kind, text string) string {
	sum := sha256.Sum256([]byte("schedmate fingerprint v1 " + kind + "\n" + text))
	return hex.EncodeToString(sum[:12])
}
