package admit

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/lease"
)

// derive asks for every job of a snapshot that has a deadline, in the order of
// submission. Where all of the next many can be promised what they would be promised
// alone, asking for one after the other comes to the same, so they are promised
// together: that takes one calendar, and not one for each that has to move others.
func derive(s *schedmate.Snapshot, o Options) Book {
	var jobs []*schedmate.JobStatus
	for _, j := range slices.Concat(s.Running, s.Waiting) {
		if j.Job.SLO.HasDeadline() {
			jobs = append(jobs, j)
		}
	}
	slices.SortStableFunc(jobs, func(x, y *schedmate.JobStatus) int {
		return cmp.Or(cmp.Compare(x.Job.Submit, y.Job.Submit), cmp.Compare(x.Seq, y.Seq))
	})
	if len(jobs) == 0 {
		return Book{}
	}
	q := Book{}.desk(s, jobs, &o)
	many, moved := len(jobs), true
	for len(jobs) > 0 {
		for moved && many > 1 && !o.HoldRunning {
			if many = min(many, len(jobs)); q.together(jobs[:many]) {
				jobs, many = jobs[many:], 2*many
				break
			}
			many /= 2
		}
		if len(jobs) == 0 {
			break
		}
		a := q.take(jobs[0])
		jobs, many, moved = jobs[1:], max(2, many), a.Calendar != nil
	}
	return q.book
}

// together promises jobs that are promised nothing yet what each would be promised
// if it were alone, if that is found possible without a search. Those who would be
// refused alone are refused. Otherwise nothing has changed.
func (q *question) together(jobs []*schedmate.JobStatus) bool {
	var alone []*schedmate.JobStatus
	fresh := make(map[*area][]*Claim)
	b := q.book
	b.promises = slices.Clone(b.promises)
	for _, j := range jobs {
		p, c, at := q.best(j)
		if at == nil {
			alone = append(alone, j)
			continue
		}
		b.promises = append(b.promises, p)
		fresh[at] = append(fresh[at], c)
	}
	type kept struct {
		claims []*Claim
		slots  lease.Calendar
	}
	var all []kept
	for _, at := range q.areas {
		if len(fresh[at]) == 0 {
			continue
		}
		claims := slices.Concat(q.standing(at, schedmate.Strict, ""), q.standing(at, schedmate.Soft, ""), fresh[at])
		t := q.lay(at, claims)
		if q.o.QuotaMilli > 0 && anyOverQuota(t.rooms[0].GPUs, claims, q.o.QuotaMilli) {
			return false
		}
		slots, ok := t.simply(claims)
		if !ok {
			return false
		}
		all = append(all, kept{claims, slots})
	}
	for _, x := range all {
		b = q.keep(b, x.claims, x.slots)
	}
	q.read(b)
	q.quick.forget()
	for _, j := range alone {
		q.take(j)
	}
	return true
}

// best is what a job would be promised if nobody else were: its earliest deadline,
// in the first area, that it can meet; no area: it would be refused.
func (q *question) best(j *schedmate.JobStatus) (Promise, *Claim, *area) {
	class, gpus := j.Job.SLO.Class, q.o.gang(j.Job.GPUs)
	whole, _, known := believed(j, class, q.s.Now, q.o)
	if !known || j.Crashes > q.o.Retries {
		return Promise{}, nil, nil
	}
	work := left(j, whole, q.s.Now) - q.o.owing(j, q.s.Now)
	for _, t := range j.Job.SLO.Tiers {
		for _, at := range places(q.areas, &j.Job) {
			c := q.fresh(j, class, work, t.Deadline, gpus, at)
			if c.Leases <= c.By && c.GPUs <= q.widest(at, c) {
				return q.promise(j, t.Deadline, whole, at), c, at
			}
		}
	}
	return Promise{}, nil, nil
}

// simply is certify without a search: it finds a calendar, or knows nothing.
func (t *table) simply(claims []*Claim) (lease.Calendar, bool) {
	if t.short(claims).gpus > 0 {
		return nil, false
	}
	if slots, ok := t.beside(claims); ok {
		return slots, true
	}
	demands := make([]lease.Demand, len(claims))
	for i, c := range claims {
		demands[i] = c.demand()
	}
	slots, late := lease.LeastLaxity(t.rooms[0].GPUs, nil, demands)
	return slots, len(late) == 0 && t.within(claims, slots)
}

func anyOverQuota(capacity []int, claims []*Claim, milli int) bool {
	var firm []*Claim
	asked := make(map[string]bool)
	for _, c := range claims {
		if c.Class == schedmate.Strict {
			firm, asked[c.Tenant] = append(firm, c), true
		}
	}
	for tenant := range asked { //schedmate:ordered whether there is one has no order
		if overQuota(capacity, firm, tenant, milli).gpus > 0 {
			return true
		}
	}
	return false
}
