// Package srtf serves the shortest remaining time first, with preemption.
//
//	order = estimated work left (restart work included), then waiting before
//	        running, then the order in which they came to wait or run
//
// The default preempts only for a job that it can then place, and only when
// the victim's remaining work is larger by more than a margin, so that a
// preemption earns more than the restart it costs. A job without a run-time
// fact waits behind all jobs that have one and is never preempted.
//
// Preset lucid: the SRTF of the Lucid artifact (policy/srtf.py). It counts GPUs
// before it looks for places, has no margin, and its simulator frees GPUs one
// second after the work is done and charges 40 s (up to 8 GPUs) or 60 s per
// preemption.
package srtf
