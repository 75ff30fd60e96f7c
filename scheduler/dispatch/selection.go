package dispatch

import (
	"fmt"
	"iter"

	"schedmate"
)

// Selection names how a preemptive policy chooses who runs.
type Selection string

const (
	ByPlace Selection = "displace" // see Displace
	ByCount Selection = "counted"  // see Counted
)

// Validate reports an unknown value.
func (s Selection) Validate() error {
	if s != ByPlace && s != ByCount {
		return fmt.Errorf("unknown selection %q: use %s or %s", s, ByPlace, ByCount)
	}
	return nil
}

// Merge walks two ordered lists as one; before(w, r) says whether the waiting
// job w goes ahead of the running job r.
func Merge(waiting, running []*schedmate.JobStatus, before func(w, r *schedmate.JobStatus) bool) iter.Seq[*schedmate.JobStatus] {
	return func(yield func(*schedmate.JobStatus) bool) {
		w, r := 0, 0
		for w < len(waiting) || r < len(running) {
			var next *schedmate.JobStatus
			if r == len(running) || w < len(waiting) && before(waiting[w], running[r]) {
				next = waiting[w]
				w++
			} else {
				next = running[r]
				r++
			}
			if !yield(next) {
				return
			}
		}
	}
}
