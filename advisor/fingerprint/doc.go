// Package fingerprint gives a job's work an identity that survives renaming,
// moving, reformatting and reordering, and tells how two works compare.
//
// The way of a comparison:
//
//	Metadata -> Canonical     names in one spelling, missing batch sizes derived
//	Canonical -> Print        two hashes (what is computed, what it costs), text form
//	text form -> Vector       hashed words, or an encoder behind the Embedder port
//	two Prints -> Comparison  same, near with a ratio of durations, or different, and why
//
// The vector fetches candidates, because it is fast; fields decide, because no
// vector tells a run from the same run with four times the batch.
package fingerprint
