package goodput

import (
	"math"

	"schedmate"
)

// tiny stands for no time at all where a logarithm is taken.
const tiny = 1e-8

// Compute returns the seconds that one GPU computes on so many samples.
func Compute(m *schedmate.StepModel, local float64) float64 {
	return m.Compute + m.ComputeSample*local
}

// Network returns the seconds that the exchange takes.
func Network(m *schedmate.StepModel, nodes, gpus int) float64 {
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
func Step(m *schedmate.StepModel, nodes, gpus int, local float64) float64 {
	c, n := Compute(m, local), Network(m, nodes, gpus)
	return math.Pow(math.Pow(c, m.Gamma)+math.Pow(n, m.Gamma), 1/m.Gamma)
}

// Gain returns how much more a step at x times the initial batch size teaches
// than one at the initial size.
func Gain(squared, variance, x float64) float64 {
	if squared+variance == 0 {
		return 1 // nothing is known: larger batches teach nothing more
	}
	return (variance + squared) / (variance/x + squared)
}
