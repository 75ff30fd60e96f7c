package threesigma

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// titan is the 3Sigma of the TitanSched artifact. Its host asks at the
// boundaries of slots alone.
//
// Its memory are the jobs for which it has reserved slots that had not begun
// when it did so. They keep their slots from everybody else, and nobody ever
// starts them: in the artifact they are not looked at again until they are best
// effort. Note "reserved" has the instant of the first slot.
type titan struct {
	find place.Func
	slot schedmate.Seconds
}

func (p *titan) Name() string { return "threesigma" }

const reserved = "reserved"

// work returns what a job has left to do, restarts not counted, and in sum. A
// job without an estimate has more to do than can be planned.
func work(j *schedmate.JobStatus, now schedmate.Seconds) (left, all schedmate.Seconds) {
	f := j.Fact(schedmate.RunSeconds, now)
	if f == nil {
		return schedmate.MaxSeconds, schedmate.MaxSeconds
	}
	all = schedmate.Seconds(f.Value)
	return max(0, all-j.Done-max(0, j.Elapsed(now)-j.Owed)), all
}

// deadline returns the first deadline, or Forever.
func deadline(j *schedmate.JobStatus) schedmate.Seconds {
	if len(j.Job.SLO.Tiers) == 0 {
		return schedmate.Forever
	}
	return j.Job.SLO.Tiers[0].Deadline
}

// bestEffort reports whether a job has no deadline that it can still make. That
// never changes back, because work is not done faster than time goes by.
func bestEffort(j *schedmate.JobStatus, now schedmate.Seconds) bool {
	left, _ := work(j, now)
	return len(j.Job.SLO.Tiers) == 0 || now+left > deadline(j)
}

// slots returns how many slots so much time takes.
func (p *titan) slots(t schedmate.Seconds) schedmate.Seconds { return (t + p.slot - 1) / p.slot }

// candidate is a job that is planned for.
type candidate struct {
	*schedmate.JobStatus
	bestEffort   bool
	key          schedmate.Seconds
	need, window schedmate.Seconds // slots it needs, and slots until its deadline
}

func (p *titan) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}}
	held := p.remembered(&s)
	p.plan(&s, &plan, held)
	for _, j := range s.Waiting {
		if from, ok := held[j.Job.ID]; ok {
			plan.Memory = append(plan.Memory, schedmate.Note{Kind: reserved, Job: j.Job.ID, Numbers: []int64{int64(from)}})
		}
	}
	slices.SortFunc(plan.Memory, func(a, b schedmate.Note) int { return cmp.Compare(a.Job, b.Job) })
	alive := func(j *schedmate.JobStatus) bool { return len(j.Job.SLO.Tiers) > 0 && s.Now <= deadline(j) }
	changes := slices.ContainsFunc(s.Waiting, alive) || slices.ContainsFunc(s.Running, alive) || // by then it may be out of reach
		len(s.Waiting) > 0 && len(s.Running)+len(plan.Actions) > 0 // equal best-effort jobs take turns
	if next := s.Now + p.slot - s.Now%p.slot; changes && next <= schedmate.MaxSeconds {
		plan.Wake = next
	}
	return plan
}

// remembered returns the first slots of the waiting jobs that have some and can
// still make their deadlines.
func (p *titan) remembered(s *schedmate.Snapshot) map[string]schedmate.Seconds {
	held := make(map[string]schedmate.Seconds, len(s.Memory))
	for _, n := range s.Memory {
		if n.Kind == reserved && len(n.Numbers) == 1 {
			held[n.Job] = schedmate.Seconds(n.Numbers[0])
		}
	}
	known := make(map[string]schedmate.Seconds, len(held))
	for _, j := range s.Waiting {
		if from, ok := held[j.Job.ID]; ok && !bestEffort(j, s.Now) && deadline(j)/p.slot > s.Now/p.slot {
			known[j.Job.ID] = from
		}
	}
	return known
}

func (p *titan) plan(s *schedmate.Snapshot, plan *schedmate.Plan, held map[string]schedmate.Seconds) {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)

	ahead := newAhead(o)
	var jobs []candidate
	movable := 0 // GPUs of running jobs that are planned for anew
	for _, list := range [][]*schedmate.JobStatus{bySeq(s.Waiting), bySeq(s.Running)} {
		for _, j := range list {
			from, has := held[j.Job.ID]
			left, all := work(j, s.Now)
			switch best := bestEffort(j, s.Now); {
			case has:
				ahead.take(int(max(0, from-s.Now)/p.slot), int((from-s.Now)/p.slot+p.slots(left)), j.Job.GPUs)
			case j.Attempt != nil && !dispatch.Movable(s, j): // its GPUs are not counted either
			case j.Attempt != nil && !best:
				ahead.take(0, int(p.slots(left)), j.Job.GPUs)
			default:
				c := candidate{JobStatus: j, bestEffort: best, key: all, need: 1, window: 1}
				if !best {
					c.key = deadline(j) - all - s.Now
					c.need, c.window = p.slots(left), deadline(j)/p.slot-s.Now/p.slot
				} else if j.Attempt != nil {
					movable += j.Job.GPUs
				}
				jobs = append(jobs, c)
			}
		}
	}
	if dispatch.FreeGPUs(o)+movable == 0 {
		return
	}
	slices.SortStableFunc(jobs, func(a, b candidate) int {
		if a.bestEffort != b.bestEffort {
			if b.bestEffort {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.key, b.key)
	})
	var chosen []*schedmate.JobStatus
	for _, c := range jobs {
		first := ahead.earliest(int(c.need), int(c.window), c.Job.GPUs)
		switch {
		case c.Attempt != nil:
			if first < 0 {
				o.Release(&c.Job, c.Attempt.Allocations)
				plan.Actions = append(plan.Actions, schedmate.Action{Kind: schedmate.Preempt, Job: c.Job.ID})
			}
		case first == 0:
			chosen = append(chosen, c.JobStatus)
		case first > 0:
			held[c.Job.ID] = s.Now + schedmate.Seconds(first)*p.slot
		}
	}
	plan.Actions = append(plan.Actions, starts(o, chosen, p.find)...)
}

// starts looks for places for the widest job first, and lists those that found
// one in the order in which they were chosen.
func starts(o *schedmate.Occupancy, chosen []*schedmate.JobStatus, find place.Func) []schedmate.Action {
	widest := slices.Clone(chosen)
	slices.SortStableFunc(widest, func(a, b *schedmate.JobStatus) int { return cmp.Compare(b.Job.GPUs, a.Job.GPUs) })
	on := make(map[*schedmate.JobStatus][]schedmate.Allocation, len(chosen))
	for _, j := range widest {
		if as := find(o, &j.Job); as != nil {
			o.Take(&j.Job, as)
			on[j] = as
		}
	}
	var actions []schedmate.Action
	for _, j := range chosen {
		if as := on[j]; as != nil {
			actions = append(actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as})
		}
	}
	return actions
}

func bySeq(jobs []*schedmate.JobStatus) []*schedmate.JobStatus {
	out := slices.Clone(jobs)
	slices.SortFunc(out, func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}
