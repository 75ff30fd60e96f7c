// Package threesigma plans starts ahead by the distribution of run times
// (3Sigma, EuroSys'18).
//
//	reward = sum over outcomes of probability * reward at now + wait + run time
//	use    = GPUs * probability that the job still runs
//
// Jobs with a deadline are planned in the order of slack, each for the earliest
// slot from which on as many GPUs are expected to be free as it is expected to
// use, as long as a reward is expected of it. Those planned for now start and may
// preempt best effort; those planned for later wait; the others are best effort.
// Best effort takes what is left over, the least expected work first.
//
// The distribution is the run-time fact's low end, value and high end, weighed
// 1:2:1, without what the job has outrun. The paper solves an integer program
// over all jobs and starts where this goes through them once.
//
// Preset titan: the 3Sigma of the TitanSched artifact (alg/scheduler/sigma.py),
// whose author calls it buggy. It knows run times exactly and plans every 20
// minutes. A job whose first slot is not the current one keeps its slots and is
// never started from them: it waits until its deadline is out of reach, and is
// best effort from then on.
package threesigma
