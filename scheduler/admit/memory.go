package admit

import (
	"cmp"
	"slices"

	"schedmate"
)

// The notes of a book. Every book has the first, so that one without promises is
// told from none.
const (
	bookNote     = "admission"          // begin of a slot, length of the slots
	promiseNote  = "admission_promise"  // job, node, and the numbers of promiseNumbers
	calendarNote = "admission_calendar" // job, and when its leases begin
	closedNote   = "admission_closed"   // job, and the number of its code
)

// closedCodes are the codes that a note can hold, by number. New ones go to the
// end.
var closedCodes = []Code{NoEstimate, Crashed, TooWide, TooLong, OverQuota, Short, NoCalendar, Unproven, EstimateGrew, FellBehind, LostCapacity, Changed, Overruled}

// Notes writes the book down for the next snapshot's memory.
func (b Book) Notes() []schedmate.Note {
	out := []schedmate.Note{{Kind: bookNote, Numbers: []int64{int64(b.begin), int64(b.lease)}}}
	for i := range b.promises {
		p := &b.promises[i]
		soft := int64(0)
		if p.Class == schedmate.Soft {
			soft = 1
		}
		out = append(out, schedmate.Note{Kind: promiseNote, Job: p.Job, Node: p.Node, Numbers: []int64{
			soft, int64(p.Given), int64(p.Deadline), int64(p.Asked), int64(p.GPUs), p.Iterations, int64(p.Work),
		}})
		calendar := schedmate.Note{Kind: calendarNote, Job: p.Job}
		for _, at := range p.Leases {
			calendar.Numbers = append(calendar.Numbers, int64(at))
		}
		out = append(out, calendar)
	}
	for _, c := range b.closed {
		out = append(out, schedmate.Note{Kind: closedNote, Job: c.Job, Numbers: []int64{int64(slices.Index(closedCodes, c.Code))}})
	}
	return out
}

// Recorded reports whether the memory of a snapshot holds a book.
func Recorded(s *schedmate.Snapshot) bool {
	return slices.ContainsFunc(s.Memory, func(n schedmate.Note) bool { _, _, ok := opening(&n); return ok })
}

// opening reads the first note of a book.
func opening(n *schedmate.Note) (begin, lease schedmate.Seconds, ok bool) {
	if n.Kind != bookNote || len(n.Numbers) != 2 || !instant(n.Numbers[0]) || !instant(n.Numbers[1]) {
		return 0, 0, false
	}
	return schedmate.Seconds(n.Numbers[0]), schedmate.Seconds(n.Numbers[1]), true
}

// Open reads the book in the memory of a snapshot. A snapshot that has none does
// not say who was promised what: then those of its jobs that have a deadline are
// asked for, one after the other as they were submitted, and what is admitted
// stands. Notes that make no sense, or name jobs that are not there, are passed
// over.
func Open(s *schedmate.Snapshot, o Options) Book {
	if !Recorded(s) {
		return derive(s, o)
	}
	var b Book
	calendars := make(map[string][]schedmate.Seconds)
	for i := range s.Memory {
		n := &s.Memory[i]
		if begin, lease, ok := opening(n); ok {
			b.begin, b.lease = begin, lease
		}
		if n.Kind == calendarNote && ascending(n.Numbers) {
			var at []schedmate.Seconds
			for _, t := range n.Numbers {
				at = append(at, schedmate.Seconds(t))
			}
			calendars[n.Job] = at
		}
	}
	there := make(map[string]bool, len(s.Waiting)+len(s.Running)) // and not yet read
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} {
		for _, j := range list {
			there[j.Job.ID] = true
		}
	}
	for i := range s.Memory {
		n := &s.Memory[i]
		if !there[n.Job] {
			continue
		}
		if p := promiseOf(n); p != nil {
			p.Leases = calendars[p.Job]
			b.promises, there[p.Job] = append(b.promises, *p), false
		}
		if n.Kind == closedNote && len(n.Numbers) == 1 && n.Numbers[0] >= 0 && n.Numbers[0] < int64(len(closedCodes)) {
			b.closed, there[n.Job] = append(b.closed, Closed{n.Job, closedCodes[n.Numbers[0]]}), false
		}
	}
	slices.SortFunc(b.closed, func(x, y Closed) int { return cmp.Compare(x.Job, y.Job) })
	return b
}

// promiseOf reads the note of a promise, or returns nil.
func promiseOf(n *schedmate.Note) *Promise {
	x := n.Numbers
	if n.Kind != promiseNote || len(x) != 7 || x[0] < 0 || x[0] > 1 || !instant(x[1]) || !instant(x[2]) ||
		x[3] < 1 || x[4] < x[3] || x[4] > 2*schedmate.MaxGangGPUs || x[5] < 0 || !instant(x[6]) {
		return nil
	}
	p := &Promise{
		Job: n.Job, Node: n.Node, Class: schedmate.Strict, Given: schedmate.Seconds(x[1]), Deadline: schedmate.Seconds(x[2]),
		Asked: int(x[3]), GPUs: int(x[4]), Iterations: x[5], Work: schedmate.Seconds(x[6]),
	}
	if x[0] == 1 {
		p.Class = schedmate.Soft
	}
	return p
}

func instant(t int64) bool { return t >= 0 && t <= int64(schedmate.MaxSeconds) }

func ascending(ts []int64) bool {
	for i, t := range ts {
		if !instant(t) || i > 0 && t <= ts[i-1] {
			return false
		}
	}
	return true
}
