// Package cli is the command line: it reads arguments and documents, calls the
// core, and renders results. One file a command.
//
// Results go to standard output, everything else to standard error. Every
// command writes a table for people, or JSON or YAML with -o. The exit codes
// are those of [Main].
package cli
