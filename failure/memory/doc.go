// Package memory remembers incidents: what failed, and what it turned out to be.
//
//	past incidents --New--> Memory --Recall(a root line)--> how often, when last, what helped
//
// Most failures come back within weeks, so the second time should cost nothing.
// A line is first looked up by its shape (logs.Template) and kind, then by
// similar text: hashed character n-grams and their cosine, which needs no model
// and gives the same result on every machine. A shape that was never seen is
// called new.
//
// A memory informs people. A confirmed outcome that contradicts the rules is
// shown as an alternative; it never changes a verdict, and never raises an
// action.
//
// Records are kept as JSON lines, appended one by one. Text of logs is stored as
// it is quoted: whoever writes it redacts it first.
package memory
