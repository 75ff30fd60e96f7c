package source

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// stampOf tells one state of a file or folder from its others without reading
// it: which it is, its size, and when it was last changed, which no program
// sets at will as it does the time of modification. It also returns that time.
func stampOf(info fs.FileInfo) (string, time.Time) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}
	}
	changed := time.Unix(int64(s.Ctim.Sec), int64(s.Ctim.Nsec)) // of 32 bits on some machines
	return fmt.Sprintf("%d %d %d %d %d", s.Dev, s.Ino, info.Size(), info.ModTime().UnixNano(), changed.UnixNano()), changed
}
