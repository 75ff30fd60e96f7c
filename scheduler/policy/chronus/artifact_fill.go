package chronus

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/dispatch"
)

// sortForFill orders who waits for what is left over between cycles: the
// promised first, then by emergence.
func sortForFill(jobs []*entry) {
	slices.SortStableFunc(jobs, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.emergence, b.emergence))
	})
}

// odd says whether waiting jobs fill free GPUs in the step of that instant.
func (p *artifact) odd(now schedmate.Seconds) bool { return now/p.Step%2 == 1 }

// fill is a step between cycles: in an odd one, what is free goes to who fits.
// It works on the notes alone, of which it only has to know those who wait, and
// leaves the other ones as they are.
func (p *artifact) fill(s *schedmate.Snapshot, plan *schedmate.Plan) {
	plan.Memory = s.Memory
	free := free(s)
	if free <= 0 || len(s.Waiting) == 0 || !p.odd(s.Now) && !p.odd(s.Now+p.Step) || (s.Now+p.Step)%p.Cycle == 0 && !p.odd(s.Now) {
		return
	}
	first := slices.IndexFunc(s.Memory, func(n schedmate.Note) bool { return n.Kind == waitsNote })
	if first < 0 {
		return
	}
	memory := append(make([]schedmate.Note, 0, len(s.Memory)), s.Memory[:first]...)
	waits := make([]schedmate.Note, 0, len(s.Memory)-first)
	for _, n := range s.Memory[first:] {
		switch {
		case n.Kind != waitsNote:
			memory = append(memory, n)
		case len(n.Numbers) >= slotsAt: // others are not ours
			waits = append(waits, n)
		}
	}
	slices.SortStableFunc(waits, func(a, b schedmate.Note) int {
		return cmp.Or(cmp.Compare(a.Numbers[stateAt], b.Numbers[stateAt]), cmp.Compare(a.Numbers[emergenceAt], b.Numbers[emergenceAt]))
	})
	if p.odd(s.Now) {
		jobs := make(map[string]*schedmate.JobStatus, len(s.Waiting))
		for _, j := range s.Waiting {
			jobs[j.Job.ID] = j
		}
		o := s.Occupancy()
		mark := o.Mark()
		left := waits[:0:0]
		for _, n := range waits {
			j := jobs[n.Job]
			if j != nil && j.Job.GPUs <= free {
				if as := p.find(o, &j.Job); as != nil {
					o.Take(&j.Job, as)
					free -= j.Job.GPUs
					delete(jobs, n.Job) // whatever other notes say of it
					plan.Actions = append(plan.Actions, schedmate.Action{Kind: schedmate.Start, Job: n.Job, Allocations: as})
					n.Kind = runsNote
					memory = append(memory, n)
					continue
				}
			}
			left = append(left, n)
		}
		o.Rollback(mark)
		waits = left
	}
	plan.Memory = append(memory, waits...)
}

// free is how many GPUs nobody holds, of those that can be given away.
func free(s *schedmate.Snapshot) int {
	left := capacity(s)
	for _, j := range s.Running {
		if dispatch.Movable(s, j) {
			left -= len(j.Attempt.Allocations)
		}
	}
	return left
}
