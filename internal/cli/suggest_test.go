package cli

import (
	"bytes"
	"strings"
	"testing"
)

// Who mistypes a name is told the one that was meant, or where to look.
func TestMistypedNamesAreSuggested(t *testing.T) {
	for line, want := range map[string]string{
		"diagnoze x":              `unknown command "diagnoze" for "schedmate": did you mean diagnose?`,
		"diag x":                  `unknown command "diag" for "schedmate": did you mean diagnose?`,
		"diagnose --reprot x y":   "unknown flag: --reprot: did you mean --report?",
		"diagnose --lang zh y":    "unknown flag: --lang: did you mean --language?",
		"diagnose --json y":       "unknown flag: --json: did you mean --jsonl?",
		"diagnose --frobnicate y": "unknown flag: --frobnicate: see 'schedmate diagnose --help'",
		"logs clasify":            `unknown command "clasify" for "schedmate logs": did you mean classify?`,
		"frobnicate":              `unknown command "frobnicate" for "schedmate": see 'schedmate --help'`,
		"diagnose":                "name the logs of the job, a job such as slurm:1234, or - for standard input",
		"diagnose --language= x":  `--language must be en or zh, got ""`,
		"diagnose --max-unpacked": "flag needs an argument: --max-unpacked",
	} {
		var errs bytes.Buffer
		code := Main(strings.Fields(line), Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &errs, Env: func(string) (string, bool) { return "", false }})
		if got := strings.TrimSpace(errs.String()); code != ExitUsage || got != "schedmate: "+want {
			t.Errorf("%s: exit code %d, %q; want %q", line, code, got, want)
		}
	}
}

// What typing wrong costs, by hand.
func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"report", "reprot", 1}, {"track", "trakc", 1}, {"kitten", "sitting", 3}, {"rules", "role", 2}} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d edits, want %d", c.a, c.b, got, c.want)
		}
		if got := edits(c.b, c.a); got != c.want {
			t.Errorf("from %q to %q: %d edits, want %d", c.b, c.a, got, c.want)
		}
	}
}
