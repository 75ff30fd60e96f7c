package traces

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Accounting is what Slurm's accounting knows of a trace beyond its jobs. The
// counts are over the whole file, before any filter.
type Accounting struct {
	Steps    int      `json:"steps"`               // rows of job steps such as 12.batch, left out
	Requeued int      `json:"requeued"`            // jobs that ran more than once
	Runs     int      `json:"runs"`                // of all jobs together
	Later    int      `json:"eligible_later"`      // jobs that wait from when they became eligible, after their submission
	GPUTypes []string `json:"gpu_types,omitempty"` // that jobs name, sorted
	Usage    Usage    `json:"usage"`

	past map[string]Past // of each job, by id
}

// Past is what really happened to a job.
//
// Invariant: 0 <= Queue <= JCT.
type Past struct {
	JCT   schedmate.Seconds // from when it began to wait to its last end
	Queue schedmate.Seconds // JCT without the time that it ran; waits between its runs count
}

// Past returns what really happened to a job of the trace. Filters keep it;
// they change the times of all jobs together, and Past counts from the job's
// own Submit.
func (t *Trace) Past(id string) (Past, bool) {
	if t.Accounting == nil {
		return Past{}, false
	}
	p, ok := t.Accounting.past[id]
	return p, ok
}

// sacctJob is a job with all its runs.
type sacctJob struct {
	runs []sacctRun
	job  sim.Job // with its instants as Slurm tells them
	past Past
}

// loadSacct reads the rows, puts the runs of each job together and makes the
// trace's jobs of them.
func loadSacct(l *loader, src *source) error {
	jobs, err := sacctJobs(l, src)
	if err != nil {
		return err
	}
	for i := range jobs {
		l.trace.Jobs = append(l.trace.Jobs, jobs[i].job)
		l.lines = append(l.lines, jobs[i].runs[0].line)
	}
	l.fromFirst = true
	return nil
}

// sacctJobs returns the jobs that can be simulated, in the order of their first
// rows. What it leaves out is counted in the loader's trace.
func sacctJobs(l *loader, src *source) ([]sacctJob, error) {
	acc := &Accounting{past: make(map[string]Past)}
	l.trace.Accounting = acc
	rows, err := newSacctRows(src)
	if err != nil {
		return nil, err
	}
	all, err := l.groups(rows, acc)
	if err != nil {
		return nil, err
	}
	acc.Usage = usageOf(all)
	kept := all[:0]
	types := make(map[string]bool)
	for i := range all {
		dropped := all[i].become(l.options)
		if dropped == "" && all[i].job.Outcome.Run == 0 {
			dropped = "ran 0 seconds"
		}
		if dropped != "" {
			l.trace.drop(dropped, 1, all[i].runs[0].line)
			continue
		}
		j := &all[i].job
		acc.past[j.ID] = all[i].past
		acc.Runs += len(all[i].runs)
		if len(all[i].runs) > 1 {
			acc.Requeued++
		}
		if j.Submit > firstSubmit(all[i].runs) {
			acc.Later++
		}
		if j.GPUType != "" && !types[j.GPUType] {
			types[j.GPUType] = true
			acc.GPUTypes = append(acc.GPUTypes, j.GPUType)
		}
		kept = append(kept, all[i])
	}
	slices.Sort(acc.GPUTypes)
	return kept, nil
}

// groups reads every row and returns the runs of each job that asks GPUs.
func (l *loader) groups(rows *sacctRows, acc *Accounting) ([]sacctJob, error) {
	var all []sacctJob
	index := make(map[string]int) // job id -> place in all
	cells := newSacctCells(l, rows)
	for {
		line, raw, err := rows.row()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		cells.set(line, raw)
		if _, id := cells.either("JobID", "JobIDRaw"); strings.Contains(id, ".") {
			acc.Steps++
			continue
		}
		run, err := cells.run()
		if err != nil {
			return nil, err
		}
		switch _, list := cells.either("AllocTRES", "ReqTRES"); {
		case run.gpus > 0:
		case run.shared:
			l.trace.drop("asks shares of GPUs and no whole one", 1, line)
			continue
		case list != "":
			l.trace.drop(noGPUs, 1, line)
			continue
		}
		i, ok := index[run.id]
		if !ok {
			index[run.id] = len(all)
			all = append(all, sacctJob{runs: []sacctRun{run}})
			continue
		}
		if first := &all[i].runs[0]; first.user != run.user {
			return nil, &InputError{File: l.file, Line: line, Column: "JobID",
				Problem: fmt.Sprintf("job %.40q was already on line %d, of another user: Slurm has given the id out anew", run.id, first.line),
				Next:    "take a shorter time from sacct, or remove the older rows"}
		}
		all[i].runs = append(all[i].runs, run)
	}
}

