package milp

// Budget bounds a run.
type Budget struct {
	// Steps is the most steps a run may take; 0 is DefaultSteps of the model. A
	// run of fewer steps is the beginning of a run of more.
	Steps int64

	// Interrupt is asked before each step and ends the run by saying true. The
	// plan then says how many steps it used; with that budget it is made again.
	// nil never interrupts.
	Interrupt func() bool
}

// DefaultSteps is a budget with which every part of a run ends by itself: a few
// hundred steps for the prices, some thousands of ruin and recreate, and for
// rounds of up to some hundred jobs a search for a proof.
func DefaultSteps(m *Model) int64 { return 20000 + exactSteps(m) }

// meter counts the steps of a run.
type meter struct {
	used, most int64
	interrupt  func() bool
	ended      bool
}

func newMeter(m *Model, b Budget) *meter {
	most := b.Steps
	if most <= 0 {
		most = DefaultSteps(m)
	}
	return &meter{most: most, interrupt: b.Interrupt}
}

// spend counts one step, or says that there is none left.
func (t *meter) spend() bool {
	if t.ended || t.used >= t.most || t.interrupt != nil && t.interrupt() {
		t.ended = true
		return false
	}
	t.used++
	return true
}

// upTo returns a spend that also ends after n steps of its own.
func (t *meter) upTo(n int64) func() bool {
	return func() bool {
		if n <= 0 {
			return false
		}
		n--
		return t.spend()
	}
}
