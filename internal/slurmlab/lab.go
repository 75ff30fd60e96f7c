package slurmlab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Variable names the environment variable that holds the folder of a lab that
// runs already.
const Variable = "SCHEDMATE_SLURM_LAB"

// ErrAbsent says that this machine cannot have a lab; the error that wraps it
// says why.
var ErrAbsent = errors.New("no Slurm lab")

// Lab is a Slurm that runs on this machine for tests.
type Lab struct {
	Dir string // everything of it is below; the jobs' files are in jobs/

	vars  []string // what up.sh exports, as NAME=value
	root  string   // of this module
	owned bool     // it ends with the tests
}

// Start starts a lab, which takes 5 to 15 seconds. It ends with [Lab.Stop], or
// when this process ends, however that happens. If [Variable] is set it takes
// that lab instead, which then goes on after the tests.
//
// The error wraps [ErrAbsent] where a lab cannot be: no packages, not root, or
// SCHEDMATE_SLURM=off in the environment.
func Start(ctx context.Context) (*Lab, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	if os.Getenv("SCHEDMATE_SLURM") == "off" {
		return nil, fmt.Errorf("%w: SCHEDMATE_SLURM=off", ErrAbsent)
	}
	if dir := os.Getenv(Variable); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "pids")); err != nil {
			return nil, fmt.Errorf("take the lab that %s names: %w: start it with labs/slurm/up.sh, or unset the variable", Variable, err)
		}
		lab := &Lab{Dir: dir, root: root}
		return lab, lab.readVariables(filepath.Join(dir, "env"))
	}
	up := exec.CommandContext(ctx, filepath.Join(root, "labs/slurm/up.sh"), "-o", strconv.Itoa(os.Getpid()))
	var said bytes.Buffer
	up.Stderr = &said
	exports, err := up.Output()
	if err != nil {
		reason := strings.TrimSpace(said.String())
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 {
			lines := strings.Split(reason, "\n")
			_, why, _ := strings.Cut(lines[len(lines)-1], "no Slurm lab: ")
			return nil, fmt.Errorf("%w: %s", ErrAbsent, why)
		}
		return nil, fmt.Errorf("start the Slurm lab: %w:\n%s", err, reason)
	}
	lab := &Lab{root: root, owned: true}
	lab.takeVariables(string(exports))
	lab.Dir = lab.variable(Variable)
	return lab, nil
}

// Stop ends the lab, unless somebody else started it.
func (l *Lab) Stop() error {
	if !l.owned {
		return nil
	}
	if text, err := exec.Command(filepath.Join(l.root, "labs/slurm/down.sh"), l.Dir).CombinedOutput(); err != nil {
		return fmt.Errorf("stop the Slurm lab in %s: %w: %s", l.Dir, err, text)
	}
	return nil
}

// Vars returns the variables, as NAME=value, that point Slurm's commands at this
// lab: SLURM_CONF. SLURMRESTD_SOCKET and SLURMRESTD_TOKEN are for its REST service.
func (l *Lab) Vars() []string { return append([]string(nil), l.vars...) }

// RESTSocket is the path of slurmrestd's socket.
func (l *Lab) RESTSocket() string { return l.variable("SLURMRESTD_SOCKET") }

// Token is a token of root for slurmrestd: header X-SLURM-USER-TOKEN.
func (l *Lab) Token() string { return l.variable("SLURMRESTD_TOKEN") }

// Environment is this process's environment with [Lab.Vars] in it, for the Env of
// an exec.Cmd.
func (l *Lab) Environment() []string { return append(os.Environ(), l.vars...) }

// Run runs one of Slurm's commands and returns its standard output. The error
// has what it wrote on standard error.
func (l *Lab) Run(ctx context.Context, command ...string) (string, error) {
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Env = l.Environment()
	run.Dir = filepath.Join(l.Dir, "jobs")
	var said bytes.Buffer
	run.Stderr = &said
	out, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("run %s: %w: %s", strings.Join(command, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return string(out), nil
}

func (l *Lab) readVariables(file string) error {
	exports, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read what the lab exports: %w: was it started with labs/slurm/up.sh?", err)
	}
	l.takeVariables(string(exports))
	return nil
}

func (l *Lab) takeVariables(exports string) {
	for line := range strings.Lines(exports) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "export "); ok {
			l.vars = append(l.vars, v)
		}
	}
}

func (l *Lab) variable(name string) string {
	for _, v := range l.vars {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// moduleRoot is the folder with go.mod, at or above the working directory, which in
// a test is the folder of its package.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find labs/slurm: %w", err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("find labs/slurm: no go.mod at or above %s: run the tests in the checkout", dir)
		}
	}
}
