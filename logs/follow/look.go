package follow

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// refusal is an error that the handler returned.
type refusal struct{ error }

// found is what a path names at the moment. Whoever keeps the file sets it to nil.
type found struct {
	status
	file *os.File // open if that was needed to know
}

func (at *found) close() error {
	if at.file == nil {
		return nil
	}
	file := at.file
	at.file = nil
	return file.Close()
}

// errReplaced says that a path changed while it was looked at.
var errReplaced = errors.New("replaced while it was looked at")

// look delivers what is new of one path. The error is the handler's.
func (f *Follower) look(p *followed) error {
	p.ourCheck = !p.dirty && !p.more
	p.dirty, p.more = false, false
	err := f.visit(p)
	if err == nil {
		p.failure, p.backoff = "", 0
		p.due = f.now.Add(f.pace(p))
		return nil
	}
	if errors.Is(err, errReplaced) {
		p.due = f.now.Add(f.opts.Coalesce)
		return nil
	}
	refused, ok := errors.AsType[refusal](err)
	if !ok {
		refused, ok = errors.AsType[refusal](f.fail(p, err))
	}
	if ok {
		p.dirty = true
		return refused.error
	}
	return nil
}

const (
	leastBackoff = time.Second
	mostBackoff  = time.Minute
)

// fail tells of an error once and puts the next attempt off.
func (f *Follower) fail(p *followed, err error) error {
	p.more = false
	p.backoff = min(max(2*p.backoff, leastBackoff), mostBackoff)
	p.due = f.now.Add(p.backoff)
	text := err.Error()
	if text == p.failure {
		return nil
	}
	if err := f.emit(Chunk{Path: p.path, Kind: Failed, Err: err}); err != nil {
		return err
	}
	p.failure = text
	return nil
}

// pace returns the time until the next look if no event calls for one.
func (f *Follower) pace(p *followed) time.Duration {
	switch {
	case p.more:
		return 0
	case len(p.queue) > 0 && !p.queue[0].lostName.IsZero():
		return f.opts.PollMin
	case p.watched():
		return f.opts.PollMax
	}
	return min(max(f.now.Sub(p.grew)/8, f.opts.PollMin), f.opts.PollMax)
}

// visit is look without the errors' treatment.
func (f *Follower) visit(p *followed) (err error) {
	if len(p.places) == 0 { // before the first look, that nothing falls between
		if err := f.join(p, p.path); err != nil {
			return err
		}
	}
	at, err := f.find(p)
	wrong := err
	if err != nil && !errors.Is(err, ErrNotRegular) {
		return err
	}
	defer func() {
		if e := at.close(); err == nil {
			err = e
		}
	}()
	if err := f.admit(p, at); err != nil {
		return err
	}
	if last := p.last(); last != nil && last.lostName.IsZero() && last.real != p.joined {
		if err := f.join(p, last.real); err != nil {
			return err
		}
		p.dirty = true
	}
	if err := f.deliver(p, at); err != nil {
		return err
	}
	if wrong != nil {
		if info, err := os.Stat(p.path); err == nil && info.IsDir() && !p.explicit {
			return nil // a folder matches the pattern, too; that is no mistake
		}
		return wrong
	}
	if len(p.queue) == 0 && !at.exists && !p.aliased {
		if err := f.tellGone(p); err != nil {
			return err
		}
		p.forgotten = !p.explicit
	}
	return nil
}

// tellGone tells that the path names nothing.
func (f *Follower) tellGone(p *followed) error {
	if p.missing || !p.mentioned && !p.explicit {
		return nil
	}
	if err := f.emit(Chunk{Path: p.path, Kind: Gone, Err: p.nextErr}); err != nil {
		return err
	}
	p.missing, p.mentioned, p.next, p.nextErr = true, true, Opened, nil
	return nil
}

// find returns what the path names.
func (f *Follower) find(p *followed) (*found, error) {
	if p.watched() {
		st, err := statPath(p.path)
		if err == nil && st.exists && !st.mode.IsRegular() {
			return &found{}, notRegular(p.path, st.mode)
		}
		return &found{status: st}, err
	}
	file, st, err := openRegular(p.path)
	return &found{status: st, file: file}, err
}

