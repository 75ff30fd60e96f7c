package schedmate_test

import (
	"math"
	"testing"

	"schedmate"
)

// reading is a valid one.
func reading(v float64) *schedmate.Reading {
	return &schedmate.Reading{Value: v, Line: 120, Byte: 9310, Name: "step", Method: "counter by behaviour", Confidence: 0.9}
}

func validProgress() *schedmate.Progress {
	return &schedmate.Progress{
		Trackable: true, StepUnit: "step", ThroughputUnit: "samples/s", Phase: schedmate.PhaseTrain,
		Step: reading(1200), TotalSteps: reading(5000), Epoch: reading(2), TotalEpochs: reading(10),
		StepTime: reading(0.25), Throughput: reading(128), Loss: reading(2.31), LearningRate: reading(3e-4),
		Remaining: reading(950), Fraction: reading(0.24),
		Validation: []schedmate.Curve{{Name: "val_loss", Better: "lower", XUnit: "step", Points: [][2]float64{{500, 2.8}, {1000, 2.5}}, Last: *reading(2.5)}},
		Slowdown:   &schedmate.Slowdown{Line: 100, Byte: 7000, Step: 1000, Ratio: 1.5, BeforeSeconds: 0.2, AfterSeconds: 0.3, Records: 20, Confidence: 0.8},
	}
}

// fields are the readings of a Progress by their names in documents.
var fields = map[string]func(*schedmate.Progress) **schedmate.Reading{
	"step":         func(p *schedmate.Progress) **schedmate.Reading { return &p.Step },
	"total_steps":  func(p *schedmate.Progress) **schedmate.Reading { return &p.TotalSteps },
	"epoch":        func(p *schedmate.Progress) **schedmate.Reading { return &p.Epoch },
	"total_epochs": func(p *schedmate.Progress) **schedmate.Reading { return &p.TotalEpochs },
	"step_time_s":  func(p *schedmate.Progress) **schedmate.Reading { return &p.StepTime },
	"throughput":   func(p *schedmate.Progress) **schedmate.Reading { return &p.Throughput },
	"loss":         func(p *schedmate.Progress) **schedmate.Reading { return &p.Loss },
	"lr":           func(p *schedmate.Progress) **schedmate.Reading { return &p.LearningRate },
	"eta_s":        func(p *schedmate.Progress) **schedmate.Reading { return &p.Remaining },
	"progress":     func(p *schedmate.Progress) **schedmate.Reading { return &p.Fraction },
}

const (
	notNegative = "must lie in [0, 1.7976931348623157e+308], got "
	finite      = "must lie in [-1.7976931348623157e+308, 1.7976931348623157e+308], got "
)

