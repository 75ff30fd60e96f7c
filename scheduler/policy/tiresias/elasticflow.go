package tiresias

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

func elasticflowPreset() scheduler.TypedPreset[Options] {
	return scheduler.TypedPreset[Options]{
		Name: "elasticflow",
		// The artifact demotes at 3,250 and 7,200, not above them.
		Options: Options{Placement: place.ConsolidatedRule, Selection: dispatch.ByAssignment, Thresholds: []int64{3249, 7199}},
		World: scheduler.World{
			Estimates:   scheduler.NoEstimates,
			RestartCost: scheduler.DoublingCost(4, 2),
			Rounds:      &scheduler.Rounds{Slot: 60, Charge: scheduler.ChargeStarts, RegularEvery: 60, RegularCost: 27},
		},
	}
}

// lists is the Tiresias of the ElasticFlow artifact (dlas-gpu). Its queues are
// lists that it remembers: a job is demoted by one at a time, to the end of the
// next list, and who waits steps behind those that run. So jobs of a queue are
// not in the order of submission once anybody has been preempted.
type lists struct {
	policy
}

const queueNote = "queue" // a job and the number of its queue, in the order of the list

func (p *lists) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	queues := p.recall(&s)
	p.demote(queues, s.Now)
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine}
	var wants []dispatch.Want
	left := 0
	for i := range s.Cluster.Nodes {
		if n := &s.Cluster.Nodes[i]; n.Takes() {
			left += n.GPUs
		}
	}
	for _, q := range queues {
		for _, j := range q {
			if j.Job.GPUs <= left {
				left -= j.Job.GPUs
				wants = append(wants, dispatch.Want{Job: j, GPUs: j.Job.GPUs})
			}
		}
	}
	plan.Actions = dispatch.Assign(&s, wants, p.find)
	runs := make(map[string]bool, len(wants))
	for j := range dispatch.RunningAfter(&s, plan.Actions) {
		runs[j.Job.ID] = true
	}
	for k, q := range queues {
		slices.SortStableFunc(q, func(a, b *schedmate.JobStatus) int {
			return cmp.Compare(rank(runs[a.Job.ID]), rank(runs[b.Job.ID]))
		})
		for _, j := range q {
			plan.Memory = append(plan.Memory, schedmate.Note{Kind: queueNote, Job: j.Job.ID, Numbers: []int64{int64(k)}})
			if runs[j.Job.ID] && k < len(p.Thresholds) {
				at := s.Now + p.crossing(j, k, s.Now)
				if at <= schedmate.MaxSeconds && (plan.Wake == 0 || at < plan.Wake) {
					plan.Wake = at
				}
			}
		}
	}
	return plan
}

func rank(runs bool) int {
	if runs {
		return 0
	}
	return 1
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// worked is the GPU time in which the job has done work.
func (p *lists) worked(j *schedmate.JobStatus, now schedmate.Seconds) int64 {
	return int64(j.Job.GPUs) * int64(j.Done+max(0, j.Elapsed(now)-j.Owed))
}

// recall returns the queues of the last plan with the newcomers at the end of
// the first. Without notes a job is where its work puts it.
func (p *lists) recall(s *schedmate.Snapshot) [][]*schedmate.JobStatus {
	queues := make([][]*schedmate.JobStatus, len(p.Thresholds)+1)
	jobs := make(map[string]*schedmate.JobStatus, len(s.Running)+len(s.Waiting))
	all := slices.Concat(s.Running, s.Waiting)
	slices.SortFunc(all, func(a, b *schedmate.JobStatus) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, j := range all {
		jobs[j.Job.ID] = j
	}
	for _, n := range s.Memory {
		if j := jobs[n.Job]; n.Kind == queueNote && j != nil && len(n.Numbers) == 1 && n.Numbers[0] >= 0 && n.Numbers[0] < int64(len(queues)) {
			queues[n.Numbers[0]] = append(queues[n.Numbers[0]], j)
			delete(jobs, n.Job)
		}
	}
	for _, j := range all {
		if jobs[j.Job.ID] != nil {
			k := 0
			for k < len(p.Thresholds) && p.worked(j, s.Now) > p.Thresholds[k] {
				k++
			}
			queues[k] = append(queues[k], j)
		}
	}
	return queues
}

// demote moves the jobs that run and have got enough to the end of the next
// queue, none by more than one; of several the widest goes first, then the one
// submitted first.
func (p *lists) demote(queues [][]*schedmate.JobStatus, now schedmate.Seconds) {
	for k := len(p.Thresholds) - 1; k >= 0; k-- {
		var stay, gone []*schedmate.JobStatus
		for _, j := range queues[k] {
			if j.Attempt != nil && p.worked(j, now) > p.Thresholds[k] {
				gone = append(gone, j)
			} else {
				stay = append(stay, j)
			}
		}
		slices.SortStableFunc(gone, func(a, b *schedmate.JobStatus) int {
			return cmp.Or(cmp.Compare(b.Job.GPUs, a.Job.GPUs), cmp.Compare(a.Job.Submit, b.Job.Submit))
		})
		queues[k], queues[k+1] = stay, append(queues[k+1], gone...)
	}
}

// crossing is when the artifact looks next whether the job has got enough: it
// divides the threshold less the seconds worked by the GPUs, where the threshold
// counts GPU-seconds. For a job of several GPUs that has worked before that is
// too late.
func (p *lists) crossing(j *schedmate.JobStatus, queue int, now schedmate.Seconds) schedmate.Seconds {
	seconds := p.worked(j, now) / int64(j.Job.GPUs)
	return schedmate.Seconds(max(1, ceil(p.Thresholds[queue]+1-seconds, int64(j.Job.GPUs))))
}
