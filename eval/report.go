package eval

import (
	"schedmate"
	"schedmate/eval/traces"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// Cost is what a run took. It is the only part of a report that differs between
// two makings of the same run.
type Cost struct {
	CPUSeconds   float64 `json:"cpu_s"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"` // of the whole process so far

	// CPU seconds of the slowest plan, and what 99 of 100 plans stay below.
	P99PlanSeconds float64 `json:"plan_cpu_p99_s"`
	MaxPlanSeconds float64 `json:"plan_cpu_max_s"`
}

// RunID names a run of a report.
type RunID struct {
	Experiment string `json:"experiment"`
	Policy     string `json:"policy"`
	Preset     string `json:"preset"`
	Seed       int64  `json:"seed"`
}

// Progress is how far a run is.
type Progress struct {
	Run      RunID
	Jobs, Of int // over, of all
	Over     bool
}

// Run is one policy, preset and seed.
type Run struct {
	RunID
	Reading   string              `json:"reading"`         // the policy's preset that Preset stands for here
	Estimates scheduler.Estimates `json:"estimates"`       // what the policy was told about run times
	Facts     *FactsTold          `json:"facts,omitempty"` // what facts were made from, where an experiment has a model of them
	Metrics
	Hash string `json:"hash"`
	*Cost
	Reference *Comparison `json:"reference,omitempty"`
	Packing   *Packing    `json:"packing,omitempty"` // where jobs have shared GPUs

	Result   *sim.Result `json:"-"`
	Timeline *Timeline   `json:"-"`
}

// Report is the outcome of a request.
type Report struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`            // "SimulationReport"
	Shard      *ShardOf `json:"shard,omitempty"` // nil: this is the whole sweep
	Inputs     []Input  `json:"inputs"`          // of the experiments that have runs here
	Runs       []Run    `json:"runs"`

	// Spreads say how figures vary over the seeds; a shard has none.
	Spreads []Spread `json:"spreads,omitempty"`
}

// RequestError says that what was asked for cannot be had: the request must
// change, not the program.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }
func (e *RequestError) Unwrap() error { return e.Err }

// Input is what the runs of one experiment were given.
type Input struct {
	Experiment string        `json:"experiment"`
	Trace      TraceIdentity `json:"trace"`
	Cluster    string        `json:"cluster"`
	AsItWas    *AsItWas      `json:"as_it_was,omitempty"` // where the trace tells it

	Machines schedmate.Cluster `json:"-"`
}

// Of returns the part of the report that belongs to one of its inputs.
func (r *Report) Of(in *Input) *Report {
	part := *r
	part.Inputs, part.Runs = []Input{*in}, nil
	for i := range r.Runs {
		if r.Runs[i].Experiment == in.Experiment {
			part.Runs = append(part.Runs, r.Runs[i])
		}
	}
	return &part
}

// Input returns what the runs of an experiment were given, or nil.
func (r *Report) Input(experiment string) *Input {
	for i := range r.Inputs {
		if r.Inputs[i].Experiment == experiment {
			return &r.Inputs[i]
		}
	}
	return nil
}

// ReportKind is the value of Report.Kind.
const ReportKind = "SimulationReport"

// TraceIdentity says which bytes were simulated.
type TraceIdentity struct {
	Name      string        `json:"name"`
	Format    traces.Format `json:"format"`
	Synthetic string        `json:"synthetic,omitempty"` // how it was made; empty: it was recorded
	SHA256    string        `json:"sha256"`
	Jobs      int           `json:"jobs"`
	Dropped   []traces.Drop `json:"dropped,omitempty"`
	Capped    int           `json:"capped,omitempty"`

	Accounting *traces.Accounting `json:"accounting,omitempty"`
}
