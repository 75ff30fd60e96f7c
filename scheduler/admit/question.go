package admit

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/cells"
)

// question is a book held against a snapshot: the claims that stand now.
type question struct {
	book  Book
	s     *schedmate.Snapshot
	o     *Options
	from  schedmate.Seconds // begin of slot 1
	areas []*area
	jobs  map[string]*schedmate.JobStatus
	given map[string]*Promise // of the book
	needs map[*area][]*Claim  // of the promises, in their order; nil until somebody asks
	asked string              // the job that is asked about; "" when it is the book
	quick *desk               // of Take; nil: every answer is certified anew
	own   bool                // the list of the book's promises was made here
	holds held
	used  int64 // steps of searches
}

func (b Book) against(s *schedmate.Snapshot, o *Options, asked string) *question {
	q := &question{s: s, asked: asked, o: o, from: b.start(s.Now, o), areas: areas(&s.Cluster), jobs: make(map[string]*schedmate.JobStatus)}
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} {
		for _, j := range list {
			q.jobs[j.Job.ID] = j
		}
	}
	q.read(b)
	return q
}

// read takes a book up.
func (q *question) read(b Book) {
	q.book, q.given, q.needs = b, b.index(), nil
	q.hold()
}

// hold finds out who keeps GPUs without a promise; the job that asks is not among
// them.
func (q *question) hold() {
	q.holds = holds(q.s, q.from, func(job string) bool { return job == q.asked || q.given[job] != nil }, q.o)
}

// areaOf returns the area of a promise, or nil when its node is gone.
func (q *question) areaOf(p *Promise) *area {
	n := q.s.Cluster.Node(p.Node)
	if n == nil {
		return nil
	}
	return q.areas[slices.IndexFunc(q.areas, func(a *area) bool { return a.of(n) })]
}

// gang is the GPUs that a gang is planned with.
func (o *Options) gang(gpus int) int {
	if o.RoundUp {
		return cells.RoundUp(gpus)
	}
	return gpus
}

// claim is what a promise needs from now on.
func (q *question) claim(p *Promise) *Claim {
	j := q.jobs[p.Job]
	whole := p.Work
	if w, basis, ok := believed(j, p.Class, q.s.Now, q.o); ok && basis != Limit {
		whole = w
	}
	work := left(j, whole, q.s.Now)
	if j.Attempt != nil && q.book.underWay(p, q.s.Now, q.from, q.o) {
		work -= q.from - q.s.Now // it works until its lease is over
	} else {
		work -= q.o.owing(j, q.s.Now)
	}
	c := q.fresh(j, p.Class, work, p.Deadline, p.GPUs, q.areaOf(p))
	c.kept = q.book.kept(p, q.from, q.o)
	return c
}

// fresh is the claim of a job on an area for that much work by the deadline.
func (q *question) fresh(j *schedmate.JobStatus, class schedmate.SLOClass, work, deadline schedmate.Seconds, gpus int, a *area) *Claim {
	c := &Claim{
		Job: j.Job.ID, Class: class, Tenant: tenant(&j.Job),
		GPUs: gpus, Cell: 1, Leases: q.o.leases(work), By: q.o.slots(q.from, deadline),
	}
	if a != nil {
		c.Cell = a.cell(gpus, q.o)
		if _, ok := a.limit(&q.s.Cluster, j.Job.VC); ok {
			c.VC = j.Job.VC
		}
	}
	return c
}

// standing lists the claims on an area of one class, in the order in which they
// were promised, but that of one job.
func (q *question) standing(a *area, class schedmate.SLOClass, but string) []*Claim {
	if q.needs == nil {
		q.needs = make(map[*area][]*Claim)
		for i := range q.book.promises {
			if p := &q.book.promises[i]; q.jobs[p.Job] != nil {
				at := q.areaOf(p)
				q.needs[at] = append(q.needs[at], q.claim(p))
			}
		}
	}
	var out []*Claim
	for _, c := range q.needs[a] {
		if c.Class == class && c.Job != but {
			out = append(out, c)
		}
	}
	return out
}

// certify looks for a calendar of an area that holds all claims.
func (q *question) certify(a *area, claims []*Claim) (outcome, *table) {
	t := q.lay(a, claims)
	out := t.certify(claims)
	q.used += out.steps
	return out, t
}

// keep writes a calendar into promises: those of claims get the slots that they
// have in it.
func (q *question) keep(b Book, claims []*Claim, slots [][]int) Book {
	b.promises = slices.Clone(b.promises)
	if b.lease != q.o.Lease {
		for i := range b.promises {
			b.promises[i].Leases = nil // of other slots
		}
	}
	now := b.index()
	for i, c := range claims {
		p := now[c.Job]
		p.Leases = make([]schedmate.Seconds, 0, len(slots[i])+1)
		if old := q.given[c.Job]; old != nil && q.book.underWay(old, q.s.Now, q.from, q.o) {
			p.Leases = append(p.Leases, q.from-q.o.Lease)
		}
		for _, k := range slots[i] {
			p.Leases = append(p.Leases, q.from+schedmate.Seconds(k-1)*q.o.Lease)
		}
	}
	b.begin, b.lease = q.from, q.o.Lease
	return b
}
