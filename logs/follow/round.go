package follow

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// round looks once at each file that is due or that something happened to. It
// reports whether there is more to read at once. The error is the context's or
// the handler's.
func (f *Follower) round(ctx context.Context) (more bool, err error) {
	f.now, f.emitted = f.clock(), false
	clear(f.nameIndex)
	if !f.now.Before(f.sweepDue) {
		f.sweepDue = f.now.Add(f.opts.PollMax)
		f.globsDirty = true
		if err := f.sweep(); err != nil {
			return false, unwrapRefusal(err)
		}
	}
	if f.globsDirty {
		if err := f.expandGlobs(); err != nil {
			return false, unwrapRefusal(err)
		}
	}
	for _, p := range f.files {
		if !p.dirty && !p.more && f.now.Before(p.due) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := f.look(p); err != nil {
			return false, err
		}
	}
	f.forget()
	more = slices.ContainsFunc(f.files, func(p *followed) bool { return p.more || p.dirty })
	f.started = true
	if f.emitted && f.opts.EndRound != nil {
		if err := f.opts.EndRound(); err != nil {
			return false, err
		}
	}
	return more, ctx.Err()
}

func unwrapRefusal(err error) error {
	if refused, ok := errors.AsType[refusal](err); ok {
		return refused.error
	}
	return err
}

// emit gives a chunk to the handler. Its error is a refusal.
func (f *Follower) emit(c Chunk) error {
	c.At = f.clock()
	f.emitted = true
	if err := f.handle(c); err != nil {
		return refusal{err}
	}
	return nil
}

// forget drops the matches of patterns that are gone.
func (f *Follower) forget() {
	f.files = slices.DeleteFunc(f.files, func(p *followed) bool {
		if p.forgotten {
			f.leave(p)
			delete(f.byPath, p.path)
		}
		return p.forgotten
	})
}

// expandGlobs follows the files that match a pattern now. If that brings new
// folders, it looks again: a file may have appeared before the watch was set.
func (f *Follower) expandGlobs() error {
	f.globsDirty = false
	needed := make(map[*folder]bool)
	for known := -1; known < len(needed); {
		known = len(needed)
		for _, glob := range f.opts.Globs {
			if err := f.expandGlob(glob, needed); err != nil {
				return err
			}
		}
	}
	for _, in := range f.folders.byName {
		in.globs = needed[in]
	}
	return nil
}

// expandGlob follows what matches one pattern and notes the folders needed to know.
func (f *Follower) expandGlob(glob string, needed map[*folder]bool) error {
	files, folders, failed := expand(glob)
	text := ""
	if failed != nil {
		text = failed.Error()
	}
	if text != f.globFailed[glob] && text != "" {
		err := fmt.Errorf("match %s: %w: give the right to list the folder, or another pattern", glob, failed)
		if err := f.emit(Chunk{Path: glob, Kind: Failed, Err: err}); err != nil {
			return err
		}
	}
	f.globFailed[glob] = text
	for _, name := range folders {
		in, err := f.folder(name)
		if err != nil {
			return err
		}
		needed[in] = true
	}
	for _, path := range files {
		if f.byPath[path] != nil || f.opts.Ignore != nil && f.opts.Ignore(path) {
			continue
		}
		if err := f.room(); err != nil {
			return err
		}
		if !f.filesFull {
			f.follow(path)
		}
	}
	return nil
}

// room tells once if there are as many files as there may be.
func (f *Follower) room() error {
	full := len(f.files) >= f.opts.MaxFiles
	if full && !f.filesFull {
		err := fmt.Errorf("more than %d files match the patterns, the others are not followed: raise the limit, narrow the patterns, or share the files among several processes", f.opts.MaxFiles)
		if err := f.emit(Chunk{Kind: Failed, Err: err}); err != nil {
			return err
		}
	}
	f.filesFull = full
	return nil
}
