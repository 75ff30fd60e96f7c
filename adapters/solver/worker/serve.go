package worker

import (
	"errors"
	"fmt"
	"io"

	"schedmate/scheduler/milp"
)

// Solver is what a child serves.
type Solver interface {
	milp.Solver
	Path() string // the file it comes from
}

// Serve answers questions until its input ends. The solver is opened after the
// process is ready to report what goes wrong with that. When the input ends in the
// middle of a question, Serve returns at once and leaves the solver behind: the
// caller ends the process.
func Serve(in io.Reader, out io.Writer, open func() (Solver, error)) error {
	s, err := open()
	if err != nil {
		y := reply{failure: err.Error()}
		return errors.Join(err, writeFrame(out, y.kind(), y.encode()))
	}
	h := hello{s.Name(), s.Path()}
	if err := writeFrame(out, kindHello, h.encode()); err != nil {
		return fmt.Errorf("write the hello: %w", err)
	}
	questions := make(chan *question)
	ended := make(chan error, 1)
	go func() { ended <- listen(in, questions) }()
	replies := make(chan reply, 1)
	for {
		select {
		case q := <-questions:
			go func() { replies <- answer(s, q) }()
		case y := <-replies:
			if err := writeFrame(out, y.kind(), y.encode()); err != nil {
				return fmt.Errorf("write %v: %w", y.kind(), err)
			}
		case err := <-ended:
			return err
		}
	}
}

// listen reads questions until the input ends, which is no error.
func listen(in io.Reader, questions chan<- *question) error {
	for {
		k, payload, err := readFrame(in, mostQuestion)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
		if k != kindQuestion {
			return fmt.Errorf("%v where a question was expected", k)
		}
		q, err := decodeQuestion(payload)
		if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
		questions <- q
	}
}

func answer(s Solver, q *question) reply {
	y := reply{number: q.number}
	a, err := s.Maximise(q.program, q.start, q.limits)
	y.cpuSeconds = cpuSeconds()
	if err != nil {
		y.failure = err.Error()
		return y
	}
	y.answer = a
	return y
}
