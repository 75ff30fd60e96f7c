package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/metrics"
	"syscall"
	"time"

	"schedmate/tracker"
)

// cheap is the length of a log that is read again at once even if memory is
// short, bytes.
const cheap = 32 << 10

// heat makes a log warm. The last bytes before its offset may be given: then the
// file that has the path's name now is read only if it has them there.
func (w *logWatch) heat(l *watchedLog, last []byte) {
	var state *tracker.State
	err := contained(func() (err error) {
		state, err = w.rebuild(l, last)
		return err
	})
	w.heated(l, state, err)
}

func (w *logWatch) heated(l *watchedLog, state *tracker.State, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.dirty = false // the watch will say that it is gone
		return
	case err != nil:
		w.fail(l, err)
		return
	}
	l.state = state
	l.place = w.warm.PushFront(l)
	w.weigh(l, min(l.offset, cheap))
}

// fail gives a log up until it is opened anew.
func (w *logWatch) fail(l *watchedLog, err error) {
	w.cool(l)
	l.failed, l.dirty = true, false
	err = fmt.Errorf("read %s: %w", l.path, err)
	w.out.note(err.Error())
	_ = w.out.report(&trackLine{File: validText(l.path), At: stamp(time.Now()), Error: validText(err.Error())}, nil) // flush tells of errors
}

// rebuild returns a tracker that has read a log up to its offset.
func (w *logWatch) rebuild(l *watchedLog, last []byte) (*tracker.State, error) {
	state := tracker.New(tracker.FollowLimits)
	state.SetArrivalStep(max(w.coalesce, time.Millisecond))
	f, err := os.OpenFile(l.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		defer f.Close()
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && (!info.Mode().IsRegular() || info.Size() < l.offset) {
			err = fs.ErrNotExist // another file has taken its place
		}
	}
	if last != nil && (err != nil || !has(f, last, l.offset-int64(len(last)))) {
		// The file has another name by now, or none: these bytes are all there is.
		if before := l.offset - int64(len(last)); before > 0 {
			state.Skip(before, -1)
		}
		state.Write(last, 0)
		return state, nil
	}
	if err != nil {
		return nil, err
	}
	magic := make([]byte, 6)
	if n, err := f.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if isGzip(magic[:n]) {
		return nil, errors.New("it is packed with gzip: a packed log does not grow; read it without --follow")
	}
	if state, _, err = tracker.ReadTail(f, l.offset, tracker.FollowLimits); err != nil {
		return nil, err
	}
	state.SetArrivalStep(max(w.coalesce, time.Millisecond))
	return state, nil
}

// has tells whether a file has these bytes there.
func has(f io.ReaderAt, data []byte, at int64) bool {
	there := make([]byte, len(data))
	n, _ := f.ReadAt(there, at)
	return n == len(data) && bytes.Equal(there, data)
}

// weigh adds to the estimate of a log's memory, and makes others cold if all
// together are too heavy. A tracker takes some three bytes a byte of log at
// first, and rarely more than 256 KiB; see relieve for those that do.
func (w *logWatch) weigh(l *watchedLog, read int64) {
	const least, most = 24 << 10, 256 << 10
	was := l.weight
	l.weight = min(max(was, least)+3*read, most)
	w.weight += l.weight - was
	w.warm.MoveToFront(l.place)
	w.coolDown(w.memory, l)
}

// coolDown makes the logs cold that have been silent for longest, until the
// others weigh no more than that. One is spared.
func (w *logWatch) coolDown(weight int64, spared *watchedLog) {
	for e := w.warm.Back(); e != nil && w.weight > weight && e.Value != spared; {
		older := e.Prev()
		w.cool(e.Value.(*watchedLog))
		e = older
	}
}

// relieve makes logs cold if the program takes more memory than it may: the
// weights are estimates, and a log can be made to be heavier than others.
func (w *logWatch) relieve() {
	live, collection := liveMemory()
	taken := live - w.base
	if taken > w.memory && collection != w.relieved {
		w.relieved = collection // the figure stays until the next one
		w.coolDown(int64(float64(w.weight)*float64(w.memory)/float64(taken)*0.9), nil)
	}
}

// liveMemory returns how many bytes the last garbage collection found in use, and
// which one that was.
func liveMemory() (live int64, collection uint64) {
	now := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(now)
	return int64(now[0].Value.Uint64()), now[1].Value.Uint64()
}

// cool takes a log's tracker away.
func (w *logWatch) cool(l *watchedLog) {
	if l.place == nil {
		return
	}
	w.warm.Remove(l.place)
	w.weight -= l.weight
	l.state, l.place, l.weight = nil, nil, 0
}
