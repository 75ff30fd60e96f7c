package eval

import (
	"cmp"
	"slices"

	"schedmate/scheduler/sim"
)

// vcTable sums what each virtual cluster got.
type vcTable struct {
	rows  map[string]*groupRow
	total float64
}

// groupRow sums what a group of jobs got.
type groupRow struct {
	jobs                          int
	gpuTime, jct, queue, slowdown float64
}

func newVCTable() *vcTable { return &vcTable{rows: make(map[string]*groupRow)} }

func (t *vcTable) add(j *sim.JobResult) {
	if j.Job.VC == "" {
		return
	}
	row := t.rows[j.Job.VC]
	if row == nil {
		row = &groupRow{}
		t.rows[j.Job.VC] = row
	}
	t.total += row.add(j)
}

// add counts a job that ended, and returns its GPU time.
func (r *groupRow) add(j *sim.JobResult) float64 {
	gpuTime := float64(j.Job.GPUs) * float64(j.Job.Outcome.Run)
	r.jobs++
	r.gpuTime += gpuTime
	r.jct += float64(j.JCT())
	r.queue += float64(j.Queue)
	r.slowdown += slowdown(j)
	return gpuTime
}

// shares returns one row a VC, sorted by name, and Jain's fairness index of
// their mean slowdowns, (sum x)^2 / (n sum x^2); nil without VCs.
func (t *vcTable) shares() ([]VCShare, *float64) {
	if len(t.rows) == 0 {
		return nil, nil
	}
	out := make([]VCShare, 0, len(t.rows))
	for name, row := range t.rows {
		n := float64(row.jobs)
		out = append(out, VCShare{
			VC: name, Jobs: row.jobs, GPUTimeShare: row.gpuTime / max(t.total, 1),
			MeanJCT: row.jct / n, MeanQueue: row.queue / n, MeanSlowdown: row.slowdown / n,
		})
	}
	slices.SortFunc(out, func(a, b VCShare) int { return cmp.Compare(a.VC, b.VC) })
	var sum, squares float64
	for _, s := range out {
		sum += s.MeanSlowdown
		squares += s.MeanSlowdown * s.MeanSlowdown
	}
	index := sum * sum / (float64(len(out)) * squares)
	return out, &index
}
