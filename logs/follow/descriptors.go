package follow

import (
	"os"
	"path/filepath"
)

// hold keeps an open file, if at has one, as the incarnation's descriptor, and
// closes the one that has been of no use for longest if there are too many.
func (f *Follower) hold(inc *incarnation, at *found) error {
	var err error
	if at.file != nil {
		if inc.file != nil {
			err = inc.file.Close()
		}
		inc.file, at.file = at.file, nil
	}
	if inc.file == nil {
		return err
	}
	if inc.open == nil {
		inc.open = f.open.PushFront(inc)
	} else {
		f.open.MoveToFront(inc.open)
	}
	for f.open.Len() > f.opts.MaxOpen {
		f.drop(f.open.Back().Value.(*incarnation))
	}
	return err
}

// drop closes the incarnation's descriptor. Closing a file that was only read
// cannot lose anything, so its error says nothing.
func (f *Follower) drop(inc *incarnation) {
	if inc.file == nil {
		return
	}
	_ = inc.file.Close()
	f.open.Remove(inc.open)
	inc.file, inc.open = nil, nil
}

// reopen makes sure that a file without its name has a descriptor. It reports
// false if the file cannot be found: it was removed, or moved to another folder.
func (f *Follower) reopen(inc *incarnation) (bool, error) {
	if inc.file != nil {
		return true, f.hold(inc, &found{})
	}
	if f.owners[inc.id] != inc {
		return false, nil
	}
	folder := filepath.Dir(inc.real)
	name, ok := f.names(folder)[inc.id.Inode]
	if !ok {
		return false, nil
	}
	path := filepath.Join(folder, name)
	file, st, err := openRegular(path)
	if err != nil || file == nil {
		return false, err
	}
	at := &found{status: st, file: file}
	same, err := f.isRenamed(inc, at)
	if err != nil || !same {
		_ = at.close()
		return false, err
	}
	inc.generation, inc.real, inc.checked = generation(file), path, true
	return true, f.hold(inc, at)
}

// isRenamed reports whether an open file is the incarnation under another name.
func (f *Follower) isRenamed(inc *incarnation, at *found) (bool, error) {
	moved := inc.recorded && !inc.checked && inc.id.Device != at.id.Device
	if inc.id != at.id && !(moved && inc.id.Inode == at.id.Inode) || !sameGeneration(inc.generation, generation(at.file)) {
		return false, nil
	}
	same, err := inc.checksOut(at.file)
	if err == nil && !same && inc.generation != 0 && inc.id == at.id && inc.generation == generation(at.file) {
		inc.rewritten = true // it was emptied before it was renamed
		return true, nil
	}
	return same, err
}

// names returns the names of a folder's files by inode, as they were at some
// time of this round: if many files are rotated at once, the folder is read once.
func (f *Follower) names(folder string) map[uint64]string {
	if names, ok := f.nameIndex[folder]; ok {
		return names
	}
	names := make(map[uint64]string)
	entries, err := os.ReadDir(folder)
	if err != nil {
		entries = nil // it is gone, or was never ours to list: nothing can be found there
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			if id, ok := identityOf(info); ok {
				names[id.Inode] = e.Name()
			}
		}
	}
	f.nameIndex[folder] = names
	return names
}
