package eval

import (
	"slices"

	"schedmate"
	"schedmate/eval/traces"
)

// AsItWas is what the real scheduler did with the jobs of a trace, measured as
// a run is. Its cluster had more to care for than a simulated one: jobs without
// GPUs, limits, reservations, failing nodes.
//
// Queue delay is JCT without the time that the job ran; waits between the runs
// of a requeued job count. Percentiles are those of [Metrics].
type AsItWas struct {
	Jobs int `json:"jobs"`
	Delays
	Makespan int64 `json:"makespan_s"`

	// Utilisation is the GPU time of the jobs over that of the simulated cluster
	// during the makespan; nil when the trace used more than that cluster has.
	Utilisation *float64 `json:"utilisation"`
	MaxSlowdown float64  `json:"max_slowdown"`

	JCT, Queue []schedmate.Seconds `json:"-"` // of each job, in the order of the trace
}

// MeasurePast measures the past of a trace's jobs, or returns nil where the trace
// does not tell it. A filter that cuts runs short has made other jobs of them.
func MeasurePast(t *traces.Trace, c *schedmate.Cluster) *AsItWas {
	if t.Accounting == nil || t.Capped > 0 {
		return nil
	}
	a := &AsItWas{Jobs: len(t.Jobs)}
	var jct, queue []float64
	var gpuSeconds float64
	var end schedmate.Seconds
	for i := range t.Jobs {
		j := &t.Jobs[i]
		past, ok := t.Past(j.ID)
		if !ok {
			return nil // copies of jobs, which never ran
		}
		a.JCT, a.Queue = append(a.JCT, past.JCT), append(a.Queue, past.Queue)
		jct, queue = append(jct, float64(past.JCT)), append(queue, float64(past.Queue))
		run := float64(j.Outcome.Run)
		gpuSeconds += run * float64(j.GPUs)
		a.MaxSlowdown = max(a.MaxSlowdown, float64(past.JCT)/max(1, run))
		end = max(end, j.Submit+past.JCT)
	}
	a.Delays = delays(jct, queue)
	a.Makespan = int64(end - t.Jobs[0].Submit)
	gpus := 0
	for i := range c.Nodes {
		gpus += c.Nodes[i].GPUs
	}
	if share := gpuSeconds / (float64(gpus) * float64(max(1, a.Makespan))); share <= 1 && t.Accounting.Usage.GPUs <= gpus {
		a.Utilisation = &share
	}
	return a
}

// WithoutTypes forgets the GPU types of jobs when no node has one: nothing is
// known of where such a job may run, so it may run everywhere.
func WithoutTypes(t *traces.Trace, c *schedmate.Cluster) *traces.Trace {
	if slices.ContainsFunc(c.Nodes, func(n schedmate.Node) bool { return n.GPUType != "" }) {
		return t
	}
	out := *t
	out.Jobs = slices.Clone(t.Jobs)
	for i := range out.Jobs {
		out.Jobs[i].GPUType = ""
	}
	return &out
}
