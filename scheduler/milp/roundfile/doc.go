// Package roundfile reads and answers files of abstract planning rounds: lease
// rounds, admissions, demands for cells, and expected resumptions. The format
// stands in docs/format/rounds.md.
package roundfile
