// Package edf serves the earliest deadline first.
//
//	deadline = the first of the job's deadlines that is not over
//	order    = deadline, then submit; jobs that have none (best effort, or all
//	           over) come behind all others, in the order of submission
//
// The default preempts only jobs without a deadline to keep, and only for a job
// that has one and that it can then place. It knows nothing about run times: a
// job that cannot make its deadline any more is still served for it. It asks to
// be woken when the last deadline of a running job is over, because that job
// may be preempted from then on.
//
// Preset titan: the EDF of the TitanSched artifact (alg/scheduler/edf.py). It
// looks at the first deadline alone. When that is over the job becomes best
// effort for good, and if it runs it is preempted in that moment, mostly to be
// started again at once. Nobody is preempted to make room: free GPUs are counted
// before places are looked for.
package edf
