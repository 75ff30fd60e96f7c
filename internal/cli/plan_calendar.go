package cli

import (
	"fmt"
	"io"
	"slices"

	"schedmate"
	"schedmate/internal/report"
	"schedmate/scheduler"
	"schedmate/scheduler/admit"
)

// promiser is a policy that keeps a book of promises, on these terms.
type promiser interface{ Terms() admit.Options }

// planCalendar is the book as it stands after a plan of a policy that promises: who
// has leases when, and who was refused why.
type planCalendar struct {
	LeaseSeconds schedmate.Seconds `json:"lease_s" yaml:"lease_s"`
	Promises     []promiseEntry    `json:"promises" yaml:"promises"`
	Refused      []refusedEntry    `json:"refused" yaml:"refused"`
	Load         []loadEntry       `json:"load" yaml:"load"`

	tail answerTail
}

// calendarOf reads the book in the notes of a plan; nil where the policy keeps none.
func calendarOf(p scheduler.Policy, s *schedmate.Snapshot, plan *schedmate.Plan) *planCalendar {
	keeper, ok := p.(promiser)
	if !ok {
		return nil
	}
	after := *s
	after.Memory = plan.Memory
	if !admit.Recorded(&after) {
		return nil
	}
	terms := keeper.Terms()
	book := admit.Open(&after, terms)
	tail := tailOf(terms, &admit.Review{}, true, book)
	for i := range tail.Promises {
		e := &tail.Promises[i]
		e.Class = s.Find(e.Job).Job.SLO.Class // a soft job may be as sure of a tier as a strict one
	}
	for _, c := range plan.Promises {
		x := brokenEntry{Job: c.Job, Reason: admit.Code(c.Cause), Deadline: c.Deadline, GPUs: s.Find(c.Job).Job.GPUs, Lost: []schedmate.Seconds{}}
		switch c.State {
		case schedmate.Broken:
			tail.Broken = append(tail.Broken, x)
		case schedmate.Lapsed:
			tail.Lapsed = append(tail.Lapsed, x)
		}
	}
	tail.Load = loads(&after, terms, book, "", tail.until(s.Now))
	return &planCalendar{terms.Lease, tail.Promises, tail.Refused, tail.Load, tail}
}

// writePlanCalendar draws the calendar, a row a promise and a column a slot, and says
// why others have none.
func writePlanCalendar(w io.Writer, d *planDocument, s *schedmate.Snapshot, width int) error {
	if d.Calendar == nil {
		return nil
	}
	t := &d.Calendar.tail
	if _, err := fmt.Fprintf(w, "\n%s\n", standingText(t)); err != nil {
		return err
	}
	if err := writeCalendar(w, t, nil, s.Now, width); err != nil {
		return err
	}
	rows := [][]string{{"NOT PROMISED", "GPUS", "DEADLINE", "WHY"}}
	for _, list := range [][]brokenEntry{t.Broken, t.Lapsed} {
		for i := range list {
			rows = append(rows, unpromisedRow(s, list[i].Job, list[i].Reason))
		}
	}
	for _, x := range t.Refused {
		if !slices.ContainsFunc(rows, func(r []string) bool { return r[0] == x.Job }) {
			rows = append(rows, unpromisedRow(s, x.Job, x.Reason))
		}
	}
	if len(rows) == 1 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return columns(w, rows)
}

func unpromisedRow(s *schedmate.Snapshot, job string, why admit.Code) []string {
	j := s.Find(job)
	tiers := j.Job.SLO.Tiers
	return []string{job, fmt.Sprint(j.Job.GPUs), when(tiers[len(tiers)-1].Deadline, s.Now), codeText(why)}
}

// codeText says in words why a job is promised nothing.
func codeText(c admit.Code) string {
	if text := refusedText[c]; text != "" {
		return text
	}
	return breakText[c]
}

// planPage is the calendar as the page that people read.
func planPage(d *planDocument, s *schedmate.Snapshot, command string) report.Promises {
	h := headOf(s, d.Kind)
	p := promisesPage(&h, &d.Calendar.tail, "", command)
	p.Title = "Leases planned by " + d.Policy
	p.Lead = standingText(&d.Calendar.tail) + " The plan has " + plural(len(d.Actions), "action") + " now, and " + plural(waitingAfter(d, s), "job") + " waiting after them."
	return p
}
