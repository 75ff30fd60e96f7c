//go:build unix

package observe

import (
	"io/fs"
	"os"
	"syscall"
)

// isOurs tells whether a file is of the user who asks.
func isOurs(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) == os.Geteuid()
}
