// Package failure scores what a failure handler says about logs whose truth is
// known.
//
// A folder of cases holds labels.jsonl, one object a log, and the logs that it
// names. [Load] reads it, [Cases.Run] asks a handler about each log,
// [Cases.Score] compares. The rules are those of the scorer that comes with the
// cases; the tests hold the two against each other.
//
// [Whole] is the handler of the product. [Ablations] are handlers that lack a
// part of it: what they lose is what the part is worth.
package failure
