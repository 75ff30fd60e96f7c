//go:build unix

package slurm

import (
	"os"
	"os/exec"
	"syscall"
)

// endWithChildren makes a command end together with what it started: site
// wrappers around Slurm's commands are shell scripts.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}
