package follow

import (
	"errors"
	"time"

	"github.com/fsnotify/fsnotify"
)

// notices tell what happened in folders. Tests have their own.
type notices interface {
	add(folder string) error
	remove(folder string) error
	// wake receives when take has something to return.
	wake() <-chan struct{}
	take() batch
	close() error
}

// batch is what happened since the last one.
type batch struct {
	events map[string]fsnotify.Op // by folder/name, or folder
	missed bool                   // there were more than could be kept: anything may have changed
	errs   []error
}

const (
	mostEvents = 1 << 16 // names in a batch
	mostErrors = 16

	// Draining ends when nothing has come for idleTime, or after drainTime: what
	// comes later has its own wake-up.
	idleTime  = 200 * time.Microsecond
	drainTime = 5 * time.Millisecond
)

// inbox lets events wait in the kernel's queue between two wake-ups: taking
// each as it comes would wake the process up to ten thousand times a second. If
// the queue overflows, all files are looked at, which costs little more then.
type inbox struct {
	watcher *fsnotify.Watcher
	bell    chan struct{}
	ask     chan struct{}
	answer  chan batch
	done    chan struct{}
}

func newInbox() (*inbox, error) {
	watcher, err := fsnotify.NewBufferedWatcher(256) // saves switching goroutines at each event
	if err != nil {
		return nil, err
	}
	in := &inbox{
		watcher: watcher, bell: make(chan struct{}, 1), ask: make(chan struct{}), answer: make(chan batch), done: make(chan struct{}),
	}
	go in.gather()
	return in, nil
}

func (in *inbox) add(folder string) error    { return in.watcher.Add(folder) }
func (in *inbox) remove(folder string) error { return in.watcher.Remove(folder) }
func (in *inbox) wake() <-chan struct{}      { return in.bell }

func (in *inbox) close() error {
	err := in.watcher.Close()
	<-in.done
	return err
}

// take returns the batch. It is valid until the next call.
func (in *inbox) take() batch {
	select {
	case in.ask <- struct{}{}:
		return <-in.answer
	case <-in.done:
		return batch{missed: true}
	}
}

// gather runs until the watcher is closed. It always takes errors, because the
// watcher may hold a lock that add needs while it waits for that.
func (in *inbox) gather() {
	defer close(in.done)
	next := batch{events: make(map[string]fsnotify.Op)}
	spare := make(map[string]fsnotify.Op)
	for {
		events := in.watcher.Events
		if len(next.events) > 0 {
			events = nil // the bell has been rung for it
		}
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			next.add(e)
		case err, ok := <-in.watcher.Errors:
			if !ok {
				return
			}
			next.fail(err)
		case <-in.ask:
			in.drain(&next)
			in.answer <- next
			clear(spare)
			next, spare = batch{events: spare}, next.events
			continue
		}
		select {
		case in.bell <- struct{}{}:
		default:
		}
	}
}

// drain adds what has happened so far to the batch.
func (in *inbox) drain(next *batch) {
	idle := time.NewTimer(idleTime)
	defer idle.Stop()
	for end := time.Now().Add(drainTime); ; {
		select {
		case e := <-in.watcher.Events:
			next.add(e)
			continue
		default:
		}
		if time.Now().After(end) {
			return
		}
		idle.Reset(idleTime)
		select {
		case e := <-in.watcher.Events:
			next.add(e)
		case err := <-in.watcher.Errors:
			next.fail(err)
		case <-idle.C:
			return
		}
	}
}

func (b *batch) add(e fsnotify.Event) {
	if e.Op == 0 {
		return // from a channel that was closed
	}
	if len(b.events) >= mostEvents {
		b.missed = true
		return
	}
	b.events[e.Name] |= e.Op
}

func (b *batch) fail(err error) {
	switch {
	case errors.Is(err, fsnotify.ErrEventOverflow):
		b.missed = true
	case err != nil && len(b.errs) < mostErrors:
		b.errs = append(b.errs, err)
	}
}
