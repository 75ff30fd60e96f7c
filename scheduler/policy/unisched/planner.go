package unisched

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
)

// planner is UniSched:
//
//	round     every lease       which deadlines are kept, and who has a lease
//	measure   every spot lease  profiling runs end and begin
//	spot      every spot lease  the GPUs without a lease
//	fill      at any time       with Rules.AnyTime: what is free, and newcomers that
//	                            cannot wait
//
// What it chose, told and measured travels in the notes of its plans.
type planner struct{ Options }

func (p *planner) Name() string { return "unisched" }

func (p *planner) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}}
	boundary := s.Now%p.Spot == 0
	if !boundary && (!p.Rules.AnyTime || len(s.Waiting) == 0) {
		plan.Memory, plan.Wake = s.Memory, p.wakeAt(&s, &plan, false)
		return plan
	}
	t := p.open(&s, &plan)
	defer t.close()
	if boundary {
		t.setAside()
	}
	if s.Now%p.Lease == 0 {
		t.round(b)
	}
	t.order()
	urgent := slices.ContainsFunc(t.queue, func(c candidate) bool { return c.class == granted })
	if boundary || urgent || dispatch.FreeGPUs(t.o) > 0 {
		t.carryOut(t.choose())
	}
	plan.Memory = t.notes()
	plan.Wake = p.wakeAt(&s, &plan, t.measures())
	return plan
}

// wakeAt is when to look again: at the next boundary, as long as somebody waits
// who may get a place then, or is measured; at the next round, as long as a job
// with a deadline is there.
func (p *planner) wakeAt(s *schedmate.Snapshot, plan *schedmate.Plan, measures bool) schedmate.Seconds {
	waiting, running := len(s.Waiting), len(s.Running)
	for _, a := range plan.Actions {
		switch a.Kind {
		case schedmate.Start:
			waiting, running = waiting-1, running+1
		case schedmate.Preempt:
			waiting, running = waiting+1, running-1
		}
	}
	next := s.Now - s.Now%p.Spot + p.Spot
	due := func(j *schedmate.JobStatus) bool { return j.Job.SLO.HasDeadline() }
	if waiting == 0 && (slices.ContainsFunc(s.Running, due) || slices.ContainsFunc(s.Waiting, due)) {
		if next = s.Now - s.Now%p.Lease + p.Lease; next > schedmate.MaxSeconds {
			return 0
		}
		return next // to tell who began since the last round, and whose deadline has come out of reach
	}
	if waiting == 0 || next > schedmate.MaxSeconds || running == 0 && !measures && s.Now%p.Lease == 0 {
		return 0 // a boundary that has left nobody running has no place for who waits
	}
	return next
}

// table is what is on the planner's table while it plans.
type table struct {
	*planner
	s     *schedmate.Snapshot
	plan  *schedmate.Plan
	o     *schedmate.Occupancy
	mark  int
	total int                    // GPUs that can be planned with
	all   []*schedmate.JobStatus // running ones first, each by Seq
	book  map[string]*entry
	queue []candidate // who could hold GPUs until the next boundary, the most deserving first

	leases map[string]bool // who gets a lease in this round
	picked map[string]bool // whom the program has given a spot lease that begins now

	aside int                    // GPUs that go to measurements, or idle
	next  []*schedmate.JobStatus // who is measured next on them
}

// open lays out what is known. GPUs on which jobs are measured are taken in the
// occupancy until close.
func (p *planner) open(s *schedmate.Snapshot, plan *schedmate.Plan) *table {
	n := len(s.Running) + len(s.Waiting)
	t := &table{planner: p, s: s, plan: plan, o: s.Occupancy(), all: make([]*schedmate.JobStatus, 0, n), book: make(map[string]*entry, n)}
	t.mark = t.o.Mark()
	entries := make([]entry, n)
	t.all = append(append(t.all, bySeq(s.Running)...), bySeq(s.Waiting)...)
	for i, j := range t.all {
		t.book[j.Job.ID] = &entries[i]
	}
	t.read()
	for i := range s.Cluster.Nodes {
		if s.Cluster.Nodes[i].Takes() {
			t.total += s.Cluster.Nodes[i].GPUs
		}
	}
	for _, j := range t.all {
		if e := t.book[j.Job.ID]; j.Attempt == nil && e.measured > s.Now {
			t.hold(j, e)
		}
	}
	return t
}

// bySeq returns the jobs in the order of Seq; it may be the list itself.
func bySeq(jobs []*schedmate.JobStatus) []*schedmate.JobStatus {
	order := func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Seq, b.Seq) }
	if slices.IsSortedFunc(jobs, order) {
		return jobs
	}
	return slices.SortedFunc(slices.Values(jobs), order)
}

func (t *table) close() { t.o.Rollback(t.mark) }

// movable reports whether a running job may be taken off its GPUs.
func (t *table) movable(j *schedmate.JobStatus) bool { return dispatch.Movable(t.s, j) }

// knows reports whether the run time of a job may be planned with: there is an
// estimate, and the job has been measured if it must be.
func (t *table) knows(j *schedmate.JobStatus) bool {
	return !t.unmeasured(j) && j.Fact(schedmate.RunSeconds, t.s.Now) != nil
}

// left is the work that is planned for a job, restart work included. A job that is
// there is not done, whatever its estimate says.
func (t *table) left(j *schedmate.JobStatus) schedmate.Seconds {
	f := j.Fact(schedmate.RunSeconds, t.s.Now)
	whole := schedmate.Seconds(f.Value)
	if t.Estimates == Upper && j.Job.SLO.Class == schedmate.Strict {
		whole = schedmate.Seconds(f.High)
	}
	unpaid := max(0, j.Owed-j.Elapsed(t.s.Now))
	worked := j.Done + max(0, j.Elapsed(t.s.Now)-j.Owed)
	return unpaid + max(1, whole-worked)
}

// planned is the number of GPUs that a gang is planned with.
func (t *table) planned(j *schedmate.JobStatus) int {
	if t.Cells {
		return j.Job.GPUs
	}
	return min(roundUp(j.Job.GPUs), max(t.total, j.Job.GPUs))
}

// leased reports whether the job has a lease that has not ended.
func (t *table) leased(j *schedmate.JobStatus) bool { return t.book[j.Job.ID].until > t.s.Now }

// tiers lists the deadlines of a job that are still ahead.
func (t *table) tiers(j *schedmate.JobStatus) []schedmate.Tier {
	tiers := j.Job.SLO.Tiers
	i := slices.IndexFunc(tiers, func(x schedmate.Tier) bool { return x.Deadline > t.s.Now })
	if i < 0 {
		return nil
	}
	return tiers[i:]
}
