package memory

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The normal form keeps words and marks, and forgets numbers, case, spacing and
// colours.
func TestNormal(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"  GPU 12  lost\tat 3.5 s ":      "gpu 0 lost at 0.0 s",
		"\x1b[31mError:\x1b[0m x100":     "error: x0",
		"\x1b[1;31mexit code 139\x1b[0m": "exit code 0",
		"1 2":                            "0 0",
		"节点 7 故障":                        "节点 0 故障",
	} {
		if got := normal(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// The cosine is that of the counts of all n-grams, by a twin that keeps them as
// text.
func TestCosineAgainstPlainCounts(t *testing.T) {
	counts := func(text string) map[string]float64 {
		out := map[string]float64{}
		runes := []rune("\x02" + normal(text) + "\x03")
		for n := shortest; n <= longest; n++ {
			for i := 0; i+n <= len(runes); i++ {
				out[string(runes[i:i+n])]++
			}
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"gpu", "lost", "error", "7", "节点", "of", "memory"})
		a := strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "a"), " ")
		b := strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "b"), " ")
		va, vb := vectorOf(a), vectorOf(b)
		ca, cb := counts(a), counts(b)
		var dot, aa, bb float64
		for g, n := range ca {
			dot += n * cb[g]
			aa += n * n
		}
		for _, n := range cb {
			bb += n * n
		}
		want := 0.0
		if aa*bb > 0 {
			want = dot / math.Sqrt(aa*bb)
		}
		if got := cosine(&va, &vb); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%q and %q: got %g, want %g", a, b, got, want)
		}
		if va.square > 0 && cosine(&va, &va) != 1 {
			t.Fatalf("%q is not like itself", a)
		}
	})
}
