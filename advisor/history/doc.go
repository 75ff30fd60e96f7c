// Package history keeps what past jobs did and finds those that did similar
// work.
//
// A [Record] is one finished run. [History] keeps records in a [Store] with an
// index beside them, of which a question reads what it needs; [Index] is the same
// in memory. Both hold one vector for each distinct work, not for each run, so that
// a million runs are scanned as the few thousand works that they are. What is asked
// for an instant never sees a record that ended later.
package history
