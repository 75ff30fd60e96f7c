package failure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// referenceScorer returns a function that scores a folder with the program that
// comes with the cases, and skips the test where there is none.
func referenceScorer(t *testing.T) func(labels, predictions []byte) string {
	t.Helper()
	cases := os.Getenv("SCHEDMATE_CASES")
	if cases == "" {
		cases = filepath.Join("..", "..", "..", "shared", "cases")
	}
	program, err := filepath.Abs(filepath.Join(cases, "failure", "score.py"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("needs the scorer that comes with the cases: set SCHEDMATE_CASES to the folder that holds failure/score.py")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3 to run the scorer that comes with the cases")
	}
	return func(labels, predictions []byte) string {
		t.Helper()
		dir := t.TempDir()
		for name, text := range map[string][]byte{"labels.jsonl": labels, "predictions.jsonl": predictions} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var errs bytes.Buffer
		command := exec.Command(python, program, dir, filepath.Join(dir, "predictions.jsonl"))
		command.Stderr = &errs
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", program, err, &errs)
		}
		return string(out)
	}
}

// printed is a score as the program prints it, without its last line.
func printed(s *Score) string {
	var b strings.Builder
	share := func(name string, t Tally) string {
		return fmt.Sprintf("%s: %d/%d = %.3f", name, t.Right, t.Of, t.Share)
	}
	fmt.Fprintln(&b, share("root line hit", s.Root))
	fmt.Fprintf(&b, "%s %s  macro-F1: %.3f\n", share("class strict", s.Class), share(" lenient", s.ClassLenient), s.MacroF1)
	fmt.Fprintf(&b, "infrastructure: F1 %.3f precision %.3f recall %.3f\n", s.Infrastructure.F1, s.Infrastructure.Precision, s.Infrastructure.Recall)
	fmt.Fprintf(&b, "%s %s\n%s\n", share("component", s.Component), share(" lenient", s.ComponentLenient), share("node", s.Node))
	var wrong []string
	for _, w := range s.WrongQuarantines[:min(len(s.WrongQuarantines), 5)] {
		wrong = append(wrong, fmt.Sprintf("('%s', '%s', '%s')", w.File, w.Class, w.Subclass))
	}
	fmt.Fprintf(&b, "quarantine: recall %d/%d, WRONG %d [%s]\n", s.Quarantine.Right, s.Quarantine.Of, len(s.WrongQuarantines), strings.Join(wrong, ", "))
	fmt.Fprintf(&b, "restarts: wasted %d, missed %d; second roots found %d/%d; files absent %d\n", s.WastedRestarts, s.MissedRestarts, s.SecondRoots.Right, s.SecondRoots.Of, s.Absent)
	if s.MedianMilliseconds != nil {
		fmt.Fprintf(&b, "ms: median %.1f p99 %.1f\n", *s.MedianMilliseconds, *s.P99Milliseconds)
	}
	return b.String()
}

// compareScorers checks that both scorers say the same.
func compareScorers(t *testing.T, reference func(labels, predictions []byte) string, labels, predictions []byte) {
	t.Helper()
	list, err := readLabels("labels.jsonl", bytes.NewReader(labels))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ReadPredictions("predictions.jsonl", bytes.NewReader(predictions))
	if err != nil {
		t.Fatal(err)
	}
	s := (&Cases{Labels: list}).Score(p)
	text := reference(labels, predictions)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	exact := lines[len(lines)-1]
	if diff := cmp.Diff(strings.TrimSuffix(text, exact+"\n"), printed(s)); diff != "" {
		t.Errorf("figures of the program that comes with the cases, and of this one:\n%s", diff)
	}
	var figures map[string]float64
	if err := json.Unmarshal([]byte(exact), &figures); err != nil {
		t.Fatalf("%q: %v", exact, err)
	}
	ours := map[string]float64{
		"root": s.Root.Share, "cls": s.Class.Share, "infra_f1": s.Infrastructure.F1, "infra_precision": s.Infrastructure.Precision,
		"component": s.Component.Share, "node": s.Node.Share, "wrong_quarantine": float64(len(s.WrongQuarantines)), "q_recall": s.Quarantine.Share,
	}
	if diff := cmp.Diff(figures, ours, cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })); diff != "" {
		t.Errorf("exact figures of the program that comes with the cases, and of this one:\n%s", diff)
	}
}

// This scorer says what the program says that comes with the cases: about the
// cases made by hand, and about random ones in which all rules are touched.
func TestScoreIsThatOfTheCases(t *testing.T) {
	reference := referenceScorer(t)
	compareScorers(t, reference, []byte(labels), []byte(predictions))
	for seed := range uint64(8) {
		l, p := randomCases(rand.New(rand.NewPCG(seed, 1)))
		compareScorers(t, reference, l, p)
		if t.Failed() {
			t.Fatalf("seed %d\nlabels:\n%s\npredictions:\n%s", seed, l, p)
		}
	}
}

// randomCases are labels, and predictions that are often near them.
func randomCases(r *rand.Rand) (labels, predictions []byte) {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	coin := func() bool { return r.IntN(2) == 0 }
	line := func() int64 { return r.Int64N(40) }
	span := func() Range { a := line(); return Range{a, a + r.Int64N(4)} }
	var l, p bytes.Buffer
	for i := range 1 + r.IntN(60) {
		label := Label{
			File: fmt.Sprintf("logs/%d.log", i), RootLine: line() * r.Int64N(4) / 3, RootSpan: span(), RootAccept: []Range{}, Class: pick(Classes...), ClassAlternatives: []string{},
			Subclass: pick("x", "y"), Component: pick("gpu", "network"), ComponentsToo: []string{}, Node: pick("", "n1"),
			RestartHelps: coin(), Quarantine: coin(), QuarantineOptional: coin(), Also: []LineOnly{},
		}
		for range r.IntN(3) {
			label.RootAccept = append(label.RootAccept, span())
			label.ClassAlternatives = append(label.ClassAlternatives, pick(Classes...))
			label.ComponentsToo = append(label.ComponentsToo, pick("gpu", "storage"))
			label.Also = append(label.Also, LineOnly{line()})
		}
		addLine(&l, label)
		if r.IntN(8) == 0 {
			continue // no answer
		}
		prediction := Prediction{
			File: pick("logs/", "./logs/", "") + fmt.Sprintf("%d.log", i), Class: pick(append(Classes, label.Class)...), Component: pick("gpu", "network", "storage"), Node: pick("", "n1", "n2"),
			RootLine: max(0, label.RootLine+r.Int64N(11)-5), RestartHelps: coin(), Quarantine: coin(),
		}
		for range r.IntN(3) {
			prediction.Also = append(prediction.Also, LineOnly{line()})
		}
		if coin() {
			ms := float64(r.IntN(1000)) / 8
			prediction.Milliseconds = &ms
		}
		addLine(&p, prediction)
	}
	return l.Bytes(), p.Bytes()
}

func addLine(b *bytes.Buffer, v any) {
	if err := json.NewEncoder(b).Encode(v); err != nil {
		panic(err)
	}
}
