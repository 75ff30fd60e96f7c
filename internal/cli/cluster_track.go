package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"schedmate"
)

// checkJobs refuses flags that are about files.
func (f *trackFlags) checkJobs(cmd *cobra.Command, files int) error {
	if files > 0 {
		return errors.New("jobs and files are tracked by two commands: name the ones or the others")
	}
	for _, name := range []string{"arrivals", "explain", "glob", "resume"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is about files: name the job's log, which 'schedmate track' shows", name)
		}
	}
	if f.follow {
		return f.checkTogether(cmd)
	}
	return oneFormat(cmd, f.jsonl)
}

// jobTrackDocument is what track answers about jobs with -o json or yaml.
type jobTrackDocument struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Now        schedmate.Seconds `json:"now_s"`
	Jobs       []*jobProgress    `json:"jobs"`

	mine bool // of the user who asks
}

// trackJobs says how far running jobs are: the named ones, or all of the user's.
func (a *app) trackJobs(ctx context.Context, f *trackFlags, args []string) error {
	c, err := a.cluster(ctx, &f.cluster)
	if err != nil {
		return err
	}
	o, jobs, err := a.observeJobs(ctx, c, &f.cluster, args)
	if len(args) == 0 && exitCodeOf(err) == ExitUnreachable {
		return fmt.Errorf("name the logs to track, or '-' for standard input; your running jobs are not known: %w", err)
	}
	if err != nil {
		return err
	}
	if len(args) == 0 {
		me := spellings(c.user)
		for i := range o.Jobs {
			if j := &o.Jobs[i]; j.Runs() && (slices.Contains(me, j.User) || !c.live) { // nobody is at home in a replay
				jobs = append(jobs, j)
			}
		}
	}
	if f.follow {
		return a.followJobs(ctx, f, jobs)
	}
	doc := &jobTrackDocument{schedmate.APIVersion, "JobProgress", c.now(o), a.progressOf(ctx, jobs, c.now(o)), c.live}
	if err := ctx.Err(); err != nil {
		return asFailure(fmt.Errorf("%w: not all logs were read", err))
	}
	if f.jsonl {
		for _, p := range doc.Jobs {
			if err := writeLine(a.streams.Out, p.line()); err != nil {
				return asFailure(fmt.Errorf("write standard output: %w", err))
			}
		}
		return nil
	}
	return a.render(doc, func(w io.Writer) error { return a.jobTable(w, doc) })
}

// followJobs follows the logs of jobs that run.
func (a *app) followJobs(ctx context.Context, f *trackFlags, jobs []*schedmate.ObservedJob) error {
	var files []string
	for _, j := range jobs {
		for _, file := range []string{j.Stdout, j.Stderr} {
			if file == "" || file == os.DevNull || slices.Contains(files, file) {
				continue
			}
			if _, err := statLog(file); errors.Is(err, errNoRegularFile) {
				fmt.Fprintf(a.streams.Err, "schedmate: job %s is not followed: %s: %s\n", j.ID, printable(file), errNoRegularFile)
				continue
			}
			files = append(files, file)
			fmt.Fprintf(a.streams.Err, "schedmate: job %s logs to %s\n", j.ID, printable(file))
		}
	}
	if len(files) == 0 {
		return notFound(errors.New("none of these jobs runs and has a log: see 'schedmate queue --me'"))
	}
	return a.trackFollow(ctx, f, files)
}

// jobLine is what 'track --jsonl' says about one job: what it says about a log, and
// what the scheduler adds.
type jobLine struct {
	Job string `json:"job"`
	*trackLine
	Missing    string   `json:"missing,omitempty"`
	Silent     *float64 `json:"silent_s,omitempty"`
	Left       *float64 `json:"left_s,omitempty"`
	LeftBy     string   `json:"left_by,omitempty"`
	UntilLimit *float64 `json:"until_limit_s,omitempty"`
	AtLimit    *float64 `json:"progress_at_limit,omitempty"`
}

func (p *jobProgress) line() *jobLine {
	l := &jobLine{p.Job, &trackLine{File: p.File}, p.Missing, p.Silent, p.Left, p.LeftBy, p.UntilLimit, p.AtLimit}
	if p.Progress != nil {
		l.fill(p.Progress)
	}
	return l
}

func (a *app) jobTable(w io.Writer, d *jobTrackDocument) error {
	if len(d.Jobs) == 0 {
		text := "no job of yours runs"
		if !d.mine {
			text = "no job runs"
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	rows := [][]string{{"JOBID", "NAME", "PROGRESS", "STEP TIME", "LOSS", "ETA", "LIMIT IN", "NOTE", "LOG"}}
	for _, p := range d.Jobs {
		step, loss, limit := "-", "-", "-"
		if x := p.Progress; x != nil {
			step, loss = optionalReading(x.StepTime, stepTimeText), optionalReading(x.Loss, short)
		}
		if p.UntilLimit != nil {
			limit = humanSeconds(math.Round(*p.UntilLimit))
		}
		note := p.note()
		if !p.job.Runs() {
			note = "the job is " + p.job.State
		}
		rows = append(rows, []string{p.Job, clip(p.job.Name, 20), p.done(), step, loss, p.leftText(), limit, note, p.File})
	}
	return a.fittingColumns(w, rows, "LOG", "LOSS", "NAME", "LIMIT IN")
}
