// Package resolve answers the fields of a submission: it finds the program
// that the submission runs, follows it, and reads the fields off what was
// observed. Each file of rules answers one field or one group of fields, in
// the order of trust that its comment states; a rule that does not apply
// leaves the field to the next, and a field that no rule answers stays empty
// with a reason.
package resolve
