package lease

import (
	"slices"

	"schedmate/scheduler/cells"
)

// Mend looks for a calendar that holds all demands, from one that lacks some leases:
// one of them is forced into a slot, others move from there into slots that have
// room, and whoever finds none is forced in next. What was forced out may not come
// back at once, and what is left out again and again becomes harder to force out
// (an ejection chain; Glover 1996). It calls spend before each move and ends with
// nil when spend says no; it proves nothing.
//
// Start must fit into the slots; nil is the better one of LeastLaxity and Latest.
// Leases that need not move stay where they are.
func Mend(capacity []int, gate *Gate, demands []Demand, start Calendar, spend func() bool) Calendar {
	if start == nil {
		start = dispatched(capacity, gate, demands)
	}
	m := newMender(capacity, gate, demands, start)
	for len(m.out) > 0 {
		if !spend() || !m.move() {
			return nil
		}
	}
	cal := make(Calendar, len(demands))
	for i := range demands {
		for k := 1; k <= m.window[i]; k++ {
			if m.holds(i, k) {
				cal[i] = append(cal[i], k)
			}
		}
	}
	return cal
}

// mender is a calendar under repair: what it holds fits, and out is what it does
// not hold.
type mender struct {
	capacity []int
	gate     *Gate
	demands  []Demand
	window   []int
	levels   []cells.Levels // used in slot 1

	held  []bool  // demand by slot
	in    [][]int // demands of each slot, from 0
	free  []int
	open  cells.Levels // of slot 1
	roomy []int        // slots with free GPUs, ascending

	out    []int // demands that lack a lease, once for each
	stuck  []int // how often a demand was out
	barred []int // demand by slot: until which move it may not come
	moves  int
	state  uint64 // of the random numbers
	force  []int  // scratch: whom to force out
	known  []int  // of each demand: the move at whose beginning movable was asked last
	can    []bool // and what it said
}

// dispatched is the calendar of LeastLaxity, or that of Latest if it lacks less.
func dispatched(capacity []int, gate *Gate, demands []Demand) Calendar {
	cal, late := LeastLaxity(capacity, gate, demands)
	if len(late) > 0 {
		other, later := Latest(capacity, gate, demands)
		lack := func(cal Calendar, late []int) (sum int) {
			for _, i := range late {
				sum += demands[i].GPUs * (demands[i].Inside(len(capacity)) - len(cal[i]))
			}
			return sum
		}
		if lack(other, later) < lack(cal, late) {
			return other
		}
	}
	return cal
}

func newMender(capacity []int, gate *Gate, demands []Demand, start Calendar) *mender {
	slots := len(capacity)
	m := &mender{
		capacity: capacity, gate: gate, demands: demands, window: make([]int, len(demands)), levels: make([]cells.Levels, len(demands)),
		held: make([]bool, len(demands)*slots), in: make([][]int, slots), free: slices.Clone(capacity),
		stuck: make([]int, len(demands)), barred: make([]int, len(demands)*slots),
		known: make([]int, len(demands)), can: make([]bool, len(demands)),
	}
	if gate != nil {
		m.open = gate.Free
	}
	for i := range demands {
		m.window[i] = demands[i].Window(slots)
		m.levels[i] = demands[i].Cells.Levels()
		for _, k := range start[i] {
			m.put(i, k)
		}
		for range demands[i].Inside(slots) - len(start[i]) {
			m.out = append(m.out, i)
		}
	}
	return m
}

func (m *mender) at(i, k int) int     { return i*len(m.capacity) + k - 1 }
func (m *mender) holds(i, k int) bool { return m.held[m.at(i, k)] }
func (m *mender) below(n int) int {
	m.state = m.state*6364136223846793005 + 1442695040888963407
	return int(m.state>>33) % n
}
func (m *mender) fits(i, k, more int, open cells.Levels) bool {
	return m.free[k-1]+more >= m.demands[i].GPUs && (k > 1 || m.gate == nil || open.Holds(m.levels[i]))
}

func (m *mender) put(i, k int) {
	m.held[m.at(i, k)] = true
	m.in[k-1] = append(m.in[k-1], i)
	m.free[k-1] -= m.demands[i].GPUs
	if k == 1 {
		m.open = m.open.Sub(m.levels[i])
	}
}

