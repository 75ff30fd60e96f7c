package observe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"schedmate"
)

// begun is when the stories begin, Unix time.
const begun = 1_796_000_000

// scheduler counts how often it is asked, and tells the time.
type scheduler struct {
	clock time.Time
	asked int
	fails error
}

func (s *scheduler) Observe(context.Context) (*schedmate.Observation, error) {
	s.asked++
	if s.fails != nil {
		s.clock = s.clock.Add(9 * time.Second) // its commands try for a while
		return nil, s.fails
	}
	return &schedmate.Observation{
		APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, Now: schedmate.Seconds(s.clock.Unix()),
		System: schedmate.System{Name: "slurm"}, Nodes: []schedmate.ObservedNode{}, Jobs: []schedmate.ObservedJob{{ID: "7", State: "PENDING"}},
	}, nil
}

func (s *scheduler) Past(context.Context, schedmate.Period) ([]schedmate.ObservedJob, []schedmate.Gap, error) {
	return nil, nil, nil
}

func kept(t *testing.T) (*Kept, *scheduler) {
	t.Helper()
	s := &scheduler{clock: time.Unix(begun, 0)}
	return &Kept{Source: s, File: filepath.Join(t.TempDir(), "slurm", "kept.json"), MaxAge: time.Minute, Stale: 15 * time.Minute, Clock: func() time.Time { return s.clock }}, s
}

// tell is an answer in short: its age when it was given, and what is missing.
func tell(k *Kept, s *scheduler) string {
	o, err := k.Observe(context.Background())
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("of %ds", int64(o.Now)-begun)
	for _, g := range o.Gaps {
		text += fmt.Sprintf(", missing %s: %s", g.What, g.Why)
	}
	return fmt.Sprintf("%s, asked %d", text, s.asked)
}

// One day with a scheduler: it is asked once a minute, its last answer stands in for
// a quarter of an hour, and then nothing does.
func TestKeptAnswers(t *testing.T) {
	k, s := kept(t)
	down := errors.New("connection refused")
	for _, step := range []struct {
		after time.Duration
		fails error
		want  string
	}{
		{0, nil, "of 0s, asked 1"},
		{59 * time.Second, nil, "of 0s, asked 1"},
		{time.Second, nil, "of 60s, asked 2"},
		{30 * time.Second, down, "of 60s, asked 2"}, // nobody notices
		{31 * time.Second, down, "of 60s, missing what happened in the last 1m10s: connection refused, asked 3"},
		{13 * time.Minute, down, "of 60s, missing what happened in the last 14m19s: connection refused, asked 4"},
		{33 * time.Second, down, "connection refused"}, // 15 min 1 s by the time that it has given up
		{time.Hour, nil, "of 4561s, asked 6"},
		{-2 * time.Hour, nil, "of -2639s, asked 7"}, // the clock was set back: that answer is of tomorrow
	} {
		s.clock, s.fails = s.clock.Add(step.after), step.fails
		if got := tell(k, s); got != step.want {
			t.Errorf("%v later: %s; want %s", step.after, got, step.want)
		}
	}
}

// A file that was cut off, is of another program, or cannot be written is no reason
// to give no answer.
func TestKeptFileIsBroken(t *testing.T) {
	k, s := kept(t)
	tell(k, s)
	for i, text := range []string{"", "{", `{"kind":"Observation"}`, "\x00\x01", `{"jobs":[{"id":""}]}`} {
		if err := os.WriteFile(k.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, want := tell(k, s), fmt.Sprintf("of 0s, asked %d", i+2); got != want {
			t.Errorf("after %q: %s, want %s", text, got, want)
		}
		if err := os.WriteFile(k.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.fails = errors.New("down")
		if got := tell(k, s); got != "down" {
			t.Errorf("after %q a scheduler that is down is stood in for: %s", text, got)
		}
		s.fails, s.asked, s.clock = nil, i+2, time.Unix(begun, 0)
	}
	k.File = filepath.Join("/dev/null", "kept.json")
	if got := tell(k, s); !strings.Contains(got, "missing a memory of this answer") {
		t.Errorf("a file that cannot be written: %s", got)
	}
}

// What is kept is of one user alone, and nothing else is left behind.
func TestKeptFileIsPrivate(t *testing.T) {
	k, s := kept(t)
	tell(k, s)
	info, err := os.Stat(k.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	files, err := os.ReadDir(filepath.Dir(k.File))
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v: want the answer and its lock", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

// A command that was killed while it wrote leaves half an answer; a later one takes it
// away, but not one that is being written.
func TestHalfWrittenAnswersAreSwept(t *testing.T) {
	k, s := kept(t)
	tell(k, s)
	old, young := filepath.Join(filepath.Dir(k.File), ".kept-1"), filepath.Join(filepath.Dir(k.File), ".kept-2")
	for _, file := range []string{old, young} {
		if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(2 * time.Minute)
	tell(k, s)
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old one is still there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young one: %v", err)
	}
}

// An answer that somebody else has put there is not believed.
func TestKeptFileOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can give files away")
	}
	k, s := kept(t)
	tell(k, s)
	if err := os.Chown(k.File, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if got, want := tell(k, s), "of 0s, asked 2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// slow is a scheduler that takes its time, asked by several at once.
type slow struct {
	asked atomic.Int64
	scheduler
}

func (s *slow) Observe(ctx context.Context) (*schedmate.Observation, error) {
	s.asked.Add(1)
	time.Sleep(100 * time.Millisecond) // long enough for all others to ask
	return (&scheduler{clock: s.clock}).Observe(ctx)
}

// Forty commands at the same moment ask the scheduler once.
func TestManyAtOnceAskOnce(t *testing.T) {
	k, s := kept(t)
	one := &slow{scheduler: *s}
	var all sync.WaitGroup
	for range 40 {
		mine := *k // each is a process of its own
		mine.Source = one
		all.Go(func() {
			if o, err := mine.Observe(t.Context()); err != nil || len(o.Gaps) > 0 || o.Now != begun {
				t.Errorf("%+v, %v", o, err)
			}
		})
	}
	all.Wait()
	if n := one.asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// Forty commands that want nothing old ask twice at most: the first asks at once, and
// one more for all that came while it did.
func TestManyAtOnceWantNothingOld(t *testing.T) {
	k, s := kept(t)
	tell(k, s)
	one := &slow{scheduler: *s}
	var all sync.WaitGroup
	for range 40 {
		mine := *k
		mine.Source, mine.MaxAge, mine.Clock = one, 0, time.Now
		all.Go(func() {
			if o, err := mine.Observe(t.Context()); err != nil || len(o.Gaps) > 0 {
				t.Errorf("%+v, %v", o, err)
			}
		})
	}
	all.Wait()
	if n := one.asked.Load(); n > 2 {
		t.Errorf("asked %d times", n)
	}
}

// Whoever is interrupted is not given an old answer instead.
func TestKeptIsInterrupted(t *testing.T) {
	k, s := kept(t)
	tell(k, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.clock, s.fails = s.clock.Add(2*time.Minute), context.Canceled
	if _, err := k.Observe(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
