package eval

import (
	"schedmate"
	"schedmate/scheduler/sim"
)

// Packing is what sharing GPUs has brought in a run. GPU time is in hours of one GPU.
type Packing struct {
	Pairs    int `json:"pairs"`
	Forecast int `json:"forecast"` // of which the policy said how fast they would be
	// The mean of |forecast speed - real speed| over those, both jobs, as a share of the
	// speed alone. Nil without any.
	ForecastError *float64 `json:"forecast_error"`
	Undone        int      `json:"undone"`
	// What all pairs have done together beyond what one of them would have done on the
	// same GPUs alone, and what pairs that did less than that have fallen short of it.
	SavedGPUHours float64 `json:"saved_gpu_hours"`
	LostGPUHours  float64 `json:"lost_gpu_hours"`
	// Work that had to be done again after a pair was taken apart, in sum and at most.
	RedoneGPUHours float64           `json:"redone_gpu_hours"`
	MostRedone     schedmate.Seconds `json:"most_redone_s"`

	Undos []Undone `json:"undos,omitempty"` // in the order in which the pairs began
}

// Undone is a pair that was taken apart. Slowdowns are time beside the other over
// time alone.
type Undone struct {
	Host  string            `json:"host"`
	Guest string            `json:"guest"`
	From  schedmate.Seconds `json:"from_s"`
	At    schedmate.Seconds `json:"at_s"`

	HostSlowdown  float64  `json:"host_slowdown"` // real
	GuestSlowdown float64  `json:"guest_slowdown"`
	Forecast      *float64 `json:"forecast_host_slowdown"` // nil: there was none

	Slower   string            `json:"slower"`   // who was found to be slower
	Measured float64           `json:"measured"` // its slowdown, by its logged steps
	Steps    int               `json:"steps"`    // that it took
	Redone   schedmate.Seconds `json:"redone_s"`
}

const milliHours = 1000 * 3600

// packingOf adds up the pairs of a run; nil if there were none.
func packingOf(r *sim.Result) *Packing {
	if len(r.Packs) == 0 {
		return nil
	}
	gpus := make(map[string]int, len(r.Jobs))
	for i := range r.Jobs {
		gpus[r.Jobs[i].Job.ID] = r.Jobs[i].Job.GPUs
	}
	p := &Packing{Pairs: len(r.Packs)}
	off := 0.0
	for i := range r.Packs {
		k := &r.Packs[i]
		size := float64(gpus[k.Guest])
		gained := float64(k.Gained(gpus[k.Guest])) / milliHours
		p.SavedGPUHours += max(0, gained)
		p.LostGPUHours += max(0, -gained)
		e := k.Expected
		if e != nil && e.Speed > 0 {
			p.Forecast++
			off += (abs(e.Speed-k.GuestSpeed) + abs(e.BesideSpeed-k.HostSpeed)) / 2000
		}
		if k.Undo == nil {
			continue
		}
		p.Undone++
		p.RedoneGPUHours += size * float64(k.Lost) / 3600
		p.MostRedone = max(p.MostRedone, k.Lost)
		u := Undone{
			Host: k.Host, Guest: k.Guest, From: k.At, At: k.Until,
			HostSlowdown: 1000 / float64(k.HostSpeed), GuestSlowdown: 1000 / float64(k.GuestSpeed),
			Slower: k.Undo.Slower, Measured: float64(k.Undo.Ratio) / 1000, Steps: k.Undo.Steps, Redone: k.Lost,
		}
		if e != nil && e.BesideSpeed > 0 {
			f := 1000 / float64(e.BesideSpeed)
			u.Forecast = &f
		}
		p.Undos = append(p.Undos, u)
	}
	if p.Forecast > 0 {
		off /= float64(p.Forecast)
		p.ForecastError = &off
	}
	return p
}

func abs(n int) float64 { return float64(max(n, -n)) }
