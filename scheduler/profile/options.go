package profile

import (
	"errors"
	"fmt"

	"schedmate"
)

// Options are how jobs are measured.
//
// Invariant: 1 <= Window <= MaxSeconds; 2 <= Nodes <= MostNodes, as large gangs
// are measured on two; GrowAfter, ShrinkAfter and BackOff lie in [0, MaxSeconds];
// UserGPUs is not negative, and 0 or at least the GPUs of two nodes less 4 would
// not keep a job out for good: see [Options.Run]; BackOff is positive where there
// is a UserGPUs.
type Options struct {
	// Window is how long one run takes.
	Window schedmate.Seconds `json:"window_s" yaml:"window_s"`
	// Nodes is how many nodes are always the profiler's.
	Nodes int `json:"nodes" yaml:"nodes"`
	// MostNodes is how many it may have; as many as Nodes: its capacity is static.
	MostNodes int `json:"most_nodes" yaml:"most_nodes"`
	// GrowAfter is how long the first of the queue waits until another node is taken
	// from the cluster for it. What runs there is saved and gives way.
	GrowAfter schedmate.Seconds `json:"grow_after_s,omitempty" yaml:"grow_after_s,omitempty"`
	// ShrinkAfter is how long a node beyond Nodes stays idle before it goes back.
	ShrinkAfter schedmate.Seconds `json:"shrink_after_s,omitempty" yaml:"shrink_after_s,omitempty"`
	// UserGPUs is the most GPUs of measurements that one user may have in the queue
	// and under way at once; 0: any number.
	UserGPUs int `json:"user_gpus,omitempty" yaml:"user_gpus,omitempty"`
	// BackOff is when a submission that was turned away for that comes again.
	BackOff schedmate.Seconds `json:"back_off_s,omitempty" yaml:"back_off_s,omitempty"`
}

// Static is a profiler of two nodes that takes everybody at once.
func Static() Options { return Options{Window: 120, Nodes: 2, MostNodes: 2} }

// Dynamic is one that grows to eight nodes where somebody has waited for half a
// minute, and turns away who has more in it than its two nodes hold less 4 GPUs.
func Dynamic() Options {
	return Options{Window: 120, Nodes: 2, MostNodes: 8, GrowAfter: 30, ShrinkAfter: 600, UserGPUs: 12, BackOff: 60}
}

// Validate checks the invariant of Options.
func (o *Options) Validate() error {
	for _, f := range []struct {
		name  string
		value schedmate.Seconds
	}{{"grow_after_s", o.GrowAfter}, {"shrink_after_s", o.ShrinkAfter}, {"back_off_s", o.BackOff}} {
		if f.value < 0 || f.value > schedmate.MaxSeconds {
			return fmt.Errorf("%s must lie in [0, %d], got %d", f.name, schedmate.MaxSeconds, f.value)
		}
	}
	switch {
	case o.Window < 1 || o.Window > schedmate.MaxSeconds:
		return fmt.Errorf("window_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Window)
	case o.Nodes < 2:
		return fmt.Errorf("nodes must be at least 2, as large gangs are measured on two, got %d", o.Nodes)
	case o.MostNodes < o.Nodes:
		return fmt.Errorf("most_nodes must be at least nodes, %d, got %d", o.Nodes, o.MostNodes)
	case o.UserGPUs < 0:
		return fmt.Errorf("user_gpus must not be negative, got %d", o.UserGPUs)
	case o.UserGPUs > 0 && o.BackOff == 0:
		return errors.New("back_off_s must be positive where user_gpus is, or who is turned away would never wait")
	}
	return nil
}
