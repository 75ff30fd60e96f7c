package chronus

import "schedmate"

// The notes of a plan: how many are without a promise; then all that run and all
// that wait, in the artifact's order, each with its state, flags, leases that it
// needs, deadline, emergence, and the leases of its plan.
const (
	unmetNote = "unmet"
	runsNote  = "runs"
	waitsNote = "waits"
)

const (
	stateAt = iota
	flagsAt
	needAt
	dueAt
	emergenceAt
	slotsAt // and all that follow
)

const (
	leasedFlag = 1 << iota
	forcedFlag
	overrunFlag
	plannableFlag
	plannedFlag
	allFlags = 1<<iota - 1
)

const (
	mostNeed      = 1 << 40
	mostEmergence = 1 << 62
)

// read takes what a note says, and reports whether it makes sense. Leases before
// the first one are over.
func (e *entry) read(n *schedmate.Note, first int64) bool {
	if !sensible(n) {
		return false
	}
	v := n.Numbers
	flags := v[flagsAt]
	e.state = state(v[stateAt])
	e.leased, e.forced, e.overrun = flags&leasedFlag != 0, flags&forcedFlag != 0, flags&overrunFlag != 0
	e.plannable, e.planned = flags&plannableFlag != 0, flags&plannedFlag != 0
	e.need, e.due, e.emergence = v[needAt], schedmate.Seconds(v[dueAt]), v[emergenceAt]
	e.slots = v[slotsAt:]
	for len(e.slots) > 0 && e.slots[0] < first {
		e.slots = e.slots[1:]
	}
	return true
}

func sensible(n *schedmate.Note) bool {
	v := n.Numbers
	if len(v) < slotsAt || v[stateAt] < int64(hopeless) || v[stateAt] > int64(bestEffort) ||
		v[flagsAt] < 0 || v[flagsAt] > allFlags || v[needAt] < -mostNeed || v[needAt] > mostNeed ||
		v[dueAt] < 0 || v[dueAt] > int64(schedmate.MaxSeconds) || v[emergenceAt] < -mostEmergence || v[emergenceAt] > mostEmergence {
		return false
	}
	last := int64(-1)
	for _, slot := range v[slotsAt:] {
		if slot <= last || slot > int64(schedmate.MaxSeconds) || v[flagsAt]&plannedFlag == 0 {
			return false
		}
		last = slot
	}
	return true
}

// first is the lease that is the first of plans at this instant: the one that
// begins now, or else the next.
func (p *artifact) first(now schedmate.Seconds) int64 { return int64(ceilDiv(now, p.Lease)) }

func (d *desk) notes() []schedmate.Note {
	size := 0
	for _, list := range d.lists() {
		for _, e := range list {
			size += slotsAt + len(e.slots)
		}
	}
	notes := make([]schedmate.Note, 0, 1+len(d.pinned)+len(d.running)+len(d.waiting))
	numbers := make([]int64, 0, size)
	notes = append(notes, schedmate.Note{Kind: unmetNote, Numbers: []int64{d.unmet}})
	for i, list := range d.lists() {
		kind := runsNote
		if i == 2 {
			kind = waitsNote
		}
		for _, e := range list {
			at := len(numbers)
			numbers = append(numbers, int64(e.state), e.flags(), e.need, int64(e.due), e.emergence)
			numbers = append(numbers, e.slots...)
			notes = append(notes, schedmate.Note{Kind: kind, Job: e.job.Job.ID, Numbers: numbers[at:len(numbers):len(numbers)]})
		}
	}
	return notes
}

func (d *desk) lists() [3][]*entry { return [3][]*entry{d.pinned, d.running, d.waiting} }

func (e *entry) flags() int64 {
	sum := int64(0)
	for _, f := range []struct {
		set bool
		bit int64
	}{{e.leased, leasedFlag}, {e.forced, forcedFlag}, {e.overrun, overrunFlag}, {e.plannable, plannableFlag}, {e.planned, plannedFlag}} {
		if f.set {
			sum |= f.bit
		}
	}
	return sum
}
