package explain

import (
	"slices"

	"schedmate"
)

// brief does for a job of a long queue what complete does, with a handful of
// questions in which nobody else waits. It names only those ahead that are
// few; else all others step aside.
func brief(a *asker, r *schedmate.Reason) {
	c := r.Change
	c.Alone = true
	fits := a.runs(c)
	if !fits {
		ends := a.others(a.ends)
		c.Release = ends[:a.room(c, ends)]
	}
	if r.Code == 0 {
		r.Code = code(r, fits)
	}
	var ahead []string
	if a.at >= 0 && a.ranked {
		ahead = a.waiting[:a.at:a.at]
	} else {
		ahead = a.others(a.waiting)
	}
	r.Ahead, r.Blockers = len(ahead), ahead[:min(len(ahead), maxNamed)]
	if len(ahead) <= maxNamed {
		named := c
		named.Alone, named.Hold = false, ahead
		if a.runs(named) {
			c = named
		}
	}
	c.Hold, c.Release = slices.Sorted(slices.Values(c.Hold)), slices.Sorted(slices.Values(c.Release))
	r.Change = c
}

// room returns how many of the running jobs must end, the soonest first, for
// the job to run alone. Jobs of one shape mostly need the same number, so the
// last answer for the shape is tried first.
func (a *asker) room(c schedmate.Change, ends []string) int {
	runs := func(n int) bool {
		c.Release = ends[:n]
		return a.runs(c)
	}
	key := shape{a.job.Job.VC, a.job.Job.GPUType, a.job.Job.GPUs}
	if n, known := a.soonest[key]; known && n <= len(ends) && runs(n) {
		return n
	}
	n := least(0, len(ends), runs)
	a.soonest[key] = n
	return n
}
