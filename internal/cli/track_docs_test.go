package cli

import (
	"bytes"
	goflag "flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"schedmate"
	"schedmate/internal/docfile"
	"schedmate/tracker"
)

// besideExampleLogs goes to a folder with the logs of testdata/track.txtar, and
// returns a function that runs a command line there.
func besideExampleLogs(t *testing.T) func(command string) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/track.txtar")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	return func(command string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := Main(strings.Fields(command), Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
		if code != ExitOK {
			t.Errorf("schedmate %s: exit code %d\n%s", command, code, &errs)
		}
		return ownTime.ReplaceAllString(out.String(), "${1}1.5")
	}
}

// ownTime matches the time that a log took, which differs from run to run.
var ownTime = regexp.MustCompile(`("ms": ?)[0-9.]+`)

// page checks that a page is what it should be, or writes it with -rewrite.
func page(t *testing.T, path string, edit func(string) string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := edit(string(old))
	switch {
	case want == string(old):
	case goflag.Lookup("rewrite").Value.String() == "true":
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date; run go test ./internal/cli -rewrite and read the difference:\n%s", path, cmp.Diff(string(old), want))
	}
}

// The conversations of the page on tracking are what the program says.
func TestTrackPageIsCurrent(t *testing.T) {
	path, err := filepath.Abs("../../docs/track.md")
	if err != nil {
		t.Fatal(err)
	}
	run := besideExampleLogs(t)
	block := regexp.MustCompile("(?s)```console\n\\$ schedmate ([^\n]*)\n.*?```")
	page(t, path, func(old string) string {
		n := 0
		text := block.ReplaceAllStringFunc(old, func(b string) string {
			n++
			command := block.FindStringSubmatch(b)[1]
			return "```console\n$ schedmate " + command + "\n" + run(command) + "```"
		})
		if n < 3 {
			t.Errorf("%s has %d conversations", path, n)
		}
		return text
	})
}

// progressNotes say what docs/format/progress.md says about the fields.
var progressNotes = map[reflect.Type][]docfile.Note{
	reflect.TypeFor[trackLine](): {
		{Field: "file", Text: "The log, as it was named; bytes that are not UTF-8 are written `\\xff`."},
		{Field: "error", Text: "Why it could not be read, with a next step."},
		{Field: "at", Text: "With `--follow`: when this was found, RFC 3339 in UTC."},
		{Field: "gone", Text: "With `--follow`: true if the path names no file any more."},
		{Field: "trackable", Text: "Whether the log shows training; left out beside `error` and `gone`."},
		{Field: "latest_step", Text: "The newest count, as printed. It may begin anew in each epoch."},
		{Field: "total_steps", Text: "Its total, as printed."},
		{Field: "step_unit", Text: "What is counted: `step`, `sample`, `env_step` or `epoch`."},
		{Field: "epoch", Text: "As printed, from 0 or 1, with a fraction if the log has one."},
		{Field: "total_epochs", Text: "As printed."},
		{Field: "step_time_s", Text: "Time of one step now, seconds: the median of the last ones, without pauses."},
		{Field: "throughput", Text: "Median of the last printed values, in `throughput_unit`."},
		{Field: "throughput_unit", Text: "Such as `images/s`."},
		{Field: "loss", Text: "The newest training loss."},
		{Field: "lr", Text: "The newest learning rate."},
		{Field: "eta_s", Text: "Remaining time as printed, seconds."},
		{Field: "progress", Text: "Share of the whole run that is done."},
		{Field: "val_metrics", Text: "The newest value of each metric of held-out data, by name; where nothing is held out, the reward."},
		{Field: "val_curve", Text: "The values of each so far, by name: pairs of count and value."},
		{Field: "phase", Text: "By the last lines: `start`, `warm-up`, `train`, `eval`, `checkpoint` or `restart`."},
		{Field: "slow_at_line", Text: "Line of the first slow record, from 1; left out if lines are not counted there."},
		{Field: "ratio", Text: "Step time after the slowdown / before it."},
		{Field: "slowdown", Text: "All about it; left out: none."},
		{Field: "ms", Text: "Time that this log took, milliseconds."},
		{Field: "bytes_read", Text: "Bytes that were read of the file, before they are unpacked; with `--follow` its length so far."},
		{Field: "evidence", Text: "With `--explain`: where each value was read, by its field; metrics are `val_metrics.NAME`."},
		{Field: "notes", Text: "With `--explain`: why something was believed or rejected."},
	},
	reflect.TypeFor[trackDocument](): {
		{Field: "apiVersion", Text: "Version of the format, `schedmate/v1`."},
		{Field: "kind", Text: "`TrackReport`."},
		{Field: "logs", Text: "One for each log, in the order of the command line."},
	},
	reflect.TypeFor[trackedLog](): {
		{Field: "file", Text: "As in a line."},
		{Field: "error", Text: "As in a line."},
		{Field: "progress", Text: "Left out if the log could not be read."},
		{Field: "notes", Text: "With `--explain`."},
		{Field: "ms", Text: "As in a line."},
		{Field: "bytes_read", Text: "As in a line."},
	},
	reflect.TypeFor[schedmate.Progress](): {
		{Field: "trackable", Text: "Whether the log shows training."},
		{Field: "step", Text: "As `latest_step` in a line."},
		{Field: "total_steps", Text: "As in a line; `step` is not beyond it."},
		{Field: "step_unit", Text: "As in a line."},
		{Field: "epoch", Text: "As in a line."},
		{Field: "total_epochs", Text: "As in a line."},
		{Field: "step_time_s", Text: "As in a line."},
		{Field: "throughput", Text: "As in a line."},
		{Field: "throughput_unit", Text: "As in a line."},
		{Field: "loss", Text: "As in a line."},
		{Field: "lr", Text: "As in a line."},
		{Field: "eta_s", Text: "As in a line."},
		{Field: "progress", Text: "As in a line; 0 to 1."},
		{Field: "validation", Text: "One for each metric of held-out data, the one printed last first."},
		{Field: "phase", Text: "As in a line."},
		{Field: "slowdown", Text: "Left out: none."},
	},
	reflect.TypeFor[schedmate.Reading](): {
		{Field: "value", Text: "The number, in the unit of its field."},
		{Field: "line", Text: "Line of the log, from 1, counted at line feeds; left out if they are not counted there."},
		{Field: "byte", Text: "Place in the log of the first byte of the piece of text that holds the number."},
		{Field: "name", Text: "What the log calls it; `+2` behind a name stands for the second number after it."},
		{Field: "method", Text: "How it was found, for people."},
		{Field: "confidence", Text: "More than 0, at most 1."},
	},
	reflect.TypeFor[schedmate.Curve](): {
		{Field: "name", Text: "The metric."},
		{Field: "better", Text: "`lower` or `higher`; left out if the name does not tell."},
		{Field: "x_unit", Text: "What the first number of a point counts: `step`, `sample`, `env_step` or `epoch`."},
		{Field: "points", Text: "Pairs of count and value, in the order of the log."},
		{Field: "last", Text: "The newest value."},
	},
	reflect.TypeFor[schedmate.Slowdown](): {
		{Field: "line", Text: "Of the first slow record, from 1; 0 if lines are not counted there."},
		{Field: "byte", Text: "Of the same."},
		{Field: "step", Text: "The count there."},
		{Field: "ratio", Text: "Step time after / before, more than 1."},
		{Field: "before_s", Text: "Step time before, seconds."},
		{Field: "after_s", Text: "Step time after, seconds."},
		{Field: "records", Text: "How many records there are after the change."},
		{Field: "confidence", Text: "More than 0, at most 1."},
	},
	reflect.TypeFor[tracker.Note](): {
		{Field: "what", Text: "The number or clock that was judged."},
		{Field: "why", Text: "For people."},
		{Field: "believed", Text: "Whether it was believed."},
	},
}

