package eval

import "schedmate/scheduler/sim"

// Profiling are the figures of a run in whose World jobs are measured before the
// policy sees them, or whose policy measures them itself.
type Profiling struct {
	MeasuredEnded int `json:"profiled_ended"` // whose work was done in their first measurement
	// The time from submission to the first measurement, back-offs included, and that
	// in the profiler's queue alone.
	MeanMeasureWait  float64 `json:"profiling_wait_mean_s"`
	MaxMeasureWait   float64 `json:"profiling_wait_max_s"`
	MeanMeasureQueue float64 `json:"profiling_queue_mean_s"`
	MaxMeasureQueue  float64 `json:"profiling_queue_max_s"`
	TurnedAway       int     `json:"profiling_turned_away"` // jobs that had to come again
	// The share of the GPU time of the whole cluster during the makespan that
	// measurements held, and that of the nodes that were kept for them; the most of
	// these at once.
	MeasureUse   float64 `json:"profiling_use"`
	MeasureKept  float64 `json:"profiling_kept"`
	MeasureNodes int     `json:"profiling_nodes"`
}

func profiling(r *sim.Result) *Profiling {
	p := r.Profiling
	if p == nil || p.Jobs == 0 {
		return nil
	}
	n := float64(p.Jobs)
	out := &Profiling{
		MeasuredEnded: p.Ended, TurnedAway: p.TurnedAway, MeasureNodes: p.MostNodes,
		MeanMeasureWait: float64(p.Wait) / n, MaxMeasureWait: float64(p.LongestWait),
		MeanMeasureQueue: float64(p.Queue) / n, MaxMeasureQueue: float64(p.LongestQueue),
	}
	if all := float64(r.GPUs) * float64(r.Makespan()); all > 0 {
		out.MeasureUse, out.MeasureKept = float64(p.GPUSeconds)/all, float64(p.KeptGPUSeconds)/all
	}
	return out
}
