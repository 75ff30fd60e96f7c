package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"schedmate"
	"schedmate/scheduler/admit"
)

// when writes an instant, and how far it is from now.
func when(t, now schedmate.Seconds) string {
	text := strconv.FormatInt(int64(t), 10)
	if unixTime(now) {
		text = time.Unix(int64(t), 0).UTC().Format("Mon 2 Jan 15:04 UTC")
	}
	switch {
	case t > now:
		return text + " (in " + human(t-now) + ")"
	case t < now:
		return text + " (" + human(now-t) + " ago)"
	}
	return text + " (now)"
}

// basisText says what the work was taken from.
var basisText = map[admit.Basis]string{
	admit.UpperEnd: "the upper end of its estimate",
	admit.Median:   "the median of its estimate",
	admit.Limit:    "its time limit, for there is no estimate",
	admit.Standing: "what the promise was given for",
}

func admissionText(w io.Writer, d *admissionDocument) error {
	lines := brokenLines(&d.answerTail, d.Now)
	lines = append(lines, verdict(d))
	lines = append(append(lines, workLines(d)...), displacedLines(d)...)
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	if len(d.Calendar) > 0 {
		if err := calendarText(w, d); err != nil {
			return err
		}
	}
	if d.Admitted {
		return nil
	}
	return offersText(w, d)
}

// workLines tells what was tested, in one line if anything was.
func workLines(d *admissionDocument) []string {
	if d.Leases == nil {
		return nil
	}
	return []string{fmt.Sprintf("Work left: %s, %s. That is %s of %s on %s; %s until the deadline.",
		human(*d.Work), basisText[d.Basis], plural(*d.Leases, "lease"), human(d.Terms.Lease), gang(d), fitting(*d.Slots))}
}

// displacedLines tells whose expectations give way.
func displacedLines(d *admissionDocument) []string {
	var lines []string
	for _, x := range d.Displaced {
		if x.Deadline == nil {
			lines = append(lines, fmt.Sprintf("Job %s, whose deadline was expected to be met, has no room left.", x.Job))
		} else {
			lines = append(lines, fmt.Sprintf("Job %s can be expected by %s only.", x.Job, when(*x.Deadline, d.Now)))
		}
	}
	return lines
}

func gang(d *admissionDocument) string {
	if d.GPUs != d.AskedGPUs {
		return fmt.Sprintf("%d GPUs, to which its %d are rounded up", d.GPUs, d.AskedGPUs)
	}
	return plural(d.GPUs, "GPU")
}

func fitting(slots int) string {
	if slots == 1 {
		return "1 fits"
	}
	return fmt.Sprintf("%d fit", slots)
}

// verdict is the answer in one sentence.
func verdict(d *admissionDocument) string {
	by := ""
	if d.Deadline != nil {
		by = when(*d.Deadline, d.Now)
	}
	switch d.Reason {
	case admit.Guaranteed:
		return fmt.Sprintf("Job %s is promised to end by %s.", d.Job, by)
	case admit.Expected:
		return fmt.Sprintf("Job %s can be expected to end by %s; later promises may overrule that.", d.Job, by)
	case admit.NoDeadline:
		return fmt.Sprintf("Job %s runs as best effort: it asks for no deadline, and nothing is promised.", d.Job)
	}
	if d.Deadline == nil {
		return fmt.Sprintf("Job %s cannot run: %s.", d.Job, refusal(d))
	}
	return fmt.Sprintf("Job %s is not promised to end by %s: %s.", d.Job, by, refusal(d))
}

// refusal says why.
func refusal(d *admissionDocument) string {
	missing := ""
	if d.ShortBy != nil {
		missing = missingText(d)
	}
	switch d.Reason {
	case admit.NoEstimate:
		return "there is no estimate of how long it runs, and no time limit"
	case admit.Crashed:
		return fmt.Sprintf("it has crashed more than the %s that a promise outlasts", plural(d.Terms.Retries, "time"))
	case admit.TooWide:
		return fmt.Sprintf("a gang of %s is larger than all that can ever be promised to it", gang(d))
	case admit.TooLong:
		return fmt.Sprintf("even alone it needs %s, and %s", plural(*d.Leases, "lease"), fitting(*d.Slots))
	case admit.OverQuota:
		return fmt.Sprintf("the quota of its tenant is %s: %d are claimed of %d", missing, *d.Needed, *d.Needed-*d.ShortBy)
	case admit.Short:
		return fmt.Sprintf("%s, where %d are needed and %d are there", missing, *d.Needed, *d.Needed-*d.ShortBy)
	case admit.NoCalendar:
		return "GPU-leases are there in sum, but no calendar holds whole gangs; that is proven"
	case admit.Unproven:
		return "no calendar was found; more steps may find one, see --budget"
	}
	return string(d.Reason)
}

