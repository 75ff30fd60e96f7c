package follow

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// folder is a place where files are followed or appear.
type folder struct {
	name    string
	id      Identity // when it was last looked at; zero if it did not exist
	watched bool
	network bool // events do not tell what other machines do in it

	files  map[string][]*followed // by name in it
	globs  bool                   // a file that appears may match a pattern
	failed bool                   // the handler knows that it cannot be watched
}

// place is a name in a folder.
type place struct {
	folder *folder
	base   string
}

// folders are the folders by name, and those watched by identity, because the
// kernel has one watch for all names of a folder.
type folders struct {
	byName  map[string]*folder
	watched map[Identity][]*folder // the first one's name is that of the events
}

// join makes sure that events about the path reach p: in the folder of its
// name, and in that of the file if the name is a link. The error is the
// handler's.
func (f *Follower) join(p *followed, real string) error {
	if len(p.places) > 0 && p.joined == real {
		return nil
	}
	paths := []string{p.path}
	if real != p.path {
		paths = append(paths, real)
	}
	var places []place
	for _, path := range paths {
		in, err := f.folder(filepath.Dir(path))
		if err != nil {
			return err
		}
		places = append(places, place{in, filepath.Base(path)})
	}
	f.leave(p)
	p.places, p.joined = places, real
	for _, at := range places {
		at.folder.files[at.base] = append(at.folder.files[at.base], p)
	}
	return nil
}

// leave undoes join.
func (f *Follower) leave(p *followed) {
	for _, at := range p.places {
		files := at.folder.files[at.base]
		if i := slices.Index(files, p); i >= 0 {
			files = slices.Delete(files, i, i+1)
		}
		if at.folder.files[at.base] = files; len(files) == 0 {
			delete(at.folder.files, at.base)
		}
	}
	p.places = nil
}

// folder returns a folder, watched if that is possible. The error is the handler's.
func (f *Follower) folder(name string) (*folder, error) {
	if in := f.folders.byName[name]; in != nil {
		return in, nil
	}
	in := &folder{name: name, files: make(map[string][]*followed)}
	f.folders.byName[name] = in
	return in, f.watch(in)
}

// watch sets a watch on a folder that has none, if it exists.
func (f *Follower) watch(in *folder) error {
	st, err := statPath(in.name)
	if err != nil || !st.exists || !st.mode.IsDir() {
		in.id = Identity{} // its files will say what is wrong
		return nil
	}
	in.id = st.id
	if f.notices == nil {
		return nil
	}
	if same := f.folders.watched[in.id]; len(same) == 0 {
		if len(f.folders.watched) >= f.opts.MaxWatches {
			return f.watchFailed(in, fmt.Errorf("%d folders are watched already: raise the limit of watches", f.opts.MaxWatches))
		}
		if err := f.notices.add(in.name); err != nil {
			if absent(err) {
				return nil
			}
			if errors.Is(err, syscall.ENOSPC) {
				err = fmt.Errorf("%w: raise fs.inotify.max_user_watches", err)
			}
			return f.watchFailed(in, err)
		}
	}
	f.folders.watched[in.id] = append(f.folders.watched[in.id], in)
	in.watched, in.network = true, onNetwork(in.name)
	return nil
}

// watchFailed tells that folders are polled instead: once for all of them if a
// limit was reached, which will fail for thousands.
func (f *Follower) watchFailed(in *folder, err error) error {
	if in.failed || f.watchesFull {
		return nil
	}
	c := Chunk{Path: in.name, Kind: Failed, Err: fmt.Errorf("watch folder %s: %w; it is polled instead", in.name, err)}
	if emitted := f.emit(c); emitted != nil {
		return emitted
	}
	in.failed = true
	f.watchesFull = errors.Is(err, syscall.ENOSPC) || len(f.folders.watched) >= f.opts.MaxWatches
	return nil
}

// unwatch forgets a watch. If the folder is still there under another name of
// ours, that one is watched anew.
func (f *Follower) unwatch(in *folder) {
	if !in.watched {
		return
	}
	same := f.folders.watched[in.id]
	delete(f.folders.watched, in.id)
	if f.notices != nil {
		_ = f.notices.remove(same[0].name) // it has often gone with the folder
	}
	for _, other := range same {
		other.watched = false
	}
}

// sweep drops folders that nobody needs, and watches again what was replaced.
func (f *Follower) sweep() error {
	for name, in := range f.folders.byName {
		if len(in.files) == 0 && !in.globs {
			f.unwatch(in)
			delete(f.folders.byName, name)
		}
	}
	for _, in := range f.folders.byName {
		if st, err := statPath(in.name); in.watched && (err != nil || st.id != in.id) {
			f.unwatch(in)
		}
	}
	for _, in := range f.folders.byName {
		if in.watched {
			continue
		}
		if err := f.watch(in); err != nil {
			return err
		}
		if in.watched {
			f.stir(in) // what happened before is not told
		}
	}
	return nil
}

// stir makes all files of a folder due.
func (f *Follower) stir(in *folder) {
	for _, files := range in.files {
		for _, p := range files {
			p.dirty = true
		}
	}
	f.globsDirty = f.globsDirty || in.globs
}

// mark notes what an event concerns.
func (f *Follower) mark(name string, op fsnotify.Op) {
	for _, in := range f.folders.named(name) { // the folder itself was removed or renamed
		if op.Has(fsnotify.Remove | fsnotify.Rename) {
			f.unwatch(in)
			f.stir(in)
			f.sweepDue = f.now
		}
	}
	slash := strings.LastIndexByte(name, filepath.Separator)
	parent, base := name[:max(slash, 0)], name[slash+1:]
	switch slash {
	case -1:
		parent = "."
	case 0:
		parent = string(filepath.Separator)
	}
	for _, in := range f.folders.named(parent) {
		files := in.files[base]
		for _, p := range files {
			p.unannounced, p.silent = false, false
			if p.failure == "" || op != fsnotify.Write {
				p.dirty = true
			}
		}
		if in.globs && len(files) == 0 && op.Has(fsnotify.Create) {
			f.globsDirty = true
		}
	}
}

// named returns the folders that events under this name are about.
func (fs *folders) named(name string) []*folder {
	in := fs.byName[name]
	if in == nil {
		return nil
	}
	if in.watched {
		return fs.watched[in.id]
	}
	return nil
}
