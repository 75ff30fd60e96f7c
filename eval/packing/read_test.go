package packing

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/pack"
	"schedmate/scheduler/sim"
)

const header = "model,batch_size,beside_model,beside_batch_size,speed_milli,beside_speed_milli\n"

// Two pairs of three workloads, in the order of the file.
func TestATableOfPairs(t *testing.T) {
	got, err := readTable("pairs.csv", []byte(header+"A3C,0,CycleGAN,1,636,715\nLM,20,A3C,0,900,\"1100\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	a3c, gan, lm := schedmate.Workload{Model: "A3C"}, schedmate.Workload{Model: "CycleGAN", BatchSize: 1}, schedmate.Workload{Model: "LM", BatchSize: 20}
	want := &Table{
		Workloads: []schedmate.Workload{a3c, gan, lm},
		Pairs:     sim.Pairs{{First: a3c, Second: gan}: {First: 636, Second: 715}, {First: lm, Second: a3c}: {First: 900, Second: 1100}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Beside A3C the others reach 0.715 and 0.9, in the mean 0.8075; beside LM 1.1.
	for w, score := range map[schedmate.Workload]pack.Score{a3c: pack.Jumbo, lm: pack.Tiny} {
		if got, ok := want.Score(w); !ok || got != score {
			t.Errorf("%s has the score %d, want %d", w.Model, got, score)
		}
	}
	if _, ok := want.Score(schedmate.Workload{Model: "ResNet-50"}); ok {
		t.Error("a workload that was not measured has a score")
	}
}

// A table that cannot be read says in which file, line and column, and what to do.
func TestBadTables(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"", "pairs.csv: is empty; give a table"},
		{"model,speed\n", "pairs.csv:1: the columns are model,speed, and must be model,batch_size"},
		{header + "A,0,B,0,1,1\nA,1,B,0,1\n", "pairs.csv:3: has 5 cells, and must have 6; check for a missing"},
		{header + "A,0,B,0,1,1\n\n,1,B,0,1,1\n", "pairs.csv:4: model: is empty; name what is trained"},
		{header + "A,0,,0,1,1\n", "pairs.csv:2: beside_model: is empty"},
		{header + "A,-1,B,0,1,1\n", `pairs.csv:2: batch_size: must be a whole number in [0, 1073741824], got "-1"`},
		{header + "A,0,B,x,1,1\n", `pairs.csv:2: beside_batch_size: must be a whole number in [0, 1073741824], got "x"`},
		{header + "A,0,B,0,0.5,1\n", `pairs.csv:2: speed_milli: must be a whole number in [1, 1000000], got "0.5"; write a plain number`},
		{header + "A,0,B,0,500,0\n", `pairs.csv:2: beside_speed_milli: must be a whole number in [1, 1000000], got "0"`},
		{header + "A,0,B,0,1,1\nA,0,B,0,2,2\n", "pairs.csv:3: A at 0 beside B at 0 stands here twice; keep one"},
		{header + "A,0,\"B,0,1,1\n", "pairs.csv:"},
	} {
		_, err := readTable("pairs.csv", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%q: want %q, got %v", c.text, c.says, err)
		}
	}
}

// Of 26 workloads 24 are in the table, each pair in one order, and with itself.
func TestGavelsTable(t *testing.T) {
	g := Gavel()
	if len(g.Workloads) != 24 {
		t.Errorf("%d workloads, want 24", len(g.Workloads))
	}
	missing := 0
	for _, a := range g.Workloads {
		for _, b := range g.Workloads {
			if _, _, ok := g.Pairs.Beside(a, b); !ok {
				missing++
			}
		}
	}
	t.Logf("%d pairs measured; of 24 x 24 ordered pairs %d have no speeds", len(g.Pairs), missing)
	for _, w := range g.Workloads {
		if strings.HasPrefix(w.Model, "ResNet-50") && w.BatchSize == 128 || w.Model == "Transformer" && w.BatchSize == 256 {
			t.Errorf("%s at %d is in the table, which doc.go says is left out", w.Model, w.BatchSize)
		}
	}
}

const tracker = "source: a story\nread_milli: 960\nerrors:\n  - {at: 0, error: -1000}\n  - {at: 1000000, error: 1000}\njitter_milli: 36\n"

// Errors of the tracker that cannot be used name file, line and field.
func TestBadErrorsOfTheTracker(t *testing.T) {
	if _, err := readErrors("t.yaml", []byte(tracker)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, says string }{
		{"read_milli: 960", "read_milli: 0", "t.yaml:2: read_milli: must lie in [1, 1000], got 0"},
		{"read_milli: 960", "read_milli: 96.5", "t.yaml:2: read_milli: must be a whole number"},
		{"read_milli: 960\n", "", "t.yaml"},
		{"jitter_milli: 36", "jitter_milli: 1001", "t.yaml:6: jitter_milli: must lie in [0, 1000], got 1001"},
		{"jitter_milli", "jitter", "t.yaml:6: jitter"},
		{"{at: 0,", "{at: 1,", "t.yaml:3: errors: must begin at 0 and end at 1000000"},
		{"- {at: 1000000", "- {at: 500, error: 1}\n  - {at: 400, error: 1}\n  - {at: 1000000", "t.yaml:6: errors[2].at: must not fall, got 400 after 500"},
		{"error: 1000}", "error: -1000000}", "t.yaml:5: errors[1].error: must lie in (-1000000, 1000000000], got -1000000"},
		{tracker, "", "t.yaml: is empty"},
	} {
		_, err := readErrors("t.yaml", []byte(strings.Replace(tracker, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%q for %q: want %q, got %v", c.new, c.old, c.says, err)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add(header + "A3C,0,CycleGAN,1,636,715\n")
	f.Add(header + "\"A\"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := readTable("pairs.csv", []byte(text))
		if err != nil {
			return
		}
		for p, s := range table.Pairs { //schedmate:ordered each pair is checked by itself
			if p.First.Model == "" || p.Second.Model == "" || s.First < 1 || s.Second < 1 {
				t.Errorf("%q: accepted %+v at %+v", text, p, s)
			}
		}
	})
}
