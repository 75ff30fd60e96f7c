// Package scheduler is the pure core's port: what a policy is, which policies
// there are, and how a cluster is cut into parts that can be planned alone.
//
// A [Policy] is a pure function from a snapshot and a budget to a plan. The
// simulator (scheduler/sim) and the command line call the same values, and so
// will the live overlay, which is designed and not built. Nothing below this
// package reads a clock, draws a random number, does I/O or depends on the
// order of a map.
package scheduler
