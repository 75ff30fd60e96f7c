package tracker_test

import (
	"testing"
	"time"

	"schedmate/logs/series"
	"schedmate/tracker"
)

// Whatever bytes a job prints, however they are cut: no panic, bounded memory,
// a valid Progress whose readings point into the log.
func FuzzTracker(f *testing.F) {
	r := recipe{records: 14, every: 5, first: 5, total: 200, perEpoch: 20, batch: 32, stepTime: 0.4, jitter: 0.05, seed: 5, start: time.Date(2024, 3, 1, 10, 0, 0, 0, time.UTC)}
	for _, template := range append(stamped[:len(stamped):len(stamped)], printed...) {
		f.Add([]byte(text(mustPrint(f, r, template))), uint16(100))
	}
	for _, n := range numbers {
		f.Add([]byte("step 1 loss "+n+"\nstep 2 loss 2.5\nstep 3 loss 2.25\nstep "+n+" loss 2.125\n"), uint16(7))
		f.Add([]byte(n+"/"+n+" ["+n+"<"+n+", "+n+"it/s, loss="+n+"]\r1/9 [00:01<00:08, 1.00it/s, loss=3.5]\r2/9 [00:02<00:07, 1.00it/s, loss=3.25]\r"), uint16(9))
	}
	f.Add([]byte("50%|.5 3\n"), uint16(1)) // once read for ever
	limits := series.Limits{Families: 12, Columns: 10, History: 20}
	f.Fuzz(func(t *testing.T, log []byte, cut uint16) {
		s := tracker.New(limits)
		at := min(int(cut), len(log))
		s.Write(log[:at], 0)
		if p, _ := s.Progress(); p.Validate("progress") != nil {
			t.Fatal(p.Validate("progress"))
		}
		s.Write(log[at:], int64(cut))
		p, _ := s.Progress()
		if err := p.Validate("progress"); err != nil {
			t.Fatal(err)
		}
		if again, _ := s.Progress(); value(again.Step) != value(p.Step) || value(again.StepTime) != value(p.StepTime) {
			t.Fatalf("asked twice: step %g and %g s, then %g and %g s", value(p.Step), value(p.StepTime), value(again.Step), value(again.StepTime))
		}
		if f, r, c := s.Kept(); f > limits.Families || r > limits.History || c > limits.Columns {
			t.Fatalf("kept %d families, %d records, %d columns", f, r, c)
		}
		if s.Offset() != int64(len(log)) {
			t.Fatalf("%d bytes written, the offset is %d", len(log), s.Offset())
		}
		inside(t, int64(len(log)), &p)
	})
}
