package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// errNoRegularFile is of a log that is a pipe, a device or a folder, or that the kernel
// makes up when it is read.
var errNoRegularFile = errors.New("the log is no regular file")

// kernelFolders hold files that look like files. To read them may block, take messages
// from others, or show this process instead of the job.
var kernelFolders = []string{"/proc", "/sys"}

// statLog looks at a log that a job may have named as it liked. Its error says why the
// log must not be read.
func statLog(path string) (fs.FileInfo, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	for _, folder := range kernelFolders {
		if strings.HasPrefix(real, folder+"/") {
			return nil, errNoRegularFile
		}
	}
	if !info.Mode().IsRegular() {
		return nil, errNoRegularFile
	}
	return info, nil
}
