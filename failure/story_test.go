package failure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/failure"
)

// TestStories runs testdata/stories/*.txt. A block is the logs of one job, and
// below them what the handler says of it. What is true stands in the first line;
// an answer that contradicts it fails the test even when the listing below is
// rewritten with -rewrite.
//
//	diagnose  class=WORD subclass=WORD component=WORD      none: no failure, or nobody can tell
//	          determined=yes|no  root=LINE|LOG:LINE|none  node=NAME|none  rank=N|none
//	          restart=yes|no  quarantine=yes|no  held=yes|no  also=none|SUBCLASS|(SUBCLASS,...)
//	          step=N|none  checkpoint=N|none
//	          escapes  \r \e \t \0 and \xHH in the logs stand for these bytes
//	          crlf     lines end with CR LF
//	          cut      the last line has no end
//	          wrong    the handler does not know better yet: what it contradicts is counted, not failed
//
// A line `--- NAME` begins the next log; the first is called train.log unless
// one stands before it. One called slurm:ID is what Slurm has recorded.
func TestStories(t *testing.T) {
	stories, wrong := 0, 0
	var failed []string // told at the end, so that one story does not hide the others
	datadriven.Walk(t, "testdata/stories", func(t *testing.T, path string) {
		if strings.HasSuffix(path, "README.md") {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s, err := newStory(d)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			stories++
			got := s.diagnose(t, d.Pos)
			against := s.contradictions(&got)
			switch {
			case s.wrong && len(against) == 0:
				failed = append(failed, d.Pos+": the handler is right by now: take `wrong` off this story")
			case s.wrong:
				wrong++
				t.Logf("%s: known to be wrong: %s", d.Pos, strings.Join(against, "; "))
			default:
				for _, a := range against {
					failed = append(failed, d.Pos+": "+a)
				}
			}
			return listing(&got)
		})
	})
	for _, f := range failed {
		t.Error(f)
	}
	t.Logf("%d stories, of which %d are known to be told wrong", stories, wrong)
}

// story is the logs of one job, with what is true of it.
type story struct {
	logs  []failure.Log
	bytes []string // of each log
	truth map[string]string
	wrong bool
}

// checkable are the words of a story that name what must come out.
var checkable = []string{"determined", "root", "class", "subclass", "component", "node", "rank", "restart", "quarantine", "held", "also", "step", "checkpoint"}

func newStory(d *datadriven.TestData) (*story, error) {
	if d.Cmd != "diagnose" {
		return nil, fmt.Errorf("unknown command %s: want diagnose", d.Cmd)
	}
	s := &story{truth: map[string]string{}}
	escapes, crlf, cut := false, false, false
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "wrong":
			s.wrong = true
		case "escapes":
			escapes = true
		case "crlf":
			crlf = true
		case "cut":
			cut = true
		default:
			if !slices.Contains(checkable, arg.Key) {
				return nil, fmt.Errorf("unknown word %s: want one of %v", arg.Key, checkable)
			}
			s.truth[arg.Key] = strings.Join(arg.Vals, ",")
		}
	}
	if len(s.truth) == 0 {
		return nil, errors.New("nothing is true of this story: say what must come out")
	}
	name, text := "train.log", ""
	add := func() {
		if cut {
			text = strings.TrimSuffix(text, "\n")
		}
		if crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		s.logs = append(s.logs, logOf(name, text))
		s.bytes = append(s.bytes, text)
	}
	for i, line := range strings.Split(d.Input, "\n") {
		if next, ok := strings.CutPrefix(line, "--- "); ok {
			if i > 0 {
				add()
			}
			name, text = next, ""
			continue
		}
		if escapes {
			var err error
			if line, err = unescaped(line); err != nil {
				return nil, err
			}
		}
		if text += line + "\n"; d.Input == "" {
			text = ""
		}
	}
	add()
	return s, nil
}

// unescaped puts bytes that no text file holds into a line.
func unescaped(line string) (string, error) {
	line = strings.NewReplacer(`\r`, "\r", `\e`, "\x1b", `\t`, "\t", `\0`, "\x00").Replace(line)
	for {
		i := strings.Index(line, `\x`)
		if i < 0 {
			return line, nil
		}
		if i+4 > len(line) {
			return "", fmt.Errorf("line %q ends within an escape", line)
		}
		b, err := strconv.ParseUint(line[i+2:i+4], 16, 8)
		if err != nil {
			return "", fmt.Errorf("line %q: %w", line, err)
		}
		line = line[:i] + string([]byte{byte(b)}) + line[i+4:]
	}
}

