package slurmlab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

var shared struct {
	once sync.Once
	lab  *Lab
	err  error
}

// Main runs the tests of a package and stops the lab, if one was started. Its
// result is for os.Exit.
func Main(m *testing.M) int {
	code := m.Run()
	if shared.lab != nil {
		if err := shared.lab.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return max(code, 1)
		}
	}
	return code
}

// For returns the lab of this test binary and starts it for the first test that
// asks. Where it cannot be, the test is skipped with the reason. The package
// needs a TestMain that calls [Main].
func For(t testing.TB) *Lab {
	t.Helper()
	// Not the test's context: the lab outlives the test.
	shared.once.Do(func() { shared.lab, shared.err = Start(context.Background()) })
	if errors.Is(shared.err, ErrAbsent) {
		t.Skip(shared.err)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.lab
}

// Fresh starts a lab for one test alone, which may put it out of order; it ends with
// the test.
func Fresh(t testing.TB) *Lab {
	t.Helper()
	For(t) // or why it cannot be
	t.Setenv(Variable, "")
	lab, err := Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lab.Stop(); err != nil {
			t.Error(err)
		}
	})
	return lab
}

// Scenario is [Lab.Build] for a test.
func (l *Lab) Scenario(t testing.TB) *Scenario {
	t.Helper()
	s, err := l.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Alone keeps the lab for one test until its end: packages are tested at the same
// time, and calls are counted, or jobs compared, that others would add to.
func (l *Lab) Alone(t testing.TB) {
	t.Helper()
	lock, err := os.OpenFile(filepath.Join(l.Dir, "alone.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err == nil {
		t.Cleanup(func() { lock.Close() }) // and with it the lock
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatalf("have the lab alone: %v", err)
	}
}
