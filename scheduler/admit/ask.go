package admit

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/lease"
)

// Ask answers the request of a job for its deadline. The job need not be in the
// snapshot; one that is promised something already keeps it if the answer is no.
// The book is believed: recheck it first where the snapshot has changed. Snapshot,
// job and options must be valid.
func (b Book) Ask(s *schedmate.Snapshot, j *schedmate.JobStatus, o Options) Answer {
	q := b.against(s, &o, j.Job.ID)
	a := q.enter(j, q.answer(j))
	if !a.Admitted {
		a.Offers = q.offers(j, &a)
	}
	a.Steps = q.used
	return a
}

// answer answers without offers, and enters nothing in the book.
func (q *question) answer(j *schedmate.JobStatus) Answer {
	a := Answer{Job: j.Job.ID, Class: j.Job.SLO.Class, Asked: j.Job.GPUs, GPUs: q.o.gang(j.Job.GPUs), Book: q.book}
	if !j.Job.SLO.HasDeadline() {
		return q.bestEffort(j, a)
	}
	a.Deadline = lastDeadline(j)
	a.By = q.o.slots(q.from, a.Deadline)
	whole, basis, known := believed(j, a.Class, q.s.Now, q.o)
	if !known {
		return q.refuse(a, NoEstimate)
	}
	a.Work, a.Basis = left(j, whole, q.s.Now)-q.o.owing(j, q.s.Now), basis
	a.Leases = q.o.leases(a.Work)
	if j.Crashes > q.o.Retries {
		return q.refuse(a, Crashed)
	}
	if a.Class == schedmate.Strict {
		return q.by(j, a, whole, 0)
	}
	tiers := j.Job.SLO.Tiers
	last := q.by(j, a, whole, len(tiers)-1)
	for i := range tiers[:len(tiers)-1] {
		if !last.Admitted {
			break
		}
		if first := q.by(j, a, whole, i); first.Admitted {
			return first
		}
	}
	return last
}

// by answers for one tier, in the first area that holds the claim; else it tells
// of the area that is least short.
func (q *question) by(j *schedmate.JobStatus, a Answer, whole schedmate.Seconds, tier int) Answer {
	a.Tier, a.Deadline = tier, j.Job.SLO.Tiers[tier].Deadline
	a.By = q.o.slots(q.from, a.Deadline)
	best := q.shortOf(a, TooWide, shortage{a.By, a.GPUs, a.GPUs})
	for i, at := range places(q.areas, &j.Job) {
		in := q.in(at, j, a, whole)
		if in.Admitted {
			return in
		}
		if i == 0 || nearer(&in, &best) {
			best = in
		}
	}
	return best
}

// refusals in the order in which they are far from a yes.
var refusals = []Code{Unproven, NoCalendar, Short, OverQuota, TooLong, TooWide}

func nearer(x, y *Answer) bool {
	return cmp.Or(cmp.Compare(slices.Index(refusals, x.Code), slices.Index(refusals, y.Code)), cmp.Compare(x.ShortBy, y.ShortBy)) < 0
}

// in answers for one area.
func (q *question) in(at *area, j *schedmate.JobStatus, a Answer, whole schedmate.Seconds) Answer {
	c := q.fresh(j, a.Class, a.Work, a.Deadline, a.GPUs, at)
	if old := q.given[c.Job]; old != nil && q.areaOf(old) == at {
		c.kept = q.book.kept(old, q.from, q.o)
	}
	quota := a.Class == schedmate.Strict && q.o.QuotaMilli > 0
	if slots, ok := q.quick.fit(q, at, c); ok && !quota {
		return a.grantedBeside(at, whole, c, slots)
	}
	switch wide := q.widest(at, c); {
	case c.GPUs > wide:
		return q.shortOf(a, TooWide, shortage{c.By, c.GPUs - wide, c.GPUs})
	case c.Leases > c.By:
		return q.shortOf(a, TooLong, shortage{c.By, c.GPUs * (c.Leases - c.By), c.GPUs * c.Leases})
	}
	claims := q.standing(at, schedmate.Strict, c.Job)
	if a.Class == schedmate.Soft {
		claims = append(claims, q.standing(at, schedmate.Soft, c.Job)...)
	}
	claims = append(claims, c)
	t := q.lay(at, claims)
	if quota {
		if short := overQuota(t.rooms[0].GPUs, claims, c.Tenant, q.o.QuotaMilli); short.gpus > 0 {
			return q.shortOf(a, OverQuota, short)
		}
		if slots, ok := q.quick.fit(q, at, c); ok {
			return a.grantedBeside(at, whole, c, slots)
		}
	}
	out := t.certify(claims)
	q.used += out.steps
	if out.code != Guaranteed {
		return q.shortOf(a, out.code, out.short)
	}
	return a.granted(&grant{at: at, whole: whole, claims: claims, table: t, slots: out.slots})
}

func (a Answer) grantedBeside(at *area, whole schedmate.Seconds, c *Claim, slots []int) Answer {
	return a.granted(&grant{at: at, whole: whole, claims: []*Claim{c}, slots: lease.Calendar{slots}, beside: true})
}

