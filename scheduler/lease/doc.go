// Package lease is the slot calendar: time from now on in slots of one lease,
// and gangs that need some number of leases by some slot.
//
// All gangs may start now, so their windows 1..By are nested. A gang that is to
// end by slot D must have
//
//	need(t) = max(0, Leases - max(0, D - t))
//
// of its leases in slots 1..t, because at most one a slot fits behind t.
// [Short] tests these prefix sums, which is necessary. A calendar is found by
// [LeastLaxity], or, where gangs leave holes, by [Find], which also proves that
// there is none.
//
// Sources: CHRONUS, section 5; the prefix rows and the experiments behind them
// stand in the package comment of scheduler/milp.
package lease
