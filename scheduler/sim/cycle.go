package sim

import "schedmate"

// counted returns since when a job that starts now counts as running, and makes
// it owe what a start costs in a world that counts in cycles. Everywhere else a
// job runs from now on, and has paid for its restart when it was preempted.
func (e *engine) counted(r *record, a *schedmate.Action) schedmate.Seconds {
	cycle := e.cfg.World.Cycle
	if cycle == 0 {
		return e.now
	}
	ahead := e.now % cycle
	if ahead == 0 {
		r.status.Owed += e.cfg.World.Restart(r.status.Job.GPUs)
		if a.Lease > 0 {
			ahead = cycle
		}
	}
	return max(r.since, e.now-ahead)
}
