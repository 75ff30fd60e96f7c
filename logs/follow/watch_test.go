package follow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = time.Minute // until a test that waits for real events gives up

// live is a Follower with real watches. It never polls, so that what arrives
// was told by an event.
type live struct {
	t       *testing.T
	folder  string
	chunks  chan string
	expired <-chan time.Time
}

func startLive(t *testing.T, opts Options, folder string) *live {
	t.Helper()
	opts.PollMin, opts.PollMax, opts.Linger, opts.Coalesce = time.Hour, time.Hour, -1, 10*time.Millisecond
	f, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	l := &live{t: t, folder: folder, chunks: make(chan string, 1000), expired: time.After(patience)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	ready := make(chan struct{})
	f.opts.EndRound = sync.OnceValue(func() error { close(ready); return nil })
	go func() {
		done <- f.Run(ctx, func(c Chunk) error {
			l.chunks <- strings.TrimRight(fmt.Sprintf("%s %s %s", c.Kind, strings.TrimPrefix(c.Path, folder+"/"), c.Data), " ")
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
		if n := f.open.Len(); n != 0 {
			t.Errorf("%d files are still open", n)
		}
	})
	<-ready
	return l
}

// expect waits for chunks.
func (l *live) expect(want ...string) {
	l.t.Helper()
	for _, w := range want {
		select {
		case got := <-l.chunks:
			if got != w {
				l.t.Errorf("got %q, want %q", got, w)
			}
		case <-l.expired:
			l.t.Fatalf("no event told of %q", w)
		}
	}
}

func (l *live) path(name string) string { return filepath.Join(l.folder, name) }

func (l *live) do(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// Everything that the stories tell is told by the kernel's events, too.
func TestEventsTell(t *testing.T) {
	folder := t.TempDir()
	if onNetwork(folder) {
		t.Skip("this file system is polled")
	}
	l := startLive(t, Options{Paths: []string{filepath.Join(folder, "a.log")}}, folder)
	l.expect("gone a.log")
	l.do(appendTo(l.path("a.log"), []byte("1")))
	l.expect("opened a.log", "data a.log 1")
	l.do(appendTo(l.path("a.log"), []byte("2")))
	l.expect("data a.log 2")
	l.do(os.Rename(l.path("a.log"), l.path("a.log.1")))
	l.expect("gone a.log")
	l.do(appendTo(l.path("a.log"), []byte("3")))
	l.expect("opened a.log", "data a.log 3")
	l.do(os.Truncate(l.path("a.log"), 0))
	l.expect("truncated a.log")
	l.do(appendTo(l.path("new"), []byte("4")))
	l.do(os.Rename(l.path("new"), l.path("a.log")))
	l.expect("rotated a.log", "data a.log 4")
	l.do(os.Remove(l.path("a.log")))
	l.expect("gone a.log")
}

// The folder of a link's target is watched, and that of the link.
func TestEventsTellOfLinks(t *testing.T) {
	folder := t.TempDir()
	if onNetwork(folder) {
		t.Skip("this file system is polled")
	}
	for _, d := range []string{"pods", "pods/one", "pods/two", "containers"} {
		if err := os.Mkdir(filepath.Join(folder, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../pods/one/0.log", filepath.Join(folder, "containers/x.log")); err != nil {
		t.Fatal(err)
	}
	if err := appendTo(filepath.Join(folder, "pods/one/0.log"), []byte("1")); err != nil {
		t.Fatal(err)
	}
	// The same folder by two names has one watch in the kernel.
	if err := os.Symlink("containers", filepath.Join(folder, "alias")); err != nil {
		t.Fatal(err)
	}
	l := startLive(t, Options{Paths: []string{filepath.Join(folder, "alias/y.log")}, Globs: []string{filepath.Join(folder, "containers/*.log")}}, folder)
	l.expect("gone alias/y.log", "opened containers/x.log", "data containers/x.log 1")
	l.do(appendTo(l.path("pods/one/0.log"), []byte("2")))
	l.expect("data containers/x.log 2")
	l.do(appendTo(l.path("pods/two/0.log"), []byte("3")))
	l.do(os.Symlink("../pods/two/0.log", l.path("containers/new")))
	l.do(os.Rename(l.path("containers/new"), l.path("containers/x.log")))
	l.expect("rotated containers/x.log", "data containers/x.log 3")
	l.do(appendTo(l.path("pods/two/0.log"), []byte("4")))
	l.expect("data containers/x.log 4")
	l.do(appendTo(l.path("containers/y.log"), []byte("5")))
	l.expect("opened alias/y.log", "data alias/y.log 5")
}

// New files and new folders of a pattern are told by events.
func TestEventsTellOfGlobs(t *testing.T) {
	folder := t.TempDir()
	if onNetwork(folder) {
		t.Skip("this file system is polled")
	}
	l := startLive(t, Options{
		Paths:  []string{filepath.Join(folder, "first.log")}, // tells when following has begun
		Globs:  []string{filepath.Join(folder, "pod*/*.log*")},
		Ignore: func(path string) bool { return strings.HasSuffix(path, ".gz") },
	}, folder)
	l.expect("gone first.log")
	l.do(os.Mkdir(l.path("pod1"), 0o755))
	l.do(appendTo(l.path("pod1/a.log"), []byte("1")))
	l.expect("opened pod1/a.log", "data pod1/a.log 1")
	l.do(appendTo(l.path("pod1/a.log.1.gz"), []byte("compressed")))
	l.do(appendTo(l.path("pod1/b.log"), []byte("2")))
	l.expect("opened pod1/b.log", "data pod1/b.log 2")
	l.do(os.RemoveAll(l.path("pod1")))
	l.expect("gone pod1/a.log", "gone pod1/b.log")
	l.do(os.Mkdir(l.path("pod1"), 0o755))
	l.do(appendTo(l.path("pod1/a.log"), []byte("3")))
	l.expect("opened pod1/a.log", "data pod1/a.log 3")
}

// Programs that write and rotate their logs as fast as they can, several at a
// time, lose nothing as long as all names match.
func TestManyWriters(t *testing.T) {
	const writers, rotations, lines = 8, 10, 200
	folder := t.TempDir()
	f, err := New(Options{
		Globs: []string{filepath.Join(folder, "*.log*")}, Coalesce: 5 * time.Millisecond, PollMin: 20 * time.Millisecond, PollMax: 100 * time.Millisecond,
		Linger: 50 * time.Millisecond, MaxOpen: 5, BufferBytes: 4096,
	})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, writers)
	for w := range writers {
		go func() { failed <- writeAndRotate(filepath.Join(folder, fmt.Sprintf("%d.log", w)), rotations, lines) }()
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got := make(map[Identity]*strings.Builder)
	total := 0
	written := 0
	for i := range lines {
		written += len(fmt.Sprintf("line %d\n", i)) * writers * rotations
	}
	err = f.Run(ctx, func(c Chunk) error {
		switch c.Kind {
		case Data:
			if got[c.File] == nil {
				got[c.File] = new(strings.Builder)
			}
			got[c.File].Write(c.Data)
			if total += len(c.Data); total >= written {
				cancel()
			}
		case Failed, Truncated:
			return fmt.Errorf("%s %s: %w", c.Kind, c.Path, c.Err)
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Run returned %v after %d of %d bytes", err, total, written)
	}
	for range writers {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
	var want strings.Builder
	for i := range lines {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	if len(got) != writers*rotations {
		t.Errorf("%d files delivered, want %d", len(got), writers*rotations)
	}
	for id, text := range got {
		if text.String() != want.String() {
			t.Errorf("file %v: got %d bytes, want %d", id, text.Len(), want.Len())
		}
	}
}

func writeAndRotate(path string, rotations, lines int) error {
	for r := range rotations {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return err
		}
		for i := range lines {
			if i == lines/2 { // the program goes on in the renamed file
				if err := os.Rename(path, fmt.Sprintf("%s.%d", path, r)); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintf(file, "line %d\n", i); err != nil {
				return err
			}
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
