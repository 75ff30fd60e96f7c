package docfile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"schedmate"
)

const jobHeader = "apiVersion: schedmate/v1\nkind: Job\njob:\n" // three lines

// What a person gets to read after each kind of mistake.
func TestMistakesAreExplained(t *testing.T) {
	refused := func(document, want string) {
		t.Helper()
		_, err := ReadJob("job.yaml", strings.NewReader(document))
		if err == nil {
			t.Errorf("accepted:\n%s", document)
		} else if err.Error() != want {
			t.Errorf("document:\n%s\ngot  %s\nwant %s", document, err, want)
		}
	}
	job := func(fields string) string { return jobHeader + fields }

	// Facts beside the job.
	fact := "  - {kind: run_seconds, value: 60, low: 60, high: 60, confidence_milli: 900, source: user, observed_at_s: 0}\n"
	refused(job("  id: a\n  gpus: 1\n  submit_s: 0\nfacts:\n"+fact+fact),
		"job.yaml:9: facts[1].kind: kind run_seconds occurs twice for job a; see docs/format/job.md")

	// Names.
	refused(job("  id: a\n  gpu: 1\n  submit_s: 0\n"),
		"job.yaml:5: job.gpu: there is no such field; did you mean gpus?")
	refused(job("  id: a\n  gpus: 1\n  submit: 0\n"),
		"job.yaml:6: job.submit: there is no such field; did you mean submit_s?")
	refused(job("  id: a\n  GPUs: 1\n  submit_s: 0\n"),
		"job.yaml:5: job.GPUs: there is no such field; did you mean gpus?")
	refused(job("  id: a\n  gpus: 1\n  submit_s: 0\n  workload: {colour: red}\n"),
		"job.yaml:7: job.workload.colour: there is no such field; the fields here are model, dataset, batch_size, amp")
	refused(job("  id: a\n  gpus: 1\n  gpus: 2\n  submit_s: 0\n"),
		"job.yaml:6: job.gpus: is given twice, first at line 5; remove one of the two")
	refused(job("  id: a\n  gpus: 1\n"),
		"job.yaml:4: job.submit_s: is missing; add it")

	// Types.
	refused(job("  id: 12\n  gpus: 1\n  submit_s: 0\n"),
		`job.yaml:4: job.id: must be text, got 12; put it in quotes: "12"`)
	refused(job("  id:\n  gpus: 1\n  submit_s: 0\n"),
		"job.yaml:4: job.id: must be text, got nothing; write the text, or leave the field out if it is optional")
	refused(job("  id: a\n  gpus: 1.5\n  submit_s: 0\n"),
		"job.yaml:5: job.gpus: must be a whole number, got 1.5; write it without a fraction")
	refused(job("  id: a\n  gpus: 2.0\n  submit_s: 0\n"),
		"job.yaml:5: job.gpus: must be a whole number, got 2.0; write it without a fraction")
	refused(job("  id: a\n  gpus: 1e3\n  submit_s: 0\n"),
		"job.yaml:5: job.gpus: must be a whole number, got 1e3; write it in plain decimal digits")
	refused(job("  id: a\n  gpus: 010\n  submit_s: 0\n"),
		"job.yaml:5: job.gpus: must be a whole number, got 010; write it in plain decimal digits")
	refused(job("  id: a\n  gpus: '4'\n  submit_s: 0\n"),
		`job.yaml:5: job.gpus: must be a whole number, got the text "4"; take off the quotes`)
	refused(job("  id: a\n  gpus: [1]\n  submit_s: 0\n"),
		"job.yaml:5: job.gpus: must be a whole number, got a list; write a whole number")
	refused(job("  id: a\n  gpus: 1\n  submit_s: 9223372036854775808\n"),
		"job.yaml:6: job.submit_s: must lie in [-9223372036854775808, 9223372036854775807], got 9223372036854775808; write a number in that range")
	refused(job("  id: a\n  gpus: 1\n  submit_s: 0\n  workload: {amp: yes}\n"),
		`job.yaml:7: job.workload.amp: must be true or false, got the text "yes"; write true or false without quotes`)
	refused(job("  id: a\n  gpus: 1\n  submit_s: 0\n  slo: {class: strict, tiers: 100}\n"),
		"job.yaml:7: job.slo.tiers: must be a list, got 100; write one item a line, each after a dash")
	refused(job("  id: a\n  gpus: 1\n  submit_s: 0\n  slo: strict\n"),
		`job.yaml:7: job.slo: must be a mapping with fields such as "class", got the text "strict"; see docs/format/job.md`)

	// Values: the vocabulary's own rules, with the line of the field.
	refused(job("  id: a\n  gpus: 0\n  submit_s: 0\n"),
		"job.yaml:5: job.gpus: must lie in [1, 1048576], got 0; see docs/format/job.md")
	refused(job("  id: a\n  gpus: 1\n  submit_s: 9\n  slo:\n    class: soft\n    tiers:\n      - {deadline_s: 20, reward: 100}\n      - {deadline_s: 20, reward: 50}\n"),
		"job.yaml:11: job.slo.tiers[1].deadline_s: deadlines must increase: 20 follows 20; see docs/format/job.md")
	refused(job("  id: a\n  gpus: 1\n  submit_s: 9\n  slo:\n    class: soft\n"),
		"job.yaml:7: job.slo.tiers: a soft job has at least one tier; see docs/format/job.md")

	// Syntax.
	refused(job("  id: a\n   gpus: 1\n"),
		"job.yaml:5: is not YAML near this line: mapping values are not allowed in this context; check the indent, the colons and the quotes there")
	refused(job("\tid: a\n\tgpus: 1\n"),
		"job.yaml:4: the line is indented with a tab; indent with spaces")
	refused(`{"apiVersion": "schedmate/v1",`+"\n"+` "kind": "Job"`+"\n"+` "job": {}}`,
		"job.yaml:3: is not JSON: invalid character '\"' after object key:value pair; check the commas, the brackets and the quotes there")

	// More than a plain tree.
	refused(job("  id: &x a\n  gpus: 1\n  submit_s: 0\n"),
		"job.yaml:4: job.id: the anchor &x is not allowed; write the value out where it is needed")
	refused(job("  id: !!str a\n  gpus: 1\n  submit_s: 0\n"),
		"job.yaml:4: job.id: the tag !!str is not allowed; write the plain value")
	refused(job("  <<: {id: a}\n  gpus: 1\n  submit_s: 0\n"),
		"job.yaml:4: job.<<: merge keys are not allowed; write the fields out")
	refused(job("  id: a\n  gpus: 1\n  submit_s: 0\n---\nkind: Job\n"),
		"job.yaml:7: a second document begins here; keep one document in a file")

	// The wrong file.
	refused("kind: Job\n",
		"job.yaml:1: apiVersion: is missing; begin the document with apiVersion: schedmate/v1")
	refused("apiVersion: schedmate/v1\nkind: Snapshot\n",
		`job.yaml:2: kind: must be Job, got "Snapshot"; give a Job document here, see docs/format/job.md`)
	refused("", "job.yaml: is empty; write a document into it, or give another file")
	refused("# todo\n", "job.yaml: holds nothing but comments; write a document into it, or give another file")
	refused("hello\n", "job.yaml:1: apiVersion: is missing; begin the document with apiVersion: schedmate/v1")
	refused("a\nb\x00c", "job.yaml:2: holds a NUL byte, so it is not a text file; check that it is the right file")
	refused("id: \xe9t\xe9\n", "job.yaml:1: byte 0xE9 is not UTF-8; save the file as UTF-8")
	refused("\xff\xfea\x00", "job.yaml:1: is UTF-16 text; save it as UTF-8")
}

