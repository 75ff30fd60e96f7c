package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"schedmate"
	"schedmate/advisor/fingerprint"
)

// State is how a run ended.
type State string

// The end states. Who failed is the judgement of whoever wrote the record.
const (
	Completed    State = "completed"
	Cancelled    State = "cancelled"
	UserFailure  State = "user_failure"
	InfraFailure State = "infra_failure"
	TimedOut     State = "timed_out"
)

// ParseState reads an end state, or a state of Slurm's accounting. A failure of
// which nothing more is known is the user's.
func ParseState(text string) (State, error) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ") // "CANCELLED by 1000"
	switch strings.ToUpper(strings.TrimSuffix(word, "+")) {
	case "COMPLETED":
		return Completed, nil
	case "CANCELLED", "REVOKED":
		return Cancelled, nil
	case "FAILED", "OUT_OF_MEMORY", "USER_FAILURE":
		return UserFailure, nil
	case "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "INFRA_FAILURE":
		return InfraFailure, nil
	case "TIMEOUT", "DEADLINE", "TIMED_OUT":
		return TimedOut, nil
	}
	return "", fmt.Errorf("end state %.40q: not known; write completed, cancelled, user_failure, infra_failure or timed_out", text)
}

// Request is what was asked for.
type Request struct {
	GPUs    int    `json:"gpus"`
	Nodes   int    `json:"nodes,omitempty"`
	GPUType string `json:"gpu_type,omitempty"` // empty: not known, or no GPU
}

// Utilisation of the GPUs, in percent.
type Utilisation struct {
	Mean   float64   `json:"mean"`             // over the whole run, warm-up included
	Steady float64   `json:"steady,omitempty"` // after the warm-up; 0: not measured
	Series []float64 `json:"series,omitempty"` // means of equal parts of the run
}

