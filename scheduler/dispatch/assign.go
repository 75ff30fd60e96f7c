package dispatch

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/place"
)

// ByAssignment is the Selection of policies that decide at every plan who holds
// how many GPUs, and leave it to Assign to carry it out.
const ByAssignment Selection = "assignment"

// Want is a job and the number of GPUs that it is to hold after the plan.
type Want struct {
	Job  *schedmate.JobStatus
	GPUs int
}

// Widest gives each job of the order the largest of its sizes that the GPUs
// left can hold; a job that finds none gets nothing. Who runs on nodes that take
// no work keeps what he has and is not counted.
func Widest(s *schedmate.Snapshot, order []*schedmate.JobStatus) []Want {
	left := countable(s)
	var wants []Want
	for _, j := range order {
		if j.Attempt != nil && !Movable(s, j) {
			continue
		}
		best := 0
		for _, n := range sizesOf(&j.Job) {
			if n <= left {
				best = max(best, n)
			}
		}
		if best > 0 {
			wants = append(wants, Want{j, best})
			left -= best
		}
	}
	return wants
}

// countable is how many GPUs there are on nodes that take work.
func countable(s *schedmate.Snapshot) int {
	gpus := 0
	for i := range s.Cluster.Nodes {
		if n := &s.Cluster.Nodes[i]; n.Takes() {
			gpus += n.GPUs
		}
	}
	return gpus
}

func sizesOf(j *schedmate.Job) []int {
	if len(j.Sizes) > 0 {
		return j.Sizes
	}
	return []int{j.GPUs}
}

// Assign makes the wanted jobs run with the wanted numbers of GPUs and preempts
// all others that run on nodes that take work. Who keeps his number keeps his
// GPUs, unless the others find no place then; in that case all are placed anew,
// the widest first, which never fails for sizes that divide each other and the
// nodes. Where it does fail an elastic job gets its next smaller size, and
// another one waits.
func Assign(s *schedmate.Snapshot, wants []Want, find place.Func) []schedmate.Action {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)

	a := assignment{o: o, find: find, running: bySeq(s.Running), places: make(map[string][]schedmate.Allocation, len(wants))}
	wanted := make(map[string]int, len(wants))
	for _, w := range wants {
		wanted[w.Job.Job.ID] = w.GPUs
	}
	var kept []*schedmate.JobStatus
	var moving []Want
	for _, j := range a.running {
		switch {
		case !Movable(s, j):
		case wanted[j.Job.ID] == len(j.Attempt.Allocations):
			kept = append(kept, j)
		default:
			o.Release(&j.Job, j.Attempt.Allocations)
		}
	}
	for _, w := range wants {
		if w.Job.Attempt == nil || len(w.Job.Attempt.Allocations) != w.GPUs {
			moving = append(moving, w)
		}
	}
	before := o.Mark()
	if a.place(moving, false) {
		for _, j := range kept {
			a.places[j.Job.ID] = j.Attempt.Allocations
		}
	} else {
		o.Rollback(before)
		a.places = make(map[string][]schedmate.Allocation, len(wants))
		for _, j := range kept {
			o.Release(&j.Job, j.Attempt.Allocations)
		}
		a.place(wants, true)
	}
	return a.actions(s, wants)
}

// assignment is a set of places in the making.
type assignment struct {
	o       *schedmate.Occupancy
	find    place.Func
	running []*schedmate.JobStatus
	places  map[string][]schedmate.Allocation // by job
}

func bySeq(jobs []*schedmate.JobStatus) []*schedmate.JobStatus {
	return slices.SortedFunc(slices.Values(jobs), func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Seq, b.Seq) })
}

// place finds the places, the widest first. With less it makes do with smaller
// sizes and none; otherwise it stops at the first job without a place.
func (a *assignment) place(wants []Want, less bool) bool {
	wants = slices.Clone(wants)
	slices.SortStableFunc(wants, func(x, y Want) int { return cmp.Compare(y.GPUs, x.GPUs) })
	for _, w := range wants {
		sized := w.Job.Job
		for sized.GPUs = w.GPUs; sized.GPUs > 0; sized.GPUs = smaller(&sized) {
			if as := a.find(a.o, &sized); as != nil {
				a.o.Take(&w.Job.Job, as)
				a.places[sized.ID] = as
				break
			}
			if !less {
				return false
			}
		}
	}
	return true
}

// smaller returns the job's next smaller size, or 0.
func smaller(j *schedmate.Job) int {
	i, _ := slices.BinarySearch(j.Sizes, j.GPUs)
	if i == 0 {
		return 0
	}
	return j.Sizes[i-1]
}

func (a *assignment) actions(s *schedmate.Snapshot, wants []Want) []schedmate.Action {
	actions := []schedmate.Action{}
	var moves, starts []schedmate.Action
	for _, j := range a.running {
		as := a.places[j.Job.ID]
		switch {
		case !Movable(s, j):
		case as == nil:
			actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
		case !slices.Equal(as, j.Attempt.Allocations):
			moves = append(moves, schedmate.Action{Kind: schedmate.Move, Job: j.Job.ID, Allocations: as})
		}
	}
	for _, w := range wants {
		if as := a.places[w.Job.Job.ID]; as != nil && w.Job.Attempt == nil {
			starts = append(starts, schedmate.Action{Kind: schedmate.Start, Job: w.Job.Job.ID, Allocations: as})
		}
	}
	return append(append(actions, moves...), starts...)
}
