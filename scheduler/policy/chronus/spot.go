package chronus

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
)

// spot gives away the GPUs: to the leases of the slot first, and then, by the least
// remaining time, to everybody else: best effort, refused, and promised jobs that
// have no lease now. Whoever has none gives way. It returns when it wants to look
// again, 0 for the next cycle.
func (d *table) spot() schedmate.Seconds {
	rank := d.ranks()
	o := d.s.Occupancy()
	actions, again := dispatch.Displace(d.spotView(o, rank), rank.of, d.find, func(w, v *schedmate.JobStatus) bool {
		first, second := rank.of(w, d.s.Now).Key, rank.of(v, d.s.Now).Key
		return rank.leased[w.Job.ID] || first < scheduler.Unknown && first+int64(d.Rules.Margin) < second
	})
	if d.missing(rank, actions) {
		actions, again = d.repack(rank), 0
	}
	d.act(rank, actions)
	if !d.Rules.AnyTime {
		return 0
	}
	return again
}

// fill gives what is free to whoever waits, preempting nobody.
func (d *table) fill() {
	rank := d.ranks()
	queue := scheduler.Sorted(d.candidates(rank), d.s.Now, rank.of)
	d.act(rank, dispatch.InOrder(d.s, queue, d.find, dispatch.Skip))
}

// act appends actions to the plan. Those that start under a lease carry it.
func (d *table) act(rank *ranks, actions []schedmate.Action) {
	for i := range actions {
		if a := &actions[i]; a.Kind == schedmate.Start && rank.leased[a.Job] {
			a.Lease = d.s.Now - d.s.Now%d.Lease + d.Lease
		}
	}
	d.plan.Actions = append(d.plan.Actions, actions...)
}

// ranks is the order of Spot.
type ranks struct {
	leased, promised map[string]bool
	behind           bool // promised jobs come after all others
	ageMilli         int64
}

func (d *table) ranks() *ranks {
	r := &ranks{leased: make(map[string]bool), promised: make(map[string]bool), behind: d.Rules.PromisedInSpot == Behind, ageMilli: int64(d.Rules.AgeMilli)}
	for i, all := 0, d.book.Promises(); i < len(all); i++ {
		r.promised[all[i].Job] = true
		if d.leased(&all[i]) {
			r.leased[all[i].Job] = true
		}
	}
	return r
}

// leaseKey comes before all remaining times.
const leaseKey = -1 << 60

// behindKey comes after all remaining times.
const behindKey = 1 << 58

// of ranks leases before all, the largest first, so that gangs find places; then by
// the time that is left, and whose is not known last. Best-effort jobs age.
func (r *ranks) of(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	if r.leased[j.Job.ID] {
		return scheduler.Rank{Key: leaseKey - int64(j.Job.GPUs)}
	}
	left, known := j.Remaining(now)
	if !known {
		return scheduler.Rank{Key: scheduler.Unknown, Tie: int64(j.Job.Submit)}
	}
	key := int64(left)
	if r.behind && r.promised[j.Job.ID] {
		key += behindKey
	}
	if !j.Job.SLO.HasDeadline() {
		idle := int64(now - j.Job.Submit - j.Held - j.Elapsed(now))
		key -= max(0, idle) * r.ageMilli / 1000
	}
	return scheduler.Rank{Key: key}
}

// worth is how long a promised job must run before it gives way. Saving and
// restoring it must cost less than it has done meanwhile, or its promise would need
// more leases than it has; twice the cost also covers what it owed before.
func (d *table) worth() schedmate.Seconds { return 2 * d.Rules.Terms.Resume }

// candidates are those who wait and may start now: not a promised job without a
// lease for which the next boundary is too near to be worth it.
func (d *table) candidates(rank *ranks) []*schedmate.JobStatus {
	near := d.Lease-d.s.Now%d.Lease < d.worth()
	return slices.DeleteFunc(slices.Clone(d.s.Waiting), func(j *schedmate.JobStatus) bool {
		return near && rank.promised[j.Job.ID] && !rank.leased[j.Job.ID]
	})
}

// spotView is the snapshot without those who keep what they have: the jobs that run
// under a lease, and within a slot the promised ones that have not run for long
// enough. Their GPUs stay taken in the occupancy.
func (d *table) spotView(o *schedmate.Occupancy, rank *ranks) *schedmate.Snapshot {
	v := *d.s
	v.Waiting = d.candidates(rank)
	v.Running = slices.DeleteFunc(slices.Clone(d.s.Running), func(j *schedmate.JobStatus) bool {
		young := d.s.Now%d.Lease != 0 && rank.promised[j.Job.ID] && j.Elapsed(d.s.Now) < d.worth()
		return young || rank.leased[j.Job.ID]
	})
	v = v.WithHost(o, false)
	return &v
}

// missing reports whether a lease has found no place.
func (d *table) missing(rank *ranks, actions []schedmate.Action) bool {
	started := make(map[string]bool, len(actions))
	for i := range actions {
		started[actions[i].Job] = actions[i].Kind == schedmate.Start
	}
	return slices.ContainsFunc(d.s.Waiting, func(j *schedmate.JobStatus) bool { return rank.leased[j.Job.ID] && !started[j.Job.ID] })
}

// repack finds places for all leases anew, the largest gang first: as rounded gangs
// on whole cells they always fit then, whatever stood where before. Of the others
// who run, those stay whose GPUs nobody has taken.
func (d *table) repack(rank *ranks) []schedmate.Action {
	o := d.s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	var leases, rest, kept []*schedmate.JobStatus
	taken := make(map[schedmate.Allocation]bool)
	for _, list := range [][]*schedmate.JobStatus{d.s.Running, d.s.Waiting} {
		for _, j := range list {
			if j.Attempt != nil && !dispatch.Movable(d.s, j) {
				continue
			}
			if j.Attempt != nil {
				o.Release(&j.Job, j.Attempt.Allocations)
			}
			if rank.leased[j.Job.ID] {
				leases = append(leases, j)
			} else {
				rest = append(rest, j)
			}
		}
	}
	actions, starts := []schedmate.Action{}, []schedmate.Action{}
	take := func(j *schedmate.JobStatus, as []schedmate.Allocation) {
		o.Take(&j.Job, as)
		for _, a := range as {
			taken[a] = true
		}
	}
	begin := func(j *schedmate.JobStatus, as []schedmate.Allocation) {
		take(j, as)
		starts = append(starts, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as})
	}
	for _, j := range scheduler.Sorted(leases, d.s.Now, rank.of) { // the largest first
		as := d.find(o, &j.Job)
		switch {
		case as != nil && j.Attempt != nil && slices.Equal(as, j.Attempt.Allocations):
			take(j, as)
			continue
		case j.Attempt != nil:
			actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
		}
		if as != nil {
			begin(j, as)
		}
	}
	for _, j := range scheduler.Sorted(rest, d.s.Now, rank.of) {
		if j.Attempt != nil && !slices.ContainsFunc(j.Attempt.Allocations, func(a schedmate.Allocation) bool { return taken[a] }) {
			o.Take(&j.Job, j.Attempt.Allocations)
			kept = append(kept, j)
		}
	}
	for _, j := range scheduler.Sorted(rest, d.s.Now, rank.of) {
		if slices.Contains(kept, j) {
			continue
		}
		if j.Attempt != nil {
			actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
		}
		if as := d.find(o, &j.Job); as != nil {
			begin(j, as)
		}
	}
	return append(actions, starts...)
}
