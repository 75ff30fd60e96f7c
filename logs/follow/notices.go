package follow

import (
	"errors"
	"sync"

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
	mostEvents = 1 << 16 // names kept between two wake-ups
	mostErrors = 16
)

// inbox gathers events, so that the kernel's queue never waits for the handler
// and a file that is written to many times is looked at once.
type inbox struct {
	watcher *fsnotify.Watcher
	bell    chan struct{}
	done    sync.WaitGroup

	mu   sync.Mutex
	next batch
	old  map[string]fsnotify.Op // of the batch before, for use again
}

func newInbox() (*inbox, error) {
	watcher, err := fsnotify.NewBufferedWatcher(1024)
	if err != nil {
		return nil, err
	}
	in := &inbox{watcher: watcher, bell: make(chan struct{}, 1), next: batch{events: make(map[string]fsnotify.Op)}}
	in.done.Go(in.gather)
	return in, nil
}

func (in *inbox) add(folder string) error    { return in.watcher.Add(folder) }
func (in *inbox) remove(folder string) error { return in.watcher.Remove(folder) }
func (in *inbox) wake() <-chan struct{}      { return in.bell }

func (in *inbox) close() error {
	err := in.watcher.Close()
	in.done.Wait()
	return err
}

// gather runs until the watcher is closed.
func (in *inbox) gather() {
	events, errs := in.watcher.Events, in.watcher.Errors
	for events != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				break
			}
			in.mu.Lock()
			if len(in.next.events) < mostEvents {
				in.next.events[e.Name] |= e.Op
			} else {
				in.next.missed = true
			}
			in.mu.Unlock()
		case err, ok := <-errs:
			if !ok {
				errs = nil
				break
			}
			in.mu.Lock()
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				in.next.missed = true
			} else if len(in.next.errs) < mostErrors {
				in.next.errs = append(in.next.errs, err)
			}
			in.mu.Unlock()
		}
		select {
		case in.bell <- struct{}{}:
		default:
		}
	}
}

// take returns the batch. It is valid until the next call.
func (in *inbox) take() batch {
	in.mu.Lock()
	defer in.mu.Unlock()
	taken := in.next
	clear(in.old)
	if in.old == nil {
		in.old = make(map[string]fsnotify.Op)
	}
	in.next, in.old = batch{events: in.old}, taken.events
	return taken
}
