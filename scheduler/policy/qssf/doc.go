// Package qssf serves the quasi-shortest service first (Helios, SC'21, section
// 4.2): the estimated run time weighted by the GPUs it occupies.
//
//	order = estimated run time * GPUs, then GPUs, then submit
//
// Nothing is preempted. A job without a run-time fact is served after all jobs
// that have one, first in, first out.
//
// Preset lucid: the QSSF of the Lucid artifact (policy/qssf.py), head of line.
// It asks its estimator only when a job was already waiting: while all waiting
// jobs have arrived in this very second, it orders them by GPUs alone, and by
// the estimate from the next second on.
package qssf
