package explain

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// board is a snapshot made ready for many questions to one policy.
//
// Invariant: snapshot.Waiting is in the policy's order if it ranks; occupancy
// holds the allocations of snapshot.Running and nothing else between questions.
type board struct {
	policy    scheduler.Policy
	budget    scheduler.Budget
	snapshot  schedmate.Snapshot
	ranked    bool
	onePart   bool // the cluster is planned as a whole, so occupancy serves every plan
	occupancy *schedmate.Occupancy

	jobs    map[string]*schedmate.JobStatus
	waiting []string       // IDs in the order of snapshot.Waiting
	ends    []string       // IDs of running jobs by expected end
	alone   map[shape]bool // see possible; of waiting jobs only
	soonest map[shape]int  // see room
}

// shape is all that decides whether a job runs when it is alone.
type shape struct {
	vc, gpuType string
	gpus        int
}

func newBoard(p scheduler.Policy, b scheduler.Budget, s schedmate.Snapshot) *board {
	r, ranked := p.(scheduler.Ranker)
	if ranked {
		s.Waiting = scheduler.Sorted(s.Waiting, s.Now, r.Rank)
	}
	s = s.WithHost(nil, false)
	bd := &board{
		policy: p, budget: b, snapshot: s, ranked: ranked,
		onePart:   len(scheduler.Split(s)) == 1,
		occupancy: s.Occupancy(),
		jobs:      make(map[string]*schedmate.JobStatus, len(s.Waiting)+len(s.Running)),
		waiting:   ids(s.Waiting),
		ends:      ids(byExpectedEnd(s.Running, s.Now)),
		alone:     make(map[shape]bool),
		soonest:   make(map[shape]int),
	}
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} {
		for _, j := range list {
			bd.jobs[j.Job.ID] = j
		}
	}
	return bd
}

// boards returns one board for each part of the cluster, so that a question
// about a job costs nothing for jobs that it does not compete with.
func boards(p scheduler.Policy, b scheduler.Budget, s schedmate.Snapshot) []*board {
	var out []*board
	for _, part := range scheduler.Split(s) {
		out = append(out, newBoard(p, b, part))
	}
	return out
}

// about returns an asker for one of the board's jobs.
func (bd *board) about(j *schedmate.JobStatus) *asker {
	a := &asker{board: bd, job: j, at: -1}
	if j.Attempt == nil {
		a.at = slices.IndexFunc(bd.snapshot.Waiting, func(w *schedmate.JobStatus) bool { return w.Job.ID == j.Job.ID })
	}
	return a
}

// asker puts what-if questions about one job to a policy.
type asker struct {
	*board
	job *schedmate.JobStatus
	at  int // its place in snapshot.Waiting, or -1
}

// runs reports whether the job holds GPUs after the policy has planned for the
// changed snapshot.
func (a *asker) runs(c schedmate.Change) bool {
	id := a.job.Job.ID
	s := Apply(a.snapshot, id, c)
	sameOrder := a.ranked && c.Resize == 0 && !c.AnyType && c.VC == "" // nobody's rank has changed
	var plan schedmate.Plan
	if a.onePart && c.Quota == 0 && len(c.Restore) == 0 && c.VC == "" {
		mark := a.occupancy.Mark()
		for _, gone := range c.Release {
			if j := a.jobs[gone]; gone != id && j.Attempt != nil {
				a.occupancy.Release(&j.Job, j.Attempt.Allocations)
			}
		}
		plan = a.policy.Plan(s.WithHost(a.occupancy, sameOrder), a.budget)
		a.occupancy.Rollback(mark)
	} else {
		plan = scheduler.Plan(a.policy, s.WithHost(nil, sameOrder), a.budget)
	}
	if plan.Started(id) != nil {
		return true
	}
	return a.job.Attempt != nil && !slices.ContainsFunc(plan.Actions, func(act schedmate.Action) bool {
		return act.Kind == schedmate.Preempt && act.Job == id
	})
}

// possible reports whether the job would run if nothing else were on the
// cluster, as healthy as it is now.
func (a *asker) possible() bool {
	if a.job.Attempt != nil {
		return a.onAnEmptyCluster().runs(schedmate.Change{})
	}
	key := shape{a.job.Job.VC, a.job.Job.GPUType, a.job.Job.GPUs}
	ok, known := a.alone[key]
	if !known {
		ok = a.onAnEmptyCluster().runs(schedmate.Change{})
		a.alone[key] = ok
	}
	return ok
}

// onAnEmptyCluster returns an asker for the job with everybody else gone.
func (a *asker) onAnEmptyCluster() *asker {
	id := a.job.Job.ID
	bd := newBoard(a.policy, a.budget, Apply(a.snapshot, id, schedmate.Change{Hold: a.others(a.waiting), Release: a.others(a.ends)}))
	return bd.about(bd.jobs[id])
}

// others returns the list without the job itself.
func (a *asker) others(list []string) []string {
	i := slices.Index(list, a.job.Job.ID)
	if i < 0 {
		return list
	}
	return slices.Concat(list[:i], list[i+1:])
}

func ids(jobs []*schedmate.JobStatus) []string {
	out := make([]string, len(jobs))
	for i, j := range jobs {
		out[i] = j.Job.ID
	}
	return out
}
