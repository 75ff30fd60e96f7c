package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"schedmate/internal/config"
	"schedmate/logs/follow"
)

// printed is standard output of a process that follows.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

// lines returns what was printed about a file, in order.
func (p *printed) lines(t *testing.T, file string) []trackLine {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []trackLine
	for text := range strings.Lines(p.text.String()) {
		if !strings.HasSuffix(text, "\n") {
			break
		}
		var l trackLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%q is no JSON line: %v", text, err)
		}
		if l.File == file {
			out = append(out, l)
		}
	}
	return out
}

// process is one 'schedmate track --follow' in a folder.
type process struct {
	t    *testing.T
	out  printed
	errs printed
	stop context.CancelCauseFunc
	end  chan error
}

func startFollowing(t *testing.T, folder, state string, f trackFlags, files ...string) *process {
	t.Helper()
	p := &process{t: t, end: make(chan error, 1)}
	a := &app{
		streams: &Streams{Out: &p.out, Err: &p.errs},
		config:  &config.Effective{Config: config.Config{State: state, Output: "table", Parallel: 2}},
	}
	f.jsonl, f.follow = true, true
	if f.memory == 0 {
		f.memory = 1 << 30
	}
	for i, name := range files {
		files[i] = filepath.Join(folder, name)
	}
	for i, pattern := range f.globs {
		f.globs[i] = filepath.Join(folder, pattern)
	}
	var ctx context.Context
	ctx, p.stop = context.WithCancelCause(context.Background())
	go func() { p.end <- a.trackFollow(ctx, &f, files) }()
	t.Cleanup(func() { p.stop(nil) })
	return p
}

// interrupt ends the process as SIGINT does, and waits for it.
func (p *process) interrupt() {
	p.t.Helper()
	p.stop(&signalError{os.Interrupt})
	select {
	case err := <-p.end:
		if exitCodeOf(err) != ExitInterrupted {
			p.t.Errorf("the process ended with %v, want exit code %d", err, ExitInterrupted)
		}
	case <-time.After(30 * time.Second):
		p.t.Fatal("the process does not end")
	}
}

// until waits for a line about a file that is as it should be.
func (p *process) until(file, what string, is func(*trackLine) bool) *trackLine {
	p.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		lines := p.out.lines(p.t, file)
		for i := range lines {
			if is(&lines[i]) {
				return &lines[i]
			}
		}
	}
	p.t.Fatalf("%s: no line with %s; printed:\n%s\n%s", file, what, &p.out.text, &p.errs.text)
	return nil
}

func (p *process) untilStep(file string, step float64) *trackLine {
	p.t.Helper()
	return p.until(file, fmt.Sprint("step ", step), func(l *trackLine) bool { return l.LatestStep != nil && *l.LatestStep == step })
}

