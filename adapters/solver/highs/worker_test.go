//go:build (linux || darwin) && (amd64 || arm64)

package highs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"schedmate/adapters/solver/highs"
	"schedmate/adapters/solver/worker"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
)

// workerMode tells the test binary to be a worker with the library of that path.
const workerMode = "HIGHS_TEST_WORKER"

func TestMain(m *testing.M) {
	path := os.Getenv(workerMode)
	if path == "" {
		os.Exit(m.Run())
	}
	in, out, err := worker.Streams()
	if err == nil {
		err = worker.Serve(in, out, func() (worker.Solver, error) { return highs.Open([]string{path}) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// inWorker starts a worker with a library.
func inWorker(t testing.TB, path string) *worker.Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := worker.Start(context.Background(), worker.Command{Path: self, Env: []string{workerMode + "=" + path, "GOTRACEBACK=none"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// HiGHS in a worker obeys the contract, and answers as it does in this process.
func TestHiGHSInAWorker(t *testing.T) {
	l := needed(t)
	c := inWorker(t, l.Path())
	for _, err := range milptest.Contract(c) {
		t.Error(err)
	}
	if c.Name() != l.Name() || c.Path() != l.Path() {
		t.Errorf("%s from %s is %s from %s in a worker", l.Name(), l.Path(), c.Name(), c.Path())
	}
	r := rand.New(rand.NewSource(6))
	f := milp.Stock(milptest.Chronus(r, 300, 384, 72, 20, 1.1))
	here, err := l.Maximise(&f.Program, nil, milp.Limits{RelativeGap: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	there, err := c.Maximise(&f.Program, nil, milp.Limits{RelativeGap: 0.01})
	if err != nil || there.Objective != here.Objective || there.Bound != here.Bound {
		t.Errorf("here %v of %v, in a worker %+v, %v", here.Objective, here.Bound, there, err)
	}
}

// A question that HiGHS cannot answer in a moment ends at the hard limit, however
// late it looks at its clock, and the next one is answered.
func TestHiGHSKeepsTheHardLimitInAWorker(t *testing.T) {
	l := needed(t)
	c := inWorker(t, l.Path())
	m := milptest.Chronus(rand.New(rand.NewSource(7)), 400, 384, 72, 20, 1.2)
	hard := milp.Direct(m) // minutes of work
	p := milp.Solve(m, milp.Options{Seed: 1, Budget: milp.Budget{Steps: 1000}})
	if _, err := c.Maximise(&hard.Program, hard.Encode(p), milp.Limits{HardSeconds: 0.2}); !errors.Is(err, worker.ErrLimit) {
		// It may look at its clock in time. Then the answer is the start or better.
		if err != nil {
			t.Errorf("got %v", err)
		}
	}
	easy := milp.Stock(m)
	if q, err := milp.Refine(easy, p, c, milp.Limits{RelativeGap: 0.01}); err != nil || q.Value < p.Value {
		t.Errorf("the next question: %v", err)
	}
	// Stopped in the middle of its work, it does not look at any clock.
	pid := c.Pid() // now: it waits for questions, too
	if pid == 0 {
		t.Fatal("there is no worker")
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGSTOP) })
	if _, err := c.Maximise(&hard.Program, hard.Encode(p), milp.Limits{HardSeconds: 0.3}); !errors.Is(err, worker.ErrLimit) {
		t.Errorf("stopped: %v", err)
	}
}

// A library that faults, aborts or prints in the middle of a run takes the worker
// along, and nobody else.
func TestALibraryThatFaults(t *testing.T) {
	for run, want := range map[string]string{
		"*(volatile int *)8 = 1; return 0;": "SIGSEGV",
		"abort();":                          "SIGABRT",
		"exit(3);":                          "exit status 3",
		`puts("solving"); fflush(stdout); return 0;`: "Highs_getSolution", // nothing was written to the answer
	} {
		c := inWorker(t, fake(t, "-DCREATES", "-DRUN="+run))
		for range 2 {
			p := &milp.Program{Columns: []milp.Column{{Objective: 1, Upper: 1, Integer: true}}}
			if a, err := c.Maximise(p, nil, milp.Limits{HardSeconds: 10}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: want %q, got %+v, %v", run, want, a, err)
			}
		}
	}
}
