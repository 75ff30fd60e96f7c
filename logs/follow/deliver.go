package follow

import (
	"errors"
	"fmt"
	"io"
)

// deliver reads one buffer of the file at the head of the queue, and goes on to
// its successor when it has lost its name and is exhausted.
func (f *Follower) deliver(p *followed, at *found) error {
	for len(p.queue) > 0 {
		inc := p.queue[0]
		now := at.status
		named := inc.lostName.IsZero()
		if !named {
			there, err := f.reopen(inc)
			if err != nil {
				return err
			}
			if !there {
				if inc.announced || inc.offset > 0 {
					p.nextErr = fmt.Errorf("follow %s: anything written after byte %d of the file that had this name before is lost: it has been removed or renamed into another folder", p.path, inc.offset)
				}
				f.dismiss(p)
				continue
			}
			if now, err = statFile(inc.file); err != nil {
				return err
			}
		}
		if err := f.read(p, inc, now); err != nil {
			return err
		}
		if named || p.more || !f.exhausted(p, inc) {
			return nil
		}
		f.dismiss(p)
	}
	return nil
}

// exhausted reports whether nobody is expected to write to a file that lost its name.
func (f *Follower) exhausted(p *followed, inc *incarnation) bool {
	last := inc.lostName
	if inc.grew.After(last) {
		last = inc.grew
	}
	quiet, lost := f.now.Sub(last), f.now.Sub(inc.lostName)
	if quiet >= f.linger || len(p.queue) > 4 {
		return true
	}
	if len(p.queue) == 1 {
		return false
	}
	next := p.queue[1]
	if next.file != nil {
		if st, err := statFile(next.file); err == nil && st.size == 0 {
			return false // nobody writes to the successor yet
		}
	}
	return quiet >= f.linger/5 || lost >= f.linger
}

// dismiss ends the file at the head of the queue. What is known of it is kept,
// because it may turn up under another path.
func (f *Follower) dismiss(p *followed) {
	inc := p.queue[0]
	p.queue = p.queue[1:]
	if p.next = Opened; p.mentioned || inc.recorded {
		p.next = Rotated
	}
	f.drop(inc)
	if f.owners[inc.id] != inc {
		return
	}
	f.disown(inc)
	if inc.announced || inc.recorded {
		f.released.put(inc.record(""))
	}
	f.stirAliased()
}

// stirAliased makes the paths due whose files are delivered under other paths.
func (f *Follower) stirAliased() {
	for _, p := range f.files {
		if p.aliased {
			p.dirty = true
		}
	}
}

// read delivers the bytes between the offset and the size, one buffer at most.
func (f *Follower) read(p *followed, inc *incarnation, now status) error {
	if now.size < inc.offset {
		inc.rewritten = true
	}
	if !inc.rewritten && now.size == inc.offset && inc.offset > 0 && !now.modified.Equal(inc.modified) && inc.file != nil {
		same, err := inc.checksOut(inc.file)
		if err != nil {
			return err
		}
		inc.rewritten = !same
	}
	if err := f.announce(p, inc); err != nil {
		return err
	}
	if now.size == inc.offset {
		inc.modified = now.modified
		return nil
	}
	if inc.file == nil {
		p.more = true // another one needed the descriptor; the next look opens it
		return nil
	}
	window, err := f.window(inc, now.size)
	if err != nil {
		f.drop(inc) // a stale handle is no better the next time
		return err
	}
	if window == nil {
		inc.rewritten = true
		p.more = true
		return f.announce(p, inc)
	}
	data := window[inc.tail.Length:]
	skipped, holed := inc.withoutHoles(data)
	switch {
	case skipped:
		p.more = true
		return nil
	case holed == 0:
		return nil // a hole up to the end, that somebody may fill, or a size ahead of the bytes
	}
	return f.handOver(p, inc, now, window[:inc.tail.Length+holed], data[:holed])
}

// window reads one buffer: the tail, and what follows it up to size. It returns
// nil if the file has been rewritten: what was read before has changed. A file
// that was emptied and has outgrown the offset shows nothing else.
func (f *Follower) window(inc *incarnation, size int64) ([]byte, error) {
	tail := int64(inc.tail.Length)
	if inc.offset > tail {
		if same, err := inc.head.in(inc.file, 0); err != nil || !same {
			return nil, err
		}
	}
	window := f.buffer[:min(int64(len(f.buffer)), tail+size-inc.offset)]
	n, err := inc.file.ReadAt(window, inc.offset-tail)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if int64(n) < tail || !inc.tail.of(window[:tail]) {
		return nil, nil
	}
	return window[:n], nil
}

// handOver delivers data and notes that it has been consumed.
func (f *Follower) handOver(p *followed, inc *incarnation, now status, window, data []byte) error {
	err := f.emit(Chunk{Path: p.path, File: inc.id, Kind: Data, Offset: inc.offset, Data: data, Modified: now.modified})
	if err != nil {
		return err
	}
	inc.consume(window, data)
	inc.grew, p.grew = f.now, f.now
	if inc.offset < now.size {
		p.more = true
	} else {
		inc.modified = now.modified
	}
	if p.ourCheck && p.watched() && inc.lostName.IsZero() {
		p.silent = p.unannounced
		p.unannounced = true
	}
	return nil
}

// announce tells where reading begins, if the handler does not know.
func (f *Follower) announce(p *followed, inc *incarnation) error {
	c := Chunk{Path: p.path, File: inc.id, Kind: Truncated}
	if !inc.rewritten {
		if inc.announced {
			return nil
		}
		if c.Kind = p.next; inc.recorded && p.next == Opened {
			c.Kind = Resumed
		}
		c.Offset, c.Err = inc.offset, p.nextErr
	}
	if err := f.emit(c); err != nil {
		return err
	}
	if inc.rewritten {
		inc.rewind()
	}
	inc.announced = true
	p.mentioned, p.missing, p.next, p.nextErr = true, false, Opened, nil
	return nil
}
