package chronus

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/admit"
	"schedmate/scheduler/place"
)

// planner is CHRONUS as the paper has it, with its options:
//
//	recheck   every lease      promises are checked against what is known now
//	promise   on arrival       newcomers are promised their deadlines, or refused
//	round     every lease      leases are granted until the next boundary
//	spot      every cycle      the GPUs without a lease, by the least remaining time
//	fill      at any time      with Rules.AnyTime: what is free, preempting nobody
//
// What it promised travels as the notes of an admit.Book, and with them the last
// job it has looked at.
type planner struct {
	Options
	find place.Func
}

func (p *planner) Name() string { return "chronus" }

// Terms are those on which the promises of its book are given.
func (p *planner) Terms() admit.Options { return p.Rules.Terms }

func (p *planner) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}}
	cycle := s.Now%p.Cycle == 0
	if !cycle && !p.newcomer(&s) && !p.fills(&s) {
		plan.Memory = s.Memory
		plan.Wake = p.wakeAt(&s, &plan, 0)
		return plan
	}
	d := p.open(&s, &plan)
	if s.Now%p.Lease == 0 {
		d.recheck()
		d.promise()
		d.round(b)
	} else {
		d.promise()
	}
	wake := schedmate.Seconds(0)
	if cycle {
		wake = d.spot()
	} else if p.Rules.AnyTime {
		d.fill()
	}
	plan.Memory = d.notes()
	plan.Wake = p.wakeAt(&s, &plan, wake)
	return plan
}

// fills reports whether somebody may get a place although no cycle is due.
func (p *planner) fills(s *schedmate.Snapshot) bool {
	return p.Rules.AnyTime && len(s.Waiting) > 0 && free(s) > 0
}

// wakeAt is when to look again: at the next cycle as long as somebody waits and
// somebody else runs, whose end or turn it may be; or sooner, where a plan asks.
func (p *planner) wakeAt(s *schedmate.Snapshot, plan *schedmate.Plan, sooner schedmate.Seconds) schedmate.Seconds {
	waiting, running := len(s.Waiting), len(s.Running)
	for _, a := range plan.Actions {
		switch a.Kind {
		case schedmate.Start:
			waiting, running = waiting-1, running+1
		case schedmate.Preempt:
			waiting, running = waiting+1, running-1
		}
	}
	next := s.Now - s.Now%p.Cycle + p.Cycle
	switch {
	case waiting == 0 || running == 0 && s.Now%p.Cycle == 0 || next > schedmate.MaxSeconds:
		return 0 // at a cycle that has left nobody running, nobody has a place
	case sooner > s.Now:
		return min(sooner, next)
	}
	return next
}

// table is what is on the planner's table while it plans.
type table struct {
	*planner
	s     *schedmate.Snapshot
	plan  *schedmate.Plan
	book  admit.Book
	jobs  map[string]*schedmate.JobStatus
	fresh []*schedmate.JobStatus // have a deadline and have not been answered
}

// seenNote holds the Seq of the last job that has been looked at.
const seenNote = "seen"

func seen(s *schedmate.Snapshot) int64 {
	for i := range s.Memory {
		if n := &s.Memory[i]; n.Kind == seenNote && len(n.Numbers) == 1 {
			return n.Numbers[0]
		}
	}
	return -1
}

// newcomer reports whether a job with a deadline has come, or come back, since the
// last look.
func (p *planner) newcomer(s *schedmate.Snapshot) bool {
	last := seen(s)
	return slices.ContainsFunc(s.Waiting, func(j *schedmate.JobStatus) bool { return j.Seq > last && j.Job.SLO.HasDeadline() })
}

// open reads the book. A snapshot without one has jobs that nobody has been told
// anything about: all of them are newcomers.
func (p *planner) open(s *schedmate.Snapshot, plan *schedmate.Plan) *table {
	d := &table{planner: p, s: s, plan: plan, jobs: make(map[string]*schedmate.JobStatus, len(s.Running)+len(s.Waiting))}
	if admit.Recorded(s) {
		d.book = admit.Open(s, p.Rules.Terms)
	}
	known := make(map[string]bool)
	for i, all := 0, d.book.Promises(); i < len(all); i++ {
		known[all[i].Job] = true
	}
	for _, list := range [][]*schedmate.JobStatus{s.Running, s.Waiting} {
		for _, j := range list {
			d.jobs[j.Job.ID] = j
			if j.Job.SLO.HasDeadline() && !known[j.Job.ID] && d.book.Closed(j.Job.ID) == "" {
				d.fresh = append(d.fresh, j)
			}
		}
	}
	return d
}

func (d *table) notes() []schedmate.Note {
	last := int64(-1)
	for _, list := range [][]*schedmate.JobStatus{d.s.Running, d.s.Waiting} {
		for _, j := range list {
			last = max(last, j.Seq)
		}
	}
	return append(d.book.Notes(), schedmate.Note{Kind: seenNote, Numbers: []int64{last}})
}
