package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/internal/docfile"
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
	var cluster clusterFlags
	var who string
	cmd := &cobra.Command{
		Use:   "why [-f FILE] [JOB...]",
		Short: "Say why jobs wait, and what would start them",
		Long: `Why names the one reason that keeps a job waiting, with its numbers, and changes
that would start it now. A change is not a guess: the job has been placed with it.
Without a JOB it is all waiting jobs, on a live cluster all of yours.

Without -f the Slurm is asked that is reached from here: its own reason is told
first, then what its nodes, its running jobs and the queue say. With -f it is the
same for a saved observation.

With --policy, or for a snapshot, it is a policy of SchedMate that plans: why the
job would wait under it.`,
		Example: `  schedmate why
  schedmate why slurm:1234
  schedmate why -f saved.yaml 1234 -o json
  schedmate why -f snapshot.yaml train-7b --policy srtf`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cluster.file = f.file
			in, err := a.whyInput(cmd, &cluster, args)
			if err != nil {
				return err
			}
			s := in.snapshot
			if s == nil {
				return a.whyCluster(cmd.Context(), &in, args, who)
			}
			if who != "" {
				return usage(errors.New("--user is about a cluster's own scheduler: leave out --user, or --policy"))
			}
			var doc *whyDocument
			err = interruptible(cmd.Context(), func() (err error) {
				doc, err = a.why(s, f, args)
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
	cluster.registerLive(cmd)
	cmd.Flags().StringVarP(&who, "user", "u", "", "without a JOB: those of this `user`, not yours")
	return cmd
}

// whyInput is what is asked about: a snapshot, for a policy, or jobs of a cluster.
type whyInput struct {
	snapshot    *schedmate.Snapshot
	cluster     *openCluster
	observation *schedmate.Observation
	jobs        []*schedmate.ObservedJob
}

func (a *app) whyInput(cmd *cobra.Command, f *clusterFlags, args []string) (in whyInput, err error) {
	if err := f.check(cmd); err != nil {
		return in, err
	}
	if f.file != "" {
		d, err := a.readDocument(f.file)
		if err != nil {
			return in, err
		}
		if d.Kind() != schedmate.ObservationKind {
			in.snapshot, err = docfile.SnapshotOf(d)
			return in, usage(err)
		}
		f.document = d
	}
	if in.cluster, err = a.cluster(cmd.Context(), f); err != nil {
		return in, err
	}
	if !cmd.Flags().Changed("policy") {
		in.observation, in.jobs, err = a.observeJobs(cmd.Context(), in.cluster, f, args)
		return in, err
	}
	if in.observation, err = a.observe(cmd.Context(), in.cluster, f); err != nil {
		return in, err
	}
	in.snapshot, err = a.forPlanning(in.observation, in.cluster)
	return in, err
}

func (a *app) why(s *schedmate.Snapshot, f policyFlags, jobs []string) (*whyDocument, error) {
	p, _, err := a.chosenPolicy(f.preset)
	if err != nil {
		return nil, err
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
		return doc, nil
	}
	for _, name := range jobs {
		id := jobName(name)
		if s.Find(id) == nil {
			return nil, notFound(fmt.Errorf("job %s is not in %s: list the waiting jobs with 'schedmate why -f %s'", id, cmp.Or(f.file, "the cluster"), f.file))
		}
		if r := explain.Why(p, b, *s, id, explain.Thorough); r != nil {
			doc.Reasons = append(doc.Reasons, *r)
		} else {
			doc.Runs = append(doc.Runs, id)
		}
	}
	return doc, nil
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
	lines := []string{fmt.Sprintf("Job %s waits: %s.", r.Job, sentence(r))}
	if !r.Change.Empty() {
		lines = append(lines, fmt.Sprintf("It would start now if %s (checked by planning again with policy %s).", changeText(r), d.Policy))
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
