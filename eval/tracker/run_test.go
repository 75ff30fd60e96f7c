package tracker

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// caseFolder is a folder with three logs, one of them packed and named twice.
func caseFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("step 9 loss 1\n"))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"labels.jsonl": `{"file":"a.log","trackable":true,"latest_step":5,"alt":[],"ungraded":[]}
{"file":"b.log.gz","trackable":true,"latest_step":9,"alt":[],"ungraded":[]}
{"file":"c.log","trackable":false}
`,
		"slowdown.jsonl": `{"file":"b.log.gz","trackable":true,"latest_step":9,"ratio":1,"alt":[],"ungraded":[]}`,
		"a.log":          "step 5 loss 2\n",
		"b.log.gz":       packed.String(),
		"c.log":          "upload part 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each log is asked about once, as it is stored; with words replaced it is
// unpacked first.
func TestRunAsksAboutEachLog(t *testing.T) {
	c, err := Load(caseFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	five := 5.0
	ask := func(file string, log []byte) (Prediction, error) {
		kind := "plain"
		if bytes.HasPrefix(log, []byte{0x1f, 0x8b}) {
			kind = "packed"
		} else if bytes.Contains(log, []byte("loss")) || bytes.Contains(log, []byte("upload")) {
			kind = "words"
		}
		asked = append(asked, file+" "+kind)
		if file == "c.log" {
			return Prediction{}, errors.New("no idea")
		}
		return Prediction{Values: Values{LatestStep: &five}}, nil
	}
	p, err := c.Run(context.Background(), ask, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.log words", "b.log.gz packed", "c.log words"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	want := map[string]Prediction{
		"a.log": {File: "a.log", Values: Values{LatestStep: &five}}, "b.log.gz": {File: "b.log.gz", Values: Values{LatestStep: &five}},
		"c.log": {File: "c.log", Error: "no idea"},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("predictions (-want +got):\n%s", diff)
	}
	// a is right twice over; b's step is wrong in both lists; an error is silence.
	if s := c.Score(p); s.Tallies[Step] != (Tally{1, 3, 1. / 3}) || s.Tallies[Silent] != (Tally{1, 1, 1}) || s.Tallies[Control] != (Tally{1, 1, 1}) {
		t.Errorf("figures %v", s.Tallies)
	}

	asked = nil
	if _, err := c.Run(context.Background(), ask, NewWords(1)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.log plain", "b.log.gz plain", "c.log plain"}, asked); diff != "" {
		t.Errorf("asked with words replaced (-want +got):\n%s", diff)
	}
}

func TestRunEndsEarly(t *testing.T) {
	dir := caseFolder(t)
	c, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	silent := func(string, []byte) (Prediction, error) { return Prediction{}, nil }
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Run(ctx, silent, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was called off", err)
	}
	if err := os.Remove(filepath.Join(dir, "a.log")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(context.Background(), silent, nil); err == nil || !strings.Contains(err.Error(), "read case a.log") {
		t.Errorf("error %v, want one about the log that is not there", err)
	}
}
