// Package tracker scores what a tracker says about logs whose truth is known.
//
// A folder of cases holds labels.jsonl and slowdown.jsonl, one object a log, and
// the logs that they name. [Load] reads it, [Cases.Run] asks a tracker about
// each log, [Cases.Score] compares. The rules are those of the scorer that comes
// with the cases: what is not printed must be reported missing, a log without
// training must give silence, and every answer that a label calls right is right.
//
// [Words] takes the words away: a tracker that has learned names, not behaviour,
// fails on logs whose words mean nothing.
package tracker
