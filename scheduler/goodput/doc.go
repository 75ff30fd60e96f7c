// Package goodput predicts how fast an adaptive job learns on GPUs that it may
// never have had (Pollux, OSDI'21, sections 3 and 4; Sia, SOSP'23, section 3).
//
//	goodput    = throughput * efficiency, in samples at the initial batch size a second
//	throughput = batch / (step + k * compute), for k passes without an exchange before the one with it
//	efficiency = gain / x, at x times the initial batch size
//	gain       = (noise + 1) / (noise / x + 1), noise being that of the gradient
//
// The times are those of a model that is fitted to the steps that the job has
// made so far (schedmate.StepModel). Everything here is a pure function of
// what was measured: equal points give equal models, whatever their order of
// evaluation.
package goodput
