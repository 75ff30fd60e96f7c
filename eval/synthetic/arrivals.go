package synthetic

import (
	"fmt"
	"math"
	"slices"

	"schedmate"
	"schedmate/scheduler/sim"
)

// window is how long the rate of submissions stays the same, in seconds: the
// step of the published series.
const window = 600

// submissions returns when the jobs are submitted, sorted; second 0 is midnight
// before a Monday. Those of the burst lie on the day before date.
func (p *plan) submissions() (at []schedmate.Seconds, inBurst func(int) bool, date schedmate.Seconds) {
	rng := p.stream("arrivals")
	weights := make([]float64, int(math.Ceil(p.span/window)))
	for i := range weights {
		hour, weekday := i*window/3600%24, i*window/day%7
		weights[i] = p.arrivals.HourShares[hour] * p.arrivals.WeekdayShares[weekday] * quantile(p.arrivals.Ratios, rng.Float64()) * p.width(i)
	}
	if slices.Max(weights) == 0 { // a short trace in quiet windows
		weights[0] = 1
	}
	pick := picker(weights)
	date = schedmate.Seconds(math.Ceil(p.span*2/3/day) * day)
	in := make(map[schedmate.Seconds]int) // of the burst, how many of a second
	for i := range p.Jobs {
		if p.Burst > 0 && rng.Float64() < p.Burst {
			t := date - 1 - schedmate.Seconds(rng.Float64()*float64(min(date, day)-1))
			at, in[t] = append(at, t), in[t]+1
			continue
		}
		// One job in each equal part of all submissions: the ratios are counts and
		// have the scatter of single jobs in them already.
		w := pick((float64(i) + rng.Float64()) / float64(p.Jobs))
		at = append(at, schedmate.Seconds(float64(w*window)+rng.Float64()*p.width(w)))
	}
	slices.Sort(at)
	return at, func(i int) bool { // the first jobs of a second that the burst has
		if in[at[i]] == 0 {
			return false
		}
		in[at[i]]--
		return true
	}, date
}

// width is how many seconds of a window belong to the trace: the last one may end
// early.
func (p *plan) width(i int) float64 { return min(window, p.span-float64(i)*window) }

// quantile of a distribution that is straight between its points.
func quantile(points []Point, share float64) float64 {
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; share <= b.Share {
			return a.At + (b.At-a.At)*(share-a.Share)/(b.Share-a.Share)
		}
	}
	return points[len(points)-1].At
}

// groups returns the infeasible groups, evenly over the trace, in order.
func (p *plan) groups() []sim.Job {
	rng := p.stream("groups")
	var jobs []sim.Job
	half := p.GroupGPUs
	if half == 0 {
		half = p.profile.Cluster.GPUs()/2 + 1
	}
	for k := range p.InfeasibleGroups {
		submit := schedmate.Seconds(p.span * (float64(k) + 0.5) / float64(p.InfeasibleGroups))
		run := schedmate.Seconds(1800 + math.Floor(rng.Float64()*5400))
		for m := range 3 {
			jobs = append(jobs, sim.Job{Job: schedmate.Job{
				ID: fmt.Sprintf("synthetic-infeasible-%d-%d", k+1, m+1), Name: fmt.Sprintf("infeasible-%d", k+1), GPUs: half, Submit: submit,
				SLO:     schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: submit + run + run/2, Reward: schedmate.FullReward}}},
				Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed},
			}})
		}
	}
	return jobs
}
