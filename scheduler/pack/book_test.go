package pack

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
)

func notes(list ...schedmate.Note) []schedmate.Note { return list }

func note(kind, job, node string, numbers ...int64) schedmate.Note {
	return schedmate.Note{Kind: kind, Job: job, Node: node, Numbers: numbers}
}

// What was noted of jobs that are gone is forgotten; what was learned from them stays,
// and so does that two workloads are kept apart. What makes no sense is passed over.
func TestWhatIsRecalled(t *testing.T) {
	s := running(halves(light("here", "a"), 1, 0))
	s.Waiting = []*schedmate.JobStatus{light("waits", "b")}
	s.Memory = notes(
		note("pack_apart", "k1", "k2"),
		note("pack_never", "gone", ""), note("pack_never", "here", ""), note("pack_never", "waits", ""),
		note("pack_seen", "here", "gone"), note("pack_seen", "here", "waits"),
		note("pack_speed", "k1", "k2", 2, 1500, 0, 1),
		note("pack_speed", "k1", "k3", 0, 1500, 0, 1), note("pack_speed", "k1", "k4", 2), // never seen; half a note
		note("guest", "here", ""),
	)
	book := Recall(s)
	want := notes(
		note("pack_apart", "k1", "k2"),
		note("pack_never", "here", ""), note("pack_never", "waits", ""),
		note("pack_seen", "here", "waits"),
		note("pack_speed", "k1", "k2", 2, 1500, 0, 1),
	)
	if diff := cmp.Diff(want, book.Notes()); diff != "" {
		t.Error(diff)
	}
	for id, never := range map[string]bool{"here": true, "waits": true, "gone": false, "other": false} {
		if book.Never(id) != never {
			t.Errorf("%s is never packed again: %v, want %v", id, !never, never)
		}
	}
}

// Two sightings of one workload beside another are one entry: their number and sum.
func TestSightingsAddUp(t *testing.T) {
	a1, a2 := halves(light("a1", "a"), 1, 0), halves(light("a2", "a"), 2, 1)
	b1, b2 := halves(light("b1", "b"), 3, 0), halves(light("b2", "b"), 4, 1)
	s := running(a1, a2, b1, b2)
	board, book := NewBoard(s), Recall(s)
	member := func(j *schedmate.JobStatus) Member { return board.member(j) }
	book.sight(member(a1), member(b1), 800)
	book.sight(member(a1), member(b1), 100) // the same two jobs again
	book.sight(member(a2), member(b2), 701)
	x, y := member(a1).key, member(b1).key
	if got := book.ofPair(x, y); got != (tally{2, 1501}) || got.mean() != 751 { // 750.5, rounded
		t.Errorf("a beside b: %+v, mean %d", got, got.mean())
	}
	if got := book.ofClass(Tiny, Tiny); got != (tally{2, 1501}) {
		t.Errorf("light jobs beside light ones: %+v", got)
	}
	if got := book.ofClass(Tiny, Jumbo); got != (tally{}) {
		t.Errorf("light jobs beside heavy ones: %+v", got)
	}
	if got := book.ofPair(x, ""); got != (tally{}) {
		t.Errorf("beside a job of unknown model: %+v", got)
	}
}

// A book that is written and read again says the same, and is sorted, whatever was
// entered in which order.
func TestBooksSurviveTheirNotesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := make([]*schedmate.JobStatus, 6)
		for i := range jobs {
			jobs[i] = halves(light(string(rune('p'+i)), string(rune('a'+i/2))), int64(i+1), i)
		}
		s := running(jobs...)
		board, book := NewBoard(s), Recall(s)
		job := rapid.IntRange(0, len(jobs)-1)
		for range rapid.IntRange(0, 30).Draw(t, "entries") {
			x, y := board.member(jobs[job.Draw(t, "job")]), board.member(jobs[job.Draw(t, "other")])
			if rapid.Bool().Draw(t, "apart") {
				book.part(x, y, rapid.Bool().Draw(t, "workloads"))
			} else {
				book.sight(x, y, rapid.IntRange(1, 2000).Draw(t, "speed"))
			}
		}
		s.Memory = book.Notes()
		if err := schedmate.ValidateMemory("memory", s.Memory); err != nil {
			t.Fatal(err)
		}
		again := Recall(s)
		if diff := cmp.Diff(book.Notes(), again.Notes()); diff != "" {
			t.Fatal(diff)
		}
		again.changed = true // so that the notes are written anew, not handed on
		if diff := cmp.Diff(book.Notes(), again.Notes()); diff != "" {
			t.Fatal(diff)
		}
	})
}
