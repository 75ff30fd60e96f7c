package eval

import (
	"fmt"
	"slices"
	"strconv"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Scale makes an experiment larger with its own jobs: Repeat copies of the
// trace one after the other, at the same load, on Widen copies of the cluster
// with as many copies of each job. 0 means 1.
type Scale struct {
	Repeat, Widen int
}

// maxScaledJobs keeps a slip from filling the memory: a job takes some 600
// bytes while it is simulated.
const maxScaledJobs = 5_000_000

func (s Scale) one() bool { return s.Repeat <= 1 && s.Widen <= 1 }

// jobs returns the scaled trace. A copy of a job has the original's id with
// "#copy" behind it; the first copy keeps the id. Copies in time are apart by
// the trace's span of arrivals plus the mean gap between two.
func (s Scale) jobs(jobs []sim.Job) ([]sim.Job, error) {
	repeat, widen := max(1, s.Repeat), max(1, s.Widen)
	if n := len(jobs) * repeat * widen; n/repeat/widen != len(jobs) || n > maxScaledJobs {
		return nil, fmt.Errorf("%d jobs repeated %d times and widened %d times are more than %d: scale less", len(jobs), repeat, widen, maxScaledJobs)
	}
	span := jobs[len(jobs)-1].Submit - jobs[0].Submit
	period := span + max(1, span/schedmate.Seconds(max(1, len(jobs)-1)))
	if schedmate.Seconds(repeat)*period > schedmate.MaxSeconds/2 {
		return nil, fmt.Errorf("%d copies of a trace of %d s are longer than any simulation: repeat less", repeat, span)
	}
	out := make([]sim.Job, 0, len(jobs)*repeat*widen)
	for r := range repeat {
		for i := range jobs {
			for w := range widen {
				j := jobs[i]
				if copy := r*widen + w; copy > 0 {
					j.ID += "#" + strconv.Itoa(copy)
				}
				shift := schedmate.Seconds(r) * period
				j.Submit += shift
				j.SLO.Tiers = slices.Clone(j.SLO.Tiers)
				for k := range j.SLO.Tiers {
					j.SLO.Tiers[k].Deadline += shift
				}
				out = append(out, j)
			}
		}
	}
	return out, nil
}

// cluster returns the scaled cluster.
func (s Scale) cluster(c ClusterSpec) ClusterSpec {
	widen := max(1, s.Widen)
	c.Nodes *= widen
	c.Pools = slices.Clone(c.Pools)
	for i := range c.Pools {
		c.Pools[i].Nodes *= widen
	}
	c.VCs = slices.Clone(c.VCs)
	for i := range c.VCs {
		c.VCs[i].QuotaGPUs *= widen
	}
	return c
}
