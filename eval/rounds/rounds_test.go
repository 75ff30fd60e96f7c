package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One GPU and four slots: A and B both keep a promise, 100 + 80 = 180, and C cannot be
// promised beside A.
const (
	jobA  = `{"id":"A","kind":"strict","late":1,"steps":[{"by":2,"reward":100}],"policies":[{"gpus":1,"leases":2}]}`
	jobB  = `{"id":"B","kind":"soft","late":1,"steps":[{"by":3,"reward":100},{"by":4,"reward":80}],"policies":[{"gpus":1,"leases":2}]}`
	jobC  = `{"id":"C","kind":"strict","late":1,"steps":[{"by":3,"reward":100}],"policies":[{"gpus":1,"leases":2}]}`
	begin = `"round":{"slots":4,"sub":1,"capacity":[1,1,1,1],"jobs":[`
	pair  = begin + jobA + `,` + jobB + `]}`
	third = begin + jobA + `]},"new":` + jobC
)

// What the referee has proven is compared with what the planner answers: equal, or
// at odds with it in either direction.
func TestAnswersAreComparedWithTheReferee(t *testing.T) {
	for _, c := range []struct {
		name, body, expect string
		equal, within      int
		wrong              string
	}{
		{"equal", pair, `{"objective":180}`, 1, 0, ""},
		{"nothing decided", pair, `{}`, 0, 1, ""},
		{"within bounds", pair, `{"bounds":[101,200]}`, 0, 1, ""},
		{"the referee has more", pair, `{"objective":181}`, 0, 0, "our bound is wrong"},
		{"the referee has less", pair, `{"objective":101}`, 0, 0, "more than there can be"},
		{"refused", third, `{"admit":false}`, 1, 0, ""},
		{"refused wrongly", third, `{"admit":true}`, 0, 0, "the referee says true"},
	} {
		file := filepath.Join(t.TempDir(), "one.json")
		text := `{"cases":[{"name":"one",` + c.body + `,"expect":` + c.expect + `}]}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := scored(file)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if s.equal != c.equal || s.within != c.within || c.wrong == "" && len(s.wrong) > 0 || !strings.Contains(strings.Join(s.wrong, " "), c.wrong) {
			t.Errorf("%s: %+v", c.name, *s)
		}
	}
}

// Drawn files hold as many rounds as asked for, no answers, and admissions that
// end with the first refusal.
func TestDrawnRoundsCanBeAnswered(t *testing.T) {
	folder := t.TempDir()
	if err := drawn(folder, 2, 5); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) != 2*15 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		s, err := scored(file)
		if err != nil {
			t.Fatal(err)
		}
		if s.within != len(s.cpu) || s.proven != len(s.cpu) || !strings.HasSuffix(file, "-admit.json") && len(s.cpu) != 2 {
			t.Errorf("%s: %+v", filepath.Base(file), *s)
		}
	}
}
