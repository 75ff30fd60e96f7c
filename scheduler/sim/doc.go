// Package sim runs a policy on a workload in virtual time.
//
// The simulator is event-driven and counts integer seconds: it jumps from one
// arrival, end, node event or requested wake-up to the next. Where a public
// artifact decides only every so many seconds, the World's Tick makes it do
// the same. Within one second the order is fixed: ends, node events, arrivals,
// then one Plan per partition that something happened to.
//
// Every plan passes the independent checker of scheduler/verify before it
// takes effect; a refused plan ends the run with an error, because it is a bug
// in the policy.
package sim
