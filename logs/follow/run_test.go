package follow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"
)

// fakeWatch is a watch that tells what the test says.
type fakeWatch struct {
	bell    chan struct{}
	addErr  error
	mu      sync.Mutex
	added   []string
	pending batch
	taken   int
}

func newFakeWatch() *fakeWatch { return &fakeWatch{bell: make(chan struct{}, 1)} }

func (w *fakeWatch) add(folder string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.added = append(w.added, folder)
	return w.addErr
}

func (w *fakeWatch) remove(string) error   { return nil }
func (w *fakeWatch) wake() <-chan struct{} { return w.bell }
func (w *fakeWatch) close() error          { return nil }

func (w *fakeWatch) take() batch {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.pending
	w.pending = batch{}
	w.taken++
	return b
}

// wakeups returns how often take was called.
func (w *fakeWatch) wakeups() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.taken
}

func (w *fakeWatch) tell(path string, op fsnotify.Op) {
	w.mu.Lock()
	if w.pending.events == nil {
		w.pending.events = make(map[string]fsnotify.Op)
	}
	w.pending.events[path] |= op
	w.mu.Unlock()
	select {
	case w.bell <- struct{}{}:
	default:
	}
}

// arrival is a chunk and when it came, since the test began.
type arrival struct {
	After time.Duration
	What  string
}

// running is a Follower that runs in virtual time.
type running struct {
	t        *testing.T
	f        *Follower
	watch    *fakeWatch
	began    time.Time
	mu       sync.Mutex
	arrivals []arrival
	cancel   context.CancelFunc
	ended    chan error
}

// run starts a Follower in a bubble of virtual time, in which sleeping takes no time.
func run(t *testing.T, opts Options, prepare func(*running)) *running {
	f, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, f: f, watch: newFakeWatch(), began: time.Now(), cancel: cancel, ended: make(chan error, 1)}
	f.newNotices = func() (notices, error) { return r.watch, nil }
	if prepare != nil {
		prepare(r)
	}
	go func() {
		r.ended <- f.Run(ctx, func(c Chunk) error {
			what := c.Kind.String()
			if c.Kind == Data {
				what = string(c.Data)
			}
			if c.Kind == Failed {
				what = c.Err.Error()
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.arrivals = append(r.arrivals, arrival{c.At.Sub(r.began), what})
			return nil
		})
	}()
	synctest.Wait()
	return r
}

// sleep lets virtual time pass, until the Follower is waiting again.
func (r *running) sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// arrived returns what came since the last call.
func (r *running) arrived() []arrival {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.arrivals
	r.arrivals = nil
	return a
}

func (r *running) append(path, text string) {
	if err := appendTo(path, []byte(text)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *running) stop() {
	r.cancel()
	if err := <-r.ended; !errors.Is(err, context.Canceled) {
		r.t.Errorf("Run returned %v, want that it was cancelled", err)
	}
}

func (r *running) expect(when string, want ...arrival) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.arrived()); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// A burst of events is one look, a fifth of a second after the first event.
func TestBurstIsOneLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	synctest.Test(t, func(t *testing.T) {
		r := run(t, Options{Paths: []string{path}}, nil)
		defer r.stop()
		r.sleep(time.Second)
		r.expect("at first", arrival{0, "gone"})
		r.append(path, "1 ")
		r.watch.tell(path, fsnotify.Create)
		r.watch.tell(path, fsnotify.Write)
		r.sleep(150 * time.Millisecond)
		r.append(path, "2 ")
		r.watch.tell(path, fsnotify.Write)
		r.expect("before the wake-up ends")
		r.sleep(time.Second)
		at := 1200 * time.Millisecond
		r.expect("after it", arrival{at, "opened"}, arrival{at, "1 2 "})
	})
}

// Without a watch, a file is looked at after an eighth of the time since it
// last grew, within bounds, so that fresh files are followed closely and old
// ones cost little.
func TestPaceOfPolling(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	synctest.Test(t, func(t *testing.T) {
		r := run(t, Options{Paths: []string{path}, PollOnly: true, PollMin: 250 * time.Millisecond, PollMax: 10 * time.Second}, nil)
		defer r.stop()
		r.append(path, "first")
		r.sleep(time.Second)
		got := r.arrived()
		if len(got) != 3 || got[2].What != "first" || got[2].After > 300*time.Millisecond {
			t.Errorf("the first bytes came as %v, want them within 300 ms", got)
		}
		for _, c := range []struct{ quiet, most time.Duration }{
			{1 * time.Second, 450 * time.Millisecond}, // 250 ms and a wake-up
			{8 * time.Second, 1450 * time.Millisecond},
			{time.Hour, 10200 * time.Millisecond},
		} {
			r.sleep(c.quiet)
			r.append(path, "more")
			from := time.Since(r.began)
			r.sleep(time.Minute)
			got := r.arrived()
			if len(got) != 1 || got[0].After-from > c.most {
				t.Errorf("after %v of quiet, bytes written at %v came as %v, want them within %v", c.quiet, from, got, c.most)
			}
		}
	})
}

