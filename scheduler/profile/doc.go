// Package profile is the stage that measures jobs before anybody is promised
// anything: a few nodes of the cluster, on which each job that nobody knows the
// run time of runs for a fixed window, in the order of arrival.
//
//	gang of at most one node    one window on as many GPUs
//	larger gang                 a window on one node, then another on two
//	work of at most a window    ends there and then
//
// The stage comes before the scheduler and does not depend on it: its nodes are
// its own. So [Options.Run] reckons the whole of it from the submissions, and a
// host takes from it when each job is known, and how many nodes are missing
// elsewhere until when.
//
// Sources: CHRONUS (Gao et al., SoCC'21), section 4, the profiler: two nodes,
// FCFS, a fixed window, dynamic capacity, submission control. Its public code has
// no queue of GPUs in normal runs; the numbers of its dry run (120 s, back-off of
// 60 s, a user's GPUs at most those of the profiler less 4) are our defaults. When
// capacity grows and shrinks is ours, as the paper gives no rule.
package profile