// Standard input has no name of its own.
func TestStandardInput(t *testing.T) {
	_, err := ReadJob("-", strings.NewReader(jobHeader+"  id: a\n  gpus: 0\n  submit_s: 0\n"))
	if want := "standard input:5: job.gpus: must lie in [1, 1048576], got 0; see docs/format/job.md"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Spellings that mean the same are all accepted.
func TestHarmlessSpellings(t *testing.T) {
	for name, document := range map[string]string{
		"plain":           jobHeader + "  id: a\n  gpus: 1\n  submit_s: 0\n",
		"quoted":          jobHeader + "  \"id\": 'a'\n  gpus: 1\n  submit_s: 0\n",
		"byte order mark": "\uFEFF" + jobHeader + "  id: a\n  gpus: 1\n  submit_s: 0\n",
		"CRLF":            strings.ReplaceAll(jobHeader+"  id: a\n  gpus: 1\n  submit_s: 0\n", "\n", "\r\n"),
		"start and end":   "---\n" + jobHeader + "  id: a\n  gpus: 1\n  submit_s: 0\n...\n",
		"null list":       jobHeader + "  id: a\n  gpus: 1\n  submit_s: 0\n  slo: {tiers: }\n",
		"JSON":            `{"apiVersion":"schedmate/v1","kind":"Job","job":{"id":"a","gpus":1,"submit_s":0}}`,
		"JSON and tabs":   "{\"apiVersion\":\"schedmate/v1\",\"kind\":\"Job\",\n\t\"job\":{\"id\":\"\\u0061\",\"gpus\":1,\"submit_s\":0}}",
	} {
		j, err := ReadJob("job.yaml", strings.NewReader(document))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if j.ID != "a" || j.GPUs != 1 {
			t.Errorf("%s: got %+v", name, j)
		}
	}
}

// Other programs write characters outside the first plane as surrogate pairs.
func TestJSONSurrogatePairs(t *testing.T) {
	const before, after = `{"apiVersion":"schedmate/v1","kind":"Job","job":{"id":"`, `","gpus":1,"submit_s":0}}`
	j, err := ReadJob("job.json", strings.NewReader(before+`\ud83d\ude80`+after))
	if err != nil || j.ID != "\U0001F680" {
		t.Errorf("got %+v, %v", j, err)
	}
	if _, err := ReadJob("job.json", strings.NewReader(before+`\ud83d`+after)); err == nil || !strings.Contains(err.Error(), "half of a surrogate pair") {
		t.Errorf("half of a pair: %v", err)
	}
}

// Whatever a file holds, reading it ends with an error and not with the end of
// the process.
func TestHostileFiles(t *testing.T) {
	fill := func(unit string) string { return strings.Repeat(unit, (128<<10)/len(unit)) }
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "]\n"
	}
	for name, document := range map[string]string{
		"alias bomb":            bomb,
		"deep lists":            fill("["),
		"deep mappings":         fill(`{"a":`),
		"deep JSON":             strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"dashes":                fill("- "),
		"question marks":        fill("? "),
		"one long word":         fill("x"),
		"one open quote":        `"` + fill("x"),
		"equal keys":            fill("a: b\n"),
		"tabs":                  fill("\t"),
		"carriage returns":      fill("a: 1\r"),
		"garbage":               strings.Repeat(fill("%@`!&*|>#'\" -:?,[]{}\n"), 8),
		"too large":             strings.Repeat("#\n", MaxBytes/2+1),
		"directives":            fill("%TAG ! tag:x,2000:\n"),
		"unterminated document": fill("---\n"),
	} {
		j, err := ReadJob("job.yaml", strings.NewReader(document))
		if err == nil {
			t.Errorf("%s: read as %+v", name, j)
		} else if len(err.Error()) > 500 {
			t.Errorf("%s: the message has %d bytes", name, len(err.Error()))
		}
	}
}

