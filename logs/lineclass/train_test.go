package lineclass

import (
	"math"
	"slices"
	"testing"
)

// Two trainings give bit-equal weights.
func TestTrainingIsDeterministic(t *testing.T) {
	first, again := fit(Examples()), fit(Examples())
	if *first != *again {
		t.Fatal("the weights differ")
	}
	if a, b := pack(first), Default(); *a.packed != *b.packed || a.unit != b.unit {
		t.Fatal("the packed weights differ")
	}
}

// The packed weights are the weights, to half a unit.
func TestPackedWeights(t *testing.T) {
	w := fit(Examples()[:400])
	m := pack(w)
	for r := range w {
		sums := m.sum([]uint16{uint16(r)})
		for c, sum := range sums {
			if d := math.Abs(float64(float32(sum-half)*m.unit - w[r][c])); d > float64(m.unit)/2*1.001 {
				t.Fatalf("row %d, class %d: %v became %v", r, c, w[r][c], float32(sum-half)*m.unit)
			}
		}
	}
	many := make([]uint16, 1000) // more than the lanes have room for at once
	for i := range many {
		many[i] = uint16(7 * i)
	}
	var want [classCount]int
	for _, r := range many {
		for c, sum := range m.sum([]uint16{r}) {
			want[c] += sum
		}
	}
	if got := m.sum(many); got != want {
		t.Errorf("the sum of many rows is %v, want %v", got, want)
	}
}

// Without lines there is nothing to learn, and every class is as likely.
func TestTrainingOnNothing(t *testing.T) {
	if class, sure := Train(nil).Classify([]byte("step 1 loss 2")); !class.valid() || sure != 0.125 {
		t.Errorf("%s %v", class, sure)
	}
}

// The exponential is that of the standard library, to the precision of a float32.
func TestExp(t *testing.T) {
	for x := float32(-29); x <= 0; x += 0.01 {
		got, want := float64(exp(x)), math.Exp(float64(x))
		if math.Abs(got-want) > 1e-6*want {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if exp(-1000) != 0 || exp(0) != 1 {
		t.Errorf("exp(-1000) = %v, exp(0) = %v", exp(-1000), exp(0))
	}
}

// Words are what a reader sees, whatever is written together.
func TestScan(t *testing.T) {
	words := func(text string) (shapes string, stems []uint32) {
		var s scanner
		for _, tok := range s.scan([]byte(text)) {
			shapes += string(rune(tok.shape))
			if tok.kind == word {
				stems = append(stems, tok.stem)
			}
		}
		return shapes, stems
	}
	same := func(a, b string) {
		t.Helper()
		_, one := words(a)
		_, other := words(b)
		if !slices.Equal(one, other) {
			t.Errorf("%q and %q have different words", a, b)
		}
	}
	same("FileNotFoundError", "file not found error")
	same("train_loss", "train loss")
	same("CUDNN_STATUS_EXECUTION_FAILED", "cudnn status execution fails")
	same("XLARuntime", "xla runtime")
	same("killed", "killing")
	same("gpu018", "gpu")
	for text, want := range map[string]string{
		"Epoch 3/10 loss=0.5":    "C#w=#",
		"2026-11-02T10:11:12Z x": "#Cw",
		"1e-05 12.5it/s":         "##w/w",
		"[####    ] 41%":         "[B]#%",
		"███▋  | 4/9":            "B|#",
		"--- a ---- ...":         "---wB.",
		"NCCL WARN x":            "WWw",
		"\x1b[31mred\x1b[0m":     "w",
	} {
		if got, _ := words(text); got != want {
			t.Errorf("%q looks like %q, want %q", text, got, want)
		}
	}
}