// The page on the format of progress has every field, and no other.
func TestProgressPageIsCurrent(t *testing.T) {
	path, err := filepath.Abs("../../docs/format/progress.md")
	if err != nil {
		t.Fatal(err)
	}
	run := besideExampleLogs(t)
	parts := map[string]string{"example": "```json\n" + run("track --jsonl bar.log") + "```\n"}
	for kind, notes := range progressNotes {
		parts[kind.Name()] = fieldTable(t, kind, notes)
	}
	page(t, path, func(old string) string {
		text, err := docfile.FillPage(old, parts)
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
}

// fieldTable writes the fields of a struct as a Markdown table.
func fieldTable(t *testing.T, kind reflect.Type, notes []docfile.Note) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| field | holds | needed | meaning |\n|---|---|---|---|\n")
	var fields, noted []string
	byField := make(map[string]string)
	for _, n := range notes {
		noted = append(noted, n.Field)
		byField[n.Field] = n.Text
	}
	for _, field := range reflect.VisibleFields(kind) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		fields = append(fields, name)
		needed := "yes"
		if strings.Contains(options, "omitempty") {
			needed = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, holds(field.Type), needed, byField[name])
	}
	if diff := cmp.Diff(fields, noted); diff != "" {
		t.Errorf("%s: fields and notes on them:\n%s", kind, diff)
	}
	return b.String()
}

func holds(kind reflect.Type) string {
	switch kind.Kind() {
	case reflect.Pointer:
		return holds(kind.Elem())
	case reflect.Slice, reflect.Array:
		if kind.Elem().Kind() == reflect.Array {
			return "list of pairs of numbers"
		}
		return "list of " + holds(kind.Elem())
	case reflect.Map:
		return "object of " + holds(kind.Elem())
	case reflect.Struct:
		return strings.ToUpper(kind.Name()[:1]) + kind.Name()[1:]
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Float64:
		return "number"
	}
	return "integer"
}
