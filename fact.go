package schedmate

import (
	"slices"
	"unicode/utf8"
)

// FactKind says what a fact is about, and with that its unit and range.
type FactKind string

const (
	// RunSeconds is the work a job needs on the gang it asked for, in seconds.
	RunSeconds FactKind = "run_seconds"
	// OccupancySeconds is how long a job is expected to hold its gang, in seconds:
	// RunSeconds, less because some jobs like it failed or were cancelled.
	OccupancySeconds FactKind = "occupancy_seconds"
	// GPUUtilisation is the mean SM utilisation of a job alone, in thousandths.
	GPUUtilisation FactKind = "gpu_utilisation_milli"
	// GPUMemoryUtilisation is the mean share of the time in which a job alone reads
	// or writes device memory, in thousandths.
	GPUMemoryUtilisation FactKind = "gpu_memory_utilisation_milli"
	// GPUMemoryMiB is the peak device memory of a job on one GPU, in MiB.
	GPUMemoryMiB FactKind = "gpu_memory_mib"
	// ShareScore is how much of a GPU a job takes from others that share it: 0
	// little, 1 some, 2 much (Lucid, ASPLOS'23, section 4.2).
	ShareScore FactKind = "share_score"
)

// factMax is the closed table of kinds and their largest value; the smallest
// is 0. A kind that is not in it does not exist.
var factMax = map[FactKind]int64{
	RunSeconds:       int64(MaxSeconds),
	OccupancySeconds: int64(MaxSeconds),
	GPUUtilisation:   1000,
	GPUMemoryMiB:     1 << 24,
	ShareScore:       2,

	GPUMemoryUtilisation: 1000,
}

// Largest returns the largest value of a kind; 0 for one that does not exist.
func (k FactKind) Largest() int64 { return factMax[k] }

// FactSource says how a fact came to be. Prose has no place here.
type FactSource string

const (
	FromTruth      FactSource = "truth"      // the trace itself; simulation only
	FromTrace      FactSource = "trace"      // an estimate stored in a trace
	FromUser       FactSource = "user"       // declared at submission
	FromSource     FactSource = "source"     // resolved from code and command
	FromNeighbours FactSource = "neighbours" // similar past jobs
	FromPrior      FactSource = "prior"      // site-wide or per-user average
	FromLog        FactSource = "log"        // read from the running job's log
	FromTelemetry  FactSource = "telemetry"  // measured on the device
)

// Fact is one typed statement about one job.
//
// Invariant: Kind is declared; 0 <= Low <= Value <= High <= the kind's
// maximum; 0 <= ConfidenceMilli <= 1000; Source is declared; 0 <= ObservedAt,
// ExpiresAt <= MaxSeconds; ObservedAt < ExpiresAt, where ExpiresAt 0 means never.
type Fact struct {
	Kind            FactKind   `json:"kind" yaml:"kind"`
	Value           int64      `json:"value" yaml:"value"`
	Low             int64      `json:"low" yaml:"low"`
	High            int64      `json:"high" yaml:"high"`
	ConfidenceMilli int        `json:"confidence_milli" yaml:"confidence_milli"`
	Source          FactSource `json:"source" yaml:"source"`
	Evidence        []Evidence `json:"evidence,omitempty" yaml:"evidence,omitempty"`
	ObservedAt      Seconds    `json:"observed_at_s" yaml:"observed_at_s"`
	ExpiresAt       Seconds    `json:"expires_at_s,omitempty" yaml:"expires_at_s,omitempty"`
}

// Evidence points at what a fact was read from: a file, a log or a past job.
type Evidence struct {
	Ref  string `json:"ref" yaml:"ref"`
	Line int    `json:"line,omitempty" yaml:"line,omitempty"` // from 1; 0: the whole
	Byte int64  `json:"byte,omitempty" yaml:"byte,omitempty"` // offset of the span
}

// Live reports whether the fact has been observed and has not expired at now.
func (f *Fact) Live(now Seconds) bool {
	return f.ObservedAt <= now && (f.ExpiresAt == 0 || now < f.ExpiresAt)
}

// Validate checks the invariant of Fact.
func (f *Fact) Validate(path string) error {
	limit, ok := factMax[f.Kind]
	switch {
	case !ok:
		return fieldErr(path+".kind", "unknown kind %q", f.Kind)
	case f.Low < 0 || f.Low > f.Value || f.Value > f.High || f.High > limit:
		return fieldErr(path+".value", "must satisfy 0 <= low <= value <= high <= %d, got %d, %d, %d", limit, f.Low, f.Value, f.High)
	case f.ConfidenceMilli < 0 || f.ConfidenceMilli > 1000:
		return fieldErr(path+".confidence_milli", "must lie in [0, 1000], got %d", f.ConfidenceMilli)
	case !slices.Contains([]FactSource{FromTruth, FromTrace, FromUser, FromSource, FromNeighbours, FromPrior, FromLog, FromTelemetry}, f.Source):
		return fieldErr(path+".source", "unknown source %q", f.Source)
	case f.ExpiresAt != 0 && f.ExpiresAt <= f.ObservedAt:
		return fieldErr(path+".expires_at_s", "must lie after observed_at_s %d, got %d", f.ObservedAt, f.ExpiresAt)
	}
	for i := range f.Evidence {
		if !utf8.ValidString(f.Evidence[i].Ref) {
			return checkText(index(path+".evidence", i), ".ref", f.Evidence[i].Ref)
		}
	}
	return first(
		checkTime(path, ".observed_at_s", f.ObservedAt, 0),
		checkTime(path, ".expires_at_s", f.ExpiresAt, 0),
	)
}

// ValidateFacts checks what is known about the job of that ID: every fact is
// valid, and no kind occurs twice.
func ValidateFacts(path, job string, facts []Fact) error {
	kinds := make(map[FactKind]bool, len(facts))
	for i := range facts {
		f := &facts[i]
		if err := f.Validate(index(path, i)); err != nil {
			return err
		}
		if kinds[f.Kind] {
			return fieldErr(index(path, i)+".kind", "kind %s occurs twice for job %s", f.Kind, job)
		}
		kinds[f.Kind] = true
	}
	return nil
}
