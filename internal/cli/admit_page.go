package cli

import (
	"fmt"
	"strconv"
	"strings"

	"schedmate"
	"schedmate/internal/report"
	"schedmate/scheduler/admit"
)

// admitView is how an answer is shown besides the table.
type admitView struct {
	page     *outputFile // nil: no page
	calendar bool
	command  string
}

// write writes the page, if one is asked for.
func (v *admitView) write(page func(command string) report.Promises) error {
	if v.page == nil {
		return nil
	}
	if err := report.WritePromises(v.page.w, page(v.command)); err != nil {
		return asFailure(fmt.Errorf("%s: %w", v.page.path, err))
	}
	return asFailure(v.page.commit())
}

// unixTime reports whether instants are Unix time, and not those of a trace.
func unixTime(now schedmate.Seconds) bool { return now >= 1e9 && now <= 4e9 }

// admissionPage turns an answer into the page that people read.
func admissionPage(d *admissionDocument, command string) report.Promises {
	p := promisesPage(&d.answerHead, &d.answerTail, d.Job, command)
	p.Title = "Admission of job " + d.Job
	p.Lead = verdict(d)
	p.Told = append(workLines(d), append(p.Told, displacedLines(d)...)...)
	if d.Admitted {
		for i := range p.Rows {
			r := &p.Rows[i]
			r.New = r.Job == d.Job && (r.Kind == report.Promised || r.Kind == report.Expected)
		}
		return p
	}
	asked := report.Promise{Kind: report.Asked, Job: d.Job, GPUs: d.GPUs}
	if d.Deadline != nil {
		asked.Deadline = *d.Deadline
	}
	p.Rows = append(p.Rows, asked)
	for _, o := range d.Offers {
		row := report.Promise{Kind: report.Offered, Job: d.Job, GPUs: o.GPUs, Leases: o.Leases, Remark: offerText(&o)}
		if o.Deadline != nil {
			row.Deadline = *o.Deadline
		}
		p.Rows = append(p.Rows, row)
	}
	if d.ShortBy != nil {
		p.Shortage = &report.Shortage{
			Slot: *d.BindingSlot, Until: *d.BindingAt, GPULease: *d.ShortBy, Text: missingText(d),
		}
	}
	return p
}

// offerText says what an offer changes, and whom it moves.
func offerText(o *offerEntry) string {
	text := strings.ReplaceAll(string(o.Kind), "_", " ")
	if len(o.Moves) > 0 {
		text += fmt.Sprintf("; job %s would be kept by other leases than now", some(o.Moves, 3))
	}
	return text
}

// recheckPage is the same of a snapshot alone.
func recheckPage(d *promisesDocument, command string) report.Promises {
	p := promisesPage(&d.answerHead, &d.answerTail, "", command)
	p.Title = "Promises that stand"
	p.Lead = standingText(&d.answerTail)
	return p
}

// standingText counts what stands and what broke.
func standingText(d *answerTail) string {
	strict := 0
	for i := range d.Promises {
		if d.Promises[i].Class == schedmate.Strict {
			strict++
		}
	}
	text := "No promise stands"
	if n := len(d.Promises); n > 0 {
		text = plural(strict, "promise") + " and " + plural(n-strict, "expectation") + " stand"
	}
	if len(d.Broken)+len(d.Lapsed) == 0 {
		return text + "; none broke."
	}
	return fmt.Sprintf("%s; %s broke, and %s lapsed.", text, plural(len(d.Broken), "promise"), plural(len(d.Lapsed), "expectation"))
}

// promisesPage is what the two have in common: the book.
func promisesPage(h *answerHead, d *answerTail, asks, command string) report.Promises {
	v := version()
	p := report.Promises{
		Now: h.Now, Lease: d.Terms.Lease, Clock: unixTime(h.Now), Command: command, Told: brokenLines(d, h.Now),
		Facts: []report.Pair{
			{Name: "Snapshot", Value: h.Snapshot},
			{Name: "Terms", Value: termsText(&d.Terms)},
			{Name: "Version", Value: strings.TrimSpace(v.Version + " " + v.Commit)},
		},
	}
	if !d.Recorded {
		p.Facts = append(p.Facts, report.Pair{Name: "Book", Value: "derived: the snapshot's memory says nothing of promises, so its jobs were asked for in the order of their submission"})
	}
	for i := range d.Promises {
		x := &d.Promises[i]
		row := report.Promise{Kind: report.Promised, Job: x.Job, GPUs: x.GPUs, Deadline: x.Deadline, Leases: x.Leases}
		if x.Class == schedmate.Soft {
			row.Kind = report.Expected
		}
		p.Rows = append(p.Rows, row)
	}
	for _, list := range [][]brokenEntry{d.Broken, d.Lapsed} {
		for i := range list {
			x := &list[i]
			p.Rows = append(p.Rows, report.Promise{Kind: report.Broken, Job: x.Job, GPUs: x.GPUs, Deadline: x.Deadline, Leases: x.Lost, Remark: breakText[x.Reason]})
		}
	}
	for _, x := range d.Refused {
		why := codeText(x.Reason)
		if x.Job == asks {
			why += " (the job that asks)"
		}
		p.Refused = append(p.Refused, report.Pair{Name: x.Job, Value: why})
	}
	for i, l := range d.Load {
		step := report.LoadStep{Start: l.Start, End: l.End, GPUs: l.GPUs, Promised: l.Promised}
		if i > 0 && d.Load[i-1].Node == l.Node {
			last := &p.Loads[len(p.Loads)-1]
			last.Steps = append(last.Steps, step)
			continue
		}
		p.Loads = append(p.Loads, report.Load{Name: areaName(&l), Steps: []report.LoadStep{step}})
	}
	return p
}

// areaName names nodes of one owner and type.
func areaName(l *loadEntry) string {
	name := "Shared nodes"
	if l.VC != "" {
		name = "Nodes of " + l.VC
	}
	if l.GPUType != "" {
		name += ", " + l.GPUType
	}
	return name
}

// refusedText says why a job is promised nothing, without the figures, which only
// the answer at the time had.
var refusedText = map[admit.Code]string{
	admit.NoEstimate: "there is no estimate of how long it runs, and no time limit",
	admit.TooWide:    "its gang is larger than all that can ever be promised to it",
	admit.TooLong:    "even alone it would not end in time",
	admit.OverQuota:  "the promises of its tenant claim too much already",
	admit.Short:      "GPU-leases are missing by its deadline",
	admit.NoCalendar: "no calendar holds whole gangs; that is proven",
	admit.Unproven:   "no calendar was found within the budget of the search",
}

// termsText are the terms for people.
func termsText(o *admit.Options) string {
	parts := []string{"leases of " + human(o.Lease)}
	say := func(yes bool, text string) {
		if yes {
			parts = append(parts, text)
		}
	}
	say(o.Resume > 0, "resuming costs "+human(o.Resume))
	say(!o.RoundUp, "exact gangs")
	say(o.Median, "medians are believed")
	say(o.PadMilli > 0, "with "+percent(float64(o.PadMilli)/1000)+" on top of estimates")
	say(o.QuotaMilli > 0, "a tenant may claim "+percent(float64(o.QuotaMilli)/1000))
	say(o.ReserveMilli > 0, percent(float64(o.ReserveMilli)/1000)+" is never promised")
	say(o.Retries < admit.Unlimited, "promises outlast "+strconv.Itoa(o.Retries)+" crashes at most")
	say(o.HoldRunning, "running jobs keep their GPUs")
	say(o.Aligned, "slots at multiples of the lease")
	return strings.Join(parts, ", ")
}
