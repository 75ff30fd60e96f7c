package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Command says how a child is started.
type Command struct {
	Path string
	Args []string // without the program's name
	Env  []string
}

// child is a process, from its start to its end.
type child struct {
	process *exec.Cmd
	in, out *os.File
	said    *head         // what it wrote to standard error
	ended   chan struct{} // closed when it was reaped
	release func() bool   // from the context that kills it
}

// reapTime is how long a killed child is waited for.
const reapTime = time.Second

func (c *Command) start(ctx context.Context) (*child, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		closeAll(childIn, in)
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	p := &child{process: exec.Command(c.Path, c.Args...), in: in, out: out, said: &head{}, ended: make(chan struct{})}
	p.process.Env = c.Env
	p.process.Stdin, p.process.Stdout, p.process.Stderr = childIn, childOut, p.said
	p.process.WaitDelay = reapTime
	apart(p.process)
	err = p.process.Start()
	closeAll(childIn, childOut)
	if err != nil {
		closeAll(in, out)
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	go func() {
		_ = p.process.Wait() // its state says how it ended
		close(p.ended)
	}()
	p.release = context.AfterFunc(ctx, p.kill)
	return p, nil
}

// closeAll closes ends of pipes, which lose nothing by an error.
func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

func (p *child) kill() { _ = p.process.Process.Kill() } // an error: it has ended

// end kills the child, waits until it was reaped, and returns the CPU time that it
// has used.
func (p *child) end() time.Duration {
	p.release()
	p.kill()
	closeAll(p.in, p.out)
	select {
	case <-p.ended:
		return p.process.ProcessState.UserTime() + p.process.ProcessState.SystemTime()
	case <-time.After(reapTime): // in a call of the kernel that no signal ends; it is reaped after that
		return 0
	}
}

// leave lets the child end by itself, which it does when its input ends.
func (p *child) leave() time.Duration {
	closeAll(p.in)
	select {
	case <-p.ended:
	case <-time.After(reapTime):
	}
	return p.end()
}

func (p *child) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// until bounds all reading and writing. The zero time is no bound.
func (p *child) until(t time.Time) error {
	return errors.Join(p.in.SetWriteDeadline(t), p.out.SetReadDeadline(t))
}

// why explains an error of reading from or writing to the child, after its end.
func (p *child) why(err error) error {
	gone := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)
	if !gone || !p.hasEnded() {
		return err
	}
	state := p.process.ProcessState
	if said := p.said.firstLine(); said != "" {
		return fmt.Errorf("its worker ended (%s) and said: %s", state, said)
	}
	return fmt.Errorf("its worker ended (%s)", state)
}

// head keeps the beginning of what is written to it, by one writer. It is read
// after the writer has ended.
type head struct{ bytes.Buffer }

// Write drops what is too much.
func (h *head) Write(p []byte) (int, error) {
	const most = 4 << 10
	if room := most - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (h *head) firstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(h.String()), "\n")
	return strings.ToValidUTF8(line[:min(len(line), 300)], "\uFFFD")
}
