package unisched

import (
	"slices"

	"schedmate"
)

// entry is what the planner remembers about a job.
type entry struct {
	told     schedmate.PromiseState // "" : nothing
	deadline schedmate.Seconds      // that it was told
	chosen   schedmate.Seconds      // the deadline that the last round chose for it; 0: none
	until    schedmate.Seconds      // of its lease; 0: it has none
	measured schedmate.Seconds      // when its measurement ends or has ended; 0: there was none
	on       []schedmate.Allocation // where it is measured
}

// The kinds of notes: what a job was told and holds; when it was measured; on which
// GPUs of a node it is.
const (
	planNote      = "plan"
	measuredNote  = "measured"
	measuringNote = "measuring"
)

// states numbers what jobs are told.
var states = []schedmate.PromiseState{"", schedmate.Promised, schedmate.Expected, schedmate.Refused, schedmate.Broken, schedmate.Lapsed}

// read fills the book from the notes. Whatever they say is taken as a hint: notes
// about jobs that are gone, and places that are taken, are left out.
func (t *table) read() {
	for i := range t.s.Memory {
		n := &t.s.Memory[i]
		e := t.book[n.Job]
		switch {
		case e == nil:
		case n.Kind == planNote && len(n.Numbers) == 4 && n.Numbers[0] >= 0 && n.Numbers[0] < int64(len(states)):
			e.told, e.deadline = states[n.Numbers[0]], schedmate.Seconds(n.Numbers[1])
			e.chosen, e.until = schedmate.Seconds(n.Numbers[2]), schedmate.Seconds(n.Numbers[3])
		case n.Kind == measuredNote && len(n.Numbers) == 1:
			e.measured = schedmate.Seconds(n.Numbers[0])
		case n.Kind == measuringNote:
			for _, gpu := range n.Numbers {
				e.on = append(e.on, schedmate.Allocation{Node: n.Node, GPU: int(gpu), Share: schedmate.WholeGPU})
			}
		}
	}
}

// notes writes the book down, in the order of the jobs.
func (t *table) notes() []schedmate.Note {
	var notes []schedmate.Note
	for _, j := range t.all {
		e := t.book[j.Job.ID]
		if e.told != "" || e.chosen != 0 || e.until > t.s.Now {
			notes = append(notes, schedmate.Note{Kind: planNote, Job: j.Job.ID, Numbers: []int64{
				int64(slices.Index(states, e.told)), int64(e.deadline), int64(e.chosen), int64(e.until)}})
		}
		if e.measured != 0 {
			notes = append(notes, schedmate.Note{Kind: measuredNote, Job: j.Job.ID, Numbers: []int64{int64(e.measured)}})
		}
		if e.measured > t.s.Now {
			notes = append(notes, t.where(j.Job.ID, e.on)...)
		}
	}
	return notes
}

// where notes the GPUs of a measurement, one note for each node.
func (t *table) where(job string, as []schedmate.Allocation) []schedmate.Note {
	var notes []schedmate.Note
	for _, a := range as {
		if n := len(notes); n == 0 || notes[n-1].Node != a.Node {
			notes = append(notes, schedmate.Note{Kind: measuringNote, Job: job, Node: a.Node})
		}
		last := &notes[len(notes)-1]
		last.Numbers = append(last.Numbers, int64(a.GPU))
	}
	return notes
}

// tell adds to what the plan says about a job, and notes it.
func (t *table) tell(j *schedmate.JobStatus, state schedmate.PromiseState, deadline schedmate.Seconds, cause string) {
	e := t.book[j.Job.ID]
	e.told, e.deadline = state, deadline
	t.plan.Promises = append(t.plan.Promises, schedmate.PromiseChange{Job: j.Job.ID, State: state, Deadline: deadline, Cause: cause})
}
