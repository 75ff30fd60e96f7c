package slurm

import (
	"cmp"
	"errors"
	"fmt"
)

// errCut says that an answer ended in its middle.
var errCut = errors.New("the answer is cut off: ask again")

// errUnsupported says that this version of a command cannot do what was asked.
var errUnsupported = errors.New("is not supported by this version")

// UnreachableError says that Slurm does not answer.
type UnreachableError struct {
	Command string // that was run
	Text    string // Slurm's own words
	Next    string // what a person can do
	Busy    bool   // it may answer later: it is busy or starting
	Silent  bool   // it has not said so: asking again would only add to its load
}

func (e *UnreachableError) Error() string {
	next := cmp.Or(e.Next, "is slurmctld up ('scontrol ping'), and does SLURM_CONF or /etc/slurm/slurm.conf name the right one?")
	if e.Busy {
		next = "it is busy or starting; try again in a minute"
	}
	return fmt.Sprintf("Slurm does not answer: %s: %s: %s", e.Command, e.Text, next)
}

// Retriable reports whether the same may work a moment later.
func (e *UnreachableError) Retriable() bool { return e.Busy && !e.Silent }
