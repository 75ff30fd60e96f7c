package follow

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"
)

// Follower follows files; see the package comment.
type Follower struct {
	opts    Options
	running atomic.Bool

	files  []*followed
	byPath map[string]*followed
	owners map[Identity]*incarnation // which one is read from a file
	released

	open    *list.List // incarnations with a descriptor, the latest used first
	buffer  []byte
	notices notices // nil without watches
	folders folders

	handle     func(Chunk) error
	linger     time.Duration
	now        time.Time // of the round
	started    bool      // the files that were there at the beginning are known
	emitted    bool      // in this round
	globsDirty bool
	globFailed map[string]string // what was last told of a pattern
	filesFull  bool              // the handler knows that there are too many
	sweepDue   time.Time
	// watchesFull is set when the handler knows that no more folders can be watched.
	watchesFull bool
	nameIndex   map[string]map[uint64]string // of this round; see names

	clock      func() time.Time // time.Now, but for tests that tell stories
	newNotices func() (notices, error)
}

// New checks the options and the records. It opens nothing; a path that is
// there already and is no regular file is an error that wraps [ErrNotRegular].
func New(opts Options) (*Follower, error) { return newFollower(opts, time.Now) }

func newFollower(opts Options, clock func() time.Time) (*Follower, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if err := checkRecords(opts.Records); err != nil {
		return nil, fmt.Errorf("follow: %w: %w: give the records of one Follower", ErrRecords, err)
	}
	f := &Follower{
		opts: opts, byPath: make(map[string]*followed), owners: make(map[Identity]*incarnation), open: list.New(),
		globFailed: make(map[string]string), nameIndex: make(map[string]map[uint64]string),
		clock:      clock,
		newNotices: func() (notices, error) { return newInbox() },
	}
	for _, path := range opts.Paths {
		f.follow(filepath.Clean(path)).explicit = true
	}
	for _, r := range opts.Records {
		f.restore(r)
	}
	return f, nil
}

// follow returns the state of a path, new if need be.
func (f *Follower) follow(path string) *followed {
	p := f.byPath[path]
	if p == nil {
		p = &followed{path: path, next: Opened, dirty: true, grew: f.clock()}
		f.byPath[path] = p
		f.files = append(f.files, p)
	}
	return p
}

// restore takes up a record: under its path, or, if nobody asks for that, in
// case the file turns up under another.
func (f *Follower) restore(r Record) {
	p := f.byPath[r.Path]
	for _, glob := range f.opts.Globs {
		if p != nil || r.Path == "" {
			break
		}
		if ok, err := filepath.Match(filepath.Clean(glob), r.Path); err == nil && ok {
			p = f.follow(r.Path)
		}
	}
	if p == nil {
		f.released.put(r)
		return
	}
	inc := &incarnation{
		id: r.File, generation: r.Generation, real: r.Real, offset: r.Offset, head: r.Head, tail: r.Tail, recorded: true,
	}
	if before := p.last(); before != nil {
		before.lostName = f.clock()
	}
	p.queue = append(p.queue, inc)
	f.owners[inc.id] = inc
}

// Run follows until the context is done, and returns its error, or until the
// handler or Options.EndRound returns an error, and returns that. All calls come
// from this goroutine. Afterwards nothing is open, and Records, Poll and Run may be
// called.
func (f *Follower) Run(ctx context.Context, handle func(Chunk) error) (err error) {
	end, err := f.start(handle, f.opts.Linger)
	if err != nil {
		return err
	}
	defer end()
	if err := f.startWatching(); err != nil {
		return unwrapRefusal(err)
	}
	for {
		more, err := f.round(ctx)
		if err != nil {
			return err
		}
		if !more {
			if err := f.wait(ctx); err != nil {
				return err
			}
		}
		if err := f.collect(); err != nil {
			return unwrapRefusal(err)
		}
	}
}

// Poll delivers what there is now, and returns nil when it has come to the end
// of all files; otherwise as Run. It does not linger at files that lost their
// names.
func (f *Follower) Poll(ctx context.Context, handle func(Chunk) error) error {
	end, err := f.start(handle, 0)
	if err != nil {
		return err
	}
	defer end()
	for {
		if more, err := f.round(ctx); err != nil || !more {
			return err
		}
	}
}

// start makes all files due. The function that it returns closes everything.
func (f *Follower) start(handle func(Chunk) error, linger time.Duration) (end func(), err error) {
	if !f.running.CompareAndSwap(false, true) {
		return nil, errors.New("follow: it is running already: make another Follower for other files")
	}
	f.handle, f.linger, f.buffer = handle, linger, make([]byte, f.opts.BufferBytes)
	f.globsDirty, f.sweepDue, f.watchesFull = true, time.Time{}, false
	f.folders = folders{byName: make(map[string]*folder), watched: make(map[Identity][]*folder)}
	for _, p := range f.files {
		p.dirty = true
	}
	return func() {
		for f.open.Len() > 0 {
			f.drop(f.open.Back().Value.(*incarnation))
		}
		if f.notices != nil {
			_ = f.notices.close() // there is nothing left to do about it
			f.notices = nil
		}
		for _, p := range f.files {
			p.places = nil
		}
		f.handle, f.buffer = nil, nil
		f.running.Store(false)
	}, nil
}

func (f *Follower) startWatching() error {
	if f.opts.PollOnly {
		return nil
	}
	n, err := f.newNotices()
	if err != nil {
		return f.emit(Chunk{Kind: Failed, Err: fmt.Errorf("watch folders: %w: raise fs.inotify.max_user_instances; all files are polled instead", err)})
	}
	f.notices = n
	return nil
}

// wait returns when a look is due or something happened, not before
// Options.Coalesce has passed.
func (f *Follower) wait(ctx context.Context) error {
	var wake <-chan struct{}
	if f.notices != nil {
		wake = f.notices.wake()
	}
	least := f.opts.Coalesce
	if pause := f.untilDue(); pause > least {
		due := time.NewTimer(pause - least)
		defer due.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		case <-due.C:
		}
	}
	gather := time.NewTimer(least)
	defer gather.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-gather.C:
		return nil
	}
}

// untilDue returns the time until the first look that no event calls for.
func (f *Follower) untilDue() time.Duration {
	first := f.sweepDue
	for _, p := range f.files {
		if p.due.Before(first) {
			first = p.due
		}
	}
	return first.Sub(f.clock())
}

// collect notes what the watches tell.
func (f *Follower) collect() error {
	if f.notices == nil {
		return nil
	}
	b := f.notices.take()
	for name, op := range b.events {
		f.mark(name, op)
	}
	if b.missed || len(b.errs) > 0 {
		f.sweepDue = time.Time{}
		for _, p := range f.files {
			p.dirty = true
		}
	}
	for _, err := range b.errs {
		if err := f.emit(Chunk{Kind: Failed, Err: fmt.Errorf("watch folders: %w; all files were looked at instead", err)}); err != nil {
			return err
		}
	}
	return nil
}
