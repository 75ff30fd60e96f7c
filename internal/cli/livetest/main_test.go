package livetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
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
		code := cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv})
		if err := tellCost(os.Getenv(asProgram)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		os.Exit(code)
	}
	os.Exit(slurmlab.Main(m))
}

// cost is what a process took for itself, without the commands of Slurm that it ran.
type cost struct {
	CPU     time.Duration
	PeakMiB int // of memory
}

// tellCost writes into a file what this process has taken.
func tellCost(file string) error {
	var usage syscall.Rusage
	status, err := os.ReadFile("/proc/self/status") // its peak is that of the parent in rusage
	if err := errors.Join(err, syscall.Getrusage(syscall.RUSAGE_SELF, &usage)); err != nil {
		return err
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(peak + " 0")[0])
	if err != nil {
		return err
	}
	text, err := json.Marshal(cost{time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), kib / 1024})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
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
	cost     cost
}

var runs atomic.Int64

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
	costs := filepath.Join(p.state, fmt.Sprintf("cost-%d", runs.Add(1)))
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(p.lab.Environment(), asProgram+"="+costs, "SCHEDMATE_STATE="+p.state, "HOME="+p.state)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begun := time.Now()
	err = cmd.Run()
	s := said{out: out.String(), err: errs.String(), took: time.Since(begun)}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		s.code = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("schedmate %s: %v", strings.Join(args, " "), err)
	}
	text, err := os.ReadFile(costs)
	if err == nil {
		err = json.Unmarshal(text, &s.cost)
	}
	if err != nil {
		t.Fatalf("schedmate %s: what it took: %v; it said %s", strings.Join(args, " "), err, s.err)
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
