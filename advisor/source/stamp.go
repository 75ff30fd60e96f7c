package source

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"
)

// settled is how long before the reading the last change must have been for a
// stamp to be worth something: clocks of file systems are coarse, and what
// changes twice within a tick has one stamp.
const settled = 2 * time.Second

// stamp is the state of what stands at a path now; empty if it cannot be told.
func (r *Root) stamp(name string) string {
	stamp, _ := r.changed(name)
	return stamp
}

func (r *Root) changed(name string) (string, time.Time) {
	info, err := r.info(name)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return "", time.Time{}
	}
	return stampOf(info)
}

// keepStamp keeps the stamp of what was read, listed or looked into, if it was
// not changed since well before the reading.
func (r *Root) keepStamp(s *Seen, name string) bool {
	if s.Stamps[name] != "" {
		return true
	}
	stamp, at := r.changed(name)
	if stamp == "" || !at.Add(settled).Before(r.opened) {
		return false
	}
	s.Stamps[name] = stamp
	return true
}

// emptyIn is the folder in which something must appear before anything can
// stand at a path where nothing stands. It reports false when there is none:
// a link leads on, or a file stands in the way.
func (r *Root) emptyIn(name string) (string, bool) {
	folder := "."
	parts := strings.Split(name, "/")
	for i := range parts {
		prefix := strings.Join(parts[:i+1], "/")
		info, err := r.lstat(prefix)
		switch {
		case err != nil:
			return folder, errors.Is(err, fs.ErrNotExist)
		case info.Mode()&fs.ModeSymlink != 0:
			if info, err = r.info(prefix); err != nil {
				return "", false
			}
		}
		if !info.IsDir() {
			return "", false
		}
		folder = path.Clean(prefix)
	}
	return "", false
}
