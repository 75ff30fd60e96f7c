//go:build unix

package worker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"schedmate/adapters/solver/worker"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
)

// mode tells the test binary to be a child, and which.
const mode = "WORKER_TEST_MODE"

// ofParent names the child of a child that is a parent, and lockFile a file that
// its child locks as long as it lives.
const (
	ofParent = "WORKER_TEST_CHILD"
	lockFile = "WORKER_TEST_LOCK"
)

// locked locks the file, writes into it that this is done, and goes on.
func locked(then func() error) func() error {
	return func() error {
		f, err := os.OpenFile(os.Getenv(lockFile), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			return err
		}
		fmt.Fprintln(f, os.Getpid())
		return then()
	}
}

// solver is what children serve: it tries everything.
type solver struct {
	milptest.Enumerator
	before func() error // each question
	spoil  func(*milp.Answer)
}

func (solver) Path() string { return "/a/library" }

func (s solver) Maximise(p *milp.Program, start []float64, limits milp.Limits) (*milp.Answer, error) {
	if s.before != nil {
		if err := s.before(); err != nil {
			return nil, err
		}
	}
	a, err := s.Enumerator.Maximise(p, start, limits)
	if err == nil && s.spoil != nil {
		s.spoil(a)
	}
	return a, err
}

// signal sends one to the own process and waits for what it does.
func signal(s syscall.Signal) error {
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		return err
	}
	time.Sleep(time.Minute)
	return nil
}

// children are what a child can be.
var children = map[string]solver{
	"honest":        {},
	"sleeps":        {before: func() error { time.Sleep(time.Minute); return nil }},
	"stops":         {before: func() error { return signal(syscall.SIGSTOP) }},
	"faults":        {before: func() error { return signal(syscall.SIGSEGV) }},
	"killed":        {before: func() error { return signal(syscall.SIGKILL) }},
	"exits":         {before: func() error { fmt.Fprintln(os.Stderr, "out of memory\nand more"); os.Exit(7); return nil }},
	"refuses":       {before: func() error { return errors.New("model status 3") }},
	"prints":        {before: func() error { fmt.Println("WARNING: a library talks"); return nil }},
	"locks, sleeps": {before: locked(func() error { time.Sleep(time.Hour); return nil })},
	"once": {before: func() error { // fails at its second question
		if asked++; asked > 1 {
			return signal(syscall.SIGKILL)
		}
		return nil
	}},

	"NaN bound":   {spoil: func(a *milp.Answer) { a.Bound = math.NaN() }},
	"-Inf bound":  {spoil: func(a *milp.Answer) { a.Bound = math.Inf(-1) }},
	"NaN value":   {spoil: func(a *milp.Answer) { a.Values[0] = math.NaN() }},
	"Inf value":   {spoil: func(a *milp.Answer) { a.Values[0] = math.Inf(1) }},
	"huge value":  {spoil: func(a *milp.Answer) { a.Values[0] = 1e18 }},
	"half value":  {spoil: func(a *milp.Answer) { a.Values[0] = 0.5 }},
	"few values":  {spoil: func(a *milp.Answer) { a.Values = a.Values[:1] }},
	"many values": {spoil: func(a *milp.Answer) { a.Values = append(a.Values, make([]float64, 1<<17)...) }},
	"boasts":      {spoil: func(a *milp.Answer) { a.Objective++ }},
	"contradicts": {spoil: func(a *milp.Answer) { a.Bound-- }},
}

var asked int

// frame is a frame as the protocol has it, with any header.
func frame(magic string, kind uint32, size uint64, payload []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), kind)
	return append(binary.LittleEndian.AppendUint64(b, size), payload...)
}

// rubbish are first words of children that do not know the protocol.
var rubbish = map[string][]byte{
	"text":        []byte("Running HiGHS 1.10.0 (git hash: fd8665394e): Copyright (c) 2025 HiGHS\n"),
	"version":     frame("smw9", 1, 0, nil),
	"large":       frame("smw1", 1, 1<<60, nil),
	"short":       frame("smw1", 1, 100, []byte("abc")),
	"kind":        frame("smw1", 99, 16, make([]byte, 16)),
	"hello":       frame("smw1", 1, 8, []byte("\xff\xff\xff\xff\x00\x00\x00\x00")),
	"answer":      frame("smw1", 3, 34, make([]byte, 34)),
	"half a head": []byte("smw1\x01\x00"),
	"nothing":     {},
}

func TestMain(m *testing.M) {
	name := os.Getenv(mode)
	switch {
	case name == "":
		os.Exit(m.Run())
	case name == "silent":
		time.Sleep(time.Minute)
	case name == "parent":
		parent()
	case name == "no solver":
		_ = serve(func() (worker.Solver, error) { return nil, errors.New("no library: install one") })
	case rubbish[name] != nil:
		os.Stdout.Write(rubbish[name])
	case answers[name] != nil:
		answerWith(answers[name])
	default:
		child, ok := children[name]
		if !ok {
			panic("BUG: no child " + name)
		}
		if err := serve(func() (worker.Solver, error) { return child, nil }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func serve(open func() (worker.Solver, error)) error {
	in, out, err := worker.Streams()
	if err != nil {
		return err
	}
	return worker.Serve(in, out, open)
}

// answers are what children write in place of an answer to their first question.
var answers = map[string][]byte{
	"answers text":             []byte("WARNING: the matrix has small values\n"),
	"answers a hello":          frame("smw1", 1, 8, make([]byte, 8)),
	"answers another question": frame("smw1", 3, 34, append(binary.LittleEndian.AppendUint64(nil, 77), make([]byte, 26)...)),
	"answers half":             frame("smw1", 3, 34, make([]byte, 20)),
	"answers too much":         frame("smw1", 3, 1<<40, make([]byte, 1<<16)),
}

// answerWith greets as it should and answers as it should not.
func answerWith(text []byte) {
	var hello bytes.Buffer
	_ = worker.Serve(bytes.NewReader(nil), &hello, func() (worker.Solver, error) { return solver{}, nil })
	os.Stdout.Write(hello.Bytes())
	var header [16]byte
	if _, err := io.ReadFull(os.Stdin, header[:]); err != nil {
		return
	}
	os.Stdout.Write(text)
	time.Sleep(50 * time.Millisecond) // it still lives when the answer is read
}

// command starts the test binary as a child.
func command(child string) worker.Command {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return worker.Command{Path: self, Env: append(os.Environ(), mode+"="+child, "GOTRACEBACK=none")}
}

// parent asks a child, which does not answer, and waits to be killed.
func parent() {
	c, err := worker.Start(context.Background(), command(os.Getenv(ofParent)))
	if err != nil {
		panic(err)
	}
	_, err = c.Maximise(&milp.Program{}, nil, milp.Limits{})
	panic(err)
}
