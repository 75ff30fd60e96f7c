package cli

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"schedmate"
	"schedmate/logs/follow"
	"schedmate/logs/series"
	"schedmate/tracker"
)

// logWatch keeps a tracker for each followed log, within a budget of memory,
// and reports on those whose progress changed.
//
// Each log is cold or warm. A cold one has no tracker, only the number of its
// bytes that were seen; it becomes warm, from both ends of its file, when it is
// to be reported on or grows. The warm one that has not grown for longest
// becomes cold when memory is short.
type logWatch struct {
	out      followOutput
	interval time.Duration // least time between two lines about one log
	explain  bool
	memory   int64 // budget for all trackers, bytes
	workers  int

	mu       sync.Mutex
	logs     map[string]*watchedLog
	coalesce time.Duration // how long news are gathered: the resolution of arrival times
	warm     *list.List    // of *watchedLog, the one that grew last in front
	weight   int64         // of the warm ones

	base     int64  // memory in use before there was a log, bytes
	relieved uint64 // the garbage collection after which memory was found short
}

// watchedLog is one log that is followed.
type watchedLog struct {
	path   string
	stream bool           // standard input: it cannot be read again
	state  *tracker.State // nil if cold
	weight int64          // estimate of the memory of state, bytes
	place  *list.Element  // in logWatch.warm; nil if cold

	offset   int64 // bytes seen
	behind   bool  // more bytes are there already: they come at once
	dirty    bool  // it grew since the last line
	reported time.Time
	hash     uint64 // of the last line
	failed   bool   // it cannot be tracked until it is opened anew
}

func newLogWatch(f *trackFlags, out followOutput, workers int) *logWatch {
	base, _ := liveMemory()
	return &logWatch{
		base: base,
		out:  out, interval: f.interval, explain: f.explain, memory: int64(f.memory), workers: max(1, workers),
		logs: make(map[string]*watchedLog), warm: list.New(),
	}
}

// handle takes what happened to a file.
func (w *logWatch) handle(c follow.Chunk) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch c.Kind {
	case follow.Opened, follow.Resumed:
		w.begin(c.Path, c.Offset).dirty = c.Kind == follow.Opened && c.Offset > 0
	case follow.Truncated, follow.Rotated:
		if err := w.last(c.Path); err != nil {
			return err
		}
		w.begin(c.Path, c.Offset).dirty = c.Offset > 0
		w.note(c)
	case follow.Data:
		w.grow(c)
	case follow.Gone:
		w.note(c)
		if w.logs[c.Path] == nil { // it was never there
			return nil
		}
		if err := w.last(c.Path); err != nil {
			return err
		}
		w.forget(c.Path)
		line := &trackLine{File: validText(c.Path), At: stamp(c.At), Gone: true}
		return errors.Join(w.out.report(line, nil), w.out.flush())
	case follow.Failed:
		w.note(c)
		if w.logs[c.Path] != nil {
			line := &trackLine{File: validText(c.Path), At: stamp(c.At), Error: validText(c.Err.Error())}
			return errors.Join(w.out.report(line, nil), w.out.flush())
		}
	}
	return nil
}

func (w *logWatch) note(c follow.Chunk) {
	if c.Err != nil {
		w.out.note(strings.TrimPrefix(fmt.Sprintf("%s: %v", c.Path, c.Err), ": "))
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// begin makes a log new, with a number of bytes that were seen.
func (w *logWatch) begin(path string, offset int64) *watchedLog {
	w.forget(path)
	l := &watchedLog{path: path, offset: offset}
	w.logs[path] = l
	return l
}

func (w *logWatch) forget(path string) {
	if l := w.logs[path]; l != nil {
		w.cool(l)
		delete(w.logs, path)
	}
}

// grow takes bytes that were appended.
func (w *logWatch) grow(c follow.Chunk) {
	l := w.logs[c.Path]
	if l == nil || l.failed {
		return
	}
	before := l.offset
	l.offset, l.dirty = c.Offset+int64(len(c.Data)), true
	if l.behind = len(c.Data) >= followBuffer; l.behind {
		w.cool(l) // the middle of much that came at once is not read
		return
	}
	if l.state == nil {
		if w.weight < w.memory*3/4 || l.offset < cheap {
			w.heat(l, c.Data)
		} // else when it is to be reported on
		return
	}
	if gap := c.Offset - before; gap > 0 { // a hole, without lines
		l.state.Skip(gap, 0)
	}
	err := contained(func() error { l.state.Write(c.Data, c.At.UnixNano()); return nil })
	if err != nil {
		w.fail(l, err)
		return
	}
	w.weigh(l, int64(len(c.Data)))
}

// stream takes bytes of standard input; their moments are believed if live.
func (w *logWatch) stream(data []byte, live bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.logs["-"]
	if l == nil {
		l = w.begin("-", 0)
		l.stream, l.state = true, tracker.New(series.DefaultLimits)
	}
	var at int64
	if live {
		at = time.Now().UnixNano()
	}
	l.offset += int64(len(data))
	l.dirty = true
	if !l.failed {
		if err := contained(func() error { l.state.Write(data, at); return nil }); err != nil {
			w.fail(l, err)
		}
	}
}

// reportsAtOnce bounds how long the arrival of bytes waits for reports.
const reportsAtOnce = 8

// tickUntil reports what changed until the context ends.
func (w *logWatch) tickUntil(ctx context.Context) error {
	pause := min(max(w.interval/4, 20*time.Millisecond), 500*time.Millisecond)
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = w.tick(time.Now()); err != nil {
				return err
			}
		}
	}
}

