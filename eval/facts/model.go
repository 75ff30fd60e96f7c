package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"schedmate"
)

// ModelKind is the value of Model.Kind.
const ModelKind = "FactModel"

// Model is the quality of facts.
//
// Invariant: shares lie in [0, 1]; lists of draws are not empty where they are
// drawn from; see the parts.
type Model struct {
	APIVersion string   `json:"apiVersion" yaml:"apiVersion"`
	Kind       string   `json:"kind" yaml:"kind"` // "FactModel"
	Name       string   `json:"name" yaml:"name"`
	About      string   `json:"about" yaml:"about"`
	Sources    []Source `json:"sources,omitempty" yaml:"sources,omitempty"`

	// Prior is what is believed of run times without an advisor: the mean of the
	// user's last jobs, of the same name where there are. A document that leaves it
	// out means that of the measured model.
	Prior   *ByState `json:"prior,omitempty" yaml:"prior,omitempty"`
	Advisor Advisor  `json:"advisor" yaml:"advisor"`
	Tracker Tracker  `json:"tracker" yaml:"tracker"`
	Handler Handler  `json:"handler" yaml:"handler"`
	Service Service  `json:"service" yaml:"service"`
}

// Source is a file that a model was measured on.
type Source struct {
	File   string `json:"file" yaml:"file"`
	SHA256 string `json:"sha256" yaml:"sha256"`
	What   string `json:"what" yaml:"what"`
}

// Advisor is how well run times and utilisation are told at submission.
type Advisor struct {
	// Hit is how often a job whose work has run before is answered.
	Hit float64 `json:"hit" yaml:"hit"`
	// FalseHit is how often other jobs are, with what is true of somebody else.
	FalseHit float64 `json:"false_hit" yaml:"false_hit"`
	// Seconds is how long an answer takes; drawn.
	Seconds []float64 `json:"seconds" yaml:"seconds"`
	// Run is what is said of the run time, by how the job ended.
	Run ByState `json:"run" yaml:"run"`
	// Utilisation is the estimated over the true mean utilisation; drawn.
	Utilisation []float64 `json:"utilisation" yaml:"utilisation"`
}

// ByState holds draws for jobs that completed, failed, or were cancelled. A job
// that is killed at its limit counts as completed: it worked until then.
type ByState struct {
	Completed []Draw `json:"completed" yaml:"completed"`
	Failed    []Draw `json:"failed" yaml:"failed"`
	Cancelled []Draw `json:"cancelled" yaml:"cancelled"`
}

// Draw is one estimate, each figure over the true run time: of the run time, its
// interval, and how long the job is expected to hold its GPUs, as some jobs like
// it were cancelled or failed.
//
// Invariant: 0 < Low <= Value <= High; 0 < Expected <= High.
type Draw struct {
	Value    float64 `json:"value" yaml:"value"`
	Low      float64 `json:"low" yaml:"low"`
	High     float64 `json:"high" yaml:"high"`
	Expected float64 `json:"expected" yaml:"expected"`
}

// Of returns the draws for an end state.
func (b *ByState) Of(s schedmate.State) []Draw {
	switch s {
	case schedmate.Failed:
		return b.Failed
	case schedmate.Cancelled:
		return b.Cancelled
	}
	return b.Completed
}

// Tracker is how well step times are read from logs.
type Tracker struct {
	// Success is the share of the jobs whose step time is read.
	Success float64 `json:"success" yaml:"success"`
	// StepTime is the step time that is read over the true one; drawn.
	StepTime []float64 `json:"step_time" yaml:"step_time"`
}

// Handler is how well failures are told apart.
type Handler struct {
	// Recall is the share of the failures of infrastructure that are called so.
	Recall float64 `json:"recall" yaml:"recall"`
	// FalseAlarm is the share of all other failures that are called so, too.
	FalseAlarm float64 `json:"false_alarm" yaml:"false_alarm"`
	// Seconds is how long a diagnosis takes; drawn.
	Seconds []float64 `json:"seconds" yaml:"seconds"`
}

