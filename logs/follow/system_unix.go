//go:build unix

package follow

import (
	"io/fs"
	"syscall"
)

func identityOf(info fs.FileInfo) (Identity, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Identity{}, false
	}
	//lint:ignore QF1011 the field types differ between systems
	return Identity{Device: uint64(st.Dev), Inode: uint64(st.Ino)}, true
}

// defaultMaxOpen leaves most of the process's descriptors to others.
func defaultMaxOpen() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 64
	}
	return int(min(max(uint64(limit.Cur)/4, 16), 4096))
}
