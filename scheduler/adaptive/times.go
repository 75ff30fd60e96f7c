package adaptive

import (
	"cmp"
	"fmt"
	"slices"
)

// Times answers how long steps take, and remembers what it has been asked. It is
// not safe for concurrent use.
type Times struct {
	hulls map[*Type]hull
	known map[question]Time
}

type question struct {
	on *Type
	gang
}

// gang is what is known of a shape that was not measured.
type gang struct{ nodes, gpus, local int }

// NewTimes returns an empty memory.
func NewTimes() *Times {
	return &Times{make(map[*Type]hull), make(map[question]Time)}
}

// Step returns the time of a step on a shape: on the line between the steps that
// were measured on it, or else between those on other gangs, linear in each
// simplex of the Delaunay triangulation of (nodes, GPUs, samples a GPU).
func (ts *Times) Step(t *Type, s Shape, local int) (Time, error) {
	if steps := t.placed(s); len(steps) > 1 {
		return line(steps, local), nil
	}
	q := question{t, gang{min(s.Nodes(), mostNodes), s.GPUs(), local}}
	if time, ok := ts.known[q]; ok {
		return time, nil
	}
	h, ok := ts.hulls[t]
	if !ok {
		h = newHull(t)
		ts.hulls[t] = h
	}
	time, ok := h.at(q.gang)
	if !ok {
		return Time{}, fmt.Errorf("nothing was measured that tells how long a step on %d GPUs of %d nodes of %s takes with %d samples a GPU", q.gpus, q.nodes, t.Name, local)
	}
	ts.known[q] = time
	return time, nil
}

// mostNodes is above what was measured: more nodes are counted as so many.
const mostNodes = 16

// hull is the measured gangs, without duplicates.
type hull []corner

type corner struct {
	gang
	Time
}

// newHull averages the shapes with the same numbers of nodes and GPUs, and adds
// what is known by these numbers alone.
func newHull(t *Type) hull {
	sums := make(map[gang]corner)
	counts := make(map[gang]float64)
	var order []gang
	for _, p := range t.Placed {
		for _, m := range p.Steps {
			g := gang{p.Shape.Nodes(), p.Shape.GPUs(), m.Local}
			if counts[g] == 0 {
				order = append(order, g)
			}
			c := sums[g]
			sums[g] = corner{g, Time{c.Seconds + m.Seconds, c.Sync + m.Sync}}
			counts[g]++
		}
	}
	for _, c := range t.Scaled {
		g := gang{c.Nodes, c.GPUs, c.Local}
		if counts[g] == 0 {
			order = append(order, g)
			sums[g], counts[g] = corner{g, c.Time}, 1
		}
	}
	slices.SortFunc(order, func(a, b gang) int {
		return cmp.Or(cmp.Compare(a.nodes, b.nodes), cmp.Compare(a.gpus, b.gpus), cmp.Compare(a.local, b.local))
	})
	h := make(hull, len(order))
	for i, g := range order {
		h[i] = corner{g, Time{sums[g].Seconds / counts[g], sums[g].Sync / counts[g]}}
	}
	return h
}

// at interpolates; false outside of what was measured.
func (h hull) at(g gang) (Time, bool) {
	points := make([][3]float64, len(h))
	for i, c := range h {
		points[i] = [3]float64{float64(c.nodes - g.nodes), float64(c.gpus - g.gpus), float64(c.local - g.local)}
	}
	corners, weights, ok := around(points)
	if !ok {
		return Time{}, false
	}
	var t Time
	for k, i := range corners {
		t.Seconds += weights[k] * h[i].Seconds
		t.Sync += weights[k] * h[i].Sync
	}
	return t, true
}
