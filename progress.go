package schedmate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Progress is what the log of a running job says about it. A nil field is
// missing: the log does not say it, or not surely.
//
// Invariant: if Trackable is false, all else is empty; numbers are finite; step
// counts, times and rates are not negative; 0 <= Fraction <= 1; the step is not
// beyond the total; every reading has a confidence in (0, 1]; units and phases
// are the words named here; a curve has points.
type Progress struct {
	Trackable   bool     `json:"trackable" yaml:"trackable"`
	Step        *Reading `json:"step,omitempty" yaml:"step,omitempty"`
	TotalSteps  *Reading `json:"total_steps,omitempty" yaml:"total_steps,omitempty"`
	StepUnit    string   `json:"step_unit,omitempty" yaml:"step_unit,omitempty"` // step, sample, env_step or epoch
	Epoch       *Reading `json:"epoch,omitempty" yaml:"epoch,omitempty"`         // as printed, from 0 or 1
	TotalEpochs *Reading `json:"total_epochs,omitempty" yaml:"total_epochs,omitempty"`

	StepTime       *Reading `json:"step_time_s,omitempty" yaml:"step_time_s,omitempty"` // seconds, the present median without pauses
	Throughput     *Reading `json:"throughput,omitempty" yaml:"throughput,omitempty"`   // in ThroughputUnit, as printed
	ThroughputUnit string   `json:"throughput_unit,omitempty" yaml:"throughput_unit,omitempty"`

	Loss         *Reading `json:"loss,omitempty" yaml:"loss,omitempty"`
	LearningRate *Reading `json:"lr,omitempty" yaml:"lr,omitempty"`
	Remaining    *Reading `json:"eta_s,omitempty" yaml:"eta_s,omitempty"`       // seconds, as printed
	Fraction     *Reading `json:"progress,omitempty" yaml:"progress,omitempty"` // of the whole run

	Validation []Curve   `json:"validation,omitempty" yaml:"validation,omitempty"`
	Phase      Phase     `json:"phase,omitempty" yaml:"phase,omitempty"`
	Slowdown   *Slowdown `json:"slowdown,omitempty" yaml:"slowdown,omitempty"`

	// What loss and step time were over the records at hand, the oldest first,
	// for a person's glance: no fact, and in no document.
	LossTrend     []float64 `json:"-" yaml:"-"`
	StepTimeTrend []float64 `json:"-" yaml:"-"`
}

// Reading is one number read from a log.
type Reading struct {
	Value      float64 `json:"value" yaml:"value"`
	Line       int64   `json:"line,omitempty" yaml:"line,omitempty"` // from 1, counted at line feeds; 0: not counted
	Byte       int64   `json:"byte" yaml:"byte"`                     // offset of the line in the log
	Name       string  `json:"name,omitempty" yaml:"name,omitempty"` // what the log calls it
	Method     string  `json:"method" yaml:"method"`                 // how it was found
	Confidence float64 `json:"confidence" yaml:"confidence"`
}

// Curve is a validation metric over the run.
type Curve struct {
	Name   string       `json:"name" yaml:"name"`
	Better string       `json:"better,omitempty" yaml:"better,omitempty"` // lower, higher, or empty when the name does not tell
	XUnit  string       `json:"x_unit" yaml:"x_unit"`                     // step, sample, env_step or epoch
	Points [][2]float64 `json:"points" yaml:"points"`                     // x and value, in the order of the log
	Last   Reading      `json:"last" yaml:"last"`
}

// Phase is what the job is doing by its last lines.
type Phase string

const (
	PhaseStart      Phase = "start"
	PhaseWarmUp     Phase = "warm-up"
	PhaseTrain      Phase = "train"
	PhaseEval       Phase = "eval"
	PhaseCheckpoint Phase = "checkpoint"
	PhaseRestart    Phase = "restart"
)

// Slowdown is a lasting rise of the step time.
type Slowdown struct {
	Line          int64   `json:"line" yaml:"line"` // of the first slow record
	Byte          int64   `json:"byte" yaml:"byte"`
	Step          float64 `json:"step" yaml:"step"`
	Ratio         float64 `json:"ratio" yaml:"ratio"` // step time after / before
	BeforeSeconds float64 `json:"before_s" yaml:"before_s"`
	AfterSeconds  float64 `json:"after_s" yaml:"after_s"`
	Records       int     `json:"records" yaml:"records"` // after the change
	Confidence    float64 `json:"confidence" yaml:"confidence"`
}

