package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"schedmate"
	"schedmate/failure"
	"schedmate/internal/observe"
)

// incidentInput is what one incident is read from.
type incidentInput struct {
	name    string // as it was named
	files   []string
	records []failure.Log // that are no files
	job     *ranOn        // of a job of a cluster
}

// names are those of all its logs.
func (in *incidentInput) names() []string {
	names := slices.Clone(in.files)
	for _, r := range in.records {
		names = append(names, r.Name)
	}
	return names
}

// together makes one incident of several inputs.
func together(inputs []incidentInput) incidentInput {
	all := inputs[0]
	for _, in := range inputs[1:] {
		all.files, all.records = append(all.files, in.files...), append(all.records, in.records...)
		all.job = cmp.Or(all.job, in.job)
	}
	return all
}

// incidentInputs turns arguments into incidents: a file is one, and a job of a
// cluster is its logs and what the scheduler has recorded.
func (a *app) incidentInputs(ctx context.Context, f *clusterFlags, args []string, each bool) ([]incidentInput, error) {
	jobs, _ := f.namesJobs(args)
	if jobs > 1 && !each {
		return nil, usage(errors.New("each job is an incident of its own: name one, or several with --jsonl"))
	}
	if jobs == 0 {
		if f.fresh || f.verbose || f.replay != "" {
			return nil, usage(errors.New("--fresh and --verbose are about jobs of a cluster, such as slurm:1234"))
		}
		inputs := make([]incidentInput, len(args))
		for i, path := range args {
			inputs[i] = incidentInput{name: path, files: []string{path}}
		}
		return inputs, nil
	}
	c, err := a.cluster(ctx, f)
	if err != nil {
		return nil, err
	}
	o, err := a.observe(ctx, c, f)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, arg := range args {
		if f.isJob(arg) {
			ids = append(ids, jobName(arg))
		}
	}
	if c.outdated(o, ids) {
		c.kept.MaxAge = 0
		if o, err = a.observe(ctx, c, f); err != nil {
			return nil, err
		}
	}
	past, gaps, pastErr := c.source.Past(ctx, schedmate.Period{IDs: ids}) // one call, whatever the number of jobs
	if pastErr != nil {
		gaps = append(gaps, schedmate.Gap{What: "how the jobs ended, and earlier runs of them", Why: pastErr.Error()})
	}
	a.tellGaps(gaps)
	a.tellCalls(c, f)
	inputs := make([]incidentInput, len(args))
	for i, arg := range args {
		if !f.isJob(arg) {
			inputs[i] = incidentInput{name: arg, files: []string{arg}}
			continue
		}
		if inputs[i], err = a.jobIncident(c, o, past, jobName(arg)); err != nil {
			return nil, err
		}
		inputs[i].name = arg
	}
	return inputs, nil
}

// outdated tells whether the last answer of the scheduler may have missed the end of a
// job, and with it where the job logged.
func (c *openCluster) outdated(o *schedmate.Observation, ids []string) bool {
	return c.kept != nil && c.now(o) > o.Now && slices.ContainsFunc(ids, func(id string) bool {
		found := observe.Find(o.Jobs, id)
		return len(found) == 0 || slices.ContainsFunc(found, func(j *schedmate.ObservedJob) bool { return !j.Over() })
	})
}

// jobIncident is a job with its logs: by the scheduler's queue, or its database, with
// where it logged as far as anybody still knows.
func (a *app) jobIncident(c *openCluster, o *schedmate.Observation, past []schedmate.ObservedJob, id string) (incidentInput, error) {
	var in incidentInput
	found := observe.Find(o.Jobs, id)
	if len(found) > 1 {
		var ids []string
		for _, j := range found {
			ids = append(ids, j.ID)
		}
		return in, usage(fmt.Errorf("%s is several jobs: name one of %s", id, some(ids, 6)))
	}
	var runs []schedmate.ObservedJob
	for _, p := range past {
		named := p.ID == id || fmt.Sprint(p.Number) == id || len(found) == 1 && p.ID == found[0].ID
		if named && (p.Start > 0 || p.Over()) { // the database also tells of what waits
			runs = append(runs, p)
		}
	}
	if len(found) == 0 && len(runs) == 0 {
		return in, clusterError(observe.Missing(o.Jobs, id, c.name))
	}
	job := merged(found, runs)
	if job.Runs() && len(runs) <= 1 && job.Restarts == 0 {
		return in, usage(fmt.Errorf("job %s has not ended, it is %s: 'schedmate track %s%s' says how far it is", job.ID, job.State, slurmScheme, id))
	}
	if job.Waits() && len(runs) == 0 && job.Restarts == 0 {
		return in, usage(fmt.Errorf("job %s has not started: ask 'schedmate why slurm:%s' why it waits", id, id))
	}
	var missing []schedmate.Gap
	neverRan := job.Over() && len(job.Nodes) == 0 && len(runs) <= 1 && job.Restarts == 0 // and has no log
	for _, file := range []string{job.Stdout, job.Stderr} {
		if file == "" || file == os.DevNull || neverRan {
			continue
		}
		if why := unusable(&job, file); why != "" {
			missing = append(missing, schedmate.Gap{What: "the log " + file, Why: why})
			continue
		}
		in.files = append(in.files, file)
	}
	if job.Stdout == "" && !neverRan {
		missing = append(missing, schedmate.Gap{What: "the log of job " + job.ID, Why: "Slurm does not tell, or no longer, where the job logged", Next: "name the log beside the job: 'schedmate diagnose " + slurmScheme + id + " FILE'"})
	}
	a.tellGaps(missing)
	in.job = &ranOn{nodes: job.Nodes, own: slices.Clone(in.files)}
	record := jobRecord(&job, runs, o)
	in.records = []failure.Log{{Name: slurmScheme + job.ID, Record: true, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(record)), nil
	}}}
	return in, nil
}

