package synthetic

import (
	"math"
	"math/rand/v2"

	"schedmate"
	"schedmate/scheduler/sim"
)

// slo draws what a job is promised. It takes the same numbers whatever comes out,
// so that one job's class does not move the others.
func (p *plan) slo(j *sim.Job, rng *rand.Rand) schedmate.SLO {
	d := p.deadlines
	class, factor, add := rng.Float64(), d.Factor.at(rng.Float64()), d.Add.at(rng.Float64())
	steps := make([]float64, len(d.Later))
	for i := range steps {
		steps[i] = math.Round(d.Step.at(rng.Float64())/600) * 600
	}
	if class >= d.Strict+d.Soft {
		return schedmate.SLO{Class: schedmate.BestEffort}
	}
	first := math.Max(1, math.Round(factor*float64(j.Outcome.Run)+add))
	tier := func(after float64, reward int) schedmate.Tier {
		return schedmate.Tier{Deadline: j.Submit + schedmate.Seconds(after), Reward: reward}
	}
	if class < d.Strict {
		return schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{tier(first, schedmate.FullReward)}}
	}
	tiers := []schedmate.Tier{tier(first, d.Rewards[0])}
	sum := 0.0
	for i, step := range steps {
		sum += step
		tiers = append(tiers, tier(first+math.Max(sum, math.Floor(first*d.Later[i]/600)*600), d.Rewards[i+1]))
	}
	return schedmate.SLO{Class: schedmate.Soft, Tiers: tiers}
}

func (r Range) at(share float64) float64 { return r.From + (r.To-r.From)*share }

// moveTo moves the deadlines of a job so that the first one is the date.
func moveTo(j *sim.Job, date schedmate.Seconds) {
	if len(j.SLO.Tiers) == 0 {
		return
	}
	by := date - j.SLO.Tiers[0].Deadline
	for i := range j.SLO.Tiers {
		j.SLO.Tiers[i].Deadline += by
	}
}
