package dispatch

import (
	"fmt"

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

// Merge joins two ordered lists into one; before(w, r) says whether the waiting
// job w goes ahead of the running job r.
func Merge(waiting, running []*schedmate.JobStatus, before func(w, r *schedmate.JobStatus) bool) []*schedmate.JobStatus {
	out := make([]*schedmate.JobStatus, 0, len(waiting)+len(running))
	for len(waiting) > 0 && len(running) > 0 {
		if before(waiting[0], running[0]) {
			out, waiting = append(out, waiting[0]), waiting[1:]
		} else {
			out, running = append(out, running[0]), running[1:]
		}
	}
	return append(append(out, waiting...), running...)
}
