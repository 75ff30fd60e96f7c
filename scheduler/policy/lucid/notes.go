package lucid

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/pack"
)

// The notes of a plan.
const (
	guestNote    = "guest"    // a running job that was packed onto another one
	profileNote  = "profile"  // a job that is being profiled; numbers: until when
	profiledNote = "profiled" // a job whose profile is over
	arrivalsNote = "arrivals" // numbers: see arrivals
)

// memory is what the last plan wanted to be remembered.
type memory struct {
	guest    map[string]bool
	until    map[string]schedmate.Seconds // of profiles under way
	profiled map[string]bool
	arrivals arrivals
	book     *pack.Book
}

// recall reads the notes. Those about jobs that are gone, or that make no sense,
// are passed over.
func recall(s *schedmate.Snapshot) *memory {
	m := &memory{guest: make(map[string]bool), until: make(map[string]schedmate.Seconds), profiled: make(map[string]bool), book: pack.Recall(s)}
	running := make(map[string]bool, len(s.Running))
	for _, j := range s.Running {
		running[j.Job.ID] = true
	}
	here := make(map[string]bool, len(s.Waiting))
	for _, j := range s.Waiting {
		here[j.Job.ID] = true
	}
	for i := range s.Memory {
		switch n := &s.Memory[i]; n.Kind {
		case guestNote:
			m.guest[n.Job] = running[n.Job]
		case profileNote:
			if running[n.Job] && len(n.Numbers) == 1 {
				m.until[n.Job] = schedmate.Seconds(min(max(n.Numbers[0], 0), int64(schedmate.MaxSeconds)))
			}
		case profiledNote:
			m.profiled[n.Job] = running[n.Job] || here[n.Job]
		case arrivalsNote:
			m.arrivals.read(n.Numbers)
		}
	}
	return m
}

// notes writes what is to be remembered, by the names of the jobs: a host may keep
// those that wait in any order.
func (m *memory) notes(s *schedmate.Snapshot, counted bool) []schedmate.Note {
	var notes []schedmate.Note
	for _, list := range [][]*schedmate.JobStatus{s.Running, s.Waiting} {
		for _, j := range list {
			id := j.Job.ID
			if m.guest[id] {
				notes = append(notes, schedmate.Note{Kind: guestNote, Job: id})
			}
			if until, ok := m.until[id]; ok {
				notes = append(notes, schedmate.Note{Kind: profileNote, Job: id, Numbers: []int64{int64(until)}})
			}
			if m.profiled[id] {
				notes = append(notes, schedmate.Note{Kind: profiledNote, Job: id})
			}
		}
	}
	slices.SortFunc(notes, func(a, b schedmate.Note) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Job, b.Job)) })
	notes = append(notes, m.book.Notes()...)
	if counted {
		notes = append(notes, schedmate.Note{Kind: arrivalsNote, Numbers: m.arrivals.numbers()})
	}
	return notes
}
