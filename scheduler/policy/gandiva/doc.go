// Package gandiva shares GPUs over time (Gandiva, OSDI'18, section 4): jobs of
// one gang size take turns on a group of nodes, a slice of time each, so that
// every job makes progress soon after it came.
//
//	group  = nodes that belong to one gang size, with GPUs / gang slots
//	runs   = the first jobs of each group, one a slot
//	slice  = after it they step behind those who wait in the group
//
// A newcomer takes a free slot of a group of its size; else free nodes become a
// new group; else it takes turns in the group that is used least.
//
// The default fills every slot, counts a group's jobs as they are, and moves
// jobs that wait for their turn to nodes that have become free.
//
// Preset elasticflow: the Gandiva of the ElasticFlow artifact, slips included.
// Nodes are shared out among the sizes by demand, ends are seen at arrivals
// only, and every round costs every job.
package gandiva
