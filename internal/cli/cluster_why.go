package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedmate"
	"schedmate/scheduler/fit"
)

// answersDocument is what why answers about a cluster with -o json or yaml.
type answersDocument struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Now        schedmate.Seconds `json:"now_s"`
	System     schedmate.System  `json:"system"`
	Runs       []string          `json:"runs"` // jobs asked for that run or are over
	Answers    []fit.Answer      `json:"answers"`
	Gaps       []schedmate.Gap   `json:"gaps,omitempty"`
}

// mostAnswered is how many jobs are answered about that were not named: more than that
// nobody reads, and each is placed several times.
const mostAnswered = 500

// whyCluster says why jobs of a cluster wait: the named ones, or all of a user.
func (a *app) whyCluster(ctx context.Context, in *whyInput, args []string, who string) error {
	c, o, jobs := in.cluster, in.observation, in.jobs
	doc := &answersDocument{schedmate.APIVersion, "Answers", o.Now, o.System, []string{}, []fit.Answer{}, o.Gaps}
	if len(args) == 0 {
		if who == "" && c.live {
			who = c.user
		}
		called := spellings(who)
		for i := range o.Jobs {
			if j := &o.Jobs[i]; j.Waits() && (who == "" || slices.Contains(called, j.User)) {
				jobs = append(jobs, j)
			}
		}
		if more := len(jobs) - mostAnswered; more > 0 {
			slices.SortStableFunc(jobs, func(x, y *schedmate.ObservedJob) int { return cmp.Compare(y.Priority, x.Priority) })
			jobs = jobs[:mostAnswered]
			gap := schedmate.Gap{What: fmt.Sprintf("answers about %d more waiting jobs", more), Why: fmt.Sprintf("they are behind the first %d", mostAnswered), Next: "name them, or a --user"}
			a.tellGaps([]schedmate.Gap{gap})
			doc.Gaps = append(slices.Clone(doc.Gaps), gap)
		}
	}
	var waiting []*schedmate.ObservedJob
	for _, j := range jobs {
		if j.Waits() {
			waiting = append(waiting, j)
		} else {
			doc.Runs = append(doc.Runs, j.ID)
		}
	}
	err := interruptible(ctx, func() error {
		doc.Answers = append(doc.Answers, a.explain(ctx, c, o, waiting)...)
		return nil
	})
	if err != nil {
		return err
	}
	return a.render(doc, func(w io.Writer) error {
		switch {
		case len(args) == 1 && len(doc.Answers) == 1:
			return a.answerText(w, &doc.Answers[0], o.Now)
		case len(args) == 1 && len(doc.Answers) == 0:
			_, err := fmt.Fprintf(w, "Job %s does not wait: it is %s.\n", printable(jobs[0].ID), jobs[0].State)
			return err
		}
		return a.answersTable(w, doc, len(args) == 0 && who != "" && who == c.user)
	})
}

// explain answers for each job. When running jobs are complete their logs tell
// better than their limits: those that an answer rests on are read, and the answer
// is given again.
func (a *app) explain(ctx context.Context, c *openCluster, o *schedmate.Observation, jobs []*schedmate.ObservedJob) []fit.Answer {
	answers := answersOf(fit.New(o, nil), jobs)
	if !c.live {
		return answers
	}
	var concerned []*schedmate.ObservedJob
	for i := range answers {
		for _, release := range answers[i].Until.Releases {
			for k := range o.Jobs {
				if j := &o.Jobs[k]; j.ID == release.Job && !slices.Contains(concerned, j) {
					concerned = append(concerned, j)
				}
			}
		}
	}
	now := c.now(o)
	ends := make(map[string]schedmate.Seconds)
	for _, p := range a.progressOf(ctx, concerned, now) {
		if p.Left != nil && p.LeftBy != leftByElapsed {
			if end := now + schedmate.Seconds(*p.Left+1); p.job.End == 0 || end < p.job.End {
				ends[p.Job] = end
			}
		}
	}
	if len(ends) == 0 {
		return answers
	}
	return answersOf(fit.New(o, ends), jobs)
}

func answersOf(c *fit.Cluster, jobs []*schedmate.ObservedJob) []fit.Answer {
	answers := make([]fit.Answer, len(jobs))
	for i, j := range jobs {
		answers[i] = c.Explain(j)
	}
	return answers
}

