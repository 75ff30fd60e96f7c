package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"schedmate/scheduler/milp"
)

// ErrLimit says that a child was killed because it gave no answer in time.
var ErrLimit = errors.New("no answer by the hard limit, its worker was killed")

// startLimit is how long a child may take until its hello: some milliseconds, and
// longer where a library comes over the network.
const startLimit = 10 * time.Second

// Client is a solver in another process; it implements milp.Solver. One question
// is asked at a time. A child that has ended is replaced by the next question.
type Client struct {
	command Command
	ctx     context.Context // of all children: its end kills them

	mu     sync.Mutex
	child  *child // nil: none runs
	hello  hello
	number uint64        // of the last question
	spent  time.Duration // CPU of children that have ended
	used   time.Duration // CPU of this one, as it last said
}

// Start starts a child and waits until its solver is ready. The error says why
// there is none. Close it, or end the context.
func Start(ctx context.Context, command Command) (*Client, error) {
	c := &Client{command: command, ctx: ctx}
	if err := c.begin(time.Now().Add(startLimit)); err != nil {
		return nil, err
	}
	return c, nil
}

// Close ends the child.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.child != nil {
		c.spent += c.child.leave()
		c.child, c.used = nil, 0
	}
}

// Name is that of the solver in the child.
func (c *Client) Name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hello.name
}

// Path is the file that its solver comes from.
func (c *Client) Path() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hello.path
}

// Pid is the number of the child's process; 0: there is none. It waits for a question
// that is under way.
func (c *Client) Pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.child == nil {
		return 0
	}
	return c.child.process.Process.Pid
}

// CPU is the time that all children have used, as far as it is known: a child says
// it with each answer. No client has used none.
func (c *Client) CPU() time.Duration {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent + c.used
}

// Maximise implements milp.Solver.
func (c *Client) Maximise(p *milp.Program, start []float64, limits milp.Limits) (*milp.Answer, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var until time.Time
	if limits.HardSeconds > 0 {
		until = time.Now().Add(time.Duration(limits.HardSeconds * float64(time.Second)))
	}
	if c.child != nil && c.child.hasEnded() {
		c.drop()
	}
	if c.child == nil {
		by := time.Now().Add(startLimit)
		if !until.IsZero() && until.Before(by) {
			by = until
		}
		if err := c.begin(by); err != nil {
			return nil, err
		}
	}
	c.number++
	q := question{number: c.number, limits: limits, program: p, start: start}
	y, err := c.exchange(&q, until)
	if err != nil {
		return nil, c.giveUp(err)
	}
	c.used = time.Duration(y.cpuSeconds * float64(time.Second))
	if y.answer == nil {
		return nil, errors.New(y.failure)
	}
	return y.answer, nil
}

// begin starts a child and reads its hello.
func (c *Client) begin(until time.Time) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	started, err := c.command.start(c.ctx)
	if err != nil {
		return err
	}
	c.child = started
	if err := c.greet(until); err != nil {
		return c.giveUp(err)
	}
	return nil
}

func (c *Client) greet(until time.Time) error {
	if err := c.child.until(until); err != nil {
		return err
	}
	k, payload, err := readFrame(c.child.out, mostText)
	switch {
	case err != nil:
		return fmt.Errorf("read the hello: %w", err)
	case k == kindHello:
		h, err := decodeHello(payload)
		if err != nil {
			return fmt.Errorf("read the hello: %w", err)
		}
		c.hello = *h
		return nil
	}
	y, err := decodeReply(k, payload)
	if err != nil {
		return fmt.Errorf("read the hello: %w", err)
	}
	if y.answer != nil {
		return fmt.Errorf("%v where a hello was expected", k)
	}
	return errors.New(y.failure)
}

// exchange asks and waits. An answer has passed milp.Answer.Check.
func (c *Client) exchange(q *question, until time.Time) (*reply, error) {
	if err := c.child.until(until); err != nil {
		return nil, err
	}
	payload := q.encode()
	if len(payload) > mostQuestion {
		return nil, fmt.Errorf("the question of %d bytes is larger than the %d that one may have", len(payload), mostQuestion)
	}
	if err := writeFrame(c.child.in, kindQuestion, payload); err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	k, payload, err := readFrame(c.child.out, mostAnswer(len(q.program.Columns)))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	y, err := decodeReply(k, payload)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if y.number != q.number {
		return nil, fmt.Errorf("it answers question %d, and was asked question %d", y.number, q.number)
	}
	if y.answer != nil {
		if err := y.answer.Check(q.program); err != nil {
			return nil, err
		}
	}
	return y, nil
}

// giveUp ends the child and returns what there is to say about it.
func (c *Client) giveUp(err error) error {
	ended := c.child
	c.drop()
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrLimit
	}
	return ended.why(err)
}

// drop kills the child, if it lives, and forgets it.
func (c *Client) drop() {
	c.spent += c.child.end()
	c.child, c.used = nil, 0
}
