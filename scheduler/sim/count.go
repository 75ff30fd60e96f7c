package sim

import (
	"math"

	"schedmate"
	"schedmate/scheduler"
)

// count is what is left to do in an attempt of a job that lets others share its
// GPUs, restart work included.
//
// Two ways to count, one a run: whole thousandths of a second, or binary64. The
// second is here for one artifact, whose ends depend on it: it subtracts the
// speed once a second, and after 45,000 subtractions of 0.902 what is left is
// not what a division says. That is arithmetic of the artifact's host, so it
// is done by the host, between two whole instants; policies, plans and
// snapshots hold whole numbers all the same. Subtraction in binary64 is exact
// to the rule (IEEE 754), so that it is equal on every machine.
type count struct {
	done, owed schedmate.Seconds // of the status, when the attempt began
	work       schedmate.Seconds // to do in sum in this attempt
	speed      int               // in thousandths
	at         schedmate.Seconds // the instant for which left and exact hold
	left       int64             // in thousandths of a second alone
	exact      float64           // instead of left, if binary64; in seconds
	binary64   bool
	uneven     bool // the speed was not always that of a job alone
}

func newCount(s *schedmate.JobStatus, work, now schedmate.Seconds, binary64 bool) *count {
	c := &count{done: s.Done, owed: s.Owed, work: s.Owed + work - s.Done, speed: scheduler.AloneSpeed, at: now, binary64: binary64}
	c.left, c.exact = int64(c.work)*scheduler.AloneSpeed, float64(c.work)
	return c
}

// settle brings the count to an instant at which nothing is over yet, or just is.
func (c *count) settle(now schedmate.Seconds) {
	n := now - c.at
	c.at = now
	switch {
	case !c.binary64:
		c.left -= int64(n) * int64(c.speed)
	case c.speed == scheduler.AloneSpeed:
		// What is left is a multiple of its last binary digit, and so is 1: as long
		// as it does not fall below 0 nothing is rounded, once or n times.
		c.exact -= float64(n)
	default:
		speed := float64(c.speed) / scheduler.AloneSpeed
		for range n {
			c.exact -= speed
		}
	}
}

// turn changes the speed from the settled instant on.
func (c *count) turn(speed int) {
	c.speed = speed
	c.uneven = c.uneven || speed != scheduler.AloneSpeed
}

// due is how long the work still takes, from the settled instant on.
func (c *count) due() schedmate.Seconds {
	switch {
	case !c.binary64:
		return schedmate.Seconds((max(0, c.left) + int64(c.speed) - 1) / int64(c.speed))
	case c.speed == scheduler.AloneSpeed:
		return schedmate.Seconds(math.Ceil(max(0, c.exact)))
	}
	speed := float64(c.speed) / scheduler.AloneSpeed
	n := schedmate.Seconds(0)
	for left := c.exact; left > 0; left -= speed {
		n++
	}
	return n
}

// worked is what has been done by the settled instant, restart work first.
func (c *count) worked() schedmate.Seconds {
	left := c.left
	if c.binary64 {
		left = int64(math.Ceil(c.exact * scheduler.AloneSpeed))
	}
	left = (max(0, left) + scheduler.AloneSpeed - 1) / scheduler.AloneSpeed
	return c.work - schedmate.Seconds(left)
}

// book returns the work done and the restart work owed after it.
func (c *count) book() (done, owed schedmate.Seconds) {
	paid := min(c.worked(), c.owed)
	return c.done + c.worked() - paid, c.owed - paid
}
