package cli

import (
	"bytes"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"schedmate"
	"schedmate/internal/docfile"
)

// diagnoseIn runs a command line as the pages write it.
func diagnoseIn(t *testing.T, command string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(strings.Fields(command), Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
	if code != ExitOK {
		t.Errorf("schedmate %s: exit code %d\n%s", command, code, &errs)
	}
	return ownTime.ReplaceAllString(out.String(), "${1}1.5")
}

// The conversations of the page on failures are what the program says about the
// logs of testdata/diagnose.txtar, and its rule file is the one that is used
// there.
func TestDiagnosePageIsCurrent(t *testing.T) {
	path, err := filepath.Abs("../../docs/diagnose.md")
	if err != nil {
		t.Fatal(err)
	}
	files := besideFailedJobs(t)
	block := regexp.MustCompile("(?s)```console\n\\$ schedmate ([^\n]*)\n.*?```")
	parts := map[string]string{"rules": "```yaml\n" + string(files["site/site.yaml"]) + "```\n"}
	page(t, path, func(old string) string {
		n := 0
		text := block.ReplaceAllStringFunc(old, func(b string) string {
			n++
			command := block.FindStringSubmatch(b)[1]
			return "```console\n$ schedmate " + command + "\n" + diagnoseIn(t, command) + "```"
		})
		if n < 4 {
			t.Errorf("%s has %d conversations", path, n)
		}
		text, err := docfile.FillPage(text, parts)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range schedmate.Components() {
			if !strings.Contains(text, "`"+string(c)+"`") {
				t.Errorf("%s does not name the component %s", path, c)
			}
		}
		return text
	})
}

// diagnosisNotes say what docs/format/diagnosis.md says about the fields.
var diagnosisNotes = map[reflect.Type][]docfile.Note{
	reflect.TypeFor[diagnosisLine](): {
		{Field: "file", Text: "The log, as it was named; bytes that are not UTF-8 are written `\\xff`."},
		{Field: "error", Text: "Why it could not be read, with a next step. All else is left out then."},
		{Field: "class", Text: "Whose failure it is: `infrastructure`, `framework`, `user`; `none`: nothing failed, or nobody can tell."},
		{Field: "subclass", Text: "What happened, as the rules name it: `gpu_ecc`, `shape_mismatch`. New ones may come."},
		{Field: "component", Text: "The part at fault; `none` without a failure."},
		{Field: "node", Text: "The node to blame, if the log names it."},
		{Field: "rank", Text: "The rank that the root's line is of, if the log says so."},
		{Field: "root_line", Text: "Line of the root, from 1, counted at line feeds; 0: there is none."},
		{Field: "root_text", Text: "The line, or the exception from its name on. Without labels, colours, secrets."},
		{Field: "evidence", Text: "The lines that the diagnosis stands on, the root first."},
		{Field: "restart_helps", Text: "The unchanged job would likely get past it, from its last checkpoint, on other nodes if need be."},
		{Field: "quarantine", Text: "`node` should be taken out of service on this evidence."},
		{Field: "witnesses", Text: "The lines that speak against the node; left out without `quarantine`."},
		{Field: "held_back", Text: "Why no node is to be taken out although one is suspected."},
		{Field: "also", Text: "Other roots, which this one does not explain."},
		{Field: "determined", Text: "False: the log does not tell what happened."},
		{Field: "confidence", Text: "In the root, 0 to 1; 0 without one."},
		{Field: "alternatives", Text: "Other readings of the same lines, the likeliest first."},
		{Field: "next_test", Text: "The cheapest test that would confirm or refute it."},
		{Field: "title", Text: "What happened, as a heading, in the language of `--language`."},
		{Field: "advice", Text: "What to do about it, in the same language."},
		{Field: "acts", Text: "Who has to act: `operator` of the cluster, `owner` of the training software, `submitter` of the job, or `both` the submitter and the operator."},
		{Field: "restart", Text: "`yes`; `once`: one try tells whether it comes back; `no`. `restart_helps` is true for the first two."},
		{Field: "meaning", Text: "What the code in the root's line means, where a table has it."},
		{Field: "frame", Text: "The innermost frame of the exception that is of the job's own code: `train.py:88, load_batch`."},
		{Field: "explained_errors", Text: "How many of `error_lines` are the root or come of it."},
		{Field: "error_lines", Text: "Lines that speak of a failure and that the job did not get over."},
		{Field: "ms", Text: "Time that this log took, milliseconds."},
		{Field: "bytes_read", Text: "Bytes that were read of the file, before they are unpacked."},
	},
	reflect.TypeFor[schedmate.Quote](): {
		{Field: "file", Text: "The log that the line stands in."},
		{Field: "line", Text: "From 1, counted at line feeds only: a progress bar is one line."},
		{Field: "byte", Text: "Place in the unpacked log of the first byte of the piece of text, with its labels."},
		{Field: "text", Text: "Without labels and colours, up to 4 KiB. An exception begins at its name."},
		{Field: "why", Text: "What the line has to do with the root."},
	},
	reflect.TypeFor[schedmate.Finding](): {
		{Field: "file", Text: "As in a quote."},
		{Field: "line", Text: "As in a quote."},
		{Field: "byte", Text: "As in a quote."},
		{Field: "class", Text: "As in a line."},
		{Field: "subclass", Text: "As in a line."},
		{Field: "component", Text: "As in a line."},
		{Field: "node", Text: "As in a line."},
		{Field: "text", Text: "As in a quote."},
	},
	reflect.TypeFor[schedmate.Alternative](): {
		{Field: "class", Text: "As in a line."},
		{Field: "subclass", Text: "As in a line."},
		{Field: "component", Text: "As in a line."},
		{Field: "why", Text: "What speaks for it, and where to look."},
	},
	reflect.TypeFor[diagnosisDocument](): {
		{Field: "apiVersion", Text: "Version of the format, `schedmate/v1`."},
		{Field: "kind", Text: "`Diagnosis`."},
		{Field: "files", Text: "The logs of the incident, in the order of the command line."},
		{Field: "diagnosis", Text: "What they say."},
		{Field: "title", Text: "As in a line."},
		{Field: "advice", Text: "As in a line."},
		{Field: "acts", Text: "As in a line."},
		{Field: "restart", Text: "As in a line."},
		{Field: "meaning", Text: "As in a line."},
		{Field: "frame", Text: "As in a line."},
		{Field: "remembered", Text: "With `--memory`: whether the same was seen before, for people."},
		{Field: "lines", Text: "Of all logs, counted at line feeds: a progress bar is one line."},
		{Field: "bytes_read", Text: "Of all files, as in a line."},
	},
	reflect.TypeFor[schedmate.Diagnosis](): {
		{Field: "determined", Text: "As in a line."},
		{Field: "class", Text: "As in a line."},
		{Field: "subclass", Text: "As in a line."},
		{Field: "component", Text: "As in a line."},
		{Field: "node", Text: "As in a line."},
		{Field: "rank", Text: "As in a line."},
		{Field: "root", Text: "The first true error; left out without a failure."},
		{Field: "evidence", Text: "As in a line; null without a failure."},
		{Field: "restart_helps", Text: "As in a line."},
		{Field: "quarantine", Text: "As in a line."},
		{Field: "witnesses", Text: "As in a line."},
		{Field: "held_back", Text: "As in a line."},
		{Field: "also", Text: "As in a line."},
		{Field: "confidence", Text: "As in a line."},
		{Field: "alternatives", Text: "As in a line."},
		{Field: "next_test", Text: "As in a line."},
		{Field: "error_lines", Text: "As in a line."},
		{Field: "explained_errors", Text: "As in a line."},
		{Field: "last_step", Text: "Where the step counter rose last."},
		{Field: "last_checkpoint", Text: "The step of the last checkpoint that was saved."},
	},
	reflect.TypeFor[schedmate.Reading](): {
		{Field: "value", Text: "The number."},
		{Field: "line", Text: "Line of its log, from 1."},
		{Field: "byte", Text: "As in a quote."},
		{Field: "name", Text: "What the log calls it."},
		{Field: "method", Text: "How it was found, for people."},
		{Field: "confidence", Text: "More than 0, at most 1."},
	},
}

// The page on the format of diagnoses has every field, and no other.
func TestDiagnosisPageIsCurrent(t *testing.T) {
	path, err := filepath.Abs("../../docs/format/diagnosis.md")
	if err != nil {
		t.Fatal(err)
	}
	besideFailedJobs(t)
	parts := map[string]string{
		"line":     "```json\n" + diagnoseIn(t, "diagnose --jsonl rank1.log") + "```\n",
		"document": "```json\n" + diagnoseIn(t, "diagnose -o json rank0.log rank1.log dmesg.log") + "```\n",
	}
	for kind, notes := range diagnosisNotes {
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
