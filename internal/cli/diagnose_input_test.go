//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"schedmate/failure"
)

// A pipe gives each byte once, whatever its name: its quotes are not looked up
// again, and the answer is that of the file.
func TestAPipeIsReadOnce(t *testing.T) {
	files := besideFailedJobs(t)
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if w, err := os.OpenFile("pipe", os.O_WRONLY, 0); err == nil {
			w.Write(files["shape.log"])
			w.Close()
		}
	}()
	l := diagnosedLines(t, "pipe")[0]
	if *l.RootLine != 8 || l.Subclass != "shape_mismatch" || *l.BytesRead != 325 {
		t.Errorf("line %d, %s, %d bytes; want line 8, shape_mismatch, 325 bytes", *l.RootLine, l.Subclass, *l.BytesRead)
	}
}

// A pipe that nobody writes to is not waited for when the command is told to end.
func TestAnInterruptDoesNotWaitForAPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // what was left behind ends
		if w, err := os.OpenFile("pipe", os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			w.Close()
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	a := &app{streams: &Streams{}}
	cancel()
	if _, err := a.incident(ctx, &diagnoseFlags{unpacked: 1 << 20}, failure.Default(), incidentInput{files: []string{"pipe"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
}

// A log that became shorter while it was read is an error, also when no line of it
// is quoted; one that grew is read as far as it went.
func TestALogThatShrinksIsNoticed(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.Repeat("step 1\n", 100)
	for size, want := range map[int64]string{100: "has shrunk from 700 bytes to 100 bytes", 0: "has shrunk", 700: "", 900: ""} {
		if err := os.WriteFile("train.log", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, closer, err := (&app{}).openLog("train.log")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate("train.log", size); err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, unshrunk(in))
		closer.Close()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("cut to %d bytes: error %v, want %q", size, err, want)
		}
	}
}

// The report may not take the place of the memory, by whatever name.
func TestSamePlace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("there.md", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range [][2]string{{"there.md", "link.md"}, {"not-yet.md", "early.md"}} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"there.md", "./there.md", true}, {"link.md", "there.md", true}, {"early.md", "not-yet.md", true}, {"new.md", "./x/../new.md", true},
		{"there.md", "new.md", false}, {"new.md", "there.md", false}, {"new.md", "not-yet.md", false},
	} {
		if got := samePlace(c.a, c.b); got != c.want {
			t.Errorf("%s and %s are one place: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
