package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"schedmate"
	"schedmate/failure"
	"schedmate/internal/observe"
)

// jobIncident is a job of a cluster as an incident: its logs, and what the scheduler
// has recorded of it and its nodes.
type jobIncident struct {
	job   *schedmate.ObservedJob
	files []string
	extra []failure.Log // that are no files
}

// jobIncident finds a job and its logs: in the scheduler's queue, or in its
// database, with where it logged as far as anybody still knows.
func (a *app) jobIncident(ctx context.Context, f *clusterFlags, arg string) (*jobIncident, error) {
	c, err := a.cluster(f)
	if err != nil {
		return nil, err
	}
	o, err := a.observe(ctx, c, f)
	if err != nil {
		return nil, err
	}
	id := jobName(arg)
	found := observe.Find(o.Jobs, id)
	past, gaps, err := c.source.Past(ctx, schedmate.Period{IDs: []string{id}})
	switch {
	case err != nil && len(found) == 0:
		return nil, clusterError(err)
	case err != nil:
		gaps = append(gaps, schedmate.Gap{What: "earlier runs of the job", Why: err.Error()})
	}
	a.tellGaps(gaps)
	if len(found) == 0 && len(past) == 0 {
		return nil, clusterError(&observe.NotFoundError{Job: id, Where: c.name})
	}
	if len(found) > 1 {
		var ids []string
		for _, j := range found {
			ids = append(ids, j.ID)
		}
		return nil, usage(fmt.Errorf("%s is several jobs: name one of %s", id, some(ids, 6)))
	}
	in := &jobIncident{}
	if len(found) == 1 {
		in.job = found[0]
	}
	// A run of the past tells how it ended; where it logged the queue tells.
	if len(past) > 0 {
		last := past[len(past)-1]
		if in.job == nil {
			in.job = &last
		} else if in.job.Ending == nil && !in.job.Waits() && !in.job.Runs() || in.job.Ending != nil && last.Ending != nil && last.Ending.CancelledBy != "" {
			in.job.Ending = last.Ending
		}
	}
	if in.job.Waits() && len(past) == 0 && in.job.Restarts == 0 {
		return nil, usage(fmt.Errorf("job %s has not started: ask 'schedmate why slurm:%s' why it waits", id, id))
	}
	for _, file := range []string{in.job.Stdout, in.job.Stderr} {
		if file == "" || file == os.DevNull {
			continue
		}
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			a.tellGaps([]schedmate.Gap{{What: "the log " + file, Why: "it does not exist here"}})
		case err != nil:
			a.tellGaps([]schedmate.Gap{{What: "the log " + file, Why: err.Error()}})
		case in.job.Start > 0 && info.ModTime().Before(time.Unix(int64(in.job.Start), 0).Add(-clockSkew)):
			a.tellGaps([]schedmate.Gap{{What: "the log " + file, Why: "it is older than this run"}})
		default:
			in.files = append(in.files, file)
		}
	}
	if len(in.files) == 0 && in.job.Stdout == "" {
		a.tellGaps([]schedmate.Gap{{What: "the job's log", Why: "Slurm no longer tells where the job logged", Next: "name the log as a file, with 'schedmate diagnose FILE'"}})
	}
	record := jobRecord(in.job, past, o)
	in.extra = append(in.extra, failure.Log{Name: "slurm:" + in.job.ID, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(record)), nil
	}})
	return in, nil
}

// jobRecord writes what the scheduler knows of a job and its nodes, in the words of
// scontrol, one line each: the earlier runs, the job, nodes of it that are not well.
func jobRecord(j *schedmate.ObservedJob, past []schedmate.ObservedJob, o *schedmate.Observation) string {
	var b strings.Builder
	for i := range past {
		if p := &past[i]; p.End > 0 && p.End != j.End {
			writeJobRecord(&b, p)
		}
	}
	writeJobRecord(&b, j)
	for _, name := range j.Nodes {
		for i := range o.Nodes {
			if n := &o.Nodes[i]; n.Name == name && n.Reason != "" && (j.End == 0 || n.ReasonAt >= j.Start) {
				fmt.Fprintf(&b, "%s NodeName=%s State=%s Reason=%s\n", recordTime(n.ReasonAt), n.Name, strings.Join(n.States, "+"), oneLine(n.Reason))
			}
		}
	}
	return b.String()
}

func writeJobRecord(b *strings.Builder, j *schedmate.ObservedJob) {
	fmt.Fprintf(b, "%s JobId=%s JobState=%s Reason=%s", recordTime(cmp.Or(j.End, j.Start)), j.ID, j.State, cmp.Or(j.Reason, "None"))
	if e := j.Ending; e != nil {
		fmt.Fprintf(b, " ExitCode=%d:%d", e.ExitCode, e.Signal)
		if e.CancelledBy != "" {
			fmt.Fprintf(b, " CancelledBy=%s", e.CancelledBy)
		}
	}
	fmt.Fprintf(b, " NodeList=%s", cmp.Or(strings.Join(j.Nodes, ","), "(null)"))
	if e := j.Ending; e != nil && e.FailedNode != "" {
		fmt.Fprintf(b, " FailedNode=%s", e.FailedNode)
	}
	if j.TimeLimit > 0 {
		fmt.Fprintf(b, " TimeLimit=%s", human(j.TimeLimit))
	}
	b.WriteByte('\n')
}

func recordTime(at schedmate.Seconds) string {
	if at == 0 {
		return "-"
	}
	return time.Unix(int64(at), 0).Format("2006-01-02T15:04:05")
}

// oneLine keeps text of people from making lines of its own.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
