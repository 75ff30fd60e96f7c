package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/internal/docfile"
	"schedmate/internal/report"
	"schedmate/scheduler/admit"
)

// admitFlags are the flags of admit.
type admitFlags struct {
	files               []string
	preset              string
	lease, resume       time.Duration
	quota, reserve      float64
	retries             int
	holdRunning, median bool
	exactGangs, aligned bool
	budget              int64
	report              string
	calendar            bool
}

func admitCommand(a *app) *cobra.Command {
	var f admitFlags
	cmd := &cobra.Command{
		Use:   "admit -f SNAPSHOT [-f JOB]",
		Short: "Promise a deadline with a calendar behind it, or say what could be promised",
		Long: `Admit answers whether a job can end by its deadline while every promise that
stands is kept. A yes comes with the calendar of leases that keeps them all, which an
independent checker has checked. A no comes with the reason, with the instant by which
GPU-leases are missing and how many, and with up to three offers that would be promised:
a later deadline, fewer GPUs (for jobs with sizes), best effort.

A strict request is tested with the upper end of its estimate's interval, a soft one
with the median; without an estimate the time limit counts, and without that there is
no promise. Gangs are planned with 1, 2, 4 or a multiple of 8 GPUs.

What stands is read from the snapshot's memory. If that says nothing, the snapshot's
own jobs with deadlines are asked for first, in the order of their submission. Without a
JOB the promises that stand are checked again with what is known now, and those that
broke are named with the reason.`,
		Example: `  schedmate admit -f snapshot.yaml -f job.yaml
  schedmate admit -f snapshot.yaml -f job.yaml --quota 0.5 -o json
  cat job.yaml | schedmate admit -f snapshot.yaml -f -
  schedmate admit -f snapshot.yaml
  schedmate admit -f snapshot.yaml --calendar
  schedmate admit -f snapshot.yaml -f job.yaml --report promises.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(cmd)
			if err != nil {
				return usage(err)
			}
			out := &outputs{}
			defer out.abandon()
			v := admitView{calendar: f.calendar, command: commandLine(cmd)}
			if err := errors.Join(out.open(&v.page, f.report), out.spares(f.files)); err != nil {
				return asFailure(err)
			}
			s, job, err := a.admitInput(f.files)
			if err != nil {
				return err
			}
			if job == nil {
				return a.recheck(cmd.Context(), s, o, &v)
			}
			return a.admit(cmd.Context(), s, job, o, &v)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVarP(&f.files, "filename", "f", nil, "`file` with a snapshot, or with the job that asks, YAML or JSON; '-' is standard input")
	fl.StringVar(&f.preset, "preset", "default", "preset `name`: default, or paper for the terms of CHRONUS")
	fl.DurationVar(&f.lease, "lease", 20*time.Minute, "length of a slot, a `duration`")
	fl.DurationVar(&f.resume, "resume-cost", 0, "`duration` of saving and restoring a job, paid in every lease")
	fl.Float64Var(&f.quota, "quota", 0, "most that one tenant's promises may claim, a `share` of the GPUs; 0: no quota")
	fl.Float64Var(&f.reserve, "reserve", 0, "what is never promised, a `share` of the GPUs")
	fl.IntVar(&f.retries, "retries", 2, "`number` of crashes that a promise outlasts")
	fl.BoolVar(&f.holdRunning, "hold-running", false, "running jobs that are promised nothing keep their GPUs until their end")
	fl.BoolVar(&f.median, "median", false, "believe the median of strict requests too")
	fl.BoolVar(&f.exactGangs, "exact-gangs", false, "plan gangs with the GPUs they ask for, not with 1, 2, 4 or 8n")
	fl.BoolVar(&f.aligned, "aligned", false, "begin slots at multiples of the lease, not when the first promise is given")
	fl.Int64Var(&f.budget, "budget", 0, "steps of each search for a calendar; 0 is as many as its size is worth")
	fl.StringVar(&f.report, "report", "", "write a self-contained HTML page with the calendar to `file`")
	fl.BoolVar(&f.calendar, "calendar", false, "draw who runs when, a row a promise, below the table; JSON holds it anyway")
	must(cmd.MarkFlagFilename("report", "html"))
	must(cmd.RegisterFlagCompletionFunc("preset", completeFrom(func() []string { return []string{"default", "paper"} })))
	must(cmd.MarkFlagFilename("filename", "yaml", "yml", "json"))
	return cmd
}

// options are the preset's, and what flags say.
func (f *admitFlags) options(cmd *cobra.Command) (admit.Options, error) {
	var o admit.Options
	switch f.preset {
	case "default":
		o = admit.Default()
	case "paper":
		o = admit.Paper()
	default:
		return o, fmt.Errorf("--preset: unknown preset %q: use default or paper", f.preset)
	}
	whole := func(flag string, d time.Duration) (schedmate.Seconds, error) {
		if d%time.Second != 0 {
			return 0, fmt.Errorf("--%s must be whole seconds, got %s", flag, d)
		}
		return schedmate.Seconds(d / time.Second), nil
	}
	share := func(flag string, x float64) (int, error) {
		if !(x >= 0 && x <= 1) {
			return 0, fmt.Errorf("--%s must lie in 0 to 1, got %v", flag, x)
		}
		return int(math.Round(1000 * x)), nil
	}
	changed := cmd.Flags().Changed
	var err error
	if changed("lease") {
		o.Lease, err = whole("lease", f.lease)
	}
	if err == nil {
		o.Resume, err = whole("resume-cost", f.resume)
	}
	if err == nil {
		o.QuotaMilli, err = share("quota", f.quota)
	}
	if err == nil {
		o.ReserveMilli, err = share("reserve", f.reserve)
	}
	if changed("retries") {
		o.Retries = f.retries
	}
	if changed("median") {
		o.Median = f.median
	}
	o.RoundUp = o.RoundUp && !f.exactGangs
	o.HoldRunning, o.Aligned, o.Steps = f.holdRunning, f.aligned, f.budget
	if err == nil {
		err = o.Validate()
	}
	return o, err
}

// admitInput reads the snapshot, and the job if there is one, as a status: what the
// snapshot knows of a job that is in it already stays.
func (a *app) admitInput(files []string) (*schedmate.Snapshot, *schedmate.JobStatus, error) {
	if count(files, "-") > 1 {
		return nil, nil, usage(errors.New("'-' is named twice, but there is one standard input"))
	}
	var s *schedmate.Snapshot
	var job *docfile.JobDocument
	for _, file := range files {
		d, err := a.readDocument(file)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case d.Kind() == docfile.JobKind && job == nil:
			job, err = docfile.JobOf(d)
		case d.Kind() == docfile.JobKind:
			err = fmt.Errorf("%s: a second job: ask for one at a time", d.Name)
		case d.Kind() == schedmate.SnapshotKind && s != nil:
			err = fmt.Errorf("%s: a second snapshot: give one", d.Name)
		default:
			s, err = docfile.SnapshotOf(d)
		}
		if err != nil {
			return nil, nil, usage(err)
		}
	}
	if s == nil {
		return nil, nil, usage(errors.New("name a snapshot with -f FILE, and the job that asks with another -f FILE"))
	}
	if job == nil {
		return s, nil, nil
	}
	j, err := asking(s, job)
	return s, j, usage(err)
}

// asking is the status of the job that asks.
func asking(s *schedmate.Snapshot, d *docfile.JobDocument) (*schedmate.JobStatus, error) {
	j := &schedmate.JobStatus{Job: d.Job, Facts: d.Facts}
	if known := s.Find(d.Job.ID); known != nil {
		status := *known
		status.Job, j = d.Job, &status
		for _, f := range known.Facts {
			if !slices.ContainsFunc(d.Facts, func(g schedmate.Fact) bool { return g.Kind == f.Kind }) {
				d.Facts = append(d.Facts, f)
			}
		}
		j.Facts = d.Facts
	}
	switch {
	case j.Job.Submit > s.Now:
		return nil, fmt.Errorf("job %s: submit_s is %d, after the snapshot's now_s %d: a job asks when it is submitted", j.Job.ID, j.Job.Submit, s.Now)
	case j.Job.VC != "" && s.Cluster.VC(j.Job.VC) == nil:
		return nil, fmt.Errorf("job %s: the snapshot's cluster has no vc %q: use one of its vcs", j.Job.ID, j.Job.VC)
	}
	return j, nil
}

// standing is the book of a snapshot, rechecked. The job that asks is no part of it
// unless it is recorded there.
func standing(s *schedmate.Snapshot, job string, o admit.Options) (admit.Review, bool) {
	recorded := admit.Recorded(s)
	if j := s.Find(job); j != nil && !recorded {
		without := *s
		bare := *j
		bare.Job.SLO = schedmate.SLO{}
		replace := func(list []*schedmate.JobStatus) []*schedmate.JobStatus {
			list = slices.Clone(list)
			if i := slices.Index(list, j); i >= 0 {
				list[i] = &bare
			}
			return list
		}
		without.Waiting, without.Running = replace(s.Waiting), replace(s.Running)
		s = &without
	}
	return admit.Open(s, o).Recheck(s, o), recorded
}

func (a *app) admit(ctx context.Context, s *schedmate.Snapshot, j *schedmate.JobStatus, o admit.Options, v *admitView) error {
	var doc *admissionDocument
	err := interruptible(ctx, func() error {
		review, recorded := standing(s, j.Job.ID, o)
		answer := review.Book.Ask(s, j, o)
		if err := checkCalendar(answer.Calendar); err != nil {
			return asFailure(fmt.Errorf("BUG in admission: %w; please report it with the snapshot and the job", err))
		}
		doc = admission(s, o, &review, recorded, &answer)
		return nil
	})
	if err != nil {
		return err
	}
	if err := v.write(func(command string) report.Promises { return admissionPage(doc, command) }); err != nil {
		return err
	}
	err = a.render(doc, func(w io.Writer) error {
		if err := admissionText(w, doc); err != nil || !v.calendar {
			return err
		}
		return writeCalendar(w, &doc.answerTail, doc, doc.Now, a.width())
	})
	if err != nil {
		return err
	}
	if !doc.Admitted {
		return &codedError{code: ExitNoPromise}
	}
	return nil
}

func (a *app) recheck(ctx context.Context, s *schedmate.Snapshot, o admit.Options, v *admitView) error {
	var doc *promisesDocument
	err := interruptible(ctx, func() error {
		review, recorded := standing(s, "", o)
		doc = &promisesDocument{headOf(s, "Promises"), tailOf(o, &review, recorded, review.Book)}
		doc.Load = loads(s, o, review.Book, "", doc.until(s.Now))
		return nil
	})
	if err != nil {
		return err
	}
	if err := v.write(func(command string) report.Promises { return recheckPage(doc, command) }); err != nil {
		return err
	}
	err = a.render(doc, func(w io.Writer) error {
		if err := promisesText(w, doc); err != nil || !v.calendar {
			return err
		}
		return writeCalendar(w, &doc.answerTail, nil, doc.Now, a.width())
	})
	if err != nil {
		return err
	}
	if len(doc.Broken) > 0 {
		return &codedError{code: ExitNoPromise}
	}
	return nil
}
