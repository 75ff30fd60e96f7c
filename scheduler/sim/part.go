package sim

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// part is a piece of the cluster that is planned alone, with the queue and the
// occupancy that the simulator keeps ready for the policy.
//
// Invariant: waiting is sorted by (ranks[i], Seq); running by Seq; occupancy
// holds exactly the allocations of running.
type part struct {
	cluster   schedmate.Cluster
	occupancy *schedmate.Occupancy
	waiting   []*schedmate.JobStatus
	ranks     []scheduler.Rank
	running   []*schedmate.JobStatus
	rank      func(*schedmate.JobStatus, schedmate.Seconds) scheduler.Rank // nil: by Seq alone
	planAt    schedmate.Seconds
	memory    []schedmate.Note  // of its last plan
	wake      schedmate.Seconds // what the last plan asked for; Forever: nothing
}

func newPart(c schedmate.Cluster, p scheduler.Policy) *part {
	part := &part{cluster: c, occupancy: schedmate.NewOccupancy(c), planAt: schedmate.Forever, wake: schedmate.Forever}
	if r, ok := p.(scheduler.Ranker); ok {
		part.rank = r.Rank
	}
	return part
}

func (p *part) snapshot(now schedmate.Seconds) schedmate.Snapshot {
	return schedmate.Snapshot{
		APIVersion: schedmate.APIVersion,
		Kind:       schedmate.SnapshotKind,
		Now:        now,
		Cluster:    p.cluster,
		Waiting:    p.waiting,
		Running:    p.running,
		Memory:     p.memory,
	}.WithHost(p.occupancy, p.rank != nil)
}

func (p *part) enqueue(s *schedmate.JobStatus, now schedmate.Seconds) {
	rank, i := p.find(s, now)
	p.waiting = slices.Insert(p.waiting, i, s)
	p.ranks = slices.Insert(p.ranks, i, rank)
}

func (p *part) dequeue(s *schedmate.JobStatus, now schedmate.Seconds) {
	_, i := p.find(s, now)
	if i == len(p.waiting) || p.waiting[i] != s {
		panic(fmt.Sprintf("BUG: the rank of job %s changed while it waited", s.Job.ID))
	}
	p.waiting = remove(p.waiting, i)
	p.ranks = remove(p.ranks, i)
}

// remove deletes element i by moving the shorter side: most jobs that leave a
// long queue leave it near its head.
func remove[E any](list []E, i int) []E {
	if i >= len(list)/2 {
		return slices.Delete(list, i, i+1)
	}
	copy(list[1:i+1], list[:i])
	clear(list[:1])
	return list[1:]
}

// find returns a job's rank and where it stands in the queue, or belongs.
func (p *part) find(s *schedmate.JobStatus, now schedmate.Seconds) (scheduler.Rank, int) {
	var rank scheduler.Rank
	if p.rank != nil {
		rank = p.rank(s, now)
	}
	lo, hi := 0, len(p.waiting)
	for lo < hi {
		mid := (lo + hi) / 2
		if scheduler.Compare(p.ranks[mid], p.waiting[mid], rank, s) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return rank, lo
}

// waits reports whether the job stands in the queue.
func (p *part) waits(s *schedmate.JobStatus, now schedmate.Seconds) bool {
	_, i := p.find(s, now)
	return i < len(p.waiting) && p.waiting[i] == s
}

func (p *part) start(s *schedmate.JobStatus) {
	p.running = append(p.running, s)
	p.occupancy.Take(&s.Job, s.Attempt.Allocations)
	p.occupancy.Commit()
}

func (p *part) stop(s *schedmate.JobStatus) {
	i, _ := slices.BinarySearchFunc(p.running, s, func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Seq, b.Seq) })
	p.running = slices.Delete(p.running, i, i+1)
	p.occupancy.Release(&s.Job, s.Attempt.Allocations)
	p.occupancy.Commit()
}