// logOf is a log that is a text.
func logOf(name, text string) failure.Log {
	return failure.Log{Name: name, Record: strings.HasPrefix(name, "slurm:"), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// diagnose asks the handler, as a whole and byte by byte: it must not matter. Its
// answer is valid, and its quotes stand where it says.
func (s *story) diagnose(t *testing.T, pos string) schedmate.Diagnosis {
	t.Helper()
	in, err := failure.Diagnose(context.Background(), failure.Default(), s.logs)
	if err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	got := in.Diagnosis
	checkDiagnosis(t, pos, &got, s.logs)
	slow := slices.Clone(s.logs)
	for i := range slow {
		slow[i].Open = func() (io.ReadCloser, error) {
			return io.NopCloser(iotest.OneByteReader(strings.NewReader(s.bytes[i]))), nil
		}
	}
	again, err := failure.Diagnose(context.Background(), failure.Default(), slow)
	if err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	if !cmp.Equal(got, again.Diagnosis) {
		t.Errorf("%s: read byte by byte, the logs tell something else:\n%s", pos, cmp.Diff(got, again.Diagnosis))
	}
	return got
}

// tester is a *testing.T, a *testing.F or a *rapid.T.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkDiagnosis checks that a diagnosis is valid and that all it quotes stands
// in the logs.
func checkDiagnosis(t tester, pos string, d *schedmate.Diagnosis, logs []failure.Log) {
	t.Helper()
	if err := d.Validate("diagnosis"); err != nil {
		t.Errorf("%s: %v", pos, err)
	}
	quotes := slices.Concat(d.Evidence, d.Witnesses)
	for _, f := range d.Also {
		quotes = append(quotes, schedmate.Quote{File: f.File, Line: f.Line, Byte: f.Byte, Text: f.Text})
	}
	if err := failure.Verify(context.Background(), logs, quotes); err != nil {
		t.Errorf("%s: %v", pos, err)
	}
}

// contradictions compares a diagnosis with what is true, in the order of the
// words.
func (s *story) contradictions(d *schedmate.Diagnosis) []string {
	var out []string
	for _, word := range checkable {
		want, ok := s.truth[word]
		if !ok {
			continue
		}
		if got := s.reported(d, word); got != want {
			out = append(out, fmt.Sprintf("%s is %s, said %s", word, want, got))
		}
	}
	return out
}

func (s *story) reported(d *schedmate.Diagnosis, word string) string {
	switch word {
	case "determined":
		return yes(d.Determined)
	case "root":
		if d.Root == nil {
			return "none"
		}
		if want := s.truth["root"]; !strings.Contains(want, ":") && d.Root.File == s.logs[0].Name {
			return strconv.FormatInt(d.Root.Line, 10)
		}
		return fmt.Sprintf("%s:%d", d.Root.File, d.Root.Line)
	case "class":
		return orNone(string(d.Class))
	case "subclass":
		return orNone(d.Subclass)
	case "component":
		return string(d.Component)
	case "node":
		return orNone(d.Node)
	case "rank":
		if d.Rank == nil {
			return "none"
		}
		return strconv.Itoa(*d.Rank)
	case "restart":
		return yes(d.RestartHelps)
	case "quarantine":
		return yes(d.Quarantine)
	case "held":
		return yes(d.HeldBack != "")
	case "also":
		var kinds []string
		for _, f := range d.Also {
			kinds = append(kinds, f.Subclass)
		}
		slices.Sort(kinds)
		return orNone(strings.Join(kinds, ","))
	case "step":
		return reading(d.LastStep)
	default:
		return reading(d.LastCheckpoint)
	}
}

func reading(r *schedmate.Reading) string {
	if r == nil {
		return "none"
	}
	return strconv.FormatFloat(r.Value, 'g', -1, 64)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// listing is a diagnosis as the stories show it.
func listing(d *schedmate.Diagnosis) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	switch {
	case !d.Determined:
		line("not determined")
	case d.Class == schedmate.NoFailure:
		line("no failure")
	default:
		rank := "-"
		if d.Rank != nil {
			rank = strconv.Itoa(*d.Rank)
		}
		line("%s/%s in %s, node %s, rank %s, restart %s", d.Class, d.Subclass, d.Component, dash(d.Node), rank, yes(d.RestartHelps))
		line("root %s:%d %s", d.Root.File, d.Root.Line, short(d.Root.Text))
	}
	for i, q := range d.Evidence {
		if i > 0 {
			line("then %s:%d %s (%s)", q.File, q.Line, short(q.Text), q.Why)
		} else if q.Why != "" {
			line("because %s", q.Why)
		}
	}
	switch {
	case d.Quarantine:
		var at []string
		for _, q := range d.Witnesses {
			at = append(at, fmt.Sprintf("%s:%d", q.File, q.Line))
		}
		line("quarantine %s on %s", d.Node, strings.Join(at, ", "))
	case d.HeldBack != "":
		line("held back: %s", d.HeldBack)
	}
	for _, f := range d.Also {
		line("also %s/%s in %s, node %s, %s:%d", f.Class, f.Subclass, f.Component, dash(f.Node), f.File, f.Line)
	}
	for _, a := range d.Alternatives {
		line("or %s/%s", a.Class, a.Subclass)
	}
	line("explained %d of %d", d.ExplainedErrors, d.ErrorLines)
	if d.LastStep != nil {
		line("step %s, line %d", reading(d.LastStep), d.LastStep.Line)
	}
	if d.LastCheckpoint != nil {
		line("checkpoint %s, line %d", reading(d.LastCheckpoint), d.LastCheckpoint.Line)
	}
	return b.String()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// short is the beginning of a line.
func short(text string) string {
	const most = 90
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