// A reader that breaks is reported with the name of the file.
func TestBrokenReader(t *testing.T) {
	broken := errors.New("the disk is on fire")
	_, err := ReadJob("job.yaml", brokenReader{broken})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "job.yaml") {
		t.Errorf("got %v", err)
	}
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

func TestLineOfAField(t *testing.T) {
	d, err := Parse("snapshot.yaml", strings.NewReader(`# line 1
now_s: 0
cluster:
  nodes:
    - {id: a, gpus: 8}
    - {id: b, gpus: 8,
       health: down}
waiting:
  # the first
  - job:
      id: "1"
      gpus: 4
    seq: 1
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		line  int
		found bool
	}{
		{"", 2, true},
		{"now_s", 2, true},
		{"cluster.nodes[1]", 6, true},
		{"cluster.nodes[1].health", 7, true},
		{"waiting[0].job.gpus", 12, true},
		{"waiting[0].attempt.number", 10, false}, // waiting[0] begins there
		{"waiting[9].job", 8, false},
		{"cluster.nodes[-1]", 4, false},
		{"no.such[0].place", 2, false},
		{"]][", 2, false},
	} {
		line, found := d.Line(c.path)
		if line != c.line || found != c.found {
			t.Errorf("Line(%q) = %d, %v, want %d, %v", c.path, line, found, c.line, c.found)
		}
	}
}

// Durations and other types that know their own text, as configuration uses them.
func TestTypesOutsideTheVocabulary(t *testing.T) {
	type settings struct {
		Every  time.Duration        `yaml:"every,omitempty"`
		Reason schedmate.ReasonCode `yaml:"reason,omitempty"`
		Ratio  float64              `yaml:"ratio,omitempty"`
		Small  uint8                `yaml:"small,omitempty"`
		Limits map[string]int       `yaml:"limits,omitempty"`
		Free   any                  `yaml:"free,omitempty"`
		Inner  struct {
			Deep string `yaml:"deep,omitempty"`
		} `yaml:",inline"`
	}
	var s settings
	if err := Read("c.yaml", strings.NewReader("every: 1m30s\nreason: fragmented\nratio: 0.5\nsmall: 255\nlimits: {a: 1}\nfree: [1, {b: 2024-01-31}]\ndeep: x\n"), &s); err != nil {
		t.Fatal(err)
	}
	if s.Every != 90*time.Second || s.Reason != schedmate.Fragmented || s.Ratio != 0.5 || s.Small != 255 || s.Limits["a"] != 1 || s.Inner.Deep != "x" {
		t.Errorf("got %+v", s)
	}
	for document, want := range map[string]string{
		"every: 90":          `c.yaml:1: every: must be a duration, got 90; write a number with a unit, such as "90s" or "1h30m"`,
		"every: soon":        `c.yaml:1: every: must be a duration, got "soon"; write a number with a unit, such as "90s" or "1h30m"`,
		"reason: boredom":    `c.yaml:1: reason: schedmate: unknown reason "boredom"; correct the value`,
		"ratio: .nan":        "c.yaml:1: ratio: must be a number, got .nan; write a plain decimal number",
		"small: 256":         "c.yaml:1: small: must lie in [0, 255], got 256; write a number in that range",
		"limits: {a: b}":     `c.yaml:1: limits.a: must be a whole number, got the text "b"; write a whole number`,
		"limits: [1]":        "c.yaml:1: limits: must be a mapping, got a list; correct the value",
		"free: {a: 1, a: 2}": "c.yaml:1: free.a: is given twice, first at line 1; remove one of the two",
		"inner: {deep: x}":   "c.yaml:1: inner: there is no such field; the fields here are every, reason, ratio, small, limits, free, deep",
	} {
		if err := Read("c.yaml", strings.NewReader(document), new(settings)); err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", document, err, want)
		}
	}
}
