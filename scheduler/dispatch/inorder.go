package dispatch

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler/place"
)

// Blocking says what a waiting job that does not fit means for those behind it.
type Blocking string

const (
	// HeadOfLine stops at the first job that does not fit. A job that could not
	// use shared GPUs anyway, because its VC's quota does not leave enough of
	// them, blocks its own VC only. One that is larger than all it could have if
	// nothing else ran blocks nobody: it could do so for ever.
	HeadOfLine Blocking = "head_of_line"
	// Skip goes on with the next job, so that no GPU idles that a waiting job
	// could use.
	Skip Blocking = "skip"
)

// InOrder starts the waiting jobs of queue in that order as far as they fit.
// It leaves the snapshot's occupancy as it was.
func InOrder(s *schedmate.Snapshot, queue []*schedmate.JobStatus, find place.Func, blocking Blocking) []schedmate.Action {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	return fill(o, queue, find, blocking, []schedmate.Action{})
}

// fill appends starts to actions and takes their GPUs in o.
func fill(o *schedmate.Occupancy, queue []*schedmate.JobStatus, find place.Func, blocking Blocking, actions []schedmate.Action) []schedmate.Action {
	if len(queue) == 0 {
		return actions
	}
	free := FreeGPUs(o)
	var failed shapes
	var blocked []string // VCs whose first waiting job their quota holds back
	for _, j := range queue {
		if free == 0 {
			break
		}
		if slices.Contains(blocked, j.Job.VC) {
			continue
		}
		var as []schedmate.Allocation
		if j.Job.GPUs <= free && !failed.has(&j.Job) {
			as = find(o, &j.Job)
		}
		if as == nil {
			switch {
			case blocking == Skip || o.Capacity(&j.Job) < j.Job.GPUs:
				failed.add(&j.Job)
			case o.QuotaLeft(j.Job.VC) < j.Job.GPUs:
				blocked = append(blocked, j.Job.VC)
			default:
				return actions
			}
			continue
		}
		o.Take(&j.Job, as)
		free -= j.Job.GPUs
		actions = append(actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as})
	}
	return actions
}

// FreeGPUs counts the free GPUs of nodes that take new work.
func FreeGPUs(o *schedmate.Occupancy) int {
	free := 0
	for i := range o.Len() {
		if o.Node(i).Takes() {
			free += o.Free(i)
		}
	}
	return free
}

// shapes remembers what did not fit: while nothing is released, a job of the
// same shape will not fit either.
type shapes []shape

type shape struct {
	vc, gpuType string
	gpus        int
}

func shapeOf(j *schedmate.Job) shape { return shape{j.VC, j.GPUType, j.GPUs} }

func (f shapes) has(j *schedmate.Job) bool {
	want := shapeOf(j)
	for i := range f {
		if f[i] == want {
			return true
		}
	}
	return false
}

func (f *shapes) add(j *schedmate.Job) {
	if !f.has(j) {
		*f = append(*f, shapeOf(j))
	}
}

// Validate reports an unknown value.
func (b Blocking) Validate() error {
	if b != HeadOfLine && b != Skip {
		return fmt.Errorf("unknown blocking %q: use %s or %s", b, HeadOfLine, Skip)
	}
	return nil
}
