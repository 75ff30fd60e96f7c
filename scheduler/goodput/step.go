package goodput

import (
	"math"

	"schedmate"
)

// tiny stands for no time at all where a logarithm is taken.
const tiny = 1e-8

// Model is schedmate.StepModel in seconds, and with Gamma as it is.
type Model struct {
	Compute, ComputeSample float64
	Across, AcrossGPU      float64
	Within, WithinGPU      float64
	Gamma                  float64
}

// Report writes the model in the whole numbers of snapshots.
func (m *Model) Report() schedmate.StepModel {
	fs := func(seconds float64) int64 { return int64(min(max(math.Round(seconds*1e15), 1), 1<<62)) }
	return schedmate.StepModel{
		Compute: fs(m.Compute), ComputeSample: fs(m.ComputeSample),
		Across: fs(m.Across), AcrossGPU: fs(m.AcrossGPU),
		Within: fs(m.Within), WithinGPU: fs(m.WithinGPU),
		Gamma: int64(min(max(math.Round(m.Gamma*1e9), 1e9), 1e10)),
	}
}

// Reported reads a model that a snapshot holds.
func Reported(m *schedmate.StepModel) Model {
	return Model{
		Compute: float64(m.Compute) / 1e15, ComputeSample: float64(m.ComputeSample) / 1e15,
		Across: float64(m.Across) / 1e15, AcrossGPU: float64(m.AcrossGPU) / 1e15,
		Within: float64(m.Within) / 1e15, WithinGPU: float64(m.WithinGPU) / 1e15,
		Gamma: float64(m.Gamma) / 1e9,
	}
}

// Compute returns the seconds that one GPU computes on so many samples.
func Compute(m *Model, local float64) float64 {
	return m.Compute + m.ComputeSample*local
}

// Network returns the seconds that the exchange takes.
func Network(m *Model, nodes, gpus int) float64 {
	more := math.Max(float64(gpus-2), tiny)
	switch {
	case nodes > 1:
		return m.Across + m.AcrossGPU*more
	case gpus > 1:
		return m.Within + m.WithinGPU*more
	}
	return tiny * (1 + more)
}

// Step returns the seconds of a step with an exchange.
func Step(m *Model, nodes, gpus int, local float64) float64 {
	c, n := Compute(m, local), Network(m, nodes, gpus)
	return math.Pow(math.Pow(c, m.Gamma)+math.Pow(n, m.Gamma), 1/m.Gamma)
}

// Gain returns how much more a step at x times the initial batch size teaches
// than one at the initial size, by the gradient's noise: variance over squared norm.
func Gain(noise, x float64) float64 {
	if math.IsInf(noise, 1) {
		return x
	}
	return (noise + 1) / (noise/x + 1)
}
