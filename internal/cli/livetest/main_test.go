package livetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"schedmate/internal/cli"
	"schedmate/internal/slurmlab"
)

// asProgram makes the test binary the program.
const asProgram = "SCHEDMATE_LIVETEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv}))
	}
	os.Exit(slurmlab.Main(m))
}

// program is schedmate with a state folder of its own.
type program struct {
	lab   *slurmlab.Lab
	state string

	user   string // who runs it; empty: whoever runs the tests
	binary string // empty: this one
}

func newProgram(t testing.TB, lab *slurmlab.Lab) *program {
	return &program{lab: lab, state: t.TempDir()}
}

// as is the program run by another user, who may read neither the folders of the tests
// nor the state of the first.
func (p *program) as(t testing.TB, user string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	other := &program{lab: p.lab, user: user, state: filepath.Join(p.lab.Dir, "jobs", "state-"+user), binary: filepath.Join(p.lab.Dir, "bin-"+user)}
	err = errors.Join(os.WriteFile(other.binary, text, 0o755), os.MkdirAll(other.state, 0o777), os.Chmod(other.state, 0o777))
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// said is what the program said.
type said struct {
	out, err string
	code     int
	took     time.Duration
	rssMiB   int64 // the most memory that it had
}

// run runs one command line.
func (p *program) run(t testing.TB, args ...string) said {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p.binary != "" {
		self = p.binary
	}
	if p.user != "" {
		args = append([]string{"--reuid=" + p.user, "--regid=nogroup", "--clear-groups", self}, args...)
		self = "setpriv"
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(p.lab.Environment(), asProgram+"=1", "SCHEDMATE_STATE="+p.state, "HOME="+p.state)
	var out, text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &text
	begun := time.Now()
	err = cmd.Run()
	s := said{out: out.String(), err: text.String(), took: time.Since(begun)}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		s.code = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("schedmate %s: %v", strings.Join(args, " "), err)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.rssMiB = usage.Maxrss / 1024
	}
	return s
}

// ask runs one command line that must succeed, and reads its answer.
func ask[T any](t testing.TB, p *program, args ...string) T {
	t.Helper()
	args = append(args, "-o", "json")
	s := p.run(t, args...)
	if s.code != 0 {
		t.Fatalf("schedmate %s: exit code %d: %s", strings.Join(args, " "), s.code, s.err)
	}
	var answer T
	if err := json.Unmarshal([]byte(s.out), &answer); err != nil {
		t.Fatalf("schedmate %s: %v in %s", strings.Join(args, " "), err, s.out)
	}
	return answer
}
