// Package fifo serves jobs first in, first out.
//
//	order = submit
//
// Nothing is preempted. The default blocks at the head of the line, which is
// what makes it first in, first out: no job ever overtakes another one that
// competes for the same GPUs. With blocking "skip" it becomes a greedy
// backfill.
//
// Preset lucid: the FIFO of the Lucid artifact (policy/fifo.py), head of line.
package fifo