// merged is a job by its queue, which tells where it logs, and by its database,
// which tells how it ended.
func merged(found []*schedmate.ObservedJob, runs []schedmate.ObservedJob) schedmate.ObservedJob {
	if len(found) == 0 {
		return runs[len(runs)-1]
	}
	job := *found[0]
	if len(runs) == 0 {
		return job
	}
	last := runs[len(runs)-1]
	if !job.Over() && last.Restarts >= job.Restarts && rank(&last) > rank(&job) { // it has gone on since the queue was read
		job.State, job.Reason, job.Start, job.End, job.Nodes = last.State, last.Reason, last.Start, last.End, last.Nodes
	}
	if job.Over() && len(job.Nodes) == 0 { // a job without nodes is one that never ran
		job.Nodes = last.Nodes
	}
	if last.Ending != nil && job.Over() {
		end := *last.Ending
		if job.Ending != nil {
			end.FailedNode = cmp.Or(end.FailedNode, job.Ending.FailedNode)
		}
		job.Ending = &end
	}
	return job
}

// unusable says why a log of a job is of no use, "" if it is.
func unusable(job *schedmate.ObservedJob, file string) string {
	info, err := statLog(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist here"
	case err != nil:
		return err.Error()
	case !mayRead(file):
		return "you may not read it"
	case job.Start > 0 && !job.Waits() && info.ModTime().Before(time.Unix(int64(job.Start), 0).Add(-clockSkew)):
		return "it is older than this run"
	}
	return ""
}

// mayRead tells whether a regular file can be opened.
func mayRead(file string) bool {
	in, err := os.Open(file)
	if err != nil {
		return false
	}
	in.Close() // nothing was read
	return true
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
			if n := &o.Nodes[i]; n.Name == name && n.Reason != "" && (j.End == 0 || n.ReasonAt >= j.Start && n.ReasonAt <= j.End+nodeFoundOut) {
				fmt.Fprintf(&b, "%s NodeName=%s State=%s Reason=%s\n", recordTime(n.ReasonAt), n.Name, strings.Join(n.States, "+"), oneLine(n.Reason))
			}
		}
	}
	return b.String()
}

// nodeFoundOut is how long after the end of a job its node may be found to have
// failed: Slurm waits for a silent node, by default for five minutes.
const nodeFoundOut = 15 * 60

func writeJobRecord(b *strings.Builder, j *schedmate.ObservedJob) {
	fmt.Fprintf(b, "%s JobId=%s", recordTime(cmp.Or(j.End, j.Start)), j.ID)
	if j.User != "" {
		fmt.Fprintf(b, " UserId=%s", userText(j.User))
	}
	fmt.Fprintf(b, " JobState=%s Reason=%s", j.State, cmp.Or(j.Reason, "None"))
	if e := j.Ending; e != nil {
		fmt.Fprintf(b, " ExitCode=%d:%d", e.ExitCode, e.Signal)
		if e.CancelledBy != "" {
			fmt.Fprintf(b, " CancelledBy=%s", userText(e.CancelledBy))
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

// userText adds the name to a user's number, as far as this machine knows it.
func userText(who string) string {
	if u, err := user.LookupId(who); err == nil {
		return u.Username + "(" + who + ")"
	}
	return who
}

func recordTime(at schedmate.Seconds) string {
	if at == 0 {
		return "-"
	}
	return time.Unix(int64(at), 0).Format("2006-01-02T15:04:05")
}

// oneLine keeps text of people from making lines of its own.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
