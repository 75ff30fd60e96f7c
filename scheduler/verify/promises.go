package verify

import "schedmate"

// promises judges what jobs are told about their deadlines.
func (l *Ledger) promises(p *schedmate.Plan) {
	told := make(map[string]bool, len(p.Promises))
	for i := range p.Promises {
		c := &p.Promises[i]
		e := l.jobs[c.Job]
		switch {
		case e == nil:
			l.refuse(Promise, c.Job, "is told something and is not known, or has ended")
			continue
		case told[c.Job]:
			l.refuse(Promise, c.Job, "is told something twice")
			continue
		}
		told[c.Job] = true
		slo := &e.job.SLO
		legal := map[schedmate.PromiseState]schedmate.SLOClass{
			schedmate.Promised: schedmate.Strict, schedmate.Broken: schedmate.Strict,
			schedmate.Expected: schedmate.Soft, schedmate.Lapsed: schedmate.Soft, schedmate.Refused: slo.Class,
		}
		if class, known := legal[c.State]; !known || !slo.HasDeadline() || class != slo.Class {
			l.refuse(Promise, c.Job, "is %q and cannot be told %q", slo.Class, c.State)
			continue
		}
		its := false
		for _, t := range slo.Tiers {
			its = its || t.Deadline == c.Deadline
		}
		if !its {
			l.refuse(Promise, c.Job, "is told of a deadline at %d, which is none of its own", c.Deadline)
		}
		if gives := c.State == schedmate.Promised || c.State == schedmate.Expected; gives != (c.Cause == "") || !lowerWord(c.Cause) {
			l.refuse(Promise, c.Job, "is told %q with the cause %q", c.State, c.Cause)
		}
	}
}

// lowerWord reports whether a text is empty or 1 to 32 lower-case letters and
// underscores.
func lowerWord(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && r != '_' {
			return false
		}
	}
	return len(text) <= 32
}
