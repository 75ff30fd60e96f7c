package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	score "schedmate/eval/tracker"
)

// The whole set of labelled logs, as seen and with words replaced. Only totals
// are looked at: who reads single answers of a set can no longer be measured
// with it.
func TestTrackerOnLabelledLogs(t *testing.T) {
	folder := os.Getenv("SCHEDMATE_CASES")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "cases")
	}
	folder = filepath.Join(folder, "tracker")
	if _, err := os.Stat(filepath.Join(folder, "labels.jsonl")); err != nil {
		t.Skip("needs the labelled logs: set SCHEDMATE_CASES to the folder that holds tracker/labels.jsonl")
	}
	if testing.Short() {
		t.Skip("reads hundreds of logs twice: run without -short")
	}
	var out, errs bytes.Buffer
	code := Main([]string{"eval", "tracker", "--cases", folder, "--words-replaced", "-o", "json"},
		Streams{Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
	if code != ExitOK {
		t.Fatalf("exit code %d", code)
	}
	var doc trackerEvaluation
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*score.Score{"as seen": doc.AsSeen, "words replaced": doc.Replaced} {
		for _, f := range score.Figures {
			t.Logf("%s: %s %s", name, f, tallyText(s.Tallies[f]))
		}
		if s.Logs == 0 || s.Tallies[score.Success].Of != s.Logs {
			t.Errorf("%s: %d of %d logs are scored", name, s.Tallies[score.Success].Of, s.Logs)
		}
	}
	if n := bytes.Count(errs.Bytes(), []byte("\n")); n > 0 {
		t.Errorf("%d logs could not be read", n)
	}
}