func (a Answer) granted(g *grant) Answer {
	a.Admitted, a.Code, a.grant = true, Guaranteed, g
	if a.Class == schedmate.Soft {
		a.Code = Expected
	}
	return a
}

// widest is the largest gang that an area can ever promise to a claim.
func (q *question) widest(at *area, c *Claim) int {
	all := at.capacity(1, 1, nil)[0] * (1000 - q.o.ReserveMilli) / 1000
	all = min(all, at.capacity(c.Cell, 1, nil)[0])
	if c.VC != "" {
		limit, _ := at.limit(&q.s.Cluster, c.VC)
		return min(all, limit)
	}
	return all
}

// overQuota is the first slot until which the claims of a tenant take more than
// its share of the area: the prefix test with a part of the capacity. As there, a
// claim needs one lease more with each of the last slots before its deadline.
func overQuota(capacity []int, claims []*Claim, tenant string, milli int) shortage {
	need := 0
	more := make([]int, len(capacity)+1) // differences of what each slot adds to the need
	for _, c := range claims {
		if d := c.demand(); c.Tenant == tenant {
			last, inside := d.Window(len(capacity)), d.Inside(len(capacity))
			need += c.GPUs * max(0, inside-last) // more than can be
			more[max(0, last-inside)] += c.GPUs
			more[last] -= c.GPUs
		}
	}
	all, adds := 0, 0
	for k := range capacity {
		all += capacity[k]
		adds += more[k]
		need += adds
		if share := all * milli / 1000; need > share {
			return shortage{k + 1, need - share, need}
		}
	}
	return shortage{}
}

// enter writes an answer into the book.
func (q *question) enter(j *schedmate.JobStatus, a Answer) Answer {
	g := a.grant
	if g == nil {
		if !a.Admitted && q.given[a.Job] == nil {
			a.Book = a.Book.refuse(a.Job, a.Code)
		}
		return a
	}
	a.grant = nil
	p := q.promise(j, a.Deadline, g.whole, g.at)
	if g.beside {
		q.join(p, g)
		a.Book = q.book
		return a
	}
	b := q.book.Without(a.Job)
	b.promises = append(b.promises, p)
	q.quick.forget()
	a.Calendar = q.calendar(g)
	soft := q.standing(g.at, schedmate.Soft, a.Job)
	if a.Class != schedmate.Strict || len(soft) == 0 {
		a.Book = q.keep(b, g.claims, g.slots)
		return a
	}
	e := q.expect(g.at, g.claims, g.slots, soft)
	for _, c := range e.lapsed {
		b = b.close(c.Job, Overruled)
		a.Displaced = append(a.Displaced, Displaced{Job: c.Job})
	}
	a.Displaced = append(a.Displaced, e.later...)
	a.Book = q.keep(b.postpone(e.later), e.stay, e.slots)
	return a
}

// promise is what a job is promised before its leases are known.
func (q *question) promise(j *schedmate.JobStatus, deadline, whole schedmate.Seconds, at *area) Promise {
	return Promise{
		Job: j.Job.ID, Class: j.Job.SLO.Class, Given: q.s.Now, Deadline: deadline,
		Asked: j.Job.GPUs, GPUs: q.o.gang(j.Job.GPUs), Iterations: j.Job.Iterations, Work: whole, Node: at.name,
	}
}

func (q *question) refuse(a Answer, code Code) Answer {
	a.Admitted, a.Code = false, code
	return a
}

// shortOf refuses and says where and by how much it does not fit.
func (q *question) shortOf(a Answer, code Code, short shortage) Answer {
	a = q.refuse(a, code)
	a.Binding, a.ShortBy, a.Needed = short.slot, short.gpus, short.needed
	if short.gpus > 0 {
		a.Until = q.from + schedmate.Seconds(short.slot)*q.o.Lease
	}
	return a
}

// bestEffort takes what the cluster can ever hold, and promises nothing.
func (q *question) bestEffort(j *schedmate.JobStatus, a Answer) Answer {
	if a.Asked > q.most(&j.Job) {
		return q.refuse(a, TooWide)
	}
	a.Admitted, a.Code = true, NoDeadline
	a.Book = a.Book.Without(a.Job)
	return a
}

// most is the largest gang that a job could ever have, on the empty and healthy
// cluster, within its VC's quota.
func (q *question) most(j *schedmate.Job) int {
	own, shared := 0, 0
	for i := range q.s.Cluster.Nodes {
		switch n := &q.s.Cluster.Nodes[i]; {
		case n.VC != "" && n.VC != j.VC || j.GPUType != "" && j.GPUType != n.GPUType:
		case n.VC == "":
			shared += n.GPUs
		default:
			own += n.GPUs
		}
	}
	if v := q.s.Cluster.VC(j.VC); v != nil && v.QuotaGPUs > 0 {
		shared = min(shared, v.QuotaGPUs)
	}
	return own + shared
}
