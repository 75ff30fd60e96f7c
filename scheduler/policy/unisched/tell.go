package unisched

import "schedmate"

// Why a deadline will not be met.
const (
	tooLate = "too_late" // the job alone could not meet it
	outbid  = "outbid"   // others are worth more
)

// inform tells jobs with a deadline what the round has chosen for them, as far as
// it differs from what they were told. Who was refused once stays refused in words;
// its deadline may be met all the same.
func (t *table) inform() {
	for _, j := range t.all {
		if !j.Job.SLO.HasDeadline() || !t.knows(j) {
			continue
		}
		e := t.book[j.Job.ID]
		strict := j.Job.SLO.Class == schedmate.Strict
		tiers := j.Job.SLO.Tiers
		last := tiers[len(tiers)-1].Deadline
		gives := schedmate.Expected
		if strict {
			gives = schedmate.Promised
		}
		switch {
		case e.told == "" && e.chosen > 0:
			t.tell(j, gives, e.chosen, "")
		case e.told == "":
			t.tell(j, schedmate.Refused, last, t.cause(j))
		case e.told == schedmate.Promised && e.chosen == 0:
			t.tell(j, schedmate.Broken, last, t.cause(j))
		case e.told == schedmate.Expected && e.chosen == 0:
			t.tell(j, schedmate.Lapsed, last, t.cause(j))
		case e.told == schedmate.Expected && e.chosen != e.deadline:
			t.tell(j, schedmate.Expected, e.chosen, "")
		}
	}
}

func (t *table) cause(j *schedmate.JobStatus) string {
	left := t.left(j)
	for _, x := range t.tiers(j) {
		if t.s.Now+left <= x.Deadline {
			return outbid
		}
	}
	return tooLate
}

// assure promises a job that begins between two rounds the first deadline that it
// meets, if it ends by the instant until which nobody takes its GPUs away.
func (t *table) assure(j *schedmate.JobStatus, until schedmate.Seconds) {
	e := t.book[j.Job.ID]
	if e.told != "" || !j.Job.SLO.HasDeadline() || !t.knows(j) {
		return
	}
	end := t.s.Now + t.left(j)
	if end > until {
		return
	}
	for _, x := range t.tiers(j) {
		if end <= x.Deadline {
			state := schedmate.Expected
			if j.Job.SLO.Class == schedmate.Strict {
				state = schedmate.Promised
			}
			t.tell(j, state, x.Deadline, "")
			e.until = until
			return
		}
	}
}
