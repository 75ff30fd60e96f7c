package adaptive

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Of all turns of a shape the first counts: it is a ring.
func TestShapes(t *testing.T) {
	for want, perNode := range map[Shape][]int{"1": {1}, "244": {4, 4, 2}, "134": {3, 4, 1}, "143": {4, 3, 1}, "88": {8, 8}} {
		got := ShapeOf(perNode)
		if got != want {
			t.Errorf("%v: %s, want %s", perNode, got, want)
		}
		sum := 0
		for _, n := range perNode {
			sum += n
		}
		if got.GPUs() != sum || got.Nodes() != len(perNode) {
			t.Errorf("%v: %d GPUs on %d nodes", perNode, got.GPUs(), got.Nodes())
		}
	}
}

// typed is a type whose steps take 0.1 s a node, 0.01 s a GPU and 1 ms a sample,
// and half of that exchange.
func typed() *Type {
	step := func(nodes, gpus, local int) Measured {
		s := 0.1*float64(nodes) + 0.01*float64(gpus) + 0.001*float64(local)
		return Measured{local, Time{s, s / 2}}
	}
	t := &Type{Name: "t", MostLocal: 64}
	for _, s := range []Shape{"1", "2", "22", "4", "44"} {
		p := Placement{Shape: s}
		for _, local := range []int{8, 16, 64} {
			p.Steps = append(p.Steps, step(s.Nodes(), s.GPUs(), local))
		}
		t.Placed = append(t.Placed, p)
	}
	for _, local := range []int{8, 64} {
		t.Scaled = append(t.Scaled, Scale{4, 16, step(4, 16, local)}, Scale{16, 16, step(16, 16, local)})
	}
	return t
}

// Where times are linear, what is told between the measured gangs is exact,
// whichever simplices there are.
func TestBetweenWhatWasMeasured(t *testing.T) {
	on := typed()
	if err := on.validate(); err != nil {
		t.Fatal(err)
	}
	times := NewTimes()
	rapid.Check(t, func(t *rapid.T) {
		local := rapid.IntRange(8, 64).Draw(t, "local")
		s := rapid.SampledFrom([]Shape{"1", "22", "44", "34", "444", "4444", "13", "233"}).Draw(t, "shape")
		got, err := times.Step(on, s, local)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.1*float64(s.Nodes()) + 0.01*float64(s.GPUs()) + 0.001*float64(local)
		if math.Abs(got.Seconds-want) > 1e-6 || math.Abs(got.Sync-want/2) > 1e-6 {
			t.Fatalf("%s with %d samples: %+v, want %g", s, local, got, want)
		}
	})
	if _, err := times.Step(on, "88888", 8); err == nil {
		t.Error("40 GPUs on five nodes are outside of what was measured, and have a time")
	}
}

// A square's corner points have one lower hull by hand: (0,0,0) and (2,0,0) are the
// nearest around (1,0,0), so it lies half way between them.
func TestAroundTheOrigin(t *testing.T) {
	corners, weights, ok := around([][3]float64{{-1, 0, 0}, {1, 0, 0}, {-9, 5, 0}, {9, -5, 0}, {0, 0, 7}})
	if !ok || len(corners) != 2 || corners[0]+corners[1] != 1 || math.Abs(weights[0]-0.5) > 1e-9 {
		t.Errorf("got %v with %v, %v", corners, weights, ok)
	}
}

// Gradients between batch sizes are linear, and beyond them those of the last.
func TestGradients(t *testing.T) {
	a := Application{Gradients: []Gradient{{8, []float64{1}, []float64{10}}, {16, []float64{3}, []float64{20}}}}
	for batch, want := range map[float64][2]float64{4: {1, 10}, 8: {1, 10}, 12: {2, 15}, 99: {3, 20}} {
		if s, v := a.Gradient(0, batch); s != want[0] || v != want[1] {
			t.Errorf("batch %g: %g and %g, want %v", batch, s, v, want)
		}
	}
}
