package eval

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"schedmate"
	"schedmate/scheduler/sim"
)

// jobColumns are the columns of the per-job output, a contract with scripts.
var jobColumns = []string{
	"experiment", "policy", "preset", "seed", "job", "submit_s", "start_s", "end_s", "queue_s", "jct_s",
	"gpus", "preemptions", "restarts", "state", "deadline_s", "missed",
}

// WriteJobs writes one CSV row a run and job. Times are integer seconds and
// empty where they do not apply. deadline_s is the first deadline as an
// instant; missed is 1 if the job ends after it, or never.
func WriteJobs(w io.Writer, runs []Run) error {
	out := csv.NewWriter(w)
	if err := out.Write(jobColumns); err != nil {
		return fmt.Errorf("write jobs: %w", err)
	}
	for i := range runs {
		for k := range runs[i].Result.Jobs {
			if err := out.Write(jobRow(&runs[i].RunID, &runs[i].Result.Jobs[k])); err != nil {
				return fmt.Errorf("write jobs: %w", err)
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write jobs: %w", err)
	}
	return nil
}

func jobRow(id *RunID, r *sim.JobResult) []string {
	seconds := func(t schedmate.Seconds, applies bool) string {
		if !applies {
			return ""
		}
		return strconv.FormatInt(int64(t), 10)
	}
	started := r.Start != sim.NoTime
	var deadline, late string
	if slo := r.Job.SLO; slo.HasDeadline() {
		deadline = seconds(slo.Tiers[0].Deadline, true)
		late = "0"
		if missed(r) {
			late = "1"
		}
	}
	return []string{
		id.Experiment, id.Policy, id.Preset, strconv.FormatInt(id.Seed, 10), r.Job.ID,
		seconds(r.Job.Submit, true), seconds(r.Start, started), seconds(r.End, r.Ran()),
		seconds(r.Queue, started), seconds(r.JCT(), r.Ran()),
		strconv.Itoa(r.Job.GPUs), strconv.Itoa(r.Preemptions), strconv.Itoa(r.Restarts), string(r.State), deadline, late,
	}
}
