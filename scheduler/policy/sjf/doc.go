// Package sjf serves the shortest job first.
//
//	order = estimated run time, then submit
//
// Nothing is preempted. A job without a run-time fact is served after all jobs
// that have one, first in, first out, so that with no facts at all the policy
// is FIFO with backfill.
//
// Preset lucid: the SJF of the Lucid artifact (policy/sjf.py): the true run
// time, head of line.
package sjf
