// Package history keeps what past jobs did and finds those that did similar
// work.
//
// A [Record] is one finished run. [History] keeps records in a [Log] and in an
// [Index] in memory. The index holds one vector for each distinct work, not for
// each run, so that a million runs are scanned as the few thousand works that
// they are. What is asked for an instant never sees a record that ended later.
package history
