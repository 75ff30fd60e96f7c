package follow

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The matches are those of filepath.Glob, without the folders among them.
func TestExpandIsGlob(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.log", "b.log", "x/a.log", "x/b.txt", "x/y/a.log", "z/a.log/deep", "[odd].log", ".hidden.log"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"link.log": "a.log", "folderlink": "x", "dangling.log": "nowhere"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	level := rapid.SampledFrom([]string{"*", "*.log", "?", "x", "z", "a.log", "[a-b].log", `\[odd\].log`, "folderlink", "*link", "none", ".*", ".", ".."})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(level, 1, 4).Draw(t, "levels"), "/")
		if rapid.Bool().Draw(t, "absolute") {
			pattern = here + "/" + pattern
		}
		pattern = filepath.Clean(pattern)
		all, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(all, func(path string) bool {
			info, err := os.Lstat(path)
			return err != nil || info.IsDir()
		})
		got, _, err := expand(pattern)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	})
}

// The folders in which a match could appear are those of every level from the
// first with a special character on.
func TestExpandFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"pods/a/log", "pods/b", "other"} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{"*.log", []string{"."}},
		{"pods/*.log", []string{"pods"}},
		{"pods/*/log/*.log", []string{"pods", "pods/a", "pods/b", "pods/a/log"}},
		{"none/*.log", []string{"none"}},
		{"pods/a.log", []string{"pods"}},
	} {
		_, folders, err := expand(c.pattern)
		if diff := cmp.Diff(c.want, folders); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.pattern, err, diff)
		}
	}
}

// A folder that cannot be listed is told once, and the others are followed.
func TestGlobThatCannotBeListed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may list any folder")
	}
	folder := t.TempDir()
	for _, name := range []string{"open", "shut"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := appendTo(filepath.Join(folder, name, "a.log"), []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(folder, "shut"), 0); err != nil {
		t.Fatal(err)
	}
	f, err := New(Options{Globs: []string{filepath.Join(folder, "*", "*.log")}})
	if err != nil {
		t.Fatal(err)
	}
	var failed, data []string
	for range 2 {
		err := f.Poll(t.Context(), func(c Chunk) error {
			switch c.Kind {
			case Failed:
				failed = append(failed, c.Err.Error())
			case Data:
				data = append(data, string(c.Data))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(failed) != 1 || len(data) != 1 || data[0] != "open" {
		t.Errorf("told %q, delivered %q", failed, data)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		opts Options
		want string
	}{
		{"nothing to follow", Options{}, "no file to follow: give paths or globs"},
		{"a pattern that is none", Options{Globs: []string{"a[.log"}}, `pattern "a[.log": syntax error in pattern: escape a literal bracket`},
		{"an empty path", Options{Paths: []string{""}}, "empty path"},
		{"a negative time", Options{Paths: []string{"a"}, Coalesce: -1}, "option coalesce is -1ns: give a time above zero, or zero for 200ms"},
		{"no descriptor", Options{Paths: []string{"a"}, MaxOpen: -1}, "option max open is -1: give at least 1"},
		{"a buffer shorter than what is compared", Options{Paths: []string{"a"}, BufferBytes: 100}, "option buffer bytes is 100: give at least 2048"},
		{"records that contradict each other", Options{Paths: []string{"a"}, Records: []Record{{Real: "a"}, {Real: "b"}}}, "records[0] and records[1] are of one file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := New(c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

// A device is refused without being opened.
func TestDeviceIsRefused(t *testing.T) {
	info, err := os.Stat("/dev/null")
	if err != nil || info.Mode()&fs.ModeDevice == 0 {
		t.Skip("this system has no /dev/null")
	}
	if _, err := New(Options{Paths: []string{"/dev/null"}}); err == nil || !strings.Contains(err.Error(), "not a regular file but a device") {
		t.Errorf("got %v", err)
	}
}
