package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"schedmate/logs/follow"
)

// followBuffer is the longest chunk of a followed log: a shorter one says that
// its end was reached.
const followBuffer = 256 << 10

// coalescing is how long news of files are gathered before they are read: the
// arrival of a line is known that well. A step may take less, so it is short
// where few files make it cheap.
func coalescing(files, globs []string) time.Duration {
	n := len(files)
	for _, g := range globs {
		found, err := filepath.Glob(g)
		if err == nil { // a bad pattern is told when it is followed
			n += len(found)
		}
	}
	if n <= 64 {
		return 20 * time.Millisecond
	}
	return 200 * time.Millisecond
}

// trackFollow reports on logs as they grow, until the context ends.
func (a *app) trackFollow(ctx context.Context, f *trackFlags, files []string) error {
	var out followOutput
	switch {
	case f.jsonl || a.config.Output == "json" || a.config.Output == "table" && !a.terminal():
		out = newLineOutput(a.streams.Out, a.streams.Err)
	case a.config.Output == "table":
		out = newLiveTable(a.streams.Out.(*os.File))
	default:
		return usage(fmt.Errorf("--follow writes JSON lines or a table, not %s: use -o json", a.config.Output))
	}
	w := newLogWatch(f, out, a.config.Parallel)
	w.coalesce = coalescing(files, f.globs)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ticked := make(chan error, 1)
	go func() {
		err := w.tickUntil(ctx)
		stop(err)
		ticked <- err
	}()

	var err error
	if slices.Equal(files, []string{"-"}) {
		err = w.readStream(ctx, a.streams.In)
	} else {
		err = a.followFiles(ctx, f, files, w)
	}
	var signal *signalError
	signalled := errors.As(context.Cause(ctx), &signal) // the usual end
	stop(nil)
	if e := <-ticked; e != nil {
		err = e
	} else if e := w.finish(); err == nil {
		err = e
	}
	if err == nil && signalled {
		return &codedError{code: signalCode(signal.signal)}
	}
	return asFailure(err)
}

func signalCode(s os.Signal) int {
	if s == syscall.SIGTERM {
		return ExitTerminated
	}
	return ExitInterrupted
}

// followFiles hands what happens to the files to the watch.
func (a *app) followFiles(ctx context.Context, f *trackFlags, files []string, w *logWatch) error {
	options := follow.Options{
		Paths: files, Globs: f.globs, BufferBytes: followBuffer, Coalesce: w.coalesce,
		Ignore: func(path string) bool {
			return slices.Contains([]string{".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip"}, strings.ToLower(filepath.Ext(path)))
		},
		// What is there already is read by the watch, both ends of it.
		StartAt: func(_ string, size int64) int64 { return size },
	}
	var saved *savedRecords
	var follower *follow.Follower
	if f.resume != "" {
		state, err := a.config.StateFolder()
		if err != nil {
			return err
		}
		if saved, err = openRecords(filepath.Join(state, "track"), f.resume); err != nil {
			return err
		}
		defer saved.close()
		options.Records = saved.records
		nextSave := time.Now().Add(saveEvery)
		options.EndRound = func() error {
			if time.Now().Before(nextSave) {
				return nil
			}
			nextSave = time.Now().Add(saveEvery)
			if err := saved.save(w.settled(follower.Records())); err != nil {
				w.tell(err.Error()) // following goes on without
			}
			return nil
		}
	}
	var err error
	if follower, err = follow.New(options); err != nil {
		return usage(err)
	}
	w.tellMissing(files)
	if err := follower.Run(ctx, w.handle); !errors.Is(err, context.Canceled) {
		return err
	}
	if err := w.finish(); err != nil || saved == nil {
		return err
	}
	return saved.save(w.settled(follower.Records()))
}

// saveEvery is how often records are saved.
const saveEvery = 10 * time.Second

// liveAfter is how long a stream must have been silent before the moments of
// its next bytes are believed: what comes at once was written earlier.
const liveAfter = 200 * time.Millisecond

// readStream tracks standard input until it ends.
func (w *logWatch) readStream(ctx context.Context, in io.Reader) error {
	type read struct {
		data []byte
		err  error
	}
	reads := make(chan read)
	go func() { // left behind when the context ends: a read cannot be called off
		for {
			buf := make([]byte, 64<<10)
			n, err := in.Read(buf)
			select {
			case reads <- read{buf[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	live := false
	for {
		asked := time.Now()
		select {
		case <-ctx.Done():
			return nil
		case r := <-reads:
			live = live || time.Since(asked) >= liveAfter
			w.stream(r.data, live)
			if r.err != nil {
				if err := endOfInput(r.err); err != nil {
					return fmt.Errorf("read standard input: %w", err)
				}
				return nil
			}
		}
	}
}