// Service is what the facts cost.
type Service struct {
	// GPUs are held by models as long as the cluster runs; without a model 0.
	GPUs int `json:"gpus" yaml:"gpus"`
	// JobsAnHour is how many submissions one of them can read in an hour; 0: any number.
	JobsAnHour float64 `json:"jobs_an_hour" yaml:"jobs_an_hour"`
}

// Hash is over everything that a model says of quality and cost; its name and
// its sources are not part of it.
func (m *Model) Hash() string {
	text, err := json.Marshal(struct {
		Prior   *ByState
		Advisor Advisor
		Tracker Tracker
		Handler Handler
		Service Service
	}{m.Prior, m.Advisor, m.Tracker, m.Handler, m.Service})
	if err != nil {
		panic("BUG: a valid model has no JSON form: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Validate checks the invariant of Model.
func (m *Model) Validate() error {
	fail := func(path, format string, args ...any) error {
		return &schedmate.FieldError{Path: path, Problem: fmt.Sprintf(format, args...)}
	}
	switch {
	case m.APIVersion != schedmate.APIVersion:
		return fail("apiVersion", "must be %q, got %q", schedmate.APIVersion, m.APIVersion)
	case m.Kind != ModelKind:
		return fail("kind", "must be %q, got %q", ModelKind, m.Kind)
	case m.Name == "":
		return fail("name", "must not be empty")
	case m.Service.GPUs < 0 || m.Service.GPUs > schedmate.MaxGangGPUs:
		return fail("service.gpus", "must lie in [0, %d], got %d", schedmate.MaxGangGPUs, m.Service.GPUs)
	case !(m.Service.JobsAnHour >= 0 && m.Service.JobsAnHour <= 1e9):
		return fail("service.jobs_an_hour", "must lie in [0, 1e9], got %g", m.Service.JobsAnHour)
	}
	for _, s := range []struct {
		path  string
		value float64
	}{
		{"advisor.hit", m.Advisor.Hit}, {"advisor.false_hit", m.Advisor.FalseHit}, {"tracker.success", m.Tracker.Success},
		{"handler.recall", m.Handler.Recall}, {"handler.false_alarm", m.Handler.FalseAlarm},
	} {
		if !(s.value >= 0 && s.value <= 1) { // NaN is in no range
			return fail(s.path, "is a share and must lie in [0, 1], got %g", s.value)
		}
	}
	for _, l := range []struct {
		path  string
		least float64
		list  []float64
	}{
		{"advisor.seconds", 0, m.Advisor.Seconds}, {"handler.seconds", 0, m.Handler.Seconds},
		{"advisor.utilisation", smallest, m.Advisor.Utilisation}, {"tracker.step_time", smallest, m.Tracker.StepTime},
	} {
		if len(l.list) == 0 {
			return fail(l.path, "must hold at least one value to draw from")
		}
		if i := slices.IndexFunc(l.list, func(x float64) bool { return !(x >= l.least && x <= largest) }); i >= 0 {
			return fail(fmt.Sprintf("%s[%d]", l.path, i), "must lie in [%g, %g], got %g", l.least, largest, l.list[i])
		}
	}
	for _, b := range []struct {
		path string
		by   *ByState
	}{{"advisor.run", &m.Advisor.Run}, {"prior", m.Prior}} {
		if b.by == nil {
			continue
		}
		for _, s := range []struct {
			path string
			list []Draw
		}{{".completed", b.by.Completed}, {".failed", b.by.Failed}, {".cancelled", b.by.Cancelled}} {
			if len(s.list) == 0 {
				return fail(b.path+s.path, "must hold at least one draw")
			}
			for i, d := range s.list {
				if !(d.Low >= smallest && d.Low <= d.Value && d.Value <= d.High && d.High <= largest && d.Expected >= smallest && d.Expected <= d.High) {
					return fail(fmt.Sprintf("%s[%d]", b.path+s.path, i), "must satisfy %[1]g <= low <= value <= high <= %[2]g, and %[1]g <= expected <= high, got low %[3]g, value %[4]g, high %[5]g, expected %[6]g", smallest, largest, d.Low, d.Value, d.High, d.Expected)
				}
			}
		}
	}
	return nil
}

// Ratios of an estimate to the truth lie between these.
const smallest, largest = 1e-9, 1e9
