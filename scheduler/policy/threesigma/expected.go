package threesigma

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/place"
)

// expected plans by expected rewards and the expected use of GPUs.
type expected struct {
	find        place.Func
	slot, cycle schedmate.Seconds
}

func (p *expected) Name() string { return "threesigma" }

// class is what a job is served as, the smaller first.
type class int64

const (
	planned   class = iota // has a deadline, and is to start now
	blind                  // has a deadline, and nobody knows how long it runs
	fill                   // best effort, or nothing is expected of its deadlines
	blindFill              // the same, and nobody knows how long it runs
	later                  // has a deadline, and is planned to start later
)

func (p *expected) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: []schedmate.Action{}}
	if len(s.Waiting) == 0 {
		return plan
	}
	ranks := p.ranks(&s)
	now := s // without those that are planned for later
	now.Waiting = slices.DeleteFunc(slices.Clone(s.Waiting), func(j *schedmate.JobStatus) bool { return class(ranks[j].Key) == later })
	plan.Actions, plan.Wake = dispatch.Displace(&now,
		func(j *schedmate.JobStatus, _ schedmate.Seconds) scheduler.Rank { return ranks[j] },
		p.find,
		func(w, v *schedmate.JobStatus) bool {
			return class(ranks[w].Key) <= blind && class(ranks[v].Key) > blind
		})
	if next := s.Now + p.cycle; plan.Wake == 0 && next <= schedmate.MaxSeconds && slices.ContainsFunc(s.Waiting, func(j *schedmate.JobStatus) bool { return s.Now <= last(j) }) {
		plan.Wake = next // by then it may be time for them, or too late
	}
	return plan
}

// last returns the last deadline; -1 if there is none.
func last(j *schedmate.JobStatus) schedmate.Seconds {
	tiers := j.Job.SLO.Tiers
	if len(tiers) == 0 {
		return -1
	}
	return tiers[len(tiers)-1].Deadline
}

// ranks returns every job's class, and the order within it.
func (p *expected) ranks(s *schedmate.Snapshot) map[*schedmate.JobStatus]scheduler.Rank {
	ranks := make(map[*schedmate.JobStatus]scheduler.Rank, len(s.Waiting)+len(s.Running))
	calendar := newCalendar(s, p.slot)
	for _, j := range s.Running {
		r := newOutlook(j, s.Now)
		ranks[j] = r.rank()
		if r.class <= blind && dispatch.Movable(s, j) {
			calendar.book(&r, 0)
		}
	}
	var promised []outlook
	for _, j := range s.Waiting {
		r := newOutlook(j, s.Now)
		if ranks[j] = r.rank(); r.class == planned {
			promised = append(promised, r)
		}
	}
	slices.SortFunc(promised, func(a, b outlook) int {
		return cmp.Or(cmp.Compare(a.slack, b.slack), cmp.Compare(a.job.Job.Submit, b.job.Job.Submit), cmp.Compare(a.job.Seq, b.job.Seq))
	})
	for i := range promised {
		r := &promised[i]
		switch first := calendar.earliest(r); {
		case first == 0:
			ranks[r.job] = scheduler.Rank{Key: int64(planned), Tie: int64(i)}
		case first > 0:
			ranks[r.job] = scheduler.Rank{Key: int64(later), Tie: int64(i)}
		default: // no room in time: it takes what is left over
			ranks[r.job] = scheduler.Rank{Key: int64(fill), Tie: int64(r.mean)}
		}
	}
	return ranks
}

// outlook is what is expected of a job if it gets GPUs at now.
type outlook struct {
	job    *schedmate.JobStatus
	now    schedmate.Seconds
	class  class
	left   []outcome
	weight int64             // of all outcomes
	mean   schedmate.Seconds // of what is left
	slack  schedmate.Seconds // until the first deadline that the mean can make, or the last one
}

// outcome is one way in which a job can turn out, with its weight among all.
type outcome struct {
	left   schedmate.Seconds // work, restart work included
	weight int64
}

// newOutlook reads the distribution off the run-time fact: its value counts
// twice, its low and high ends once each, and what the job has outrun already no
// more. A job that has outrun all of them is expected to need as much time again
// as it is over (3Sigma, section 4.2.2, does the same in steps).
func newOutlook(j *schedmate.JobStatus, now schedmate.Seconds) outlook {
	r := outlook{job: j, now: now}
	f := j.Fact(schedmate.RunSeconds, now)
	if f == nil {
		if r.class = blindFill; now <= last(j) {
			r.class = blind
		}
		return r
	}
	done := j.Done + max(0, j.Elapsed(now)-j.Owed)
	unpaid := max(0, j.Owed-j.Elapsed(now))
	for _, o := range []outcome{{schedmate.Seconds(f.Low), 1}, {schedmate.Seconds(f.Value), 2}, {schedmate.Seconds(f.High), 1}} {
		if o.left > done {
			r.left = append(r.left, outcome{unpaid + o.left - done, o.weight})
		}
	}
	if len(r.left) == 0 {
		r.left = []outcome{{unpaid + max(1, done-schedmate.Seconds(f.High)), 1}}
	}
	for _, o := range r.left {
		r.weight += o.weight
		r.mean += o.left * schedmate.Seconds(o.weight)
	}
	r.mean /= schedmate.Seconds(r.weight)
	if r.reward(0) == 0 {
		r.class = fill
		return r
	}
	due := last(j)
	for _, t := range slices.Backward(j.Job.SLO.Tiers) {
		if now+r.mean <= t.Deadline {
			due = t.Deadline
		}
	}
	r.slack = due - now - r.mean
	return r
}

// reward is what is expected of a start after so much time, times the weight of
// all outcomes.
func (r *outlook) reward(after schedmate.Seconds) int64 {
	sum := int64(0)
	for _, o := range r.left {
		sum += o.weight * int64(r.job.Job.SLO.RewardAt(r.now+after+o.left))
	}
	return sum
}

// use is the thousandths of GPUs that the job is expected to hold so much time
// after its start.
func (r *outlook) use(after schedmate.Seconds) int64 {
	still := int64(0)
	for _, o := range r.left {
		if o.left > after {
			still += o.weight
		}
	}
	return int64(r.job.Job.GPUs) * 1000 * still / max(1, r.weight)
}

// rank orders jobs that are not planned for: by what is left, or by deadline or
// submission where that is unknown.
func (r *outlook) rank() scheduler.Rank {
	tie := int64(r.mean)
	switch r.class {
	case blind:
		tie = int64(last(r.job))
	case blindFill:
		tie = int64(r.job.Job.Submit)
	}
	return scheduler.Rank{Key: int64(r.class), Tie: tie}
}
