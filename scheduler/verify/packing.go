package verify

import (
	"slices"

	"schedmate"
)

// packing judges the form of what an action says about sharing GPUs: whom a start
// joins, and from whom a preemption takes a job away. Whether they share any, the
// books know: see joins and parts.
func (l *Ledger) packing(a *schedmate.Action) {
	if p := a.Packed; p != nil {
		err := p.Validate("packed")
		switch {
		case a.Kind != schedmate.Start:
			l.refuse(Form, a.Job, "a %s says beside whom it is, which only a start does", a.Kind)
		case err != nil:
			l.refuse(Form, a.Job, "%v", err)
		case p.Beside == a.Job:
			l.refuse(Form, a.Job, "is started beside itself")
		}
	}
	if u := a.Undo; u != nil {
		err := u.Validate("undo")
		switch {
		case a.Kind != schedmate.Preempt:
			l.refuse(Form, a.Job, "a %s takes a pair apart, which only a preempt does", a.Kind)
		case err != nil:
			l.refuse(Form, a.Job, "%v", err)
		case u.Beside == a.Job || u.Slower != a.Job && u.Slower != u.Beside:
			l.refuse(Form, a.Job, "is taken from job %s because job %s is slower: the pair is two jobs, and one of them is slower", u.Beside, u.Slower)
		}
	}
}

// joins judges a start that has been booked: it is beside the job that it names.
func (l *Ledger) joins(e *entry, a *schedmate.Action) {
	if p := a.Packed; p != nil && e.running != nil && p.Beside != "" && p.Beside != a.Job && !together(e, l.jobs[p.Beside]) {
		l.refuse(Sharing, a.Job, "is started beside job %s, which has none of its GPUs at that time", p.Beside)
	}
}

// parts judges a preemption that is still to be booked: it takes the job from the one
// that it names.
func (l *Ledger) parts(e *entry, a *schedmate.Action) {
	if u := a.Undo; u != nil && e.running != nil && u.Beside != "" && u.Beside != a.Job && !together(e, l.jobs[u.Beside]) {
		l.refuse(Sharing, a.Job, "is taken from job %s, which has none of its GPUs at that time", u.Beside)
	}
}

// together reports whether two jobs hold one and the same GPU.
func together(x, y *entry) bool {
	return y != nil && slices.ContainsFunc(x.running, func(a schedmate.Allocation) bool {
		return slices.ContainsFunc(y.running, func(b schedmate.Allocation) bool { return a.Node == b.Node && a.GPU == b.GPU })
	})
}

// follows reports whether a start has exactly the GPUs of the job that it is beside. It
// is on as many nodes as that one, which may have come when others were down.
func (l *Ledger) follows(a *schedmate.Action) bool {
	if a.Packed == nil || l.jobs[a.Packed.Beside] == nil {
		return false
	}
	return slices.EqualFunc(a.Allocations, l.jobs[a.Packed.Beside].running, func(x, y schedmate.Allocation) bool {
		return x.Node == y.Node && x.GPU == y.GPU
	})
}
