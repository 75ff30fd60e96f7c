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
		s.need[i] = b.options[i].charge * b.options[i].within(in)
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

// setStarts is how many prefixes the search for a broken row begins from.
const setStarts = 12

// violated looks for a set of slots that must hold more of the picked options
// than it has capacity, or returns nil. What a set lacks is a supermodular
// function minus a modular one; it is climbed from some prefixes, one slot in or
// out at a time, which finds a broken row nearly always when there is one.
func (b *board) violated(pick []int) []bool {
	var options []*option
	for _, i := range pick {
		if i >= 0 && b.options[i].inside() > 0 {
			options = append(options, &b.options[i])
		}
	}
	inside := make([]int, b.slots+1)
	lack := func(in []bool) int {
		sum := 0
		for k, x := range in {
			inside[k+1] = inside[k]
			if x {
				inside[k+1]++
				sum -= b.m.Capacity[k] * b.sub
			}
		}
		for _, o := range options {
			if n := o.inside() - (o.window - inside[o.window]); n > 0 {
				sum += o.charge * n
			}
		}
		return sum
	}
	for start := 1; start <= setStarts && start <= b.slots; start++ {
		in := make([]bool, b.slots)
		for k := range max(1, b.slots*start/min(setStarts, b.slots)) {
			in[k] = true
		}
		now := lack(in)
		for now <= 0 {
			best, at := now, -1
			for k := range in {
				in[k] = !in[k]
				if l := lack(in); l > best {
					best, at = l, k
				}
				in[k] = !in[k]
			}
			if at < 0 {
				break
			}
			in[at], now = !in[at], best
		}
		if now > 0 {
			return in
		}
	}
	return nil
}
