//go:build (linux || darwin) && (amd64 || arm64)

package highs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedmate/adapters/solver/highs"
	"schedmate/scheduler/milp"
)

// A library that is named is the only one that is tried; else the state folder
// comes before the system.
func TestCandidates(t *testing.T) {
	environment := func(vars map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	}
	named := highs.Candidates(environment(map[string]string{"HIGHS_LIB": "/opt/libhighs.so.1"}), "/state")
	if !slices.Equal(named, []string{"/opt/libhighs.so.1"}) {
		t.Errorf("got %q", named)
	}
	for _, vars := range []map[string]string{nil, {"HIGHS_LIB": ""}} {
		list := highs.Candidates(environment(vars), "/state")
		if len(list) < 3 || !strings.HasPrefix(list[0], "/state/highs/lib/libhighs.") {
			t.Errorf("got %q", list)
		}
		if without := highs.Candidates(environment(vars), ""); !slices.Equal(without, list[1:]) {
			t.Errorf("without a state folder: got %q", without)
		}
	}
}

// fake compiles a library that pretends to be HiGHS.
func fake(t *testing.T, definitions ...string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs cc to compile a library that is not HiGHS")
	}
	file := filepath.Join(t.TempDir(), "libfake.so")
	args := append([]string{"-shared", "-fPIC", "-o", file, "testdata/fake.c"}, definitions...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// What cannot be used is refused with the file and what is wrong with it.
func TestLibrariesThatCannotBeUsed(t *testing.T) {
	text := filepath.Join(t.TempDir(), "libhighs.so")
	if err := os.WriteFile(text, []byte("not a library\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, want string }{
		{"no file", "/nowhere/libhighs.so", "/nowhere/libhighs.so"},
		{"text", text, text},
		{"a function is missing", fake(t, "-DNO_RUN"), "has no function Highs_run: is it HiGHS?"},
		{"an old version", fake(t, `-DVERSION="1.7.2"`), "is HiGHS 1.7.2: 1.10 or a later 1.x is needed"},
		{"the next major version", fake(t, `-DVERSION="2.0.0"`), "is HiGHS 2.0.0: 1.10 or a later 1.x is needed"},
		{"no version", fake(t, `-DVERSION="trunk"`), `its version "trunk" is no number`},
		{"large integers", fake(t, "-DBYTES=8"), "integers of 8 bytes, and 4 are needed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := highs.Open([]string{c.file})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file) || !strings.HasSuffix(err.Error(), highs.Next) {
				t.Errorf("want %q with the file and what to do, got %v", c.want, err)
			}
		})
	}
}

// The first candidate that can be used is taken, and the error about all of them
// names each.
func TestTheFirstThatCanBeUsedIsTaken(t *testing.T) {
	good := fake(t, `-DVERSION="1.12.3"`)
	l, err := highs.Open([]string{"/nowhere/libhighs.so", good, "/elsewhere/libhighs.so"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Name() != "highs 1.12.3" || l.Path() != good {
		t.Errorf("got %s from %s", l.Name(), l.Path())
	}
	// It creates nothing, which is an answer, too.
	p := &milp.Program{Columns: []milp.Column{{Upper: 1, Integer: true}}}
	if _, err := l.Maximise(p, nil, milp.Limits{}); err == nil || !strings.Contains(err.Error(), "no object from Highs_create") {
		t.Errorf("got %v", err)
	}
	_, err = highs.Open([]string{"/nowhere/libhighs.so", "/elsewhere/libhighs.so"})
	if err == nil || !strings.Contains(err.Error(), "/nowhere/libhighs.so") || !strings.Contains(err.Error(), "/elsewhere/libhighs.so") {
		t.Errorf("got %v", err)
	}
	if _, err := highs.Open(nil); err == nil {
		t.Error("no candidates, and no error")
	}
}
