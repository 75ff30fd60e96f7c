package follow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// status is what a name, or a descriptor, tells of a file.
type status struct {
	exists   bool
	id       Identity
	size     int64 // bytes
	modified time.Time
	mode     fs.FileMode
}

func statusOf(info fs.FileInfo) (status, error) {
	id, ok := identityOf(info)
	if !ok {
		return status{}, fmt.Errorf("identify %s: the system does not tell inodes: follow files on a Unix system", info.Name())
	}
	return status{exists: true, id: id, size: info.Size(), modified: info.ModTime(), mode: info.Mode()}, nil
}

// statPath returns the status of the file that path names, after links. No
// file is no error.
func statPath(path string) (status, error) {
	info, err := os.Stat(path)
	if err != nil {
		if absent(err) {
			return status{}, nil
		}
		return status{}, err
	}
	return statusOf(info)
}

func statFile(file *os.File) (status, error) {
	info, err := file.Stat()
	if err != nil {
		return status{}, err
	}
	return statusOf(info)
}

// absent reports whether the error says that there is no such file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// openRegular opens a regular file. It never waits, for example for the writer
// of a FIFO that has taken the file's place.
func openRegular(path string) (*os.File, status, error) {
	st, err := statPath(path)
	if err != nil {
		return nil, status{}, err
	}
	if !st.exists {
		return nil, status{}, nil
	}
	if !st.mode.IsRegular() {
		return nil, status{}, notRegular(path, st.mode)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if absent(err) {
			return nil, status{}, nil
		}
		return nil, status{}, err
	}
	st, err = statFile(file)
	if err == nil && !st.mode.IsRegular() {
		err = notRegular(path, st.mode)
	}
	if err != nil {
		return nil, status{}, errors.Join(err, file.Close())
	}
	return file, st, nil
}
