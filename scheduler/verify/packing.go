package verify

import "schedmate"

// packing judges what an action says about sharing GPUs: whom a start joins, and
// from whom a preemption takes a job away.
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
