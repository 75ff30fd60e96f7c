package admit

import (
	"cmp"
	"slices"

	"schedmate"
)

// Promise is what one job has been promised, on what it rests, and the leases that
// the standing calendar has for it.
//
// Invariant: Class is strict (a guarantee) or soft (an expectation); Asked and
// GPUs are positive; Leases are the instants at which its leases begin, ascending,
// all of them on the slots of the book.
type Promise struct {
	Job        string
	Class      schedmate.SLOClass
	Given      schedmate.Seconds
	Deadline   schedmate.Seconds // soft: of its last tier
	Asked      int               // GPUs
	GPUs       int               // Asked, rounded up
	Iterations int64             // that the job had then; 0: unknown
	Work       schedmate.Seconds // the whole work that was believed, on the gang asked for
	Node       string            // a node of the area in which it rests
	Leases     []schedmate.Seconds
}

// Closed is a job that has asked and is promised nothing: refused, or broken.
type Closed struct {
	Job  string
	Code Code
}

// Book is the promises that stand. It is a value: methods return another one.
// The zero Book is empty.
//
// Invariant: promises are in the order in which they were given, one a job; closed
// is sorted by job, and no job is in both.
type Book struct {
	begin    schedmate.Seconds // a slot begins there
	lease    schedmate.Seconds // of the slots; 0: no slot has been laid yet
	promises []Promise
	closed   []Closed
}

// Promises lists what stands, in the order in which it was promised. It is not to
// be changed.
func (b Book) Promises() []Promise { return b.promises }

// Promise returns what the job is promised, or nil.
func (b Book) Promise(job string) *Promise {
	i := slices.IndexFunc(b.promises, func(p Promise) bool { return p.Job == job })
	if i < 0 {
		return nil
	}
	return &b.promises[i]
}

func (b Book) index() map[string]*Promise {
	out := make(map[string]*Promise, len(b.promises))
	for i := range b.promises {
		out[b.promises[i].Job] = &b.promises[i]
	}
	return out
}

// Refused lists the jobs that have asked and are promised nothing, sorted. It is
// not to be changed.
func (b Book) Refused() []Closed { return b.closed }

// Closed returns why a job that has asked is promised nothing, and "" when it has
// not asked or its promise stands.
func (b Book) Closed(job string) Code {
	i, ok := b.findClosed(job)
	if !ok {
		return ""
	}
	return b.closed[i].Code
}

func (b Book) findClosed(job string) (int, bool) {
	return slices.BinarySearchFunc(b.closed, job, func(c Closed, job string) int { return cmp.Compare(c.Job, job) })
}

// Claims lists what the promises of jobs in the snapshot need from slot 1 on, in
// the order in which they were given, and when that slot begins: the mandatory part
// of a plan that keeps them.
func (b Book) Claims(s *schedmate.Snapshot, o Options) ([]Claim, schedmate.Seconds) {
	q := b.against(s, &o, "")
	var out []Claim
	for i := range b.promises {
		if p := &b.promises[i]; q.jobs[p.Job] != nil {
			out = append(out, *q.claim(p))
		}
	}
	return out, q.from
}

// Without returns the book without the job, as if it had never asked: it has
// ended, or was withdrawn. What it was promised is free.
func (b Book) Without(job string) Book {
	b.promises = slices.DeleteFunc(slices.Clone(b.promises), func(p Promise) bool { return p.Job == job })
	b.closed = slices.DeleteFunc(slices.Clone(b.closed), func(c Closed) bool { return c.Job == job })
	return b
}

// close returns the book with the job promised nothing.
func (b Book) close(job string, code Code) Book { return b.Without(job).refuse(job, code) }

// refuse is close for a job that is promised nothing anyway.
func (b Book) refuse(job string, code Code) Book {
	i, asked := b.findClosed(job)
	b.closed = slices.Clone(b.closed)
	if asked {
		b.closed[i].Code = code
	} else {
		b.closed = slices.Insert(b.closed, i, Closed{job, code})
	}
	return b
}

// start is the begin of slot 1, the first that begins at or after now.
func (b Book) start(now schedmate.Seconds, o *Options) schedmate.Seconds {
	begin := now
	switch {
	case o.Aligned:
		begin = 0
	case b.lease == o.Lease && len(b.promises) > 0:
		begin = b.begin
	}
	if late := (now - begin) % o.Lease; late > 0 {
		return now + o.Lease - late
	} else if late < 0 {
		return now - late
	}
	return now
}

// kept turns the leases of a promise into slots, leaving out those that have begun.
func (b Book) kept(p *Promise, from schedmate.Seconds, o *Options) []int {
	var out []int
	if b.lease != o.Lease {
		return nil
	}
	for _, at := range p.Leases {
		if at >= from && (at-from)%o.Lease == 0 && (at-from)/o.Lease < mostSlots {
			out = append(out, int((at-from)/o.Lease)+1)
		}
	}
	return out
}

// underWay reports whether the promise has a lease that has begun before now and
// lasts until from.
func (b Book) underWay(p *Promise, now, from schedmate.Seconds, o *Options) bool {
	return from > now && b.lease == o.Lease && slices.Contains(p.Leases, from-o.Lease)
}
