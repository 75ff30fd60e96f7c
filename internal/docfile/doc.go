// Package docfile reads and writes the documents that people keep in files:
// snapshots, jobs, configuration. They may be YAML or JSON.
//
// Reading is strict. A field that does not exist, a field that is missing, a
// value of the wrong type, a duplicate key or a second document is an error,
// and every error names the file, the line and the field, and ends with what
// to do about it:
//
//	snapshot.yaml:42: waiting[3].job.gpus: must be a whole number, got 1.5; write it without a fraction
//
// A document is a plain tree. Anchors, aliases, merge keys and explicit tags
// are refused, so a short file cannot unfold into a large one and every value
// stands on exactly one line.
//
// The Go type decides what a document may hold, by its yaml tags:
//
//   - A field is required unless its tag says omitempty.
//   - Integers are written as plain decimals; 1.0, 1e3, 0x10, 010 and 1_000
//     are refused, as they mean different things to different readers.
//   - Strings that look like a number, true, false or null need quotes.
//   - null stands for an absent pointer or an empty list, nothing else.
//
// Where a type has a Validate method, [Read] calls it, and turns the
// [schedmate.FieldError] it returns into the line of that field.
package docfile
