package sim

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// gpu names one GPU of the cluster.
type gpu struct {
	node  string
	index int
}

// tenants are the jobs on a GPU that lets several in, in the order in which they
// started, and since when there is one.
type tenants struct {
	since schedmate.Seconds
	jobs  []*record
}

// shares reports whether the attempt leaves room on its GPUs for others.
func shares(as []schedmate.Allocation) bool { return as[0].Share < schedmate.WholeGPU }

// refuseShares names the first start of a plan that leaves room for others in a
// world that cannot count the work of jobs that share.
func (e *engine) refuseShares(plan *schedmate.Plan) error {
	w := &e.cfg.World
	if w.Rounds == nil && w.Cycle == 0 && !w.OmitRestarts {
		return nil
	}
	for i := range plan.Actions {
		if a := &plan.Actions[i]; len(a.Allocations) > 0 && shares(a.Allocations) {
			return fmt.Errorf("job %s is given %d thousandths of its GPUs, but a host with rounds, cycle_s or omit_restarts has no shared GPUs", a.Job, a.Allocations[0].Share)
		}
	}
	return nil
}

// join lets an attempt begin beside those that hold the rest of its GPUs, and
// reckons the ends of all.
func (e *engine) join(r *record) {
	until := r.work
	if r.stop != nil {
		until = r.stop.At
	}
	r.count = newCount(&r.status, until, e.now, e.cfg.World.Sharing.Binary64)
	for _, a := range r.status.Attempt.Allocations {
		g := gpu{a.Node, a.GPU}
		t := e.tenants[g]
		if t == nil {
			t = &tenants{since: e.now}
			e.tenants[g] = t
		}
		t.jobs = append(t.jobs, r)
	}
	mates := e.mates(r)
	for _, m := range mates {
		p := Pack{Host: m.job.ID, Guest: r.job.ID, At: e.now, Until: NoTime}
		p.GuestSpeed, p.HostSpeed, p.Measured = e.beside(r, m)
		m.packs = append(m.packs, len(e.res.Packs))
		r.packs = append(r.packs, len(e.res.Packs))
		e.res.Packs = append(e.res.Packs, p)
		e.retime(m)
	}
	r.count.turn(e.speedOf(r))
	e.expect(r)
}

// part takes a job that leaves from those that share its GPUs.
func (e *engine) part(r *record) {
	mates := e.mates(r)
	first := true // of all on its GPUs
	for _, a := range r.status.Attempt.Allocations {
		g := gpu{a.Node, a.GPU}
		t := e.tenants[g]
		first = first && t.jobs[0] == r
		t.jobs = slices.DeleteFunc(t.jobs, func(o *record) bool { return o == r })
		if len(t.jobs) == 0 {
			e.res.HeldGPUSeconds += int64(e.now - t.since)
			delete(e.tenants, g)
		}
	}
	for _, k := range r.packs {
		if p := &e.res.Packs[k]; p.Until == NoTime {
			p.Until = e.now
		}
	}
	r.packs = nil
	if first && e.cfg.World.Sharing.GuestKeeps {
		return
	}
	for _, m := range mates {
		e.retime(m)
	}
}

// mates lists who shares a GPU with the job, in the order in which they started.
func (e *engine) mates(r *record) []*record {
	var mates []*record
	for _, a := range r.status.Attempt.Allocations {
		for _, o := range e.tenants[gpu{a.Node, a.GPU}].jobs {
			if o != r && !slices.Contains(mates, o) {
				mates = append(mates, o)
			}
		}
	}
	slices.SortFunc(mates, func(a, b *record) int { return cmp.Compare(a.status.Seq, b.status.Seq) })
	return mates
}

// retime gives a running job the speed that it has beside its mates of now. One
// that ends at this very instant is let go.
func (e *engine) retime(r *record) {
	if r.due <= e.now {
		return
	}
	r.count.settle(e.now)
	r.count.turn(e.speedOf(r))
	e.expect(r)
}

// expect puts the end of a settled job into the queue instead of the one before.
func (e *engine) expect(r *record) {
	r.turn++
	r.due = e.now + r.count.due() + e.cfg.World.EndLag
	e.ends.push(end{at: r.due, due: r.due, seq: r.status.Seq, turn: r.turn, record: r, stop: r.stop})
}

// speedOf is the speed of a gang: that on its slowest GPU. Beside several jobs
// the speeds beside each are multiplied, which nobody has measured; it holds if
// each takes its part of what the others leave.
func (e *engine) speedOf(r *record) int {
	slowest := 0
	for i, a := range r.status.Attempt.Allocations {
		speed := scheduler.AloneSpeed
		for _, o := range e.tenants[gpu{a.Node, a.GPU}].jobs {
			switch {
			case o == r:
				continue
			case o.status.Seq < r.status.Seq:
				mine, _, _ := e.beside(r, o)
				speed = max(1, speed*mine/scheduler.AloneSpeed)
			default:
				_, mine, _ := e.beside(o, r)
				speed = max(1, speed*mine/scheduler.AloneSpeed)
			}
		}
		if i == 0 || speed < slowest {
			slowest = speed
		}
	}
	return slowest
}

// beside returns the speeds of two jobs on one GPU, and whether they have been
// measured.
func (e *engine) beside(guest, host *record) (g, h int, measured bool) {
	s := &e.cfg.World.Sharing
	for _, m := range s.Unaffected {
		if guest.job.Workload.Model == m || host.job.Workload.Model == m {
			return scheduler.AloneSpeed, scheduler.AloneSpeed, false
		}
	}
	if g, h, ok := e.load.Pairs.Beside(guest.job.Workload, host.job.Workload); ok {
		return g, h, true
	}
	other := s.Unmeasured
	if other == 0 {
		other = scheduler.UnmeasuredSpeed
	}
	return other, other, false
}

// tellShared writes into the statuses of jobs whose speed has changed what is
// done and owed, so that their sum is right at now although policies reckon with
// one second a second: all the attempt's time so far is booked as owed.
func (e *engine) tellShared(p *part) {
	if len(e.tenants) == 0 {
		return
	}
	for _, s := range p.running {
		c := e.live[s.Job.ID].count
		if c == nil || !c.uneven {
			continue
		}
		c.settle(e.now)
		done, owed := c.book()
		s.Done, s.Owed = done, s.Elapsed(e.now)+owed
	}
}
