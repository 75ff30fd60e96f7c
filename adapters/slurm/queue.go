package slurm

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"schedmate"
)

// queue is what one answer about jobs holds.
type queue struct {
	jobs   []schedmate.ObservedJob
	gaps   []schedmate.Gap
	system schedmate.System
	at     schedmate.Seconds // by the controller's clock, where it tells

	cut      bool // the answer broke off
	bad      int  // records that could not be read
	firstBad error
	refusal  string // the first error that the answer carries
	cutShort int    // arrays whose tasks are not all told
}

// meta is what Slurm's JSON tells of itself; names differ between versions.
type meta struct {
	Old release `json:"Slurm"`
	New release `json:"slurm"`
}

type release struct {
	Release string `json:"release"`
	Cluster string `json:"cluster"`
}

// remark is an error or a warning that an answer carries.
type remark struct {
	Text   text `json:"error"`
	Detail text `json:"description"`
	Source text `json:"source"`
}

func (r *remark) String() string {
	words := []string{clean(r.Detail), clean(r.Text)}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ": ")
}

// add takes a record into the queue. One that cannot be read, and one that says
// the same job again, becomes part of a gap.
func (q *queue) add(r *record, err error) {
	var j schedmate.ObservedJob
	if err == nil {
		j, err = r.job()
	}
	if err != nil {
		if q.bad++; q.firstBad == nil {
			q.firstBad = fmt.Errorf("job %d: %w", r.JobID, err)
		}
		return
	}
	if r.cutShort {
		q.cutShort++
	}
	if q.system.Cluster == "" {
		q.system.Cluster = clean(r.Cluster)
	}
	q.jobs = append(q.jobs, j)
}

// finish sorts the jobs and tells what is missing. command is what shows the
// records to a person.
func (q *queue) finish(command string) {
	byID := func(a, b *schedmate.ObservedJob) int { return schedmate.CompareJobIDs(a.ID, b.ID) }
	q.jobs = sortedJobs(q.jobs, byID)
	all := len(q.jobs)
	q.jobs = slices.CompactFunc(q.jobs, func(a, b schedmate.ObservedJob) bool { return byID(&a, &b) == 0 })
	if twice := all - len(q.jobs); twice > 0 {
		q.gaps = append(q.gaps, schedmate.Gap{What: plural(twice, "record"), Why: "Slurm's answer says the same job twice; the first record is taken", Next: "report this with the output of '" + command + "'"})
	}
	if q.bad > 0 {
		q.gaps = append(q.gaps, schedmate.Gap{What: plural(q.bad, "job"), Why: "Slurm's answer about them could not be read: " + q.firstBad.Error(), Next: "report this with the output of '" + command + "'"})
	}
	if q.cutShort > 0 {
		q.gaps = append(q.gaps, schedmate.Gap{What: "how many tasks " + plural(q.cutShort, "job array") + " still wait to start", Why: "Slurm cuts long lists of tasks short; what it shows is counted", Next: "set SLURM_BITSTR_LEN=0 for slurmrestd"})
	}
}

// sortedJobs sorts by moving numbers, not jobs, which are large.
func sortedJobs(jobs []schedmate.ObservedJob, compare func(a, b *schedmate.ObservedJob) int) []schedmate.ObservedJob {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(&jobs[a], &jobs[b]) })
	out := make([]schedmate.ObservedJob, len(jobs))
	for i, from := range order {
		out[i] = jobs[from]
	}
	return out
}

// readJobsJSON reads the answer of squeue --json, or of the REST service to
// GET jobs. It holds one record at a time, so that the length of the queue is no
// matter.
func readJobsJSON(from io.Reader) (*queue, error) {
	q := &queue{}
	fields := q.aboutItself()
	fields["jobs"] = func(a *answer) error { return eachElement(a, q.add) }
	err := eachField(from, fields)
	q.finish("squeue --json")
	if major, _, _ := strings.Cut(q.system.Version, "."); len(q.jobs) > 0 && len(major) == 2 && major >= "26" {
		q.gaps = append(q.gaps, untoldExclusive)
	}
	return q, q.nothing(len(q.jobs)+q.bad, err)
}

// untoldExclusive is missing in JSON from 26.05 on, which has no field for it.
var untoldExclusive = schedmate.Gap{What: "which jobs ask for whole nodes", Why: "the JSON of this version of Slurm does not tell it", Next: "'scontrol show job' does (Exclusive=NODE)"}

// aboutItself reads what every answer tells beside the thing that was asked for.
func (q *queue) aboutItself() map[string]func(*answer) error {
	return map[string]func(*answer) error{
		"meta":     q.readMeta,
		"errors":   q.readErrors,
		"warnings": q.readRemarks,
		"last_update": func(a *answer) error {
			var n number
			if err := a.Decode(&n); err != nil {
				return err
			}
			q.at = n.seconds()
			return nil
		},
	}
}

func (q *queue) readMeta(d *answer) error {
	var m meta
	if err := d.Decode(&m); err != nil {
		return err
	}
	for _, r := range []release{m.Old, m.New} {
		if r.Release != "" {
			q.system.Version = r.Release
		}
		if r.Cluster != "" {
			q.system.Cluster = r.Cluster
		}
	}
	return nil
}

func (q *queue) readErrors(a *answer) error {
	from := len(q.gaps)
	if err := q.readRemarks(a); err != nil {
		return err
	}
	if len(q.gaps) > from && q.refusal == "" {
		q.refusal = q.gaps[from].Why
	}
	return nil
}

func (q *queue) readRemarks(a *answer) error {
	var list []remark
	if err := a.Decode(&list); err != nil {
		return err
	}
	for _, r := range list {
		q.gaps = append(q.gaps, schedmate.Gap{What: "part of Slurm's answer", Why: cmp.Or(r.String(), "it carries an error without a word")})
	}
	return nil
}

// nothing turns an answer that holds an error and nothing else into that error: a
// queue that could not be read is not an empty one. So does squeue --json of 22.05
// answer where slurmctld is down.
func (q *queue) nothing(length int, err error) error {
	if err != nil || length > 0 || q.refusal == "" {
		return err
	}
	return &UnreachableError{Command: "Slurm's answer", Text: q.refusal}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
