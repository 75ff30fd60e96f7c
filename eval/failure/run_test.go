package failure

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	handler "schedmate/failure"
)

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// caseFolder is a folder with the given files.
func caseFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each log is asked about once and can be read again; packed ones are unpacked.
func TestRunAsksAboutEachLog(t *testing.T) {
	c, err := Load(caseFolder(t, map[string]string{
		"labels.jsonl":  `{"file":"logs/a.log","class":"none"}` + "\n" + `{"file":"logs/b.log.gz","class":"none"}` + "\n" + `{"file":"logs/c.log.gz","class":"none"}` + "\n",
		"logs/a.log":    "plain\n",
		"logs/b.log.gz": packed(t, "was packed\n"),
		"logs/c.log.gz": packed(t, "cut off")[:12],
	}))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(_ context.Context, log handler.Log) (Prediction, error) {
		var twice []string
		for range 2 {
			in, err := log.Open()
			if err != nil {
				return Prediction{}, err
			}
			text, err := io.ReadAll(in)
			if err := errors.Join(err, in.Close()); err != nil {
				return Prediction{}, err
			}
			twice = append(twice, string(text))
		}
		return Prediction{Subclass: strings.Join(twice, "")}, nil
	}
	p, err := c.Run(context.Background(), ask)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Prediction{
		"a.log":    {File: "logs/a.log", Subclass: "plain\nplain\n"},
		"b.log.gz": {File: "logs/b.log.gz", Subclass: "was packed\nwas packed\n"},
		"c.log.gz": {File: "logs/c.log.gz", Error: "unexpected EOF"},
	}
	if diff := cmp.Diff(want, p, cmpopts.IgnoreFields(Prediction{}, "Milliseconds")); diff != "" {
		t.Errorf("predictions (-want +got):\n%s", diff)
	}
	for name := range p {
		if p[name].Milliseconds == nil {
			t.Errorf("%s: the time is not told", name)
		}
	}
	if s := c.Score(p); s.Absent != 0 || s.Logs != 3 {
		t.Errorf("%d of %d logs are without an answer, want none of 3", s.Absent, s.Logs)
	}
}

func TestRunEndsEarly(t *testing.T) {
	c, err := Load(caseFolder(t, map[string]string{"labels.jsonl": `{"file":"logs/gone.log","class":"none"}`}))
	if err != nil {
		t.Fatal(err)
	}
	silent := func(context.Context, handler.Log) (Prediction, error) { return Prediction{}, nil }
	if _, err := c.Run(context.Background(), silent); err == nil || !strings.Contains(err.Error(), "read case logs/gone.log") {
		t.Errorf("error %v, want one about the log that is not there", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Run(ctx, silent); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was called off", err)
	}
}