func (m *mender) take(i, k int) {
	m.held[m.at(i, k)] = false
	n := slices.Index(m.in[k-1], i)
	m.in[k-1] = slices.Delete(m.in[k-1], n, n+1)
	m.free[k-1] += m.demands[i].GPUs
	if k == 1 {
		m.open = m.open.Add(m.levels[i])
	}
}

// room is a slot, other than one, with room for one more lease of a demand: the
// fullest one, or 0.
func (m *mender) room(i, but int) int {
	best := 0
	for _, k := range m.roomy {
		if k > m.window[i] {
			break
		}
		if k != but && !m.holds(i, k) && m.fits(i, k, 0, m.open) && (best == 0 || m.free[k-1] < m.free[best-1]) {
			best = k
		}
	}
	return best
}

// movable says that a slot has room for one more lease of a demand, at the beginning
// of this move: then any of its leases can go there. Many slots ask about the same
// demand.
func (m *mender) movable(i int) bool {
	if m.known[i] != m.moves {
		m.known[i], m.can[i] = m.moves, m.room(i, 0) > 0
	}
	return m.can[i]
}

// move brings in one lease that is out. It reports false when no slot can hold it.
func (m *mender) move() bool {
	m.moves++
	m.roomy = m.roomy[:0]
	for k, free := range m.free {
		if free > 0 {
			m.roomy = append(m.roomy, k+1)
		}
	}
	// The largest gang first.
	n := 0
	for x := range m.out {
		if m.demands[m.out[x]].GPUs > m.demands[m.out[n]].GPUs {
			n = x
		}
	}
	i := m.out[n]
	m.out = slices.Delete(m.out, n, n+1)
	if k := m.room(i, 0); k > 0 {
		m.put(i, k)
		return true
	}
	m.stuck[i]++
	best, cost := 0, 0
	var force []int
	for k := 1; k <= m.window[i]; k++ {
		if m.holds(i, k) || m.capacity[k-1] < m.demands[i].GPUs || m.barred[m.at(i, k)] > m.moves {
			continue
		}
		if c, ok := m.price(i, k); ok {
			if c = c*16 + m.below(16); best == 0 || c < cost {
				best, cost, force = k, c, append(force[:0], m.force...)
			}
		}
	}
	if best == 0 {
		for k := 1; k <= m.window[i] && best == 0; k++ { // all barred: anywhere
			if !m.holds(i, k) && m.capacity[k-1] >= m.demands[i].GPUs {
				if _, ok := m.price(i, k); ok {
					best, force = k, append(force[:0], m.force...)
				}
			}
		}
	}
	if best == 0 {
		return false
	}
	for _, j := range force {
		m.take(j, best)
		m.barred[m.at(j, best)] = m.moves + barredFor + m.below(barredMore)
	}
	m.put(i, best)
	for _, j := range force {
		if k := m.room(j, best); k > 0 {
			m.put(j, k)
		} else {
			m.out = append(m.out, j)
		}
	}
	return true
}

// How many moves a lease that was forced out of a slot may not come back. These
// and the weights of price were tuned on tight calendars of 80 gangs in 72 slots
// of 64 GPUs, which take about 7,000 moves, 20 ms.
const (
	barredFor  = 2
	barredMore = 5
)

// price lists in force who has to leave slot k for demand i, and what that costs:
// those who can move elsewhere first.
func (m *mender) price(i, k int) (cost int, ok bool) {
	m.force = m.force[:0]
	more, open := 0, m.open
	for _, movable := range [...]bool{true, false} {
		for !m.fits(i, k, more, open) {
			lack := m.demands[i].GPUs - m.free[k-1] - more
			best, worth := -1, 0
			for _, j := range m.in[k-1] {
				if slices.Contains(m.force, j) || movable && !m.movable(j) {
					continue
				}
				// As large as what is lacking, rather a little more than less.
				g := m.demands[j].GPUs
				off := (g - lack) * 2
				if off < 0 {
					off = -off * 2
				}
				if !movable {
					off += 16 * g * m.stuck[j]
				}
				if best < 0 || off < worth {
					best, worth = j, off
				}
			}
			if best < 0 {
				break
			}
			m.force = append(m.force, best)
			more += m.demands[best].GPUs
			open = open.Add(m.levels[best])
			if movable {
				cost++
			} else {
				cost += 4 + m.demands[best].GPUs*(1+2*m.stuck[best])
			}
		}
	}
	return cost, m.fits(i, k, more, open)
}
