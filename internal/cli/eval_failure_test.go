package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	score "schedmate/eval/failure"
)

// evaluateFailure runs 'eval failure -o json'.
func evaluateFailure(t *testing.T, args ...string) (failureEvaluation, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(append([]string{"eval", "failure", "-o", "json", "--cases"}, args...), Streams{Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
	if code != ExitOK {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var doc failureEvaluation
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc, errs.String()
}

// The whole sets of labelled logs. Only totals are looked at: who reads single
// answers of a set can no longer be measured with it. The floors are what the
// handler is promised to reach on logs that are kept back, but for one: of the
// written logs the F1 of infrastructure is to become 0.92. No node is ever taken out
// for nothing. The logs of the repository are always there.
func TestFailureHandlerOnLabelledLogs(t *testing.T) {
	cases := os.Getenv("SCHEDMATE_CASES")
	if cases == "" {
		cases = filepath.Join("..", "..", "..", "shared", "cases")
	}
	for _, set := range []struct {
		name, folder       string
		root, class, infra float64 // least shares, the last of F1
	}{
		{"provoked failures of this repository", filepath.Join("..", "..", "eval", "failure", "provoked"), 0.93, 0.86, 0.90},
		{"failures told in words that no rule knows", filepath.Join("..", "..", "eval", "failure", "paraphrased"), 0, 0, 0}, // nothing is promised but that no node is blamed
		{"written logs", filepath.Join(cases, "failure"), 0.92, 0.88, 0.90},
		{"provoked failures", filepath.Join(cases, "real", "failure"), 0.93, 0.86, 0.90},
	} {
		t.Run(set.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(set.folder, "labels.jsonl")); err != nil {
				t.Skipf("%s: needs labelled logs: set SCHEDMATE_CASES to the folder that holds failure/labels.jsonl", set.name)
			}
			if testing.Short() {
				t.Skip("reads two hundred logs: run without -short")
			}
			doc, notes := evaluateFailure(t, set.folder)
			s := doc.Whole
			if notes != "" || s.Absent > 0 {
				t.Errorf("%d logs could not be read, %d have no answer", strings.Count(notes, "\n"), s.Absent)
			}
			for _, f := range []struct {
				name  string
				got   float64
				least float64
			}{{"root line", s.Root.Share, set.root}, {"class", s.Class.Share, set.class}, {"infrastructure F1", s.Infrastructure.F1, set.infra}} {
				t.Logf("%s %.3f", f.name, f.got)
				if f.got < f.least {
					t.Errorf("%s: %.3f, want %.2f at least", f.name, f.got, f.least)
				}
			}
			if n := len(s.WrongQuarantines); n > 0 {
				t.Errorf("%d nodes would be taken out for nothing, by class %v", n, s.WrongByClass)
			}
		})
	}
}

// A log that cannot be read is told, and scored as silence; the others are scored.
func TestFailureEvaluationGoesOn(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"labels.jsonl":  `{"file":"torn.log.gz","class":"user"}` + "\n" + `{"file":"empty.log","class":"none","component":"none"}` + "\n",
		"torn.log.gz":   string(gzipped(t, []byte(strings.Repeat("step 1\n", 99)))[:20]),
		"empty.log":     "",
		"not-named.log": "RuntimeError: CUDA error: unspecified launch failure\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	doc, notes := evaluateFailure(t, dir, "--ablate")
	if want := (score.Tally{Right: 1, Of: 2, Share: 0.5}); doc.Whole.Class != want || doc.Whole.Logs != 2 {
		t.Errorf("class %v of %d logs, want %v", doc.Whole.Class, doc.Whole.Logs, want)
	}
	for _, want := range []string{"note: torn.log.gz: ", "note: torn.log.gz with no-locator: ", "note: torn.log.gz with first-error-word: "} {
		if !strings.Contains(notes, want) || strings.Count(notes, "\n") != 5 {
			t.Errorf("notes %q, want five, one with %q", notes, want)
		}
	}
}