// tick reports on some logs that are due, and tells whether there are more.
func (w *logWatch) tick(now time.Time) (more bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.relieve()
	var due []*watchedLog
	for _, l := range w.logs {
		if l.dirty && !l.behind && now.Sub(l.reported) >= w.interval {
			due = append(due, l)
		}
	}
	most := reportsAtOnce * w.workers
	if more = len(due) > most; more {
		slices.SortFunc(due, func(a, b *watchedLog) int { return a.reported.Compare(b.reported) })
		due = due[:most]
	}
	return more, w.report(due, now)
}

// report writes lines about logs whose progress changed, in the order of their
// paths.
func (w *logWatch) report(due []*watchedLog, now time.Time) error {
	slices.SortFunc(due, func(a, b *watchedLog) int { return strings.Compare(a.path, b.path) })
	results := make([]reportResult, len(due))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(w.workers, len(due)) {
		wg.Go(func() {
			for i := range next {
				results[i] = w.evaluate(due[i])
			}
		})
	}
	for i := range due {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, l := range due {
		if err := w.publish(l, &results[i], now); err != nil {
			return err
		}
	}
	return w.out.flush()
}

// reportResult is what a log says now.
type reportResult struct {
	state    *tracker.State // if it had to be made
	progress *schedmate.Progress
	notes    []tracker.Note
	took     time.Duration
	err      error
}

// evaluate asks a log's tracker. It changes nothing that logs share.
func (w *logWatch) evaluate(l *watchedLog) (r reportResult) {
	start := time.Now()
	r.err = contained(func() (err error) {
		state := l.state
		if state == nil {
			if state, err = w.rebuild(l, nil); err != nil {
				return err
			}
			r.state = state
		}
		r.progress, r.notes, err = readProgress(state)
		return err
	})
	r.took = time.Since(start)
	return r
}

// publish writes what a log says, if that is news.
func (w *logWatch) publish(l *watchedLog, r *reportResult, now time.Time) error {
	l.dirty, l.reported = false, now
	if r.state != nil || r.err != nil {
		w.heated(l, r.state, r.err)
	}
	if r.err != nil {
		return nil
	}
	line := &trackLine{File: validText(l.path)}
	line.fill(r.progress)
	h := fnv.New64a()
	if err := writeLine(h, line); err != nil {
		return err
	}
	sum := h.Sum64()
	if sum == l.hash {
		return nil
	}
	l.hash = sum
	if w.explain {
		line.Evidence, line.Notes = evidence(r.progress), r.notes
	}
	took := milliseconds(r.took)
	line.At, line.Milliseconds, line.BytesRead = stamp(now), &took, &l.offset
	return w.out.report(line, r.progress)
}

// last reports on a log that is about to be forgotten.
func (w *logWatch) last(path string) error {
	if l := w.logs[path]; l != nil && l.dirty && l.state != nil {
		return w.report([]*watchedLog{l}, time.Now())
	}
	return nil
}

// finishWithin is how long the end waits for logs that must be read again.
const finishWithin = 3 * time.Second

// finish reports on all logs that have news, those first that need no reading.
// Of very many the last are left; settled leaves them to whoever goes on.
func (w *logWatch) finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var warm, cold []*watchedLog
	for _, l := range w.logs {
		switch {
		case l.dirty && l.state != nil:
			warm = append(warm, l)
		case l.dirty && !l.behind:
			cold = append(cold, l)
		}
	}
	err := w.report(warm, time.Now())
	end := time.Now().Add(finishWithin)
	for part := range slices.Chunk(cold, reportsAtOnce*w.workers) {
		if err != nil || time.Now().After(end) {
			break
		}
		err = w.report(part, time.Now())
	}
	return errors.Join(err, w.out.end())
}

// settled returns the records of logs on which all is reported. The others are
// read afresh by whoever goes on, so that no report is lost.
func (w *logWatch) settled(records []follow.Record) []follow.Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(records, func(r follow.Record) bool {
		l := w.logs[r.Path]
		return l != nil && l.dirty
	})
}

// tellMissing says which of the files are waited for.
func (w *logWatch) tellMissing(files []string) {
	var missing []string
	for _, f := range files {
		if _, err := os.Stat(f); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, f)
		}
	}
	if len(missing) > 0 {
		w.tell("waiting for files that are not there yet: " + some(missing, 5))
	}
}

// tell notes something.
func (w *logWatch) tell(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.note(text)
}
