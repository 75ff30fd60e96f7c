package pyeval

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// story is a small repository and a command; the lines of want are
// "what = value @ where", where what is "call NAME KEYWORD" for the keyword of
// an observed call, or "config PATH" for a value of a configuration object.
type story struct {
	name  string
	files string // "-- path --" lines in front of texts
	run   string // script and words
	fn    string // function of a module, for console scripts
	want  []string
}

// storyFiles writes the files of a story to a folder.
func storyFiles(t testing.TB, files string) *source.Root {
	t.Helper()
	dir := t.TempDir()
	var name string
	var text strings.Builder
	flush := func() {
		if name == "" {
			return
		}
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		text.Reset()
	}
	for _, line := range strings.SplitAfter(files, "\n") {
		if rest, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(strings.TrimSpace(rest), " --") {
			flush()
			name = strings.TrimSuffix(strings.TrimSpace(rest), " --")
			continue
		}
		text.WriteString(line)
	}
	flush()
	root, err := source.Open(dir, source.DefaultLimits, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func followed(t testing.TB, s story) *Observations {
	t.Helper()
	words := strings.Fields(s.run)
	p := Program{File: words[0], Dir: ".", Func: s.fn}
	if s.fn != "" {
		p.Module, p.File = strings.TrimSuffix(strings.ReplaceAll(words[0], "/", "."), ".py"), ""
	}
	for _, w := range words[1:] {
		p.Args = append(p.Args, Value{Kind: Str, Text: w, Origin: origin.Named(origin.CLI, w)})
	}
	return Run(storyFiles(t, s.files), p, DefaultBudget)
}

// value looks up what a line asks for: the last observation that has it.
func value(obs *Observations, what string) (Value, bool) {
	words := strings.Fields(what)
	var found Value
	ok := false
	switch words[0] {
	case "call":
		for _, c := range obs.Calls {
			if c.Name != words[1] {
				continue
			}
			if v, has := c.Arg(words[2], -1); has {
				found, ok = v, true
			}
			if n := parseInt(words[2]); n.Kind == Int && int(n.Int) < len(c.Args) {
				found, ok = c.Args[n.Int], true
			}
		}
	case "config":
		in := &Interp{}
		for _, c := range obs.Configs {
			if v, has := in.pathValue(c, words[1]); has {
				found, ok = v, true
			}
		}
	}
	return found, ok
}

func tell(t *testing.T, stories []story) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			obs := followed(t, s)
			for _, w := range s.want {
				what, expected, _ := strings.Cut(w, " = ")
				switch {
				case strings.HasPrefix(what, "missing "):
					seen := ""
					for _, m := range obs.Missing {
						seen += m.Path + " "
					}
					if !strings.Contains(seen, strings.TrimPrefix(what, "missing ")) {
						t.Errorf("%s: missing files are %q", what, seen)
					}
					continue
				case strings.HasPrefix(what, "abort "):
					if len(obs.Aborts) == 0 || !strings.Contains(obs.Aborts[0].Text, strings.TrimPrefix(what, "abort ")) {
						t.Errorf("%s: aborts are %v", what, obs.Aborts)
					}
					continue
				}
				v, ok := value(obs, what)
				if !ok {
					t.Errorf("%s is not seen; notes %q, aborts %v", what, obs.Notes, obs.Aborts)
					continue
				}
				got := v.String()
				if strings.Contains(expected, " @ ") {
					got = fmt.Sprintf("%s @ %s", got, strings.Join(v.Origin.Layers(), " < "))
				}
				if got != expected {
					t.Errorf("%s:\n got %s\nwant %s", what, got, expected)
				}
			}
		})
	}
}
