//go:build unix

package worker_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"schedmate/adapters/solver/worker"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
)

// started starts a client of a child, which is gone when the test ends.
func started(t *testing.T, child string) *worker.Client {
	t.Helper()
	c, err := worker.Start(t.Context(), command(child))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// program is a question of two columns that an honest child answers with 3.
func program() *milp.Program {
	return &milp.Program{
		Columns: []milp.Column{{Objective: 1, Upper: 1, Integer: true}, {Objective: 2, Upper: 1, Integer: true}},
		Rows:    []milp.Row{{Lower: math.Inf(-1), Upper: 2, Terms: []milp.Term{{Column: 0, Value: 1}, {Column: 1, Value: 1}}}},
	}
}

// The client obeys the contract of solvers, as the solver in its child does.
func TestContract(t *testing.T) {
	c := started(t, "honest")
	for _, err := range milptest.Contract(c) {
		t.Error(err)
	}
	if c.Name() != "enumerator" || c.Path() != "/a/library" {
		t.Errorf("got %s from %s", c.Name(), c.Path())
	}
}

// A child serves many questions, and its time is counted, also after its end.
func TestOneChildServesManyQuestions(t *testing.T) {
	c := started(t, "once") // a second child would answer what the first does not
	if _, err := c.Maximise(program(), nil, milp.Limits{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Maximise(program(), nil, milp.Limits{}); err == nil || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("got %v", err)
	}
	if a, err := c.Maximise(program(), nil, milp.Limits{}); err != nil || a.Objective != 3 {
		t.Errorf("the next child: %v", err)
	}
	before := c.CPU()
	c.Close()
	if c.CPU() < before {
		t.Errorf("%s of CPU became %s when the child had ended", before, c.CPU())
	}
}

// A child that does not answer in time, whatever the reason, is killed at the hard
// limit; the plan stays as it is, and the next question has another child.
func TestNoAnswerByTheHardLimit(t *testing.T) {
	for _, child := range []string{"sleeps", "stops"} {
		t.Run(child, func(t *testing.T) {
			c := started(t, child)
			for range 2 {
				if _, err := c.Maximise(program(), nil, milp.Limits{HardSeconds: 0.1}); !errors.Is(err, worker.ErrLimit) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

// A child that was stopped while it had nothing to do is found out by the next
// question, also when that is too large for the pipe.
func TestAStoppedChildTakesNoQuestions(t *testing.T) {
	large := &milp.Program{Columns: make([]milp.Column, 1<<16)}
	for _, p := range []*milp.Program{program(), large} {
		c := started(t, "honest")
		if err := syscall.Kill(c.Pid(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Maximise(p, nil, milp.Limits{HardSeconds: 0.1}); !errors.Is(err, worker.ErrLimit) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Maximise(program(), nil, milp.Limits{}); err != nil {
			t.Errorf("the next child: %v", err)
		}
	}
}

// A child that was killed while it had nothing to do is replaced, and nobody
// notices.
func TestADeadChildIsReplaced(t *testing.T) {
	c := started(t, "honest")
	for range 3 {
		pid := c.Pid()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		c.WaitForEnd() // it is reaped without being asked for
		if a, err := c.Maximise(program(), nil, milp.Limits{}); err != nil || a.Objective != 3 {
			t.Errorf("got %v", err)
		}
	}
}

// What ends a child in the middle of a question is in the error; the client goes
// on.
func TestHowChildrenEnd(t *testing.T) {
	for child, want := range map[string]string{
		"faults":  "its worker ended (exit status 2) and said: SIGSEGV",
		"killed":  "its worker ended (signal: killed)",
		"exits":   "its worker ended (exit status 7) and said: out of memory",
		"refuses": "model status 3",
	} {
		t.Run(child, func(t *testing.T) {
			c := started(t, child)
			for range 2 {
				if _, err := c.Maximise(program(), nil, milp.Limits{}); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("want %q, got %v", want, err)
				}
			}
		})
	}
}

// A refusal is an answer: its child lives on.
func TestARefusalDoesNotEndTheChild(t *testing.T) {
	c := started(t, "refuses")
	pid := c.Pid()
	if _, err := c.Maximise(program(), nil, milp.Limits{}); err == nil {
		t.Fatal("no error")
	}
	if c.Pid() != pid {
		t.Error("there is another child")
	}
}

// What a library prints to standard output does not reach the protocol.
func TestALibraryMayPrint(t *testing.T) {
	if a, err := started(t, "prints").Maximise(program(), nil, milp.Limits{}); err != nil || a.Objective != 3 {
		t.Errorf("got %v", err)
	}
}

// An answer with numbers that are none, that is out of range, contradicts itself,
// or is of another length is no answer.
func TestAnswersThatAreNone(t *testing.T) {
	for child, want := range map[string]string{
		"NaN bound":   "its bound is NaN",
		"-Inf bound":  "its bound is -Inf",
		"NaN value":   "its column 0 is NaN",
		"Inf value":   "its column 0 is +Inf",
		"huge value":  "breaks a row",
		"half value":  "not whole",
		"few values":  "it answers 1 columns of 2",
		"many values": "is larger than the",
		"boasts":      "it says that its point earns 4, which earns 3",
		"contradicts": "its bound 2 lies below its point's 3",

		"answers text":             "is not a frame",
		"answers a hello":          "a hello where an answer was expected",
		"answers another question": "it answers question 77, and was asked question 1",
		"answers half":             "its worker ended (exit status 0)",
		"answers too much":         "an answer of 1099511627776 bytes is larger than",
	} {
		t.Run(child, func(t *testing.T) {
			c := started(t, child)
			pid := c.Pid()
			if a, err := c.Maximise(program(), nil, milp.Limits{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %q, got %v, %v", want, a, err)
			}
			if err := syscall.Kill(pid, 0); err == nil {
				t.Error("the child still lives, or was not reaped")
			}
		})
	}
}

// A child that begins with anything but a hello is no worker, and why there is no
// solver is handed on.
func TestChildrenThatAreNoWorkers(t *testing.T) {
	for child, want := range map[string]string{
		"text":        "is not a frame",
		"version":     `speaks version '9' of the protocol`,
		"large":       "a hello of 1152921504606846976 bytes is larger than",
		"short":       "its worker ended (exit status 0)",
		"kind":        "a frame of kind 99 where an answer was expected",
		"hello":       "ends too early",
		"answer":      "an answer where a hello was expected",
		"half a head": "its worker ended (exit status 0)",
		"nothing":     "its worker ended (exit status 0)",
		"no solver":   "no library: install one",
	} {
		t.Run(child, func(t *testing.T) {
			if _, err := worker.Start(t.Context(), command(child)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %q, got %v", want, err)
			}
		})
	}
	missing := worker.Command{Path: filepath.Join(t.TempDir(), "nothing")}
	if _, err := worker.Start(t.Context(), missing); err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// The end of the context ends a question and the child, and there is no other.
func TestTheContextEndsAQuestion(t *testing.T) {
	for _, child := range []string{"silent", "sleeps", "stops"} {
		t.Run(child, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(300*time.Millisecond, cancel)
			c, err := worker.Start(ctx, command(child))
			if err == nil {
				_, err = c.Maximise(program(), nil, milp.Limits{})
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if c != nil {
				if _, err := c.Maximise(program(), nil, milp.Limits{}); !errors.Is(err, context.Canceled) {
					t.Errorf("another question: %v", err)
				}
			}
		})
	}
}

// When the parent is killed, its child ends: in the middle of a question, and also
// when it is stopped.
func TestTheChildEndsWithItsParent(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		t.Run(map[bool]string{false: "at work", true: "stopped"}[stopped], func(t *testing.T) {
			lock := filepath.Join(t.TempDir(), "lock")
			if err := os.WriteFile(lock, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			self := command("parent")
			parent := exec.Command(self.Path)
			parent.Env = append(self.Env, ofParent+"=locks, sleeps", lockFile+"="+lock)
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = parent.Process.Kill() })
			pid := ""
			for whole := false; !whole; time.Sleep(time.Millisecond) {
				text, err := os.ReadFile(lock)
				if err != nil {
					t.Fatal(err)
				}
				pid, _, whole = strings.Cut(string(text), "\n") // then the child holds the lock
			}
			if stopped {
				stop(t, pid)
			}
			_ = parent.Process.Kill()
			_ = parent.Wait()
			f, err := os.Open(lock)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil { // waits for the child's end
				t.Fatal(err)
			}
		})
	}
}

// stop stops a process and waits until it has.
func stop(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(number, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for {
		state, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
		if err != nil {
			t.Skipf("needs ps to see whether a process has stopped: %v", err)
		}
		if bytes.HasPrefix(state, []byte("T")) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// The questions of a round share its time, and a question that comes after it is
// not asked.
func TestARoundHasOneLimit(t *testing.T) {
	c := started(t, "sleeps")
	round := c.Round(100 * time.Millisecond)
	if _, err := round.Maximise(program(), nil, milp.Limits{}); !errors.Is(err, worker.ErrLimit) || !strings.Contains(err.Error(), "100ms") {
		t.Errorf("got %v", err)
	}
	if _, err := round.Maximise(program(), nil, milp.Limits{}); err == nil || !strings.Contains(err.Error(), "used up (100ms)") {
		t.Errorf("got %v", err)
	}
	if a, err := started(t, "honest").Round(time.Hour).Maximise(program(), nil, milp.Limits{}); err != nil || a.Objective != 3 {
		t.Errorf("got %v", err)
	}
}

// A question that means nothing is not sent.
func TestAMeaninglessQuestionIsNotSent(t *testing.T) {
	p := program()
	p.Columns[0].Objective = math.NaN()
	if _, err := started(t, "sleeps").Maximise(p, nil, milp.Limits{}); err == nil || !strings.Contains(err.Error(), "columns[0].objective: is NaN") {
		t.Errorf("got %v", err)
	}
}

// Questions of several goroutines are answered one after another.
func TestQuestionsAtOnce(t *testing.T) {
	c := started(t, "honest")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				if a, err := c.Maximise(program(), nil, milp.Limits{}); err != nil || a.Objective != 3 {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	all.Wait()
}

// A child refuses what is no question, and says so.
func TestServeRefusesWhatIsNoQuestion(t *testing.T) {
	open := func() (worker.Solver, error) { return solver{}, nil }
	for name, c := range map[string]struct {
		input []byte
		want  string // empty: no error
	}{
		"nothing":          {nil, ""},
		"text":             {[]byte("solve this, please"), "is not a frame"},
		"half a frame":     {frame("smw1", 2, 100, []byte("abc")), "unexpected EOF"},
		"an answer":        {frame("smw1", 3, 0, nil), "an answer where a question was expected"},
		"an empty frame":   {frame("smw1", 2, 0, nil), "ends too early"},
		"too large":        {frame("smw1", 2, 1<<40, nil), "is larger than"},
		"many columns":     {frame("smw1", 2, 52, bytes.Repeat([]byte{0xff}, 52)), "ends too early"},
		"and more than it": {frame("smw1", 2, 58, make([]byte, 58)), "goes on after its end"},
	} {
		if err := worker.Serve(bytes.NewReader(c.input), io.Discard, open); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, got %v", name, c.want, err)
		}
	}
}
