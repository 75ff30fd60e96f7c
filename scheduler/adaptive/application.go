package adaptive

import (
	"fmt"
	"math"
	"slices"

	"schedmate"
)

// Application is what one kind of training really does.
//
// Invariant: Ends begins with 0, increases, and has one entry more than there are
// epochs; Gradients are sorted by batch, there is one, and each has an entry for
// every epoch; 1 <= Batch, LeastLocal; Batch <= MostBatch; Slowdown >= 1; 0 <= Delay;
// Types are sorted by name, there is one, and each has a step on one GPU.
type Application struct {
	Name string

	Ends       []float64  // the work that is done when so many epochs are over, in steps at the initial batch size
	Gradients  []Gradient // by batch size
	Batch      int        // the initial one, samples of the whole gang
	MostBatch  int        // the largest that trains well
	LeastLocal int        // the fewest samples of one GPU in one pass

	Slowdown float64           // how much longer the work takes than its steps say
	Delay    schedmate.Seconds // at every start
	Types    []Type
}

// Gradient is what was measured at one batch size, by epoch: the squared norm of
// the gradient and the variance of its estimate.
type Gradient struct {
	Batch             int
	Squared, Variance []float64
}

// Epochs is how many there are.
func (a *Application) Epochs() int { return len(a.Ends) - 1 }

// On returns the type of GPU of that name, or nil.
func (a *Application) On(gpuType string) *Type {
	i := slices.IndexFunc(a.Types, func(t Type) bool { return t.Name == gpuType })
	if i < 0 {
		return nil
	}
	return &a.Types[i]
}

// Gradient returns the statistics in an epoch (from 0), linear between the batch
// sizes that were measured.
func (a *Application) Gradient(epoch int, batch float64) (squared, variance float64) {
	g := a.Gradients
	at := func(i int) (float64, float64) { return g[i].Squared[epoch], g[i].Variance[epoch] }
	i := slices.IndexFunc(g, func(x Gradient) bool { return float64(x.Batch) >= batch })
	switch {
	case i < 0:
		return at(len(g) - 1)
	case i == 0:
		return at(0)
	}
	share := (batch - float64(g[i-1].Batch)) / float64(g[i].Batch-g[i-1].Batch)
	s0, v0 := at(i - 1)
	s1, v1 := at(i)
	return s0 + share*(s1-s0), v0 + share*(v1-v0)
}

// Validate checks the invariant of Application.
func (a *Application) Validate() error {
	switch {
	case len(a.Ends) < 2 || a.Ends[0] != 0:
		return fmt.Errorf("application %s: needs an epoch, and a beginning at 0", a.Name)
	case a.Batch < 1 || a.MostBatch < a.Batch || a.LeastLocal < 1:
		return fmt.Errorf("application %s: batch sizes %d to %d, at least %d a GPU, are none", a.Name, a.Batch, a.MostBatch, a.LeastLocal)
	case !(a.Slowdown >= 1) || math.IsInf(a.Slowdown, 0) || a.Delay < 0 || a.Delay > schedmate.MaxSeconds:
		return fmt.Errorf("application %s: a slowdown of %g and a delay of %d s are none", a.Name, a.Slowdown, a.Delay)
	case len(a.Gradients) == 0 || len(a.Types) == 0:
		return fmt.Errorf("application %s: needs gradients and types of GPU", a.Name)
	}
	for i, end := range a.Ends {
		if i > 0 && !(end > a.Ends[i-1] && !math.IsInf(end, 0)) {
			return fmt.Errorf("application %s: epoch %d ends at %g, the one before at %g", a.Name, i, end, a.Ends[i-1])
		}
	}
	for i, g := range a.Gradients {
		switch {
		case i > 0 && a.Gradients[i-1].Batch >= g.Batch:
			return fmt.Errorf("application %s: gradients must be sorted by batch size", a.Name)
		case len(g.Squared) != a.Epochs() || len(g.Variance) != a.Epochs():
			return fmt.Errorf("application %s: batch size %d has gradients of %d epochs, of %d", a.Name, g.Batch, len(g.Squared), a.Epochs())
		}
		for e := range g.Squared {
			if !(g.Squared[e] >= 0 && g.Variance[e] >= 0) || g.Squared[e]+g.Variance[e] == 0 || math.IsInf(g.Squared[e]+g.Variance[e], 0) {
				return fmt.Errorf("application %s: batch size %d, epoch %d: %g and %g are no statistics of a gradient", a.Name, g.Batch, e+1, g.Squared[e], g.Variance[e])
			}
		}
	}
	for i := range a.Types {
		if i > 0 && a.Types[i-1].Name >= a.Types[i].Name {
			return fmt.Errorf("application %s: types of GPU must be sorted by name", a.Name)
		}
		if err := a.Types[i].validate(); err != nil {
			return fmt.Errorf("application %s: %w", a.Name, err)
		}
	}
	return nil
}
