// Package fifo serves jobs first in, first out.
//
//	order = submit
//
// Nothing is preempted. The default blocks at the head of the line, which is
// what makes it first in, first out: no job overtakes another one that could
// have a place on the nodes that take work now. One that could not (it is too
// large, or nodes are away) keeps its place in line and blocks nobody. With
// blocking "skip" it becomes a greedy backfill.
//
// Preset lucid: the FIFO of the Lucid artifact (policy/fifo.py), head of line.
package fifo
