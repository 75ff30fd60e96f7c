// Package recovery turns the diagnosis of a failed job into proposed steps:
// tests, quarantines, restarts, reports. Nobody acts here.
//
//	Incident + World --Propose--> Proposal --(a person, or the control loop)--> actions
//	           ^                     |
//	           +-------With----------+      what was proposed counts from then on
//
// The rules that never bend:
//
//   - A node is quarantined for a determined failure of class infrastructure
//     only, on proof from that node or on a second witness in the [Ledger], and
//     never past a cap, a rate, a cool-down or the least healthy capacity.
//   - What somebody else has quarantined is not touched.
//   - Many nodes that share a part and fail alike are one fault of that part: its
//     owner is called, and no node is quarantined.
//   - A failure that follows its job to other nodes is the program's. It is
//     reported and not retried.
//   - Whatever is held back says which guard held it, and how a person can do
//     it all the same.
//
// A proposal is a pure function: the time and the limits are inputs and stand in
// the output. An incident that is proposed for again gets the same proposal, and
// nothing is counted twice. Text of logs is only quoted.
package recovery