// admit puts the file that the path names at the end of the queue, if it is
// not there already.
func (f *Follower) admit(p *followed, at *found) error {
	p.aliased = false
	last := p.last()
	if last != nil && at.exists {
		same, err := f.recognise(p, last, at)
		if err != nil {
			return err
		}
		if same {
			last.lostName = time.Time{}
			return nil
		}
	}
	if last != nil && last.lostName.IsZero() {
		last.lostName = f.now
		f.stirAliased() // one of them may name another file that has this inode now
	}
	if !at.exists {
		return nil
	}
	if at.file == nil {
		file, st, err := openRegular(p.path)
		if err != nil {
			return err
		}
		if st.id != at.id {
			return discard(file)
		}
		at.file, at.status = file, st
	}
	if owner := f.owners[at.id]; owner != nil {
		owned, err := owner.owns(at)
		if err != nil {
			return err
		}
		if owned {
			p.aliased = true
			return nil
		}
		f.disown(owner)
	}
	inc, err := f.begin(p, at)
	if err != nil {
		return err
	}
	p.queue = append(p.queue, inc)
	f.owners[inc.id] = inc
	return f.hold(inc, at)
}

// begin returns a new incarnation that is read from where it was left under
// another name, from where the caller wants to begin, or from 0.
func (f *Follower) begin(p *followed, at *found) (*incarnation, error) {
	inc := &incarnation{id: at.id, generation: generation(at.file), real: realPath(p.path), checked: true, grew: f.now}
	p.grew = f.now
	if left := f.released.take(at.id); left != nil {
		inc.offset, inc.head, inc.tail = left.Offset, left.Head, left.Tail
		same, err := inc.checksOut(at.file)
		if err != nil {
			f.released.put(*left)
			return nil, err
		}
		if same && sameGeneration(left.Generation, inc.generation) && at.size >= left.Offset {
			inc.recorded = true
			return inc, nil
		}
		inc.rewind()
	}
	if f.started || f.opts.StartAt == nil || p.next == Rotated {
		return inc, nil
	}
	if offset := min(f.opts.StartAt(p.path, at.size), at.size); offset > 0 {
		return inc, inc.startAt(at.file, offset)
	}
	return inc, nil
}

// realPath returns the name after links, or the path itself if it cannot be
// known; it serves to find a file that was renamed.
func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	return real
}

// sameGeneration reports whether two generations of one inode can be the same;
// 0 is an unknown one.
func sameGeneration(a, b uint32) bool { return a == 0 || b == 0 || a == b }

// recognise reports whether the path names this incarnation. An open
// descriptor keeps the inode from being given to another file; without one the
// contents must agree, unless nothing has changed at all.
func (f *Follower) recognise(p *followed, inc *incarnation, at *found) (bool, error) {
	moved := inc.recorded && !inc.checked && inc.id.Inode == at.id.Inode && inc.id != at.id && f.owners[at.id] == nil
	if inc.id != at.id && !moved {
		return false, nil
	}
	if inc.file != nil {
		return true, f.hold(inc, at)
	}
	if inc.checked && at.size == inc.offset && at.modified.Equal(inc.modified) {
		return true, f.hold(inc, at)
	}
	if at.file == nil {
		file, st, err := openRegular(p.path)
		if err != nil {
			return false, err
		}
		if st.id != at.id {
			return false, discard(file)
		}
		at.file, at.status = file, st
	}
	if !sameGeneration(inc.generation, generation(at.file)) {
		if !moved {
			f.disown(inc) // its inode has been given to another file
		}
		return false, nil
	}
	same, err := inc.checksOut(at.file)
	if err != nil {
		return false, err
	}
	switch {
	case moved && !same:
		return false, nil
	case moved: // devices are numbered anew at each start of a machine
		f.disown(inc)
		inc.id = at.id
		f.owners[inc.id] = inc
	case !same:
		inc.rewritten = true
	}
	inc.generation, inc.real, inc.checked = generation(at.file), realPath(p.path), true
	return true, f.hold(inc, at)
}

// discard closes a file that has just taken the place of another.
func discard(file *os.File) error {
	if file != nil {
		return errors.Join(errReplaced, file.Close())
	}
	return errReplaced
}

// owns reports whether an open file with the incarnation's inode is taken to be
// its file. A descriptor or a name holds the inode; without them another file may
// have been given it. Of a file never read there is no telling, nor any loss if
// it is read under its new name.
func (inc *incarnation) owns(at *found) (bool, error) {
	if inc.file != nil || inc.lostName.IsZero() {
		return true, nil
	}
	if inc.offset == 0 || !sameGeneration(inc.generation, generation(at.file)) {
		return false, nil
	}
	return inc.checksOut(at.file)
}

// disown forgets that the incarnation has the inode.
func (f *Follower) disown(inc *incarnation) {
	if f.owners[inc.id] == inc {
		delete(f.owners, inc.id)
	}
}
