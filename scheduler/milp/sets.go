package milp

// slotSet is a row beside the prefix rows: for a set of slots that is no prefix,
// needed only where capacity falls and added when a selection breaks it, or for
// the cells of slot 1.
type slotSet struct {
	capacity int   // GPUs (or cells) times sub-slots
	need     []int // by option
}

// addSet adds the row of a set of slots.
func (b *board) addSet(in []bool) {
	s := slotSet{need: make([]int, len(b.options))}
	for k, x := range in {
		if x {
			s.capacity += b.m.Capacity[k] * b.sub
		}
	}
	for i := range b.options {
		s.need[i] = b.options[i].charge * b.within(&b.options[i], in)
	}
	b.sets = append(b.sets, s)
}

// addGate adds a row for each size of cells: those who must run in slot 1 to keep
// their step, and spot jobs, share its free cells.
func (b *board) addGate() {
	for size, free := range b.m.Gate.Free {
		s := slotSet{capacity: free * b.sub, need: make([]int, len(b.options))}
		for i := range b.options {
			switch o := &b.options[i]; {
			case o.spot():
				s.need[i] = o.levels[size] * o.q
			case o.after == 0 && o.window > 0:
				s.need[i] = o.levels[size] * b.sub
			}
		}
		b.sets = append(b.sets, s)
	}
}

// falls reports whether some slot has less capacity than one before it.
func (b *board) falls() bool {
	for k := 1; k < b.slots; k++ {
		if b.m.Capacity[k] < b.m.Capacity[k-1] {
			return true
		}
	}
	return false
}