// Validate checks the invariant of Progress.
func (p *Progress) Validate(path string) error {
	readings := []struct {
		name     string
		r        *Reading
		min, max float64
	}{
		{"step", p.Step, 0, math.MaxFloat64}, {"total_steps", p.TotalSteps, 0, math.MaxFloat64},
		{"epoch", p.Epoch, 0, math.MaxFloat64}, {"total_epochs", p.TotalEpochs, 0, math.MaxFloat64},
		{"step_time_s", p.StepTime, 0, math.MaxFloat64}, {"throughput", p.Throughput, 0, math.MaxFloat64},
		{"loss", p.Loss, -math.MaxFloat64, math.MaxFloat64}, {"lr", p.LearningRate, 0, math.MaxFloat64},
		{"eta_s", p.Remaining, 0, math.MaxFloat64}, {"progress", p.Fraction, 0, 1},
	}
	for _, f := range readings {
		if f.r == nil {
			continue
		}
		switch {
		case !p.Trackable:
			return fieldErr(path+"."+f.name, "must be missing when nothing is trackable")
		case math.IsNaN(f.r.Value) || f.r.Value < f.min || f.r.Value > f.max:
			return fieldErr(path+"."+f.name, "must lie in [%g, %g], got %g", f.min, f.max, f.r.Value)
		case !(f.r.Confidence > 0 && f.r.Confidence <= 1):
			return fieldErr(path+"."+f.name+".confidence", "must lie in (0, 1], got %g", f.r.Confidence)
		case f.r.Line < 0 || f.r.Byte < 0:
			return fieldErr(path+"."+f.name+".line", "must not be negative")
		case !utf8.ValidString(f.r.Name):
			return fieldErr(path+"."+f.name+".name", "must be UTF-8")
		}
	}
	words := []struct {
		name, got string
		known     []string
	}{
		{"step_unit", p.StepUnit, []string{"step", "sample", "env_step", "epoch"}},
		{"phase", string(p.Phase), []string{string(PhaseStart), string(PhaseWarmUp), string(PhaseTrain), string(PhaseEval), string(PhaseCheckpoint), string(PhaseRestart)}},
	}
	for _, w := range words {
		switch {
		case w.got != "" && !p.Trackable:
			return fieldErr(path+"."+w.name, "must be empty when nothing is trackable")
		case w.got != "" && !slices.Contains(w.known, w.got):
			return fieldErr(path+"."+w.name, "must be one of %s, got %q", strings.Join(w.known, ", "), w.got)
		}
	}
	if p.ThroughputUnit != "" && p.Throughput == nil {
		return fieldErr(path+".throughput_unit", "must be empty without a throughput, got %q", p.ThroughputUnit)
	}
	for i := range p.Validation {
		if err := p.Validation[i].validate(fmt.Sprintf("%s.validation[%d]", path, i)); err != nil {
			return err
		}
	}
	if p.Step != nil && p.TotalSteps != nil && p.Step.Value > p.TotalSteps.Value {
		return fieldErr(path+".step", "must not be beyond total_steps %g, got %g", p.TotalSteps.Value, p.Step.Value)
	}
	if !p.Trackable && (len(p.Validation) > 0 || p.Slowdown != nil) {
		return fieldErr(path+".validation", "must be empty when nothing is trackable")
	}
	if s := p.Slowdown; s != nil && (!(s.Ratio > 1) || !(s.BeforeSeconds > 0) || math.IsInf(s.Ratio, 0)) {
		return fieldErr(path+".slowdown.ratio", "must be more than 1, got %g", s.Ratio)
	}
	return nil
}

// validate checks that a curve has points, all finite, and ends with the last.
func (c *Curve) validate(path string) error {
	switch {
	case len(c.Points) == 0:
		return fieldErr(path+".points", "must not be empty")
	case c.Better != "" && c.Better != "lower" && c.Better != "higher":
		return fieldErr(path+".better", "must be lower, higher or empty, got %q", c.Better)
	case !utf8.ValidString(c.Name):
		return fieldErr(path+".name", "must be UTF-8")
	}
	for i, point := range c.Points {
		for _, v := range point {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fieldErr(fmt.Sprintf("%s.points[%d]", path, i), "must be finite, got %g", v)
			}
		}
	}
	return nil
}
