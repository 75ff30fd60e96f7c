package highs_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"schedmate/scheduler/milp"
)

// cbc solves a program by the CBC solver, in a process of its own, and returns what
// the best point earns.
func cbc(t *testing.T, p *milp.Program) float64 {
	t.Helper()
	var text bytes.Buffer
	if err := writeMPS(&text, p); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	question, answer := filepath.Join(folder, "program.mps"), filepath.Join(folder, "answer.txt")
	if err := os.WriteFile(question, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("cbc", question, "-ratioGap", "0", "-allowableGap", "0", "-solve", "-solution", answer).CombinedOutput()
	if err != nil {
		t.Fatalf("cbc: %v\n%s", err, out)
	}
	result, err := os.ReadFile(answer)
	if err != nil {
		t.Fatalf("cbc wrote no answer: %v\n%s", err, out)
	}
	lost, err := readCBC(string(result))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, result, out)
	}
	return p.Offset - lost
}

// readCBC reads the first line of a solution, "Optimal - objective value 12.5".
func readCBC(text string) (float64, error) {
	line, _, _ := strings.Cut(text, "\n")
	value, ok := strings.CutPrefix(line, "Optimal - objective value")
	if !ok {
		return 0, fmt.Errorf("cbc has no optimum: %q", line)
	}
	return strconv.ParseFloat(strings.TrimSpace(value), 64)
}

// CBC, which shares no code with HiGHS and reads the program from a file, finds the
// same optima: of rounds that are proven, and of the rows of drawn ones.
func TestCBCFindsTheSameOptima(t *testing.T) {
	l := needed(t)
	if _, err := exec.LookPath("cbc"); err != nil {
		t.Skip("needs the CBC solver: run make setup-cbc as root, or install coinor-cbc")
	}
	compare := func(name string, f *milp.Formulation) {
		a, err := l.Maximise(&f.Program, nil, milp.Limits{})
		if err != nil || !a.Optimal {
			t.Fatalf("%s: %+v, %v", name, a, err)
		}
		if got := cbc(t, &f.Program); math.Abs(got-a.Objective) > 1e-5*max(1, math.Abs(got)) {
			t.Errorf("%s: HiGHS earns %v, CBC %v", name, a.Objective, got)
		}
	}
	asked := 0
	for n, c := range certified(t) {
		if n%4 != 0 || len(c.model.Jobs) > 15 { // CBC takes long for the textbook model
			continue
		}
		compare(c.Name, milp.Direct(c.model))
		if got := cbc(t, &milp.Direct(c.model).Program); math.Abs(got-*c.Expect.Objective) > 1e-4 {
			t.Errorf("%s: the textbook model earns %v by CBC, want %v", c.Name, got, *c.Expect.Objective)
		}
		asked++
	}
	for n := range 40 {
		f := milp.Prefix(drawn(n))
		if n%2 == 1 {
			f = milp.Stock(drawn(n))
		}
		compare(fmt.Sprintf("drawn round %d", n), f)
		asked++
	}
	t.Logf("%d programs", asked)
}

// The file of the smallest example, by hand: one GPU, two slots, A by 1 for 100.
func TestMPS(t *testing.T) {
	p := &milp.Program{
		Columns: []milp.Column{{Objective: 99, Upper: 1, Integer: true}, {Lower: 1, Upper: math.Inf(1)}},
		Rows: []milp.Row{
			{Lower: math.Inf(-1), Upper: 1, Terms: []milp.Term{{Column: 0, Value: 1}}},
			{Lower: 2, Upper: 2, Terms: []milp.Term{{Column: 1, Value: 1}, {Column: 0, Value: -0.5}}},
			{Lower: 3, Upper: math.Inf(1), Terms: []milp.Term{{Column: 1, Value: 4}}},
		},
	}
	var got strings.Builder
	if err := writeMPS(&got, p); err != nil {
		t.Fatal(err)
	}
	want := `NAME program FREE
ROWS
 N LOST
 L R0
 E R1
 G R2
COLUMNS
 MARKER 'MARKER' 'INTORG'
 C0 LOST -99
 C0 R0 1
 C0 R1 -0.5
 MARKER 'MARKER' 'INTEND'
 C1 LOST -0
 C1 R1 1
 C1 R2 4
RHS
 RHS R0 1
 RHS R1 2
 RHS R2 3
BOUNDS
 LO BOUND C0 0
 UP BOUND C0 1
 LO BOUND C1 1
 PL BOUND C1
ENDATA
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
	p.Rows[0].Lower = 0
	if err := writeMPS(&got, p); err == nil {
		t.Error("a row with two sides was written")
	}
}
