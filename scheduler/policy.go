package scheduler

import (
	"cmp"
	"slices"

	"schedmate"
)

// Policy decides who runs where.
type Policy interface {
	// Name is the policy's name in the registry, for example "srtf".
	Name() string

	// Plan answers the snapshot. It is a pure function: equal snapshots and
	// budgets give equal plans, on any machine, whatever the host keeps ready
	// in the snapshot. It neither keeps nor changes the snapshot.
	//
	// The snapshot is one partition (see Split): every waiting job competes
	// with every other one.
	Plan(s schedmate.Snapshot, b Budget) schedmate.Plan
}

// Budget bounds the effort of one Plan call in counted steps, never in time,
// so that a recorded budget replays to the same plan.
type Budget struct {
	Iterations int64 // solver iterations; rules use none
}

// Ranker is a Policy whose order among waiting jobs does not change while they
// wait. A host may keep the queue in that order between plans (which spares
// the sorting, never changes the plan).
type Ranker interface {
	Policy
	// Rank of a waiting job; smaller is served first.
	Rank(j *schedmate.JobStatus, now schedmate.Seconds) Rank
}

// Rank orders jobs by Key, then by Tie; equal ranks are ordered by Seq.
type Rank struct{ Key, Tie int64 }

// Unknown is the Key of a job that lacks the fact its policy ranks by: it is
// served after all jobs that have it, in order of submission (put that in Tie).
const Unknown int64 = 1<<63 - 1

// Compare orders two ranked jobs.
func Compare(ra Rank, a *schedmate.JobStatus, rb Rank, b *schedmate.JobStatus) int {
	return cmp.Or(cmp.Compare(ra.Key, rb.Key), cmp.Compare(ra.Tie, rb.Tie), cmp.Compare(a.Seq, b.Seq))
}

// Queue returns the waiting jobs in the order of rank.
func Queue(s *schedmate.Snapshot, rank func(*schedmate.JobStatus, schedmate.Seconds) Rank) []*schedmate.JobStatus {
	if s.Ranked() {
		return s.Waiting
	}
	return Sorted(s.Waiting, s.Now, rank)
}

// Sorted returns a copy of jobs in the order of rank.
func Sorted(jobs []*schedmate.JobStatus, now schedmate.Seconds, rank func(*schedmate.JobStatus, schedmate.Seconds) Rank) []*schedmate.JobStatus {
	type entry struct {
		rank Rank
		job  *schedmate.JobStatus
	}
	entries := make([]entry, len(jobs))
	for i, j := range jobs {
		entries[i] = entry{rank(j, now), j}
	}
	slices.SortFunc(entries, func(a, b entry) int { return Compare(a.rank, a.job, b.rank, b.job) })
	out := make([]*schedmate.JobStatus, len(jobs))
	for i, e := range entries {
		out[i] = e.job
	}
	return out
}
