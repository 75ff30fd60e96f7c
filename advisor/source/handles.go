package source

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// mostHandles is the number of folders that are held open at once.
const mostHandles = 64

// handle is an open folder, or why it could not be opened.
type handle struct {
	root *os.Root
	err  error
}

// lstat tells what stands at a path, a link as a link. Programs look into the
// same folders over and over: each is walked to once.
func (r *Root) lstat(name string) (fs.FileInfo, error) {
	folder, base := path.Split(name)
	folder = strings.TrimSuffix(folder, "/")
	if folder == "" {
		return r.root.Lstat(base)
	}
	h, ok := r.handles[folder]
	if !ok {
		if len(r.handles) >= mostHandles {
			return r.root.Lstat(name)
		}
		h.root, h.err = r.root.OpenRoot(folder)
		r.handles[folder] = h
	}
	if h.err != nil {
		return nil, h.err
	}
	return h.root.Lstat(base)
}

// info tells what stands at a path, behind links that stay inside.
func (r *Root) info(name string) (fs.FileInfo, error) {
	info, err := r.lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return r.root.Stat(name)
	}
	return info, err
}

// Close gives the folders' handles back.
func (r *Root) Close() error {
	for _, h := range r.handles {
		if h.root != nil {
			h.root.Close() // it was only looked into
		}
	}
	clear(r.handles)
	return r.root.Close()
}