func TestProgressValidate(t *testing.T) {
	type progress = schedmate.Progress
	rows := []row[progress]{
		{"nothing is known", func(p *progress) { *p = progress{} }, ""},
		{"training, and nothing is known of it", func(p *progress) { *p = progress{Trackable: true} }, ""},

		{"the step is the total", func(p *progress) { p.Step.Value = 5000 }, ""},
		{"the step is beyond the total", func(p *progress) { p.Step.Value = 5001 }, "progress.step: must not be beyond total_steps 5000, got 5001"},
		{"there is no total to be beyond", func(p *progress) { p.Step.Value, p.TotalSteps = 5001, nil }, ""},

		{"a loss below zero", func(p *progress) { p.Loss.Value = -3.5 }, ""},
		{"all is done", func(p *progress) { p.Fraction.Value = 1 }, ""},
		{"nothing is done", func(p *progress) { p.Fraction.Value = 0 }, ""},
		{"more than all is done", func(p *progress) { p.Fraction.Value = 1.01 }, "progress.progress: must lie in [0, 1], got 1.01"},

		{"a validation curve without training", func(p *progress) { *p = progress{Validation: p.Validation} }, "progress.validation: must be empty when nothing is trackable"},
		{"a slowdown without training", func(p *progress) { *p = progress{Slowdown: p.Slowdown} }, "progress.validation: must be empty when nothing is trackable"},

		{"a unit nobody knows", func(p *progress) { p.StepUnit = "furlong" }, `progress.step_unit: must be one of step, sample, env_step, epoch, got "furlong"`},
		{"a phase nobody knows", func(p *progress) { p.Phase = "lunch" }, `progress.phase: must be one of start, warm-up, train, eval, checkpoint, restart, got "lunch"`},
		{"a phase without training", func(p *progress) { *p = progress{Phase: schedmate.PhaseTrain} }, "progress.phase: must be empty when nothing is trackable"},
		{"the unit of nothing", func(p *progress) { p.Throughput = nil }, `progress.throughput_unit: must be empty without a throughput, got "samples/s"`},
		{"a curve without points", func(p *progress) { p.Validation[0].Points = nil }, "progress.validation[0].points: must not be empty"},
		{"a curve to nowhere", func(p *progress) { p.Validation[0].Points[1][1] = math.Inf(1) }, "progress.validation[0].points[1]: must be finite, got +Inf"},
		{"a curve that is better sideways", func(p *progress) { p.Validation[0].Better = "sideways" }, `progress.validation[0].better: must be lower, higher or empty, got "sideways"`},

		{"a slowdown that is none", func(p *progress) { p.Slowdown.Ratio = 1 }, "progress.slowdown.ratio: must be more than 1, got 1"},
		{"a slowdown without a ratio", func(p *progress) { p.Slowdown.Ratio = math.NaN() }, "progress.slowdown.ratio: must be more than 1, got NaN"},
		{"a slowdown without end", func(p *progress) { p.Slowdown.Ratio = math.Inf(1) }, "progress.slowdown.ratio: must be more than 1, got +Inf"},
		{"a slowdown from nothing", func(p *progress) { p.Slowdown.BeforeSeconds = 0 }, "progress.slowdown.ratio: must be more than 1, got 1.5"},
		{"no slowdown", func(p *progress) { p.Slowdown = nil }, ""},
	}
	for name, field := range fields {
		lowest, mayBeNegative := notNegative, false
		switch name {
		case "loss":
			lowest, mayBeNegative = finite, true
		case "progress":
			lowest = "must lie in [0, 1], got "
		}
		change := func(f func(r *schedmate.Reading)) func(*progress) {
			return func(p *progress) { f(*field(p)) }
		}
		path := "progress." + name
		rows = append(rows, []row[progress]{
			{name + " is missing", func(p *progress) { p.ThroughputUnit, *field(p) = "", nil }, ""},
			{name + " without training", func(p *progress) { *p = progress{}; *field(p) = reading(0) }, path + ": must be missing when nothing is trackable"},
			{name + " is no number", change(func(r *schedmate.Reading) { r.Value = math.NaN() }), path + ": " + lowest + "NaN"},
			{name + " is infinite", change(func(r *schedmate.Reading) { r.Value = math.Inf(1) }), path + ": " + lowest + "+Inf"},
			{name + " without confidence", change(func(r *schedmate.Reading) { r.Confidence = 0 }), path + ".confidence: must lie in (0, 1], got 0"},
			{name + " with too much confidence", change(func(r *schedmate.Reading) { r.Confidence = 1.01 }), path + ".confidence: must lie in (0, 1], got 1.01"},
			{name + " with a confidence that is no number", change(func(r *schedmate.Reading) { r.Confidence = math.NaN() }), path + ".confidence: must lie in (0, 1], got NaN"},
			{name + " for certain", change(func(r *schedmate.Reading) { r.Confidence = 1 }), ""},
			{name + " before the first line", change(func(r *schedmate.Reading) { r.Line = -1 }), path + ".line: must not be negative"},
			{name + " before the first byte", change(func(r *schedmate.Reading) { r.Byte = -1 }), path + ".line: must not be negative"},
			{name + " in a line nobody counted", change(func(r *schedmate.Reading) { r.Line, r.Byte = 0, 0 }), ""},
			{name + " with a name in Latin-1", change(func(r *schedmate.Reading) { r.Name = "\xe9" }), path + ".name: must be UTF-8"},
			{name + " with a name of any characters", change(func(r *schedmate.Reading) { r.Name = anyUnicode }), ""},
		}...)
		if !mayBeNegative {
			rows = append(rows, row[progress]{name + " is negative", change(func(r *schedmate.Reading) { r.Value = -1 }), path + ": " + lowest + "-1"})
		}
	}
	checkRows(t, validProgress, func(p *progress) error { return p.Validate("progress") }, rows)
}
