package adaptive

import (
	"cmp"
	"fmt"
	"slices"
)

// Type is what was measured on one type of GPU.
//
// Invariant: Placed is sorted by Shape, each with steps sorted by Local without
// duplicates, and has the shape "1"; Scaled is sorted; all times are positive,
// and an exchange is shorter than its step.
type Type struct {
	Name      string
	MostLocal int // samples that a policy is told to fit on one GPU in one pass

	Placed []Placement
	Scaled []Scale // on more nodes than any placement; whole nodes of four mostly
}

// Placement is the steps on one shape.
type Placement struct {
	Shape Shape
	Steps []Measured
}

// Measured is a step with so many samples a GPU.
type Measured struct {
	Local int
	Time
}

// Time is how long a step takes, and the part of it that nothing is computed in.
type Time struct{ Seconds, Sync float64 }

// Scale is a step of which only the numbers of nodes and GPUs are known.
type Scale struct {
	Nodes, GPUs int
	Measured
}

// Shape is how many GPUs a gang has on each of its nodes, as text: one character
// a node, of all turns the first in the order of characters. Nodes of ten GPUs
// and more do not occur.
type Shape string

// ShapeOf returns the shape of GPUs of consecutive nodes.
func ShapeOf(perNode []int) Shape {
	text := make([]byte, 0, 2*len(perNode))
	for _, n := range perNode {
		text = append(text, byte('0'+min(n, 0x7f-'0')))
	}
	n := len(text)
	text = append(text, text...)
	best := 0
	for turn := 1; turn < n; turn++ {
		if string(text[turn:turn+n]) < string(text[best:best+n]) {
			best = turn
		}
	}
	return Shape(text[best : best+n])
}

// Nodes and GPUs are how many of them the shape has.
func (s Shape) Nodes() int { return len(s) }

func (s Shape) GPUs() int {
	sum := 0
	for _, c := range []byte(s) {
		sum += int(c - '0')
	}
	return sum
}

func (t *Type) placed(s Shape) []Measured {
	i, ok := slices.BinarySearchFunc(t.Placed, s, func(p Placement, s Shape) int { return cmp.Compare(p.Shape, s) })
	if !ok {
		return nil
	}
	return t.Placed[i].Steps
}

// MostOn is the largest number of samples that one GPU of the shape has been seen
// to do in a pass.
func (t *Type) MostOn(s Shape) int {
	if steps := t.placed(s); steps != nil {
		return steps[len(steps)-1].Local
	}
	most := 0
	for _, c := range t.Scaled {
		if c.Nodes >= s.Nodes() && c.GPUs >= s.GPUs() {
			most = max(most, c.Local)
		}
	}
	return most
}

// MostWith is the same of all shapes with so many GPUs, 0 if there are none.
func (t *Type) MostWith(gpus int) int {
	most := 0
	for _, p := range t.Placed {
		if p.Shape.GPUs() == gpus {
			most = max(most, p.Steps[len(p.Steps)-1].Local)
		}
	}
	return most
}

// OneGPU is the samples a second of one GPU with the largest batch.
func (t *Type) OneGPU() float64 {
	steps := t.placed("1")
	last := steps[len(steps)-1]
	return float64(last.Local) / last.Seconds
}

func line(steps []Measured, local int) Time {
	i := 1
	for i < len(steps)-1 && steps[i].Local < local {
		i++
	}
	a, b := steps[i-1], steps[i]
	x := float64(local-a.Local) / float64(b.Local-a.Local)
	return Time{a.Seconds + x*(b.Seconds-a.Seconds), a.Sync + x*(b.Sync-a.Sync)}
}

func (t *Type) validate() error {
	check := func(what string, m Measured) error {
		if m.Local < 1 || !(m.Seconds > 0 && m.Sync >= 0 && m.Sync < m.Seconds) || m.Seconds > 1e9 {
			return fmt.Errorf("type %s, %s: a step with %d samples a GPU in %g s, %g s of them exchange, is none", t.Name, what, m.Local, m.Seconds, m.Sync)
		}
		return nil
	}
	if len(t.placed("1")) < 2 || t.MostLocal < 1 {
		return fmt.Errorf("type %s: needs two steps on one GPU, and a limit of samples", t.Name)
	}
	for i, p := range t.Placed {
		if i > 0 && t.Placed[i-1].Shape >= p.Shape || len(p.Steps) == 0 || p.Shape != ShapeOf(perNode(p.Shape)) {
			return fmt.Errorf("type %s: placement %q: placements must be sorted, have steps, and stand in the first of their turns", t.Name, p.Shape)
		}
		for k, m := range p.Steps {
			if k > 0 && p.Steps[k-1].Local >= m.Local {
				return fmt.Errorf("type %s: placement %q: steps must be sorted by samples without duplicates", t.Name, p.Shape)
			}
			if err := check("placement "+string(p.Shape), m); err != nil {
				return err
			}
		}
	}
	for _, c := range t.Scaled {
		if err := check(fmt.Sprintf("%d GPUs on %d nodes", c.GPUs, c.Nodes), c.Measured); err != nil {
			return err
		}
	}
	return nil
}

func perNode(s Shape) []int {
	out := make([]int, len(s))
	for i, c := range []byte(s) {
		out[i] = int(c - '0')
	}
	return out
}