func (a *app) answersTable(w io.Writer, d *answersDocument, mine bool) error {
	if len(d.Answers)+len(d.Runs) == 0 {
		text := "no job waits"
		if mine {
			text = "no job of yours waits"
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	rows := [][]string{{"JOBID", "WHY", "SCHEDULER SAYS", "SHORT", "EXPECTED", "WOULD START NOW IF"}}
	for _, id := range d.Runs {
		rows = append(rows, []string{id, "does not wait", "", "", "", ""})
	}
	for i := range d.Answers {
		x := &d.Answers[i]
		change := "-"
		if len(x.Changes) > 0 {
			change = x.Changes[0].Do
		}
		rows = append(rows, []string{x.Job, strings.ReplaceAll(x.Kind.String(), "_", " "), cmp.Or(x.Told.Word, "-"), shortText(x.Short), expectedText(x, d.Now), change})
	}
	return a.fittingColumns(w, rows, "SCHEDULER SAYS", "SHORT OF")
}

func shortText(list []fit.Shortage) string {
	if len(list) == 0 {
		return "-"
	}
	s := list[0]
	if s.Short == 0 && s.PerNode > s.BestFree { // enough in sum, not together
		return fmt.Sprintf("%d %s on one node", s.PerNode-s.BestFree, resourceName(&s, s.PerNode-s.BestFree))
	}
	if s.Short == 0 {
		return resourceName(&s, 2) + " on one node"
	}
	return fmt.Sprintf("%d %s", s.Short, resourceName(&s, s.Short))
}

// resourceName names so many of a resource.
func resourceName(s *fit.Shortage, n int64) string {
	name := s.Resource
	switch name {
	case "gpus":
		name = "GPUs"
	case "cpus":
		name = "CPUs"
	case "memory_mib":
		name = "MiB of memory"
	}
	if n == 1 && strings.HasSuffix(name, "s") && slices.Contains([]string{"gpus", "cpus", "shards", "nodes"}, s.Resource) {
		name = strings.TrimSuffix(name, "s")
	}
	if s.Type != "" {
		return s.Type + " " + name
	}
	return name
}

// expectedText is when it is expected to start: as the scheduler says, else by our own
// reckoning, behind the jobs ahead if that is known, else when there is room.
func expectedText(x *fit.Answer, now schedmate.Seconds) string {
	at := cmp.Or(x.Told.Start, x.Until.Planned, x.Until.At)
	switch {
	case x.Fresh && x.Kind == fit.NotLooked:
		return "not looked at yet"
	case at == 0:
		return "-"
	case theirs(x):
		return inText(at, now)
	case at <= now+1 && len(x.Until.Releases) > 0:
		return "any moment (ours)" // a job is past its limit
	case at <= now+1:
		return "~now (ours)"
	}
	return "~" + human(at-now) + " (ours)"
}

// theirs reports whether an expected start is what the scheduler, the job or its
// reservation says, not our own reckoning.
func theirs(x *fit.Answer) bool {
	return x.Told.Start > 0 || x.Kind == fit.BeginTime || x.Kind == fit.OwnReservation
}

// inText writes when something is: in 5m00s, or now. What is past its end is taken to
// end in the next second.
func inText(at, now schedmate.Seconds) string {
	if at <= now+1 {
		return "now"
	}
	return "in " + human(at-now)
}

// underLabel is where the text beside a label begins.
const underLabel = 12

// answerText is one answer for a person.
func (a *app) answerText(w io.Writer, x *fit.Answer, now schedmate.Seconds) error {
	lines := []string{fmt.Sprintf("Job %s waits: %s.", x.Job, strings.TrimSuffix(x.Text, "."))}
	lines = append(lines, toldText(x))
	for _, s := range x.Short {
		lines = append(lines, shortLine(&s))
	}
	for i, n := range x.Nodes {
		if i == mostNodesTold {
			lines = append(lines, fmt.Sprintf("            and %s more", plural(len(x.Nodes)-i, "node")))
			break
		}
		line := "            " + n.Node + " is " + strings.Join(n.States, "+")
		if n.Reason != "" {
			line += ": " + n.Reason
		}
		lines = append(lines, line)
	}
	if x.Ahead.Count > 0 {
		var first []string
		for _, j := range x.Ahead.First {
			first = append(first, fmt.Sprintf("%s (%s: %s)", j.ID, j.User, j.Asks))
		}
		if x.Ahead.More > 0 {
			first = append(first, fmt.Sprintf("and %d more", x.Ahead.More))
		}
		lines = append(lines, fmt.Sprintf("Ahead       %s: %s", plural(x.Ahead.Count, "job"), strings.Join(first, "; ")))
	}
	lines = append(lines, untilLines(x, now)...)
	for i, ch := range x.Changes {
		label := "            "
		if i == 0 {
			label = "Now, if     "
		}
		lines = append(lines, label+ch.Do)
	}
	if len(x.Changes) > 0 {
		lines = append(lines, "            (each was checked by placing the job again; others may be faster)")
	}
	for _, note := range x.Notes {
		lines = append(lines, "Note        "+note)
	}
	for _, line := range lines {
		if line == "" {
			continue
		}
		if _, err := fmt.Fprintln(w, wrapped(printable(line), a.width(), underLabel)); err != nil {
			return err
		}
	}
	return nil
}

func shortLine(s *fit.Shortage) string {
	line := fmt.Sprintf("Short of    %d %s: %d needed, %d free", s.Short, resourceName(s, s.Short), s.Need, s.Free)
	if s.Short == 0 {
		line = fmt.Sprintf("Scattered   %s: %d needed, %d free", resourceName(s, 2), s.Need, s.Free)
	}
	switch {
	case s.Best != "" && s.PerNode > 0:
		line += fmt.Sprintf("; of one node %d needed, %s has the most, %d", s.PerNode, s.Best, s.BestFree)
	case s.Best != "": // it is a matter of the sum
		line += fmt.Sprintf("; %s has the most, %d", s.Best, s.BestFree)
	}
	switch {
	case s.Rest && s.Best != "":
		line += " of those with all else it needs"
	case s.Rest:
		line += "; none on a node with all else it needs"
	}
	return line
}

// mostNodesTold is how many nodes are told of one by one.
const mostNodesTold = 4

func toldText(x *fit.Answer) string {
	if x.Told.Word == "" {
		return "Scheduler   has told no reason yet"
	}
	text := "Scheduler   says " + x.Told.Word
	switch {
	case strings.HasPrefix(x.Told.Text, x.Told.Word):
		text = "Scheduler   says " + x.Told.Text
	case x.Told.Text != "":
		text += " (" + x.Told.Text + ")"
	}
	if x.Told.Meaning != "" && x.Told.Meaning != x.Text {
		text += ": " + x.Told.Meaning
	}
	if x.Agreement == fit.Differs {
		text = strings.TrimSuffix(text, ".") + "; what it said last may be out of date"
	}
	return text
}

// expectedApart is how far two expected starts may lie apart to be the same, seconds.
const expectedApart = 120

func untilLines(x *fit.Answer, now schedmate.Seconds) []string {
	var lines []string
	if len(x.Until.Releases)+len(x.Until.Reservations) > 0 {
		var ends []string
		for _, r := range x.Until.Releases {
			when := "nobody knows when"
			if r.At > 0 {
				when = inText(r.At, now)
			}
			switch r.Basis {
			case fit.ByLog:
				when += " by its log"
			case fit.ByLimit:
				when += " at the latest"
			case fit.Over:
				when = "any moment"
			}
			ends = append(ends, r.Job+" "+when)
		}
		for _, r := range x.Until.Reservations {
			ends = append(ends, "the reservation "+r.Reservation+" "+inText(r.At, now))
		}
		lines = append(lines, "Room when   these end: "+some(ends, 6))
	}
	if x.Fresh && x.Kind == fit.NotLooked {
		return append(lines, "Expected    not known: the scheduler has not looked at it yet")
	}
	at, planned := cmp.Or(x.Until.Planned, x.Until.At), x.Told.Start
	if planned > 0 {
		line := fmt.Sprintf("Scheduler   plans to start it %s, %s; it moves, and is no promise", inText(planned, now), clockText(planned))
		if at > 0 && (at > planned+expectedApart || planned > at+expectedApart) {
			line += fmt.Sprintf(" (by our reckoning %s)", clockText(at))
		}
		return append(lines, line)
	}
	if at > 0 {
		line := fmt.Sprintf("Expected    %s, %s", inText(at, now), clockText(at))
		if !theirs(x) {
			line += ", by our reckoning"
			switch {
			case x.Ahead.Count > 0 && x.Until.Planned == 0:
				line += " if nobody ahead takes it"
			case x.Until.Planned > x.Until.At && x.Until.At > 0:
				line += ", behind the jobs ahead"
			}
		}
		lines = append(lines, line+"; it moves, and is no promise")
	}
	return lines
}

func clockText(at schedmate.Seconds) string {
	if at > 4e9 || at < 1e9 { // no Unix time: that of a trace
		return "at " + strconv.FormatInt(int64(at), 10)
	}
	return "at " + time.Unix(int64(at), 0).Format("15:04")
}