// Estimated is what was estimated when the job was submitted. Comparing it with
// what came is how the estimator learns how far to trust itself.
type Estimated struct {
	Seconds  float64 `json:"seconds"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Rung     string  `json:"rung"`
	Evidence int     `json:"evidence"` // runs that it was made from
}

// Record is one finished run.
//
// Invariant: SubmitS <= StartS <= EndS, Progress is within 0 to 1 or negative
// for "not known".
type Record struct {
	ID      string            `json:"id"`
	User    string            `json:"user,omitempty"`
	JobName string            `json:"job_name,omitempty"`
	Print   fingerprint.Print `json:"print,omitzero"` // Form 0: the work is not known
	Request
	SubmitS  schedmate.Seconds `json:"submit_s"`
	StartS   schedmate.Seconds `json:"start_s"`
	EndS     schedmate.Seconds `json:"end_s"`
	State    State             `json:"state"`
	Progress float64           `json:"progress"` // share of the work done at the end; -1: not known

	Utilisation    *Utilisation                  `json:"utilisation,omitempty"`
	Throughput     float64                       `json:"throughput,omitempty"`
	ThroughputUnit string                        `json:"throughput_unit,omitempty"`
	Perf           map[string]map[string]float64 `json:"perf,omitempty"` // GPU type -> number of GPUs -> throughput
	Software       string                        `json:"software,omitempty"`
	Hardware       string                        `json:"hardware,omitempty"` // driver, firmware: whatever the site tells apart
	Slowed         bool                          `json:"slowed,omitempty"`   // by jobs packed on the same GPUs
	Estimated      *Estimated                    `json:"estimated,omitempty"`
}

// Duration is the time that the run held its GPUs.
func (r *Record) Duration() schedmate.Seconds { return r.EndS - r.StartS }

const (
	maxRecord = 1 << 20 // bytes of one record
	maxText   = 500     // bytes of one of its texts
	maxSeries = 4096
	recordVer = 1
	keptVer   = 2
)

// Validate checks the invariants and bounds.
func (r *Record) Validate() error {
	if r.ID == "" {
		return errors.New("record without id: give every run an id of its own")
	}
	for _, text := range []string{r.ID, r.User, r.JobName, r.GPUType, r.Software, r.Hardware, r.ThroughputUnit} {
		if len(text) > maxText || strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return fmt.Errorf("record %.40q: a text of %d bytes: it must be UTF-8 of at most %d bytes without a zero byte", r.ID, len(text), maxText)
		}
	}
	if r.SubmitS > r.StartS || r.StartS > r.EndS || r.EndS < 0 {
		return fmt.Errorf("record %.40q: submit %d, start %d and end %d must be in this order and the end not negative", r.ID, r.SubmitS, r.StartS, r.EndS)
	}
	if _, err := ParseState(string(r.State)); err != nil {
		return fmt.Errorf("record %.40q: %w", r.ID, err)
	}
	numbers := []float64{r.Progress, r.Throughput}
	if r.Utilisation != nil {
		if len(r.Utilisation.Series) > maxSeries {
			return fmt.Errorf("record %.40q: a series of %d utilisations, want at most %d: average neighbours", r.ID, len(r.Utilisation.Series), maxSeries)
		}
		numbers = append(append(numbers, r.Utilisation.Mean, r.Utilisation.Steady), r.Utilisation.Series...)
	}
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) || x > 1e15 {
			return fmt.Errorf("record %.40q: %v is no measurement", r.ID, x)
		}
	}
	if r.Progress > 1 || r.GPUs < 0 || r.Nodes < 0 {
		return fmt.Errorf("record %.40q: progress %v must be at most 1, GPUs %d and nodes %d not negative", r.ID, r.Progress, r.GPUs, r.Nodes)
	}
	if f := r.Print.Form; f != 0 && f != fingerprint.Form {
		return fmt.Errorf("record %.40q: print of form %d, this program makes %d: import the history with the program that wrote it", r.ID, f, fingerprint.Form)
	}
	return nil
}

// envelope is a stored record with the version of its layout.
type envelope struct {
	Version int `json:"v"`
	Record
}

// kept is a record as a store keeps it: in place of its print the key that the
// print is kept under. Of whose work is not known it is as Encode writes it.
type kept struct {
	Version int    `json:"v"`
	Work    string `json:"work"`
	Record
	Print struct{} `json:"print,omitzero"` // instead of the record's
}

// Encode writes a record as one line of JSON.
func Encode(r *Record) ([]byte, error) { return encode(r, envelope{recordVer, *r}) }

func encodeKept(r *Record) ([]byte, error) {
	if r.Print.Form == 0 {
		return Encode(r)
	}
	return encode(r, kept{Version: keptVer, Work: r.Print.Whole, Record: *r})
}

func encode(r *Record, what any) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(what)
	if err != nil {
		return nil, fmt.Errorf("encode record %.40q: %w", r.ID, err)
	}
	if len(text) > maxRecord {
		return nil, fmt.Errorf("record %.40q: %d bytes, want at most %d: shorten the series", r.ID, len(text), maxRecord)
	}
	return text, nil
}

// Decode reads what Encode writes. Hashes are made again from the fields, so
// that a stored hash cannot disagree with them. Unknown fields are ignored:
// a later program may have added them.
func Decode(text []byte) (*Record, error) { return (&decoder{}).decode(text) }

// decoder remembers prints: a history holds few works and many runs of each.
type decoder struct {
	byText, byWhole map[string]fingerprint.Print
	kept            func(whole string) []byte // nil: prints are in the records
}

func (d *decoder) decode(text []byte) (*Record, error) {
	if len(text) > maxRecord {
		return nil, fmt.Errorf("record of %d bytes, want at most %d", len(text), maxRecord)
	}
	var e struct {
		envelope
		Work  string          `json:"work"`
		Print json.RawMessage `json:"print,omitzero"` // instead of the record's
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("decode record: %w: it must be one JSON object", err)
	}
	r := &e.Record
	var err error
	switch {
	case e.Version == recordVer:
		r.Print, err = d.print(e.Print)
	case e.Version == keptVer && d.kept != nil:
		r.Print, err = d.keptPrint(e.Work)
	default:
		return nil, fmt.Errorf("record %.40q of version %d, this program reads %d: use the program that wrote it to export it", e.ID, e.Version, recordVer)
	}
	if err != nil {
		return nil, fmt.Errorf("record %.40q: %w", r.ID, err)
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	r.State, err = ParseState(string(r.State))
	return r, err
}

// keptPrint reads a print that is kept beside its records.
func (d *decoder) keptPrint(whole string) (fingerprint.Print, error) {
	if p, ok := d.byWhole[whole]; ok {
		return p, nil
	}
	text := d.kept(whole)
	if text == nil {
		return fingerprint.Print{}, fmt.Errorf("its print %.40q is not there", whole)
	}
	p, err := decodePrint(text)
	if err == nil {
		if d.byWhole == nil {
			d.byWhole = make(map[string]fingerprint.Print)
		}
		d.byWhole[whole] = p
	}
	return p, err
}

func (d *decoder) print(text []byte) (fingerprint.Print, error) {
	if p, ok := d.byText[string(text)]; ok || len(text) == 0 {
		return p, nil
	}
	p, err := decodePrint(text)
	if err == nil {
		if d.byText == nil {
			d.byText = make(map[string]fingerprint.Print)
		}
		d.byText[string(text)] = p
	}
	return p, err
}

func decodePrint(text []byte) (fingerprint.Print, error) {
	var p fingerprint.Print
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("decode print: %w", err)
	}
	if p.Form == fingerprint.Form {
		p = p.With(p.Recipe, p.Settings)
	}
	return p, nil
}
