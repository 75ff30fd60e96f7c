// Package yarncs shares the cluster between virtual clusters, as YARN's capacity
// scheduler does, and preempts nobody.
//
//	share = GPUs that the VC's jobs hold / GPUs that it is entitled to
//	order = the VC with the smallest share, in it submit
//
// A VC is entitled to its own nodes and its quota of shared ones; where it has
// neither, to an equal part of the cluster. It may hold more while others leave
// GPUs idle. The default lets later jobs overtake one that does not fit, which
// is what Philly does (ATC'19, section 3.2.2); with blocking "head_of_line" a
// VC's first job holds back those behind it in the same VC.
//
// Preset titan: the Yarn-CS of the TitanSched artifact (alg/scheduler/yarn_cs.py)
// as it was run: without quotas of users, so that it is first come, first served
// with overtaking.
package yarncs
