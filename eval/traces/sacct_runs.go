package traces

import (
	"fmt"
	"io"
	"strings"

	"schedmate"
)

// AccountedRun is one run of a job as Slurm's accounting tells of it. Instants
// are those of the accounting's clock.
type AccountedRun struct {
	ID                 string // of the job; of a later run of a job that was requeued, with "#2" and so on
	User, JobName      string
	State              string // as Slurm calls it
	Submit, Start, End schedmate.Seconds
	GPUs, Nodes        int
	GPUType            string // empty: not told
}

// SacctRuns reads the runs that asked GPUs, held them and have ended, from what
// sacct prints with --parsable2. It counts the rows of jobs that it leaves out.
func SacctRuns(r io.Reader, name string) (runs []AccountedRun, left int, err error) {
	src, err := newSource(r, name, usualLimits)
	if err != nil {
		return nil, 0, err
	}
	rows, err := newSacctRows(src)
	if err != nil {
		return nil, 0, err
	}
	l := &loader{trace: &Trace{Format: Sacct}, file: name, seen: make(map[string]int)}
	cells := newSacctCells(l, rows)
	seen := make(map[string]int)
	for {
		line, raw, err := rows.row()
		if err == io.EOF {
			return runs, left, nil
		}
		if err != nil {
			return nil, 0, err
		}
		cells.set(line, raw)
		if _, id := cells.either("JobID", "JobIDRaw"); strings.Contains(id, ".") {
			continue // a step of a job
		}
		run, err := cells.run()
		if err != nil {
			return nil, 0, err
		}
		if run.gpus == 0 || !run.started() || run.end == unknown || run.submit == unknown || run.end <= run.start {
			left++
			continue
		}
		id := run.id
		if seen[id]++; seen[id] > 1 {
			id = fmt.Sprintf("%s#%d", id, seen[id])
		}
		runs = append(runs, AccountedRun{ID: id, User: run.user, JobName: run.name, State: run.state, Submit: min(run.submit, run.start), Start: run.start, End: run.end,
			GPUs: run.gpus, Nodes: run.nodeCount, GPUType: run.gpuType})
	}
}
