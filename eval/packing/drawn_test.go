package packing

import (
	"math/rand/v2"
	"testing"
)

// With one ratio and no jitter every step is read, and is off by that ratio.
func TestDrawnErrors(t *testing.T) {
	e := (&Errors{}).Drawn([]float64{1.5})
	if err := e.Validate(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		if us, ok := e.Read(rng, 1000); !ok || us != 1500 {
			t.Fatalf("read %d, %v, want 1500", us, ok)
		}
	}
}
