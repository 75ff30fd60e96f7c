package cli

import (
	"schedmate/internal/report"
	"schedmate/scheduler/sim"
)

// pagePairs are the jobs that have shared GPUs, with time from the first submission.
// Those that still do so when the run stops do so until its last end.
func pagePairs(r *sim.Result) []report.SharedPair {
	if len(r.Packs) == 0 {
		return nil
	}
	gpus := make(map[string]int, len(r.Jobs))
	for i := range r.Jobs {
		gpus[r.Jobs[i].Job.ID] = r.Jobs[i].Job.GPUs
	}
	slowdown := func(speed int) float64 {
		if speed <= 0 {
			return 0 // nothing was foretold
		}
		return 1000 / float64(speed)
	}
	var out []report.SharedPair
	for i := range r.Packs {
		k := &r.Packs[i]
		p := report.SharedPair{
			Host: k.Host, Guest: k.Guest, From: k.At - r.First, Until: k.Until - r.First, GainedMS: k.Gained(gpus[k.Guest]),
			HostSlowdown: slowdown(k.HostSpeed), GuestSlowdown: slowdown(k.GuestSpeed),
		}
		if k.Until == sim.NoTime {
			p.Until = max(p.From, r.Last-r.First)
		}
		if e := k.Expected; e != nil {
			p.HostForecast, p.GuestForecast = slowdown(e.BesideSpeed), slowdown(e.Speed)
		}
		if u := k.Undo; u != nil {
			p.Undo = &report.Undone{
				Slower: u.Slower, Measured: float64(u.Ratio) / 1000, Steps: u.Steps,
				RedoneMS: 1000 * int64(gpus[k.Guest]) * int64(k.Lost),
			}
		}
		out = append(out, p)
	}
	return out
}
