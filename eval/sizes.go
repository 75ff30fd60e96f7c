package eval

import (
	"math/bits"
	"slices"

	"schedmate/scheduler/sim"
)

// SizeShare is what jobs of one size got. Sizes are grouped by powers of two:
// 1, 2, 3-4, 5-8 GPUs and so on.
type SizeShare struct {
	FromGPUs     int     `json:"from_gpus"`
	ToGPUs       int     `json:"to_gpus"`
	Jobs         int     `json:"jobs"`           // that ended
	GPUTimeShare float64 `json:"gpu_time_share"` // of all run GPU time
	MeanJCT      float64 `json:"mean_jct_s"`
	MeanQueue    float64 `json:"mean_queue_s"`
	MeanSlowdown float64 `json:"mean_slowdown"`
}

// sizeTable sums what jobs of each size got.
type sizeTable struct {
	rows  map[int]*groupRow // by the exponent of the largest size of the group
	total float64
}

func newSizeTable() *sizeTable { return &sizeTable{rows: make(map[int]*groupRow)} }

func (t *sizeTable) add(j *sim.JobResult) {
	group := bits.Len(uint(j.Job.GPUs - 1))
	row := t.rows[group]
	if row == nil {
		row = &groupRow{}
		t.rows[group] = row
	}
	t.total += row.add(j)
}

// shares returns one row a group of sizes, the smallest first.
func (t *sizeTable) shares() []SizeShare {
	groups := make([]int, 0, len(t.rows))
	for g := range t.rows {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	var out []SizeShare
	for _, g := range groups {
		row := t.rows[g]
		n := float64(row.jobs)
		out = append(out, SizeShare{
			FromGPUs: min(1<<g, 1<<g>>1+1), ToGPUs: 1 << g, Jobs: row.jobs, GPUTimeShare: row.gpuTime / max(t.total, 1),
			MeanJCT: row.jct / n, MeanQueue: row.queue / n, MeanSlowdown: row.slowdown / n,
		})
	}
	return out
}
