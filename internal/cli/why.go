package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
)

// whyDocument is what the why command answers.
type whyDocument struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	Policy     string             `json:"policy"`
	Now        schedmate.Seconds  `json:"now_s"`
	Runs       []string           `json:"runs"` // jobs asked for that run, or would start now
	Reasons    []schedmate.Reason `json:"reasons"`
}

func whyCommand(a *app) *cobra.Command {
	var f policyFlags
	cmd := &cobra.Command{
		Use:   "why -f SNAPSHOT [JOB...]",
		Short: "Say why jobs wait, and what would start them",
		Long: `Why names the one reason that keeps a job waiting, with its numbers, and a change
that would start it. The change is not a guess: the policy has planned with it,
and the job has started. Without a JOB every waiting job is explained.`,
		Example: `  schedmate why -f snapshot.yaml
  schedmate why -f snapshot.yaml train-7b --policy srtf
  schedmate why -f snapshot.yaml job/train-7b -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var doc *whyDocument
			var s *schedmate.Snapshot
			err := interruptible(cmd.Context(), func() (err error) {
				doc, s, err = a.why(f, args)
				return err
			})
			if err != nil {
				return err
			}
			return a.render(doc, func(w io.Writer) error {
				if len(args) == 1 {
					return whyOne(w, doc, s)
				}
				return whyTable(w, doc, s)
			})
		},
	}
	a.policyFlags(cmd, &f)
	return cmd
}

func (a *app) why(f policyFlags, jobs []string) (*whyDocument, *schedmate.Snapshot, error) {
	p, _, err := a.chosenPolicy(f.preset)
	if err != nil {
		return nil, nil, err
	}
	s, err := a.readSnapshot(f.file)
	if err != nil {
		return nil, nil, err
	}
	doc := &whyDocument{
		APIVersion: schedmate.APIVersion, Kind: "Reasons", Policy: p.Name(), Now: s.Now,
		Runs: []string{}, Reasons: []schedmate.Reason{},
	}
	var b scheduler.Budget
	if len(jobs) == 0 {
		plan := scheduler.Plan(p, *s, b)
		doc.Reasons = explain.All(p, b, *s, &plan, explain.EffortFor(len(s.Waiting)))
		for _, act := range plan.Actions {
			if act.Kind == schedmate.Start {
				doc.Runs = append(doc.Runs, act.Job)
			}
		}
		return doc, s, nil
	}
	for _, name := range jobs {
		id := strings.TrimPrefix(name, "job/")
		if s.Find(id) == nil {
			return nil, nil, notFound(fmt.Errorf("job %s is not in %s: list the waiting jobs with 'schedmate why -f %s'", id, f.file, f.file))
		}
		if r := explain.Why(p, b, *s, id, explain.Thorough); r != nil {
			doc.Reasons = append(doc.Reasons, *r)
		} else {
			doc.Runs = append(doc.Runs, id)
		}
	}
	return doc, s, nil
}

func whyTable(w io.Writer, d *whyDocument, s *schedmate.Snapshot) error {
	rows := [][]string{{"JOB", "REASON", "NEED", "AVAILABLE", "SHORT", "WOULD START IF", "EXPECTED"}}
	for _, id := range d.Runs {
		state := "runs"
		if s.Find(id).Attempt == nil {
			state = "starts now"
		}
		rows = append(rows, []string{id, state, "", "", "", "", ""})
	}
	for _, r := range inQueueOrder(d.Reasons, s) {
		rows = append(rows, []string{
			r.Job, r.Code.String(), strconv.Itoa(r.Need), strconv.Itoa(r.Free), strconv.Itoa(r.Short), changeText(r), untilText(r, d.Now),
		})
	}
	if len(rows) == 1 {
		_, err := fmt.Fprintln(w, "no job waits")
		return err
	}
	return columns(w, rows)
}

func whyOne(w io.Writer, d *whyDocument, s *schedmate.Snapshot) error {
	if len(d.Reasons) == 0 {
		id := d.Runs[0]
		text := fmt.Sprintf("Job %s runs.", id)
		if s.Find(id).Attempt == nil {
			text = fmt.Sprintf("Job %s would start now under policy %s.", id, d.Policy)
		}
		_, err := fmt.Fprintln(w, printable(text))
		return err
	}
	r := &d.Reasons[0]
	lines := []string{
		fmt.Sprintf("Job %s waits: %s.", r.Job, sentence(r)),
		fmt.Sprintf("It would start now if %s (checked by planning again with policy %s).", changeText(r), d.Policy),
	}
	if t := untilText(r, d.Now); t != "" {
		lines = append(lines, fmt.Sprintf("By the estimates of the jobs concerned, that is the case in %s.", strings.TrimPrefix(t, "in ")))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	return nil
}
