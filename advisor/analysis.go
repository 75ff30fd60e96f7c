package advisor

import (
	"encoding/json"
	"errors"
	"fmt"

	"schedmate/advisor/fingerprint"
	"schedmate/advisor/launch"
	"schedmate/advisor/workload"
)

// Analysis is what the advisor knows of a submission.
//
// Invariant: a field is in at most one of Fields and Candidates.
type Analysis struct {
	Program    string                      `json:"program,omitempty"` // the file, module or script that trains
	Fields     map[workload.Field]Answer   `json:"fields"`
	Candidates map[workload.Field][]Answer `json:"candidates,omitempty"` // several possibilities between which the code does not decide
	Unknown    map[workload.Field]string   `json:"unknown,omitempty"`    // why a field is absent, for people
	Runs       int                         `json:"runs"`                 // of this work that the submission makes: sweeps, folds, seeds
	Warnings   []string                    `json:"warnings,omitempty"`
	Print      fingerprint.Print           `json:"print"`
	JobName    string                      `json:"job_name,omitempty"`
	GPUType    string                      `json:"gpu_type,omitempty"`     // as it was asked for
	TimeLimit  int                         `json:"time_limit_s,omitempty"` // that was asked for, seconds; 0: none is known
	Stopped    string                      `json:"stopped,omitempty"`      // why the program was not followed to its end
	BytesRead  int64                       `json:"bytes_read"`
	FilesRead  []string                    `json:"files_read"`
	Seconds    float64                     `json:"-"` // that this answer took
	Remembered bool                        `json:"-"` // it is an earlier answer, and all that it stands on is unchanged
}

// Answer is the value of a field with its evidence.
//
// Invariant: Value is a string, a float64 or a []float64.
type Answer struct {
	Value    any    `json:"value"`
	Place    string `json:"place"`    // "file:line", or a name where there is no file
	Evidence string `json:"evidence"` // the place, its operands, and the layers that it beats
}

// UnmarshalJSON reads what is written, with lists as numbers.
func (a *Answer) UnmarshalJSON(text []byte) error {
	var raw struct {
		Value           json.RawMessage
		Place, Evidence string
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	a.Place, a.Evidence = raw.Place, raw.Evidence
	var words string
	var number float64
	var numbers []float64
	switch {
	case json.Unmarshal(raw.Value, &words) == nil:
		a.Value = words
	case json.Unmarshal(raw.Value, &number) == nil:
		a.Value = number
	case json.Unmarshal(raw.Value, &numbers) == nil:
		a.Value = numbers
	default:
		return errors.New("answer: the value is neither text nor numbers")
	}
	return nil
}

// Number returns a field's single number.
func (a *Analysis) Number(f workload.Field) (float64, bool) {
	x, ok := a.Fields[f].Value.(float64)
	return x, ok
}

// Validate checks what is read back from outside the process.
func (a *Analysis) Validate() error {
	for f, answer := range a.Fields {
		if err := workload.Check(f, answer.Value); err != nil {
			return err
		}
		if len(a.Candidates[f]) > 0 {
			return fmt.Errorf("field %s: is both determined and undecided", f)
		}
	}
	if a.Runs < 1 {
		return fmt.Errorf("runs: must be at least 1, got %d", a.Runs)
	}
	return nil
}

// fill takes the answers over from metadata.
func (a *Analysis) fill(m *workload.Metadata, l *launch.Launch) {
	a.Fields = map[workload.Field]Answer{}
	for f, v := range m.Values {
		a.Fields[f] = answer(v)
	}
	if len(m.Candidates) > 0 {
		a.Candidates = map[workload.Field][]Answer{}
	}
	for f, all := range m.Candidates {
		for _, v := range all {
			a.Candidates[f] = append(a.Candidates[f], answer(v))
		}
	}
	a.Unknown, a.Runs, a.Warnings = m.Unknown, m.Multiplier, m.Warnings
	if w := l.Requested.JobName; w.Known {
		a.JobName = w.Text
	}
	if w := l.Requested.GPUType; w.Known {
		a.GPUType = w.Text
	}
	if limit := l.Requested.TimeLimit; limit.Known {
		a.TimeLimit = limit.N
	}
}

func answer(v workload.Value) Answer {
	return Answer{Value: v.Value, Place: v.Origin.Place(), Evidence: v.Origin.Explain()}
}
