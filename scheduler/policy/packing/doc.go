// Package packing serves the job with the least estimated GPU time first, alone
// where there is room, and otherwise beside a job that runs.
//
//	order = estimate x GPUs, then submit
//	place = free GPUs, else those of a mate that the rules of scheduler/pack allow
//	undo  = the newcomer of a pair of which one has become too slow leaves
//
// It is Lucid's order (ASPLOS'23, section 4.3) without Lucid's profiler, and the
// place where packing and its undoing are measured by themselves.
//
// The default takes pairs apart by a sequential test with a stated rate of false
// alarms, and learns from pairs that it has seen. Preset paper has the fixed ratio
// of the SchedMate paper instead, and learns nothing.
package packing
