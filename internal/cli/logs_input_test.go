package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// Lines come whole however they are read, the last one with or without its end,
// and of one that is too long the beginning.
func TestEachLine(t *testing.T) {
	long := strings.Repeat("x", maxLineBytes+10)
	text := "one\n\nthree\r\n" + long + "\nlast"
	want := []string{"one", "", "three\r", long[:maxLineBytes] + " (cut)", "last"}
	for name, r := range map[string]io.Reader{
		"at once":       strings.NewReader(text),
		"half by half":  iotest.HalfReader(strings.NewReader(text)),
		"byte by byte":  iotest.OneByteReader(strings.NewReader(text)),
		"with an error": iotest.DataErrReader(strings.NewReader(text)),
		"with an end":   strings.NewReader(text + "\n"),
	} {
		var got []string
		idle := 0
		err := eachLine(t.Context(), r, func() error { idle++; return nil }, func(line []byte, cut bool) error {
			s := string(line)
			if cut {
				s += " (cut)"
			}
			got = append(got, s)
			return nil
		})
		if err != nil || idle == 0 {
			t.Errorf("%s: error %v, idle %d times", name, err, idle)
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%s: %d lines, want %d", name, len(got), len(want))
		}
	}
}

// What goes wrong ends it, and is told.
func TestEachLineFails(t *testing.T) {
	broken := errors.New("broken")
	fine := func() error { return nil }
	take := func([]byte, bool) error { return nil }
	for name, err := range map[string]error{
		"reading": eachLine(t.Context(), io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), fine, take),
		"idling":  eachLine(t.Context(), strings.NewReader("a\n"), func() error { return broken }, take),
		"taking":  eachLine(t.Context(), strings.NewReader("a\n"), fine, func([]byte, bool) error { return broken }),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestLastState(t *testing.T) {
	for text, want := range map[string]string{
		"plain":              "plain",
		"windows\r":          "windows",
		" 1%\r 2%\r 3%":      " 3%",
		" 1%\r 2%\r     \r":  " 2%",
		" 1%\r 2%\r     \rx": "x",
		"\r\r":               "",
	} {
		if got := string(lastState([]byte(text))); got != want {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
}

// A packed log is read as it is.
func TestClassifyPacked(t *testing.T) {
	t.Chdir(t.TempDir())
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, "step 100/5000 loss 2.31\nTraceback (most recent call last):\n"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("train.log.gz", packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := Main([]string{"logs", "classify", "--jsonl", "train.log.gz"}, Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
	lines := strings.Split(out.String(), "\n")
	if code != ExitOK || len(lines) != 3 || !strings.Contains(lines[0], "progress_metric") || !strings.Contains(lines[1], "user_traceback") {
		t.Errorf("exit code %d, answers %q, errors %q", code, out.String(), errs.String())
	}
}

// A log in UTF-16 or GBK is classified as the same log in UTF-8 is.
func TestClassifyCharsets(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "第 100 步, 损失 2.31\nRuntimeError: NCCL error: unhandled system error\n"
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	var answers []string
	for name, content := range map[string]string{"utf8.log": text, "gbk.log": gbk, "utf16.log": wide} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := Main([]string{"logs", "classify", "--jsonl", name}, Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }}); code != ExitOK {
			t.Errorf("%s: exit code %d, errors %q", name, code, errs.String())
		}
		answers = append(answers, out.String())
	}
	if answers[0] != answers[1] || answers[0] != answers[2] || strings.Count(answers[0], "\n") != 2 {
		t.Errorf("answers differ by charset: %q", answers)
	}
}