// become makes the job of its runs: the work of all of them together, on the
// GPUs of the last, from the first submission to the last end. Where dropped
// is not empty it is the reason why it cannot be simulated.
func (s *sacctJob) become(o Options) (dropped string) {
	slices.SortStableFunc(s.runs, byStart)
	last := &s.runs[len(s.runs)-1]
	held := s.held()
	var work, over schedmate.Seconds
	for i := range s.runs {
		r := &s.runs[i]
		if !r.started() {
			continue
		}
		switch {
		case r.end == unknown && sacctHolds[r.state]:
			return "still running"
		case r.end == unknown || r.elapsed == unknown:
			return "has no end"
		case r.end < r.start:
			return "ends before it starts"
		}
		work, over = work+r.elapsed, max(over, r.end)
	}
	end, ended := sacctEnds[last.state]
	switch {
	case held == nil:
		return "never started"
	case sacctHolds[last.state]:
		return "still running"
	case sacctWaits[last.state]:
		return "was requeued and waits"
	case !ended:
		return "has a state that Slurm's manual does not name"
	case work > schedmate.MaxSeconds:
		return "ran longer than 200 years"
	}
	if last.end != unknown {
		over = max(over, last.end) // cancelled while it waited to run again
	}
	first, submit := &s.runs[0], firstSubmit(s.runs)
	if e := s.eligible(); o.Arrival != ArrivalSubmit && e != unknown {
		submit = max(submit, e)
	}
	if submit > first.start {
		return "starts before its submission"
	}
	s.past = Past{JCT: over - submit, Queue: max(0, over-submit-work)}
	s.job = sim.Job{Job: schedmate.Job{
		ID: last.id, Name: last.name, User: last.user, Group: last.account, VC: last.vc(o),
		GPUs: held.gpus, GPUType: held.gpuType, Submit: submit, TimeLimit: s.limit(last, work),
		Outcome: &schedmate.Outcome{Run: work, State: end.state, Failure: end.failure},
	}}
	return ""
}

// held is the last run that held GPUs, or nil.
func (s *sacctJob) held() *sacctRun {
	for i := len(s.runs) - 1; i >= 0; i-- {
		if r := &s.runs[i]; r.started() && r.gpus > 0 {
			return r
		}
	}
	return nil
}

// limit is the user's time limit, which holds for one run. The simulator cuts
// work at it, and the trace's work is to stay what it was: where Slurm was some
// seconds late to stop the job, the limit is the next whole minute; a job that
// worked longer without being stopped, or in several runs, has none.
func (s *sacctJob) limit(last *sacctRun, work schedmate.Seconds) schedmate.Seconds {
	switch {
	case work <= last.limit || last.limit == 0:
		return last.limit
	case len(s.runs) == 1 && last.state == "TIMEOUT":
		return min((work+59)/60*60, schedmate.MaxSeconds)
	}
	return 0
}

func (r *sacctRun) vc(o Options) string {
	switch o.VC {
	case VCPartition:
		return r.partition
	case VCAccount:
		return r.account
	}
	return ""
}

// firstSubmit is the submission of the first run: Slurm counts a requeue as a
// submission of its own.
func firstSubmit(runs []sacctRun) schedmate.Seconds {
	first := runs[0].submit
	for i := range runs {
		first = min(first, runs[i].submit)
	}
	return first
}

// eligible is when the first run became eligible, or unknown where Slurm tells
// nothing that fits its start.
func (s *sacctJob) eligible() schedmate.Seconds {
	if e := s.runs[0].eligible; e <= s.runs[0].start {
		return e
	}
	return unknown
}
