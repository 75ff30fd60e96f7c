package table

import "testing"

// A name in code has no point: "0_6b" states the size that "0.6b" does.
func TestSizeWithoutAPoint(t *testing.T) {
	for name, want := range map[string]float64{"qwen3_0_6b": 600, "qwen3-0.6b": 600, "llama-3-8b": 8030} {
		m, ok := Model(name)
		if !ok || !alike(m.ParamsM, want) {
			t.Errorf("%s has %v million parameters, want about %v", name, m.ParamsM, want)
		}
	}
}
