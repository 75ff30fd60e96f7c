package worker

import (
	"errors"
	"fmt"
	"time"

	"schedmate/scheduler/milp"
)

// errUsedUp says that a round has had its time before this question.
var errUsedUp = errors.New("the time of the round is used up")

// Round returns the client as the solver of one round, whose questions together
// end by the limit, counted from the first. A question is asked to end after half
// of what is left, and killed after all of it; limits of its own hold when they are
// shorter.
func (c *Client) Round(limit time.Duration) milp.Solver {
	return &round{Client: c, limit: limit}
}

type round struct {
	*Client
	limit time.Duration
	until time.Time // zero before the first question
}

func (r *round) Maximise(p *milp.Program, start []float64, limits milp.Limits) (*milp.Answer, error) {
	if r.until.IsZero() {
		r.until = time.Now().Add(r.limit)
	}
	left := time.Until(r.until).Seconds()
	if left <= 0 {
		return nil, fmt.Errorf("%w (%s)", errUsedUp, r.limit)
	}
	limits.SoftSeconds = shorter(limits.SoftSeconds, left/2)
	limits.HardSeconds = shorter(limits.HardSeconds, left)
	a, err := r.Client.Maximise(p, start, limits)
	if errors.Is(err, ErrLimit) {
		err = fmt.Errorf("%w (%s)", err, r.limit)
	}
	return a, err
}

// shorter is the shorter of a limit, of which 0 is none, and another.
func shorter(limit, other float64) float64 {
	if limit <= 0 {
		return other
	}
	return min(limit, other)
}
