package pack

import (
	"fmt"
	"slices"
)

// Test decides from step times before and after a change whether a job has
// become slower than is tolerated. It may be asked after every step, as often as
// one likes.
//
// The null hypothesis is that a step time after the change, divided by Tolerated,
// is no longer (stochastically) than one before, the readings being independent.
// Nothing is assumed about how they scatter: a tracker that errs by a tenth, or
// by a factor of two once in a while, errs alike before and after. Then the
// probability that the test EVER says slower is at most one in OneIn.
//
// The test bets (Ville's inequality). A limit stands between the steps before,
// such that an eighth of them lies above. Of n steps with r below or at the limit
// the chance p that a further one lies above is distributed as Beta(n-r+1, r),
// whatever the scatter. So the likelihood of what came after, of s steps above and
// f below, is known under the null, and
//
//	evidence = E[q^s (1-q)^f], q ~ Beta(19, 1)  /  E[p^s (1-p)^f], p ~ Beta(n-r+1, r)
//
// is a nonnegative martingale that begins at 1. Where jobs are faster than the
// null allows, s is smaller, and the evidence grows with s, so the bound holds for
// all of the null.
//
// All arithmetic is products and quotients of small integers in binary64, one
// rounding each, so that the outcome is the same on every machine.
//
// Invariant: Tolerated >= 1000; OneIn >= 2; Least >= 2.
type Test struct {
	Tolerated int // slowdown that is no reason to act, in thousandths
	OneIn     int // at most one of so many jobs that are not slower is called slower
	Least     int // steps before the change, without which nothing is said
}

// belief in the alternative: steps above the limit and below, as if seen.
const (
	beliefAbove = 19
	beliefBelow = 1
)

// Finding is what a test says.
//
// Invariant: Slower only with Known; Ratio is 0 without Known.
type Finding struct {
	Known  bool // there were enough steps before, and any after
	Slower bool
	Steps  int // after the change, up to and with the one that decided
	Ratio  int // median after / median before, in thousandths, over Steps
}

// Judge tests step times, in any one unit, the oldest first.
func (t Test) Judge(before, after []int64) Finding {
	n := len(before)
	if n < t.Least || len(after) == 0 {
		return Finding{}
	}
	sorted := slices.Sorted(slices.Values(before))
	r := n - n/8
	limit := sorted[r-1]
	evidence, goal := 1.0, float64(t.OneIn)
	above, below := 0, 0
	for k, x := range after {
		seen := above + below
		// x / Tolerated > limit, in whole numbers
		if x > limit/1000*int64(t.Tolerated)+limit%1000*int64(t.Tolerated)/1000 {
			evidence *= quotient(beliefAbove+above, beliefAbove+beliefBelow+seen, n-r+1+above, n+1+seen)
			above++
		} else {
			evidence *= quotient(beliefBelow+below, beliefAbove+beliefBelow+seen, r+below, n+1+seen)
			below++
		}
		if evidence >= goal {
			return Finding{Known: true, Slower: true, Steps: k + 1, Ratio: ratio(sorted, after[:k+1])}
		}
	}
	return Finding{Known: true, Steps: len(after), Ratio: ratio(sorted, after)}
}

// quotient returns (a/b) / (c/d).
func quotient(a, b, c, d int) float64 { return float64(a*d) / float64(b*c) }

// ratio returns the median of after over that of the sorted before.
func ratio(before, after []int64) int {
	b, a := median(before), median(slices.Sorted(slices.Values(after)))
	if b == 0 {
		return 0
	}
	return int((a*1000 + b/2) / b)
}

func median(sorted []int64) int64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func (t Test) validate() error {
	switch {
	case t.Tolerated < 1000 || t.Tolerated > MaxSlowdown:
		return fmt.Errorf("the tolerated slowdown must lie in [1000, %d] thousandths, got %d", MaxSlowdown, t.Tolerated)
	case t.OneIn < 2 || t.OneIn > 1_000_000_000:
		return fmt.Errorf("one_in must lie in [2, 1000000000], got %d", t.OneIn)
	case t.Least < 2:
		return fmt.Errorf("least_before must be at least 2, got %d", t.Least)
	}
	return nil
}

// MaxSlowdown bounds slowdowns, in thousandths.
const MaxSlowdown = 1_000_000

// FixedRatio is the rule of the SchedMate paper: once Steps steps have been logged
// beside the newcomer, throughput after / before below Threshold, of the means,
// is a reason to act (0.5 in its physical run; "some tens of steps"). It has no
// rate of false alarms: at a true ratio near the threshold it is a coin.
type FixedRatio struct {
	Threshold int // thousandths of the throughput before
	Steps     int
}

// Judge compares the mean step times, in any one unit, once there are enough.
func (f FixedRatio) Judge(before, after []int64) Finding {
	if len(before) == 0 || len(after) < f.Steps {
		return Finding{}
	}
	after = after[:f.Steps]
	b, a := mean(before), mean(after)
	if a == 0 || b == 0 {
		return Finding{}
	}
	return Finding{
		Known: true, Steps: f.Steps, Ratio: int(a * 1000 / b),
		Slower: b*1000 < int64(f.Threshold)*a, // throughput is the inverse of step time
	}
}

func mean(list []int64) int64 {
	var sum int64
	for _, x := range list {
		sum += x
	}
	return sum / int64(len(list))
}
