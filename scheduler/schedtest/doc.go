// Package schedtest invents small clusters, snapshots and workloads for the
// tests of the scheduler, and lists the policies they are tried on.
//
// Everything is drawn through one function, [Draw], so that a property test
// can shrink what it drew and a benchmark can fix a seed. What comes out is
// always valid; how odd it is allowed to be is said by the [Style].
package schedtest

// Draw returns an integer in [lo, hi].
type Draw func(lo, hi int) int

// pick draws one element of a list.
func pick[T any](d Draw, list ...T) T { return list[d(0, len(list)-1)] }

// in is true once in n draws.
func (d Draw) in(n int) bool { return d(0, n-1) == n-1 }
