package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Commands runs Slurm's own commands.
type Commands struct {
	Folder  string        // where they are; empty: by PATH
	Timeout time.Duration // of one command; 0: DefaultTimeout
	Env     []string      // beside the process's own, such as SLURM_CONF=...

	calls atomic.Int64
}

// DefaultTimeout is how long one command may take. Slurm's own, MessageTimeout, is 10 s.
const DefaultTimeout = 45 * time.Second

// Calls returns how many commands were run: each is one request to slurmctld or slurmdbd.
func (c *Commands) Calls() int64 { return c.calls.Load() }

// stream runs a command and gives its output to read, while it runs.
func (c *Commands) stream(ctx context.Context, read func(io.Reader) error, name string, args ...string) error {
	if !allowed(name, args) {
		panic("BUG: " + name + " " + strings.Join(args, " ") + " may change Slurm") // impossible: all calls are in this package
	}
	env := append(os.Environ(), c.Env...)
	if conf := lastOf(env, "SLURM_CONF"); conf != "" {
		if _, err := os.Stat(conf); errors.Is(err, fs.ErrNotExist) { // some commands look for it for a minute
			return &UnreachableError{Command: name, Text: "SLURM_CONF names " + conf + ", which does not exist", Next: "set it to the file of your cluster, or unset it"}
		}
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	path := name
	if c.Folder != "" {
		path = c.Folder + "/" + name
	}
	cmd := exec.CommandContext(ctx, path, args...)
	// Times as numbers, array tasks in full, and messages as we know them.
	cmd.Env = append(env, "SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	endWithChildren(cmd)
	complaint := &head{max: 8 << 10}
	cmd.Stderr = complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return &UnreachableError{Command: name, Text: "the command is not installed here, or not on PATH", Next: "run this where Slurm's commands are, such as a login node"}
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	c.calls.Add(1)
	// A process that left the command's group may hold the pipe for ever.
	release := context.AfterFunc(ctx, func() { _ = out.Close() })
	defer release()
	readErr := read(out)
	if readErr != nil && !errors.Is(readErr, errCut) {
		_ = cmd.Cancel() // nobody reads the rest
	}
	_, _ = io.Copy(io.Discard, out) // so that the command can end
	waitErr := cmd.Wait()
	text := strings.TrimSpace(complaint.String())
	switch {
	case ctx.Err() != nil && context.Cause(ctx) == context.DeadlineExceeded:
		return &UnreachableError{Command: name, Text: fmt.Sprintf("no answer in %s", timeout), Busy: true, Silent: true}
	case ctx.Err() != nil:
		return ctx.Err()
	case exitStatus(waitErr) > 0 && text != "":
		return complained(name, text, waitErr)
	case readErr != nil && !errors.Is(readErr, errCut):
		return fmt.Errorf("%s: %w", name, readErr)
	case waitErr != nil && readErr != nil: // it died in the middle of its answer
		return fmt.Errorf("%s: %w: %w", name, waitErr, errCut)
	case waitErr != nil:
		return complained(name, text, waitErr)
	case readErr != nil:
		return fmt.Errorf("%s: %w", name, readErr)
	}
	return nil
}

// lastOf returns the value of a variable; the last of several counts.
func lastOf(env []string, name string) (value string) {
	for _, one := range env {
		if v, ok := strings.CutPrefix(one, name+"="); ok {
			value = v
		}
	}
	return value
}

// exitStatus is what a command ended with; 0 also where it was killed.
func exitStatus(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// complained makes an error of what a command said. Slurm's texts have been the
// same for many versions.
func complained(name, text string, err error) error {
	line := strings.TrimPrefix(firstLine(text), name+": ")
	line = fmt.Sprintf("%.300s", strings.ToValidUTF8(line, "\uFFFD"))
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case has("nrecognized option", "nvalid option", "nvalid job format", "nvalid field", "ot supported", "ncompatible plugin", "nable to load", "ould not find plugin", "o such plugin", "JSON support", "erializer"):
		return fmt.Errorf("%s: %s: %w", name, line, errUnsupported)
	case has("imed out", "temporarily unavailable", "Resource temporarily", "ate limit", "in standby", "ontroller is busy", "onnection reset"):
		return &UnreachableError{Command: name, Text: line, Busy: true}
	case has("nable to contact", "onnection refused", "o controller", "not resolve", "ould not establish", "onfiguration", "slurm.conf", "rotocol authentication", "nvalid authentication", "munge", "Zero Bytes", "slurm_persist_conn", "ccounting_storage"):
		return &UnreachableError{Command: name, Text: line}
	case has("ermission denied", "ccess denied"):
		return fmt.Errorf("%s: %s: %w: ask Slurm's administrator for the right to see this", name, line, os.ErrPermission)
	}
	if line == "" {
		return fmt.Errorf("%s: %w, without a word: run it by hand to see why", name, err)
	}
	return fmt.Errorf("%s: %w: %s", name, err, line)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	max int
}

func (h *head) Write(p []byte) (int, error) {
	if room := h.max - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
