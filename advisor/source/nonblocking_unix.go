//go:build unix

package source

import "syscall"

// nonBlocking keeps an open from waiting for the writer of a named pipe that
// took a file's place after it was looked at.
const nonBlocking = syscall.O_NONBLOCK
