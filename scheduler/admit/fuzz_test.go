package admit_test

import (
	"encoding/json"
	"testing"

	"schedmate"
	"schedmate/scheduler/admit"
)

// Whatever stands in the memory of a snapshot, a book can be opened, rechecked and
// asked; what it promises then has a calendar.
func FuzzMemory(f *testing.F) {
	x := newSite(seeded(7))
	for range 6 {
		x.book = x.book.Ask(&x.s, x.arrival(), x.o).Book
	}
	notes, err := json.Marshal(x.book.Notes())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(notes)
	f.Add([]byte(`[{"kind":"admission","numbers":[0,100]},{"kind":"admission_promise","job":"j1","node":"0","numbers":[0,0,6324480000,1,2097152,0,6324480000]},{"kind":"admission_calendar","job":"j1","numbers":[0,1,2]}]`))
	f.Add([]byte(`[{"kind":"admission","numbers":[50,100]},{"kind":"admission_promise","job":"j2","node":"gone","numbers":[1,0,0,1,1,0,0]},{"kind":"admission_closed","job":"j2","numbers":[99]},{"kind":"admission_closed","job":"j3","numbers":[0]}]`))
	f.Add([]byte(`[{"kind":"admission","numbers":[0,0]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var memory []schedmate.Note
		if json.Unmarshal(text, &memory) != nil || schedmate.ValidateMemory("memory", memory) != nil {
			return
		}
		s := x.s
		s.Memory = memory
		y := &site{s: s, o: x.o, book: admit.Open(&s, x.o)}
		y.book = y.book.Recheck(&s, x.o).Book
		for _, j := range s.Waiting {
			y.book = y.book.Ask(&s, j, x.o).Book
		}
		for _, p := range y.book.Promises() {
			if s.Find(p.Job) == nil {
				t.Fatalf("job %s is not there, and has a promise", p.Job)
			}
		}
		if claims, _ := y.book.Claims(&s, x.o); len(claims) != len(y.book.Promises()) {
			t.Fatalf("%d claims of %d promises", len(claims), len(y.book.Promises()))
		}
		if r := y.book.Recheck(&s, x.o); len(r.Broken) > 0 {
			t.Fatalf("nothing has changed, and %v broke", r.Broken)
		}
	})
}
