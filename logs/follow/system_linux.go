package follow

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// ioctlGetVersion is FS_IOC_GETVERSION of <linux/fs.h>, _IOR('v', 1, long). On
// the few machines that number requests in another way it is refused.
const ioctlGetVersion = 2<<30 | unsafe.Sizeof(uintptr(0))<<16 | 'v'<<8 | 1

// generation returns the generation of a file's inode, which changes when the
// inode is given to another file, or 0 if the file system does not tell.
func generation(file *os.File) uint32 {
	var value uintptr // the kernel writes an int, although the request says long
	raw, err := file.SyscallConn()
	if err != nil {
		return 0
	}
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, ioctlGetVersion, uintptr(unsafe.Pointer(&value)))
	})
	if err != nil || errno != 0 {
		return 0
	}
	return *(*uint32)(unsafe.Pointer(&value))
}

const (
	seekData = 3 // SEEK_DATA of <linux/fs.h>
	seekHole = 4 // SEEK_HOLE
)

// nextData returns the first offset from off on where the file has data, and
// false if all the rest is a hole. A file system that does not know says off.
func nextData(file *os.File, off int64) (int64, bool) {
	at, err := file.Seek(off, seekData)
	switch {
	case errors.Is(err, syscall.ENXIO):
		return off, false
	case err != nil:
		return off, true
	}
	return at, true
}

// nextHole returns the first offset from off on where the file has a hole; its
// end counts as one. It returns false if the file system does not know.
func nextHole(file *os.File, off int64) (int64, bool) {
	at, err := file.Seek(off, seekHole)
	return at, err == nil
}

// networkTypes are the f_type of file systems on which other machines write
// without events here.
var networkTypes = map[uint32]bool{
	0x6969:     true, // NFS
	0x0BD00BD0: true, // Lustre
	0x47504653: true, // GPFS
	0x19830326: true, // BeeGFS
	0x00C36400: true, // Ceph
	0x517B:     true, // SMB
	0xFE534D42: true, // SMB2
	0xFF534D42: true, // CIFS
	0x65735546: true, // FUSE
	0x01021997: true, // 9p
	0x5346414F: true, // AFS
}

// onNetwork reports whether events in the folder cannot be relied on.
func onNetwork(folder string) bool {
	var st syscall.Statfs_t
	return syscall.Statfs(folder, &st) == nil && networkTypes[uint32(st.Type)]
}