// write appends records from one step to another.
func write(t *testing.T, path string, from, to int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i <= to; i++ {
		fmt.Fprintf(f, "step %d/500 loss %.4f\n", i, 8/(1+float64(i)/50))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// A log's life: it grows, is rotated, is emptied, goes and comes back. Another
// appears and matches a pattern.
func TestFollowingALogThroughItsLife(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	log := filepath.Join(folder, "a.log")
	write(t, log, 1, 30)
	p := startFollowing(t, folder, "", trackFlags{globs: []string{"*.out"}}, "a.log", "later.log")
	p.untilStep(log, 30)
	write(t, log, 31, 60)
	p.untilStep(log, 60)

	other := filepath.Join(folder, "b.out")
	write(t, other, 1, 25)
	p.untilStep(other, 25)

	if err := os.Rename(log, log+".1"); err != nil {
		t.Fatal(err)
	}
	write(t, log, 61, 95)
	if got := p.untilStep(log, 95); got.Trackable == nil || !*got.Trackable {
		t.Errorf("after rotation: %+v", got)
	}
	if err := os.Truncate(log, 0); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // more than a look takes, or else nobody can tell
	write(t, log, 1, 12)
	p.untilStep(log, 12)
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	p.until(log, "gone", func(l *trackLine) bool { return l.Gone })
	write(t, log, 1, 17)
	p.untilStep(log, 17)

	later := filepath.Join(folder, "later.log")
	write(t, later, 1, 20)
	p.untilStep(later, 20)
	p.interrupt()
	if s := p.errs.text.String(); !strings.Contains(s, "waiting for files that are not there yet: "+later) {
		t.Errorf("standard error does not say what is waited for: %s", s)
	}
}

// News that is not due yet is told at the end.
func TestTheLastNewsIsTold(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	log := filepath.Join(folder, "a.log")
	write(t, log, 1, 30)
	p := startFollowing(t, folder, "", trackFlags{interval: time.Hour}, "a.log")
	p.untilStep(log, 30)
	write(t, log, 31, 40)
	time.Sleep(time.Second) // the bytes arrive, no line does
	if n := len(p.out.lines(t, log)); n != 1 {
		t.Errorf("%d lines within the interval, want 1", n)
	}
	p.interrupt()
	p.untilStep(log, 40)
}

// Whoever goes on under the same name says nothing about logs that have not
// changed, and knows the past of those that grow.
func TestResuming(t *testing.T) {
	folder, state := t.TempDir(), t.TempDir()
	still, grows := filepath.Join(folder, "still.log"), filepath.Join(folder, "grows.log")
	write(t, still, 1, 30)
	write(t, grows, 1, 30)
	flags := trackFlags{resume: "night"}
	p := startFollowing(t, folder, state, flags, "still.log", "grows.log")
	p.untilStep(still, 30)
	p.untilStep(grows, 30)

	// The name is taken as long as the first one runs.
	second := startFollowing(t, folder, state, flags, "still.log")
	if err := <-second.end; err == nil || !strings.Contains(err.Error(), "another process follows under --resume night") {
		t.Errorf("a second process under the same name: %v", err)
	}
	p.interrupt()

	write(t, grows, 31, 33) // while nobody looks
	p = startFollowing(t, folder, state, flags, "still.log", "grows.log")
	got := p.untilStep(grows, 33)
	if got.TotalSteps == nil || *got.TotalSteps != 500 || got.BytesRead == nil {
		t.Errorf("the past is forgotten: %+v", got)
	} else if info, err := os.Stat(grows); err != nil || *got.BytesRead != info.Size() {
		t.Errorf("%d bytes read of %v", *got.BytesRead, info)
	}
	p.interrupt()
	if lines := p.out.lines(t, still); len(lines) != 0 {
		t.Errorf("a log that has not changed was told again: %+v", lines)
	}
}

// With memory for hardly one log, all logs are still right.
func TestLittleMemory(t *testing.T) {
	folder := t.TempDir()
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("job-%02d.log", i))
		write(t, filepath.Join(folder, names[i]), 1, 20+i)
	}
	p := startFollowing(t, folder, "", trackFlags{memory: 1}, append([]string(nil), names...)...)
	for i, name := range names {
		p.untilStep(filepath.Join(folder, name), float64(20+i))
	}
	for i, name := range names {
		write(t, filepath.Join(folder, name), 21+i, 80+i)
	}
	for i, name := range names {
		p.untilStep(filepath.Join(folder, name), float64(80+i))
	}
	p.interrupt()
}

