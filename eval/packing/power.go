package packing

import (
	"math/rand/v2"
	"slices"

	"schedmate/scheduler/pack"
)

// Power says how well pairs of one true slowdown are judged.
type Power struct {
	Slowdown  int     `json:"slowdown_milli"` // of the job that was there before
	Pairs     int     `json:"pairs"`
	Apart     int     `json:"taken_apart"`
	Median    int     `json:"median_steps"` // logged steps until a pair is taken apart, over all pairs; 0: fewer than half are
	PairHours float64 `json:"pair_hours"`   // watched, until they were taken apart
	PerHours  float64 `json:"apart_per_1000_pair_hours"`
}

// Case is what pairs are like.
type Case struct {
	Before int // steps logged alone before, as many as can be read of them
	Steps  int // at most so many are looked at beside each other
	Every  int // seconds between two logged steps of a job alone
	Hours  int // a pair lasts so long
	Pairs  int
	Seed   uint64
}

// Measure draws pairs of each true slowdown and judges each after every step. A
// step that is not read counts as logged.
func Measure(errors *Errors, judge func(before, after []int64) pack.Finding, c Case, slowdowns ...int) []Power {
	var out []Power
	for _, slowdown := range slowdowns {
		p := Power{Slowdown: slowdown, Pairs: c.Pairs}
		steps := make([]int, c.Pairs)
		rng := rand.New(rand.NewPCG(c.Seed, uint64(slowdown)))
		period := float64(c.Every) * float64(slowdown) / 1000 / 3600 // hours
		logged := min(c.Steps, int(float64(c.Hours)/period))
		for i := range steps {
			var before, after []int64
			for range c.Before {
				if us, ok := errors.Read(rng, million); ok {
					before = append(before, us)
				}
			}
			steps[i] = logged + 1
			for k := range logged {
				us, ok := errors.Read(rng, int64(slowdown)*1000)
				if !ok {
					continue
				}
				if after = append(after, us); judge(before, after).Slower {
					steps[i] = k + 1
					break
				}
			}
			if steps[i] <= logged {
				p.Apart++
				p.PairHours += float64(steps[i]) * period
			} else {
				p.PairHours += float64(c.Hours)
			}
		}
		slices.Sort(steps)
		if m := steps[len(steps)/2]; m <= logged {
			p.Median = m
		}
		p.PerHours = 1000 * float64(p.Apart) / p.PairHours
		out = append(out, p)
	}
	return out
}
