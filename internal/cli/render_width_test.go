package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What tells nothing goes first, and of paths the ends stay.
func TestNarrowTerminalKeepsWhatTells(t *testing.T) {
	queue := [][]string{{"JOBID", "NAME", "ETA", "NOTE"}, {"1", "llama-finetune", "-", ""}, {"2", "bert", "-", ""}}
	fit, without := fitted(queue, 22, []string{"NAME"}) // JOBID and NAME take 5+3+14
	if diff := cmp.Diff([][]string{{"JOBID", "NAME"}, {"1", "llama-finetune"}, {"2", "bert"}}, fit); diff != "" || without != nil {
		t.Errorf("left out %q (-want +got):\n%s", without, diff)
	}
	logs := [][]string{{"FILE", "STEP"}, {"/scratch/alice/runs/2026/llama/train.log", "100/2000"}, {"/a.log", "1/2"}}
	fit, _ = fitted(logs, 31, nil) // 8 and a gap of 3 leave 20
	if diff := cmp.Diff([][]string{{"FILE", "STEP"}, {"…026/llama/train.log", "100/2000"}, {"/a.log", "1/2"}}, fit); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

// Words are kept whole, the text beside a label stays beside it, and what is too long
// for any line stands alone.
func TestTextIsBrokenBetweenWords(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"Short of    5 GPUs: 8 needed, 3 free", 80, "Short of    5 GPUs: 8 needed, 3 free"},
		{"Short of    5 GPUs: 8 needed, 3 free", 0, "Short of    5 GPUs: 8 needed, 3 free"},
		{"Short of    5 GPUs: 8 needed, 3 free", 30, "Short of    5 GPUs: 8 needed,\n            3 free"},
		{"Short of    n1,n2,n3,n4,n5,n6,n7,n8 are down", 26, "Short of    n1,n2,n3,n4,n5,n6,n7,n8\n            are down"},
		{"            训练 训练 训练 训练", 24, "            训练 训练\n            训练 训练"},
		{"Short of    5 GPUs", 10, "Short of    5 GPUs"}, // no room for words
	} {
		if got := wrapped(c.line, c.width, 12); got != c.want {
			t.Errorf("width %d:\n%s\nwant\n%s", c.width, got, c.want)
		}
	}
}

// A terminal of 80 columns sees the columns that matter, and every line fits.
func TestNarrowTerminalGoesWithoutSpareColumns(t *testing.T) {
	rows := [][]string{
		{"JOBID", "PARTITION", "NAME", "NODELIST(REASON)", "NOTE"},
		{"1234", "gpu-long", "llama-70b-finetune-v2", "n[1-8]", "will hit the limit at 83 %"},
		{"1235", "gpu", "训练", "(Resources)", ""},
	}
	spare := []string{"PARTITION", "ABSENT", "NAME"}
	for _, c := range []struct {
		width   int
		without []string
	}{
		{0, nil},                            // no terminal
		{100, nil},                          // 5+9+21+16+26 and four gaps of 3 are 89
		{89, nil},                           // just enough
		{88, []string{"PARTITION"}},         // 77 are left
		{60, []string{"PARTITION", "NAME"}}, // 53 are left
		{10, []string{"PARTITION", "NAME"}}, // nothing more can go
	} {
		fit, without := fitted(rows, c.width, spare)
		if diff := cmp.Diff(c.without, without); diff != "" {
			t.Errorf("width %d: columns left out (-want +got):\n%s", c.width, diff)
		}
		var out strings.Builder
		if err := columns(&out, fit); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if w := textWidth(strings.TrimRight(line, " \n")); c.width >= 60 && w > c.width {
				t.Errorf("width %d: a line takes %d: %q", c.width, w, line)
			}
		}
	}
	if rows[0][1] != "PARTITION" || len(rows[1]) != 5 {
		t.Errorf("the rows given were changed: %q", rows)
	}
}
