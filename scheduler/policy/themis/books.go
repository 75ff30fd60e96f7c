package themis

import (
	"cmp"
	"math"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// The notes of a plan.
const (
	clockNote = "clock" // when it was made, and how many jobs there were
	jobNote   = "job"   // job-seconds since its submission, and the end of its lease if it runs
)

// books is what the policy knows about the jobs of a snapshot.
type books struct {
	jobs   []*schedmate.JobStatus // by Seq
	shared map[*schedmate.JobStatus]int64
	until  map[*schedmate.JobStatus]schedmate.Seconds // end of the lease of a job that runs
	rank   map[*schedmate.JobStatus]scheduler.Rank
}

func (p *policy) recall(s *schedmate.Snapshot) *books {
	b := &books{
		jobs:   slices.Concat(s.Running, s.Waiting),
		shared: make(map[*schedmate.JobStatus]int64),
		until:  make(map[*schedmate.JobStatus]schedmate.Seconds),
		rank:   make(map[*schedmate.JobStatus]scheduler.Rank),
	}
	slices.SortFunc(b.jobs, func(x, y *schedmate.JobStatus) int { return cmp.Compare(x.Seq, y.Seq) })
	last, jobs := s.Now, int64(0) // of the last plan
	notes := make(map[string][]int64, len(s.Memory))
	for _, n := range s.Memory {
		switch {
		case n.Kind == clockNote && len(n.Numbers) == 2 && n.Numbers[0] >= 0 && n.Numbers[0] <= int64(s.Now) && n.Numbers[1] >= 0 && n.Numbers[1] < 1<<24:
			last, jobs = schedmate.Seconds(n.Numbers[0]), n.Numbers[1]
		case n.Kind == jobNote && len(n.Numbers) >= 1 && n.Numbers[0] >= 0 && n.Numbers[0] < 1<<56:
			notes[n.Job] = n.Numbers
		}
	}
	gpus := int64(max(1, s.Cluster.GPUs()))
	for _, j := range b.jobs {
		note := notes[j.Job.ID]
		if note != nil {
			b.shared[j] = note[0] + jobs*int64(s.Now-last)
		} else {
			b.shared[j] = int64(len(b.jobs)) * int64(s.Now-j.Job.Submit)
		}
		if j.Attempt != nil {
			b.until[j] = j.Attempt.Start + j.Owed + p.lease
			if len(note) > 1 && note[1] > int64(j.Attempt.Start) && note[1] <= int64(s.Now+j.Owed+p.lease) {
				b.until[j] = schedmate.Seconds(note[1])
			}
		}
		b.rank[j] = p.order(s, j, b, gpus)
	}
	return b
}

// order ranks a job: under a lease before all others, then by rho.
func (p *policy) order(s *schedmate.Snapshot, j *schedmate.JobStatus, b *books, gpus int64) scheduler.Rank {
	if j.Attempt != nil && b.until[j] > s.Now {
		return scheduler.Rank{Key: math.MinInt64}
	}
	left, known := j.Remaining(s.Now)
	if !known {
		return scheduler.Rank{Key: scheduler.Unknown, Tie: int64(j.Job.Submit)}
	}
	run := int64(j.Fact(schedmate.RunSeconds, s.Now).Value)
	return scheduler.Rank{Key: -rho(int64(s.Now-j.Job.Submit), int64(left), run, int64(j.Job.GPUs), gpus, b.shared[j], int64(len(b.jobs))), Tie: int64(j.Job.Submit)}
}

// rho is T_shared / T_ideal in millionths, for a job that is age seconds old.
// On 1/N of the GPUs a gang of g takes g * N / GPUs times its run time, and
// never less than it: more GPUs than its gang do not help it.
func rho(age, left, run, gang, gpus, shared, jobs int64) int64 {
	mean := 1000 * jobs // N in thousandths; a newcomer has seen nothing but now
	if age > 0 {
		mean = mulDiv(shared, 1000, age)
	}
	slower := max(1000, mulDiv(gang, mean, gpus)) // in thousandths
	ideal := max(1, mulDiv(max(1, run), slower, 1000))
	return mulDiv(age+left, 1_000_000, ideal)
}
