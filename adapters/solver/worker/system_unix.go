//go:build unix

package worker

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// Streams takes standard input and output for the protocol. What a library prints
// goes to standard error from now on.
func Streams() (in, out *os.File, err error) {
	const output, errors = 1, 2
	own, err := unix.FcntlInt(output, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, nil, fmt.Errorf("duplicate standard output: %w", err)
	}
	if err := unix.Dup2(errors, output); err != nil {
		return nil, nil, fmt.Errorf("redirect standard output: %w", err)
	}
	return os.Stdin, os.NewFile(uintptr(own), "protocol"), nil
}

// apart keeps the terminal's signals from the child: the parent decides when it
// ends. If the parent dies while the child is stopped, the kernel wakes and ends
// it, as the last of a group of its own that nobody could continue.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true} }

func cpuSeconds() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic("BUG: getrusage: " + err.Error())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
