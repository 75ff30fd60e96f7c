package eval

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"schedmate"
	"schedmate/scheduler/sim"
)

// jobColumns are the columns of the per-job output, a contract with scripts.
var jobColumns = []string{
	"experiment", "policy", "preset", "seed", "job", "submit_s", "start_s", "end_s", "queue_s", "jct_s",
	"gpus", "preemptions", "restarts", "state", "deadline_s", "missed",
	"beside", "beside_s", "profile_s",
}

// withoutSharing is how many columns tables had before jobs shared GPUs. Readers
// take those as well.
const withoutSharing = 16

// isJobTable reports whether the header is that of a table of jobs.
func isJobTable(header []string) bool {
	return slices.Equal(header, jobColumns) || slices.Equal(header, jobColumns[:withoutSharing])
}

// JobTable writes one CSV row a run and job. Times are integer seconds and
// empty where they do not apply. deadline_s is the first deadline as an
// instant; missed is 1 if the job ends after it, or never. beside is the job onto
// whose GPUs it was packed last, at beside_s; profile_s is how long it was profiled.
//
// The table of a shard has one more column, see [ShardOf.column], which
// MergeJobs takes away again.
type JobTable struct {
	out   *csv.Writer
	shard *ShardOf
	runs  []int // of the sweep, those to come
}

// NewJobTable writes the header. The shard is nil for a whole sweep.
func NewJobTable(w io.Writer, shard *ShardOf) (*JobTable, error) {
	t := &JobTable{out: csv.NewWriter(w), shard: shard}
	header := jobColumns
	if shard != nil {
		header = append(header[:len(header):len(header)], shard.column())
		t.runs = shard.mine()
	}
	return t, t.write(header)
}

// Add writes the jobs of the next run of the report.
func (t *JobTable) Add(r *Run) error {
	jobs := r.Result.Jobs
	packs := make(map[string]*sim.Pack, len(r.Result.Packs))
	for k := range r.Result.Packs {
		packs[r.Result.Packs[k].Guest] = &r.Result.Packs[k]
	}
	for k := range jobs {
		row := jobRow(&r.RunID, &jobs[k], packs[jobs[k].Job.ID])
		if t.shard != nil {
			row = append(row, shardCell(t.runs[0], len(jobs)-1-k))
		}
		if err := t.write(row); err != nil {
			return err
		}
	}
	if t.shard != nil {
		t.runs = t.runs[1:]
	}
	return nil
}

// Flush writes what is still held back.
func (t *JobTable) Flush() error {
	t.out.Flush()
	if err := t.out.Error(); err != nil {
		return fmt.Errorf("write jobs: %w", err)
	}
	return nil
}

func (t *JobTable) write(row []string) error {
	if err := t.out.Write(row); err != nil {
		return fmt.Errorf("write jobs: %w", err)
	}
	return nil
}

func jobRow(id *RunID, r *sim.JobResult, pack *sim.Pack) []string {
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
	var beside, since, profile string
	if pack != nil {
		beside, since = pack.Host, seconds(pack.At, true)
	}
	if p := r.Profile; p != nil {
		profile = seconds(p.End-p.Start, p.End != sim.NoTime)
	}
	return []string{
		id.Experiment, id.Policy, id.Preset, strconv.FormatInt(id.Seed, 10), r.Job.ID,
		seconds(r.Job.Submit, true), seconds(r.Start, started), seconds(r.End, r.Ran()),
		seconds(r.Queue, started), seconds(r.JCT(), r.Ran()),
		strconv.Itoa(r.Job.GPUs), strconv.Itoa(r.Preemptions), strconv.Itoa(r.Restarts), string(r.State), deadline, late,
		beside, since, profile,
	}
}
