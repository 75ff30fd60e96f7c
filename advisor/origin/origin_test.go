package origin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAWinnerKeepsWhatItBeat(t *testing.T) {
	code := At(Python, "train.py", 34, "batch_size")
	file := At(YAML, "configs/base.yaml", 7, "batch_size")
	flag := Named(CLI, "--batch-size")
	won := flag.Over(file.Over(code))
	want := []string{"cli:--batch-size", "yaml:configs/base.yaml:7", "py:train.py:34"}
	if d := cmp.Diff(want, won.Layers()); d != "" {
		t.Errorf("layers (-want +got):\n%s", d)
	}
	if flag.Beat != nil || file.Beat != nil {
		t.Error("a layer was changed by winning")
	}
	if got, want := won.Explain(), "cli:--batch-size, beats yaml:configs/base.yaml:7, py:train.py:34"; got != want {
		t.Errorf("explains %q, want %q", got, want)
	}
}

func TestWinningOverNothingChangesNothing(t *testing.T) {
	flag := Named(CLI, "--lr")
	for name, got := range map[string]*Origin{"over nil": flag.Over(nil), "over itself": flag.Over(flag), "nil over it": (*Origin)(nil).Over(flag)} {
		if got != flag {
			t.Errorf("%s gives %v", name, got)
		}
	}
}

func TestAComputedValueIsPlacedByItsOperands(t *testing.T) {
	micro := Named(CLI, "--batch-size")
	accum := At(Python, "train.py", 12, "accum")
	total := Computed("12*40", micro, accum)
	if got := total.Place(); got != "train.py:12" {
		t.Errorf("stands at %q", got)
	}
	if got, want := total.Explain(), "derived: 12*40 (cli:--batch-size, py:train.py:12)"; got != want {
		t.Errorf("explains %q, want %q", got, want)
	}
	if got := (*Origin)(nil).Place(); got != "" {
		t.Errorf("an origin that was not recorded stands at %q", got)
	}
}
