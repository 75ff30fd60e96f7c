package sim

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
)

// Pairs are measured speeds of jobs that share their GPUs, by what they train.
// A pair can be measured in both orders; the one in which the job that came
// later is First is asked first.
type Pairs map[Pair]PairSpeeds

// Pair is two workloads on one set of GPUs.
type Pair struct{ First, Second schedmate.Workload }

// PairSpeeds are relative to running alone, in thousandths. More than 1000 is
// nothing to wonder at: two measurements differ.
type PairSpeeds struct{ First, Second int }

func (p Pairs) validate() error {
	for pair, s := range p { //schedmate:ordered any wrong row is reported, whichever comes first
		if s.First < 1 || s.Second < 1 || s.First > scheduler.MaxSpeed || s.Second > scheduler.MaxSpeed {
			return fmt.Errorf("pairs: %s beside %s: speeds must lie in [1, %d], got %d and %d", pair.First.Model, pair.Second.Model, scheduler.MaxSpeed, s.First, s.Second)
		}
	}
	return nil
}

// Beside returns the speeds of a job and of the one that was there before it.
func (p Pairs) Beside(newcomer, host schedmate.Workload) (n, h int, ok bool) {
	if s, ok := p[Pair{newcomer, host}]; ok {
		return s.First, s.Second, true
	}
	s, ok := p[Pair{host, newcomer}]
	return s.Second, s.First, ok
}

// Pack is two jobs that shared GPUs.
//
// Invariant: Host started before Guest; At < Until unless both are over at once;
// speeds are in thousandths and hold while no third job comes.
type Pack struct {
	Host, Guest           string
	At, Until             schedmate.Seconds
	HostSpeed, GuestSpeed int
	Measured              bool // the speeds

	Expected *schedmate.Packed // by the policy; nil: it has not said
	Undo     *schedmate.Undo   // nil: it was not taken apart
	Lost     schedmate.Seconds // work of the guest that had to be done again
}

// Gained is what the two have done together beyond what one of them would have done
// alone on the same GPUs, in milliseconds of one GPU; below 0 if they have done less.
// It is 0 while they still share, and with a third job it is what they would have
// done without him.
func (p *Pack) Gained(gpus int) int64 {
	if p.Until == NoTime {
		return 0
	}
	return int64(gpus) * int64(p.Until-p.At) * int64(p.HostSpeed+p.GuestSpeed-scheduler.AloneSpeed)
}
