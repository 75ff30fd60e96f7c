// Package tiresias serves the least attained service first, in discrete queues
// (Tiresias, NSDI'19, section 3.2, discretized 2D-LAS). It needs no estimate.
//
//	queue = number of thresholds that the attained GPU-seconds have exceeded
//	order = queue, then submit, then running before waiting
//
// The default preempts only a job of a lower queue, and only for a job that it
// can then place. It asks to be woken when a running job is about to change
// its queue, instead of polling.
//
// Preset lucid: the Tiresias of the Lucid artifact (policy/tiresias.py): one
// threshold of 18,000 GPU-seconds, decisions every 60 s, GPUs counted before
// places are looked for, GPUs freed one second after the work is done, 40 s (up
// to 8 GPUs) or 60 s of restart work per preemption.
package tiresias
