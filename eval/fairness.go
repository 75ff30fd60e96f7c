package eval

import (
	"cmp"
	"slices"

	"schedmate/scheduler/sim"
)

// vcTable sums what each virtual cluster got.
type vcTable struct {
	rows  map[string]*vcRow
	total float64
}

type vcRow struct {
	jobs                          int
	gpuTime, jct, queue, slowdown float64
}

func newVCTable() *vcTable { return &vcTable{rows: make(map[string]*vcRow)} }

func (t *vcTable) add(j *sim.JobResult) {
	if j.Job.VC == "" {
		return
	}
	row := t.rows[j.Job.VC]
	if row == nil {
		row = &vcRow{}
		t.rows[j.Job.VC] = row
	}
	gpuTime := float64(j.Job.GPUs) * float64(j.Job.Outcome.Run)
	t.total += gpuTime
	row.jobs++
	row.gpuTime += gpuTime
	row.jct += float64(j.JCT())
	row.queue += float64(j.Queue)
	row.slowdown += slowdown(j)
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
