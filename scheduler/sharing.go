package scheduler

import (
	"fmt"

	"schedmate"
)

// Sharing says how a host counts the work of jobs that share GPUs. Who works
// beside whom at which speed is measured and comes with the workload; this is
// what the host makes of it. A job that holds its GPUs alone works at the speed
// of one second a second.
//
// Invariant: 0 <= Unmeasured <= MaxSpeed; Unaffected holds no empty name.
type Sharing struct {
	// Unmeasured is the speed of a job beside one with which it has not been
	// measured, in thousandths of its speed alone; 0: 500, so that nothing is won
	// or lost by a pair of which nobody knows anything.
	Unmeasured int `json:"unmeasured_milli,omitempty" yaml:"unmeasured_milli,omitempty"`
	// Unaffected names models that work, and let others work, as if alone,
	// whatever has been measured.
	Unaffected []string `json:"unaffected,omitempty" yaml:"unaffected,omitempty"`
	// Binary64 counts what is left to do as the Lucid artifact does: once a second
	// the speed is subtracted in binary64. Otherwise it is counted in thousandths
	// of a second, exactly. The two can differ by a second at the end of a job.
	Binary64 bool `json:"binary64,omitempty" yaml:"binary64,omitempty"`
	// GuestKeeps is a slip of the Lucid artifact: when of two jobs the one ends
	// that was there first, the other goes on at the speed that it had beside it.
	GuestKeeps bool `json:"guest_keeps,omitempty" yaml:"guest_keeps,omitempty"`
}

// MaxSpeed bounds relative speeds, in thousandths.
const MaxSpeed = 1_000_000

// Speed of a job alone, and of one of an unmeasured pair, in thousandths.
const (
	AloneSpeed      = 1000
	UnmeasuredSpeed = 500
)

func (s *Sharing) validate() error {
	if s.Unmeasured < 0 || s.Unmeasured > MaxSpeed {
		return fmt.Errorf("sharing.unmeasured_milli must lie in [0, %d], got %d", MaxSpeed, s.Unmeasured)
	}
	for i, m := range s.Unaffected {
		if m == "" {
			return fmt.Errorf("sharing.unaffected[%d] must name a model", i)
		}
	}
	return nil
}

// FreeProfiler is the profiler of the Lucid artifact, which costs the jobs
// nothing: some nodes of the cluster are left to it, jobs run there for a while,
// those with the fewest GPUs first, and those that end in that time have ended.
// Of the others it is forgotten that they ran: they are scheduled on the other
// nodes from their submission on, possibly before their profile has ended.
//
// Invariant: Nodes, MostGPUs >= 1; 1 <= Window <= MaxSeconds.
type FreeProfiler struct {
	Nodes    int               `json:"nodes" yaml:"nodes"`         // the last ones of the cluster
	MostGPUs int               `json:"most_gpus" yaml:"most_gpus"` // larger jobs are not profiled
	Window   schedmate.Seconds `json:"window_s" yaml:"window_s"`
}

func (p *FreeProfiler) validate() error {
	switch {
	case p == nil:
		return nil
	case p.Nodes < 1 || p.MostGPUs < 1:
		return fmt.Errorf("profiler.nodes and most_gpus must be positive, got %d and %d", p.Nodes, p.MostGPUs)
	case p.Window < 1 || p.Window > schedmate.MaxSeconds:
		return fmt.Errorf("profiler.window_s must lie in [1, %d], got %d", schedmate.MaxSeconds, p.Window)
	}
	return nil
}