// The budget of memory bounds the trackers that are kept.
func TestMemoryIsBounded(t *testing.T) {
	folder := t.TempDir()
	w := newLogWatch(&trackFlags{memory: 200 << 10}, newLineOutput(io.Discard, io.Discard), 2)
	for i := range 50 {
		path := filepath.Join(folder, fmt.Sprintf("%d.log", i))
		write(t, path, 1, 300)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.handle(follow.Chunk{Path: path, Kind: follow.Opened, Offset: info.Size(), At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.tick(time.Now()); err != nil {
			t.Fatal(err)
		}
		if w.weight > 200<<10 {
			t.Fatalf("after %d logs the trackers take %d bytes", i+1, w.weight)
		}
	}
	warm := 0
	for _, l := range w.logs {
		if l.state != nil {
			warm++
		}
	}
	if warm == 0 || warm == 50 || warm != w.warm.Len() {
		t.Errorf("%d of 50 logs are warm, %d are listed", warm, w.warm.Len())
	}
}

// A log is read from both ends when much came at once, and what its lines were
// before it lost its name is not mixed up with the file that has the name now.
func TestColdLogs(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.log")
	write(t, path, 1, 40)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out printed
	w := newLogWatch(&trackFlags{memory: 1 << 20}, newLineOutput(&out, io.Discard), 1)
	say := func(c follow.Chunk) {
		t.Helper()
		c.Path, c.At = path, time.Now()
		if err := w.handle(c); err != nil {
			t.Fatal(err)
		}
		if _, err := w.tick(time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	say(follow.Chunk{Kind: follow.Resumed, Offset: int64(len(text))})
	if got := out.lines(t, path); len(got) != 0 {
		t.Fatalf("a log that was taken up again is told before it grows: %+v", got)
	}
	// Another file has taken the name; the old one gets its last lines.
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write(t, path, 1, 3)
	say(follow.Chunk{Kind: follow.Data, Offset: int64(len(text)), Data: []byte("step 41/500 loss 4.3956\nstep 42/500 loss 4.3478\n")})
	got := out.lines(t, path)
	if len(got) != 1 || *got[0].BytesRead != int64(len(text))+48 {
		t.Fatalf("the end of a file that lost its name: %+v", got)
	}
	if got[0].LatestStep != nil && *got[0].LatestStep != 42 {
		t.Errorf("lines of the new file are mixed in: step %v", *got[0].LatestStep)
	}
}

// A log that is packed, or no file, is told once and does no harm.
func TestLogsThatCannotBeFollowed(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "packed.log"), packed(t, trainingLog(100)), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "good.log"), 1, 30)
	p := startFollowing(t, folder, "", trackFlags{}, "packed.log", "good.log")
	p.untilStep(filepath.Join(folder, "good.log"), 30)
	p.until(filepath.Join(folder, "packed.log"), "an error", func(l *trackLine) bool {
		return strings.Contains(l.Error, "it is packed with gzip")
	})
	p.interrupt()

	for _, bad := range []string{folder, ""} {
		a := &app{streams: &Streams{Out: io.Discard, Err: io.Discard}, config: &config.Effective{Config: config.Config{Output: "json", Parallel: 1}}}
		if err := a.trackFollow(context.Background(), &trackFlags{memory: 1, jsonl: true}, []string{bad}); err == nil {
			t.Errorf("%q is followed", bad)
		}
	}
}

// Standard input is followed until it ends; what is printed stays when the
// reader of the output goes away.
func TestFollowingAStream(t *testing.T) {
	in, feed := io.Pipe()
	var out printed
	a := &app{streams: &Streams{In: in, Out: &out, Err: io.Discard}, config: &config.Effective{Config: config.Config{Output: "json", Parallel: 1}}}
	end := make(chan error)
	go func() {
		end <- a.trackFollow(context.Background(), &trackFlags{memory: 1, interval: time.Millisecond}, []string{"-"})
	}()
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(feed, "step %d/500 loss %.4f\n", i, 8/(1+float64(i)/50))
	}
	feed.Close()
	if err := <-end; err != nil {
		t.Fatal(err)
	}
	lines := out.lines(t, "-")
	if len(lines) == 0 || lines[len(lines)-1].LatestStep == nil || *lines[len(lines)-1].LatestStep != 60 {
		t.Errorf("the last line is not about step 60: %+v", lines)
	}

	in, feed = io.Pipe()
	a.streams.In, a.streams.Out = in, brokenPipe{}
	go func() {
		end <- a.trackFollow(context.Background(), &trackFlags{memory: 1, interval: time.Millisecond}, []string{"-"})
	}()
	fmt.Fprintln(feed, "step 1/500 loss 3")
	if err := <-end; !errors.Is(err, syscall.EPIPE) {
		t.Errorf("without a reader of the output: %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }
