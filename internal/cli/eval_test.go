package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	score "schedmate/eval/tracker"
)

// floor is the least share that a figure must have.
type floor struct {
	figure score.Figure
	share  float64
}

// The whole sets of labelled logs, as seen and with words replaced. Only totals
// are looked at: who reads single answers of a set can no longer be measured
// with it. The floors are what the tracker is promised to reach; the real runs
// of the repository are always there.
func TestTrackerOnLabelledLogs(t *testing.T) {
	cases := os.Getenv("SCHEDMATE_CASES")
	if cases == "" {
		cases = filepath.Join("..", "..", "..", "shared", "cases")
	}
	for _, set := range []struct {
		name, folder string
		seen         []floor
		kept         float64 // share of the trackable successes that is left without words
	}{
		{"real runs of this repository", filepath.Join("..", "..", "eval", "runs"), []floor{{score.Success, 0.92}, {score.Silent, 1}}, 0},
		{"more real runs of this repository", filepath.Join("..", "..", "eval", "runs", "more"), []floor{{score.Success, 0.92}, {score.Silent, 0.94}}, 0},
		{"written logs", filepath.Join(cases, "tracker"), []floor{{score.Success, 0.98}, {score.Silent, 0.97}, {score.Slow, 0.9}, {score.SlowRatio, 0.9}, {score.Control, 1}}, 0.6},
		{"real runs", filepath.Join(cases, "real", "tracker"), []floor{{score.Success, 0.92}}, 0},
	} {
		t.Run(set.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(set.folder, "labels.jsonl")); err != nil {
				t.Skipf("%s: needs labelled logs: set SCHEDMATE_CASES to the folder that holds tracker/labels.jsonl", set.name)
			}
			if testing.Short() {
				t.Skip("reads hundreds of logs twice: run without -short")
			}
			doc := evaluateTracker(t, set.folder)
			for name, s := range map[string]*score.Score{"as seen": doc.AsSeen, "words replaced": doc.Replaced} {
				for _, f := range score.Figures {
					t.Logf("%s: %s %s", name, f, tallyText(s.Tallies[f]))
				}
				if s.Logs == 0 || s.Tallies[score.Success].Of != s.Logs {
					t.Errorf("%s: %d of %d logs are scored", name, s.Tallies[score.Success].Of, s.Logs)
				}
			}
			for _, f := range set.seen {
				if n := doc.AsSeen.Tallies[f.figure]; float64(n.Right) < f.share*float64(n.Of) {
					t.Errorf("%s: %d of %d, want %.0f%% at least", f.figure, n.Right, n.Of, 100*f.share)
				}
			}
			quiet := doc.AsSeen.Tallies[score.Silent].Right
			without := doc.Replaced.Tallies[score.Success].Right - doc.Replaced.Tallies[score.Silent].Right
			if with := doc.AsSeen.Tallies[score.Success].Right - quiet; float64(without) < set.kept*float64(with) {
				t.Errorf("without words %d of %d trackable successes are left, want %.0f%% at least", without, with, 100*set.kept)
			}
		})
	}
}

func evaluateTracker(t *testing.T, folder string) trackerEvaluation {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main([]string{"eval", "tracker", "--cases", folder, "--words-replaced", "-o", "json"},
		Streams{Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
	if code != ExitOK {
		t.Fatalf("exit code %d: %s", code, errs.Bytes())
	}
	var doc trackerEvaluation
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(errs.Bytes(), []byte("\n")); n > 0 {
		t.Errorf("%d logs could not be read", n)
	}
	return doc
}
