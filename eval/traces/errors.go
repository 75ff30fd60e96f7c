package traces

import "fmt"

// InputError says what is wrong with a trace, where, and what to do about it.
type InputError struct {
	File    string
	Line    int    // from 1; 0: the file as a whole
	Column  string // empty: the row as a whole
	Problem string
	Next    string // what a person can do
	Err     error  // the cause, where there is one
}

func (e *InputError) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Column != "" {
		at += fmt.Sprintf(": column %q", e.Column)
	}
	return at + ": " + e.Problem + "; " + e.Next
}

func (e *InputError) Unwrap() error { return e.Err }
