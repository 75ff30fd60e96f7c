package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// lookAround reads a little repository as a program would: a file, a folder, and two
// paths where nothing is.
func lookAround(t *testing.T, folder string, opened time.Time) *Seen {
	t.Helper()
	r, err := Open(folder, DefaultLimits, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.opened = opened
	if _, err := r.Read("pkg/train.py"); err != nil {
		t.Fatal(err)
	}
	r.List("conf")
	r.IsFile("pkg/torch.py")
	r.IsFile("lib/deep/torch.py")
	s, whole := r.Seen()
	if !whole {
		t.Fatal("not whole")
	}
	text, err := json.Marshal(s) // as a store keeps it
	if err != nil {
		t.Fatal(err)
	}
	again := &Seen{}
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	return again
}

func put(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What was seen holds until it is changed, whether or not the times of the
// files are old enough to be believed.
func TestSeenHoldsUntilSomethingChanges(t *testing.T) {
	for name, age := range map[string]time.Duration{"just made": 0, "long there": time.Hour} {
		t.Run(name, func(t *testing.T) {
			for what, change := range map[string]func(t *testing.T, folder string){
				"":                      func(*testing.T, string) {},
				"a text, of one length": func(t *testing.T, folder string) { put(t, folder, "pkg/train.py", "epochs = 9\n") },
				"a text, and its time is set back": func(t *testing.T, folder string) {
					path := filepath.Join(folder, "pkg/train.py")
					info, err := os.Stat(path)
					if err != nil {
						t.Fatal(err)
					}
					put(t, folder, "pkg/train.py", "epochs = 9\n")
					if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
						t.Fatal(err)
					}
				},
				"an entry":                    func(t *testing.T, folder string) { put(t, folder, "conf/b.yaml", "") },
				"what was looked for":         func(t *testing.T, folder string) { put(t, folder, "pkg/torch.py", "") },
				"what was looked for, deeply": func(t *testing.T, folder string) { put(t, folder, "lib/deep/torch.py", "") },
				"a link to another file": func(t *testing.T, folder string) {
					put(t, folder, "other.py", "epochs = 9\n")
					if err := os.Remove(filepath.Join(folder, "pkg/train.py")); err != nil {
						t.Fatal(err)
					}
					if err := os.Symlink("../other.py", filepath.Join(folder, "pkg/train.py")); err != nil {
						t.Fatal(err)
					}
				},
			} {
				folder := t.TempDir()
				put(t, folder, "pkg/train.py", "epochs = 3\n")
				put(t, folder, "conf/a.yaml", "")
				s := lookAround(t, folder, time.Now().Add(age))
				if stamped := len(s.Stamps) > 0; stamped && age == 0 {
					t.Errorf("stamps of what may still change: %v", s.Stamps)
				}
				change(t, folder)
				if got, want := s.Holds(folder, DefaultLimits, time.Time{}), what == ""; got != want {
					t.Errorf("after a change of %q: holds is %v", what, got)
				}
			}
		})
	}
}

// A copy of a repository has other stamps and the same texts.
func TestSeenHoldsInACopy(t *testing.T) {
	var folders [2]string
	for i := range folders {
		folders[i] = t.TempDir()
		put(t, folders[i], "pkg/train.py", "epochs = 3\n")
		put(t, folders[i], "conf/a.yaml", "")
	}
	if !lookAround(t, folders[0], time.Now().Add(time.Hour)).Holds(folders[1], DefaultLimits, time.Time{}) {
		t.Error("it does not hold")
	}
}

// Where a link leads to nothing, something may appear elsewhere.
func TestALinkToNothingIsLookedAtAgain(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "pkg/train.py", "")
	put(t, folder, "far/x", "")
	if err := os.Symlink("../far/torch.py", filepath.Join(folder, "pkg/torch.py")); err != nil {
		t.Fatal(err)
	}
	s := lookAround(t, folder, time.Now().Add(time.Hour))
	put(t, folder, "far/torch.py", "")
	if s.Holds(folder, DefaultLimits, time.Time{}) {
		t.Error("it holds")
	}
}