// A watch that says nothing, as on a network file system, is found out: the
// second time that a look finds bytes of which no event told, the file is
// polled closely.
func TestSilentWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	synctest.Test(t, func(t *testing.T) {
		r := run(t, Options{Paths: []string{path}}, func(r *running) { r.append(path, "0") })
		defer r.stop()
		var delays []time.Duration
		for range 4 {
			r.sleep(3 * time.Second)
			r.arrived()
			from := time.Since(r.began)
			r.append(path, "x")
			r.sleep(20 * time.Second)
			got := r.arrived()
			if len(got) != 1 {
				t.Fatalf("arrived: %v", got)
			}
			delays = append(delays, got[0].After-from)
		}
		if delays[0] < 3*time.Second || delays[2] > 4*time.Second || delays[3] > 4*time.Second {
			t.Errorf("delays %v, want the first up to 10 s, and an eighth of 20 s and a wake-up from the third on", delays)
		}
		// An event proves that the watch works after all.
		r.watch.tell(path, fsnotify.Write)
		r.sleep(time.Second)
		if !r.f.byPath[path].watched() {
			t.Error("after an event the file is still polled")
		}
	})
}

// When the kernel has no more watches, that is told once, and all is polled.
func TestNoMoreWatches(t *testing.T) {
	folder := t.TempDir()
	var paths []string
	for i := range 3 {
		path := filepath.Join(folder, fmt.Sprint(i), "a.log")
		if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	synctest.Test(t, func(t *testing.T) {
		r := run(t, Options{Paths: paths}, func(r *running) {
			r.watch.addErr = syscall.ENOSPC
			for i, path := range paths {
				r.append(path, fmt.Sprint("file ", i))
			}
		})
		defer r.stop()
		r.sleep(time.Minute)
		var told, data int
		for _, a := range r.arrived() {
			if strings.Contains(a.What, "max_user_watches; it is polled instead") {
				told++
			}
			if strings.HasPrefix(a.What, "file ") {
				data++
			}
		}
		if told != 1 || data != 3 {
			t.Errorf("told %d times, and delivered %d files of 3", told, data)
		}
	})
}

// An event that tells of an overflow makes all files be looked at.
func TestOverflow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	synctest.Test(t, func(t *testing.T) {
		r := run(t, Options{Paths: []string{path}}, func(r *running) { r.append(path, "1") })
		defer r.stop()
		r.sleep(2 * time.Second)
		r.arrived()
		r.append(path, "2")
		r.watch.mu.Lock()
		r.watch.pending.missed = true
		r.watch.mu.Unlock()
		r.watch.bell <- struct{}{}
		r.sleep(time.Second)
		r.expect("after the overflow", arrival{2200 * time.Millisecond, "2"})
	})
}

// A file that cannot be read is told once and tried again ever more seldom, up
// to once a minute, also if events go on telling that it is written to.
func TestUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loop.log")
	if err := os.Symlink(path, path); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := run(t, Options{Paths: []string{path}}, nil)
		defer r.stop()
		for range 600 {
			r.sleep(time.Second)
			r.watch.tell(path, fsnotify.Write)
		}
		got := r.arrived()
		if len(got) != 1 || !strings.Contains(got[0].What, "too many levels of symbolic links") {
			t.Errorf("told %v, want one error", got)
		}
		if p := r.f.byPath[path]; p.backoff != time.Minute {
			t.Errorf("tried again after %v, want a minute", p.backoff)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		r.append(path, "now it can be read")
		from := time.Since(r.began)
		r.watch.tell(path, fsnotify.Create)
		r.sleep(time.Second)
		at := from + 200*time.Millisecond
		r.expect("after it was replaced", arrival{at, "opened"}, arrival{at, "now it can be read"})
	})
}

// While nothing happens, the Follower wakes up for its polls only.
func TestIdle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	synctest.Test(t, func(t *testing.T) {
		r := run(t, Options{Paths: []string{path}}, func(r *running) { r.append(path, "1") })
		defer r.stop()
		r.sleep(time.Minute)
		before := r.watch.wakeups()
		r.sleep(10 * time.Minute)
		if woken := r.watch.wakeups() - before; woken > 2*60+2 {
			t.Errorf("woken up %d times in ten minutes, want at most two times every ten seconds", woken)
		}
	})
}

// An error of the handler or of EndRound ends Run and is what it returns.
// Records then hold what was consumed.
func TestHandlerEndsRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	if err := appendTo(path, []byte("twelve bytes")); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	for _, c := range []struct {
		name     string
		endRound error
		handler  error
		offset   int64
	}{{"handler", nil, enough, 0}, {"end of round", enough, nil, 12}} {
		t.Run(c.name, func(t *testing.T) {
			f, err := New(Options{Paths: []string{path}, EndRound: func() error { return c.endRound }})
			if err != nil {
				t.Fatal(err)
			}
			err = f.Run(t.Context(), func(chunk Chunk) error {
				if chunk.Kind == Data {
					return c.handler
				}
				return nil
			})
			if err != enough {
				t.Errorf("Run returned %v, want the error itself", err)
			}
			if r := f.Records(); len(r) != 1 || r[0].Offset != c.offset {
				t.Errorf("records %+v, want one with offset %d", r, c.offset)
			}
		})
	}
}

// A Follower runs once at a time.
func TestRunsOnceAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	f, err := New(Options{Paths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	err = f.Poll(t.Context(), func(Chunk) error {
		if err := f.Poll(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "running already") {
			t.Errorf("a second Poll returned %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
