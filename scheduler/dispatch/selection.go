package dispatch

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"schedmate"
)

// Selection names how a preemptive policy chooses who runs.
type Selection string

const (
	ByPlace Selection = "displace" // see Displace
	ByCount Selection = "counted"  // see Counted
	ByBatch Selection = "batch"    // see Batch
)

// OneOf reports a value that is none of those that a policy knows.
func (s Selection) OneOf(known ...Selection) error {
	if slices.Contains(known, s) {
		return nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return fmt.Errorf("unknown selection %q: use one of %s", s, strings.Join(names, ", "))
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