// missingText says how much is missing by when.
func missingText(d *admissionDocument) string {
	return fmt.Sprintf("%s short by %s", plural(*d.ShortBy, "GPU-lease"), when(*d.BindingAt, d.Now))
}

// calendarText shows the leases of the job, runs of slots in one row.
func calendarText(w io.Writer, d *admissionDocument) error {
	rows := [][]string{{"SLOTS", "FROM", "UNTIL", "GPUS"}}
	others := make(map[string]bool)
	var first, last *calendarEntry
	flush := func() {
		if first == nil {
			return
		}
		slots := strconv.Itoa(first.Slot)
		if last != first {
			slots += "-" + strconv.Itoa(last.Slot)
		}
		rows = append(rows, []string{slots, when(first.Start, d.Now), when(last.End, d.Now), strconv.Itoa(first.GPUs)})
		first = nil
	}
	for i := range d.Calendar {
		e := &d.Calendar[i]
		if e.Job != d.Job {
			others[e.Job] = true
			continue
		}
		if first == nil || e.Slot != last.Slot+1 {
			flush()
			first = e
		}
		last = e
	}
	flush()
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	if len(others) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nThe calendar holds %s beside it, see --calendar.\n", plural(len(others), "other job"))
	return err
}

func offersText(w io.Writer, d *admissionDocument) error {
	if len(d.Offers) == 0 {
		_, err := fmt.Fprintln(w, "\nNothing can be promised instead.")
		return err
	}
	if _, err := fmt.Fprintln(w, "\nWhat would be admitted instead, checked by asking for it:"); err != nil {
		return err
	}
	rows := [][]string{{"OFFER", "GPUS", "DEADLINE"}}
	for _, o := range d.Offers {
		deadline := "-"
		if o.Deadline != nil {
			deadline = when(*o.Deadline, d.Now)
		}
		rows = append(rows, []string{strings.ReplaceAll(string(o.Kind), "_", " "), strconv.Itoa(o.GPUs), deadline})
	}
	return columns(w, rows)
}

// breakText says why a promise broke.
var breakText = map[admit.Code]string{
	admit.EstimateGrew: "its estimate grew",
	admit.FellBehind:   "it has done less work than its calendar had for it",
	admit.LostCapacity: "GPUs are gone",
	admit.Changed:      "it asks for more GPUs or iterations than it was promised",
	admit.Crashed:      "it has crashed more often than the retry budget allows",
	admit.Overruled:    "promises have taken its room",
}

// brokenLines tells what the recheck found.
func brokenLines(d *answerTail, now schedmate.Seconds) []string {
	var lines []string
	tell := func(what string, x *brokenEntry) {
		line := fmt.Sprintf("%s job %s to end by %s: %s. It needs %s where %d were planned, and %s.",
			what, x.Job, when(x.Deadline, now), breakText[x.Reason], plural(x.Leases, "lease"), x.Planned, fitting(x.Slots))
		if x.ShortBy != nil {
			line += fmt.Sprintf(" All promises together are %s short by %s.", plural(*x.ShortBy, "GPU-lease"), when(*x.BindingAt, now))
		}
		lines = append(lines, line)
	}
	for i := range d.Broken {
		tell("Broken: the promise that", &d.Broken[i])
	}
	for i := range d.Lapsed {
		tell("Lapsed: the expectation that", &d.Lapsed[i])
	}
	for _, x := range d.Postponed {
		lines = append(lines, fmt.Sprintf("Job %s can be expected by %s only.", x.Job, when(*x.Deadline, now)))
	}
	return lines
}

func promisesText(w io.Writer, d *promisesDocument) error {
	for _, line := range brokenLines(&d.answerTail, d.Now) {
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	if len(d.Promises) == 0 {
		_, err := fmt.Fprintln(w, "No promise stands.")
		return err
	}
	rows := [][]string{{"JOB", "CLASS", "GPUS", "DEADLINE", "LEASES", "LAST ENDS"}}
	for _, p := range d.Promises {
		last := "-"
		if n := len(p.Leases); n > 0 {
			last = when(p.Leases[n-1]+d.Terms.Lease, d.Now)
		}
		rows = append(rows, []string{p.Job, string(p.Class), strconv.Itoa(p.GPUs), when(p.Deadline, d.Now), strconv.Itoa(len(p.Leases)), last})
	}
	return columns(w, rows)
}
