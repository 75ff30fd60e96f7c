package scheduler

import (
	"errors"
	"fmt"

	"schedmate"
	"schedmate/scheduler/profile"
)

// World is what a host does around a policy: when it asks, what a preemption
// costs, and what it tells about run times. A simulator obeys it; a live
// cluster has its own.
//
// Invariant: 0 <= Tick, EndLag, PreemptionWait, Checkpoint <= MaxSeconds; RestartCost steps
// have increasing UpToGPUs > 0, the last one 0 (any size), and costs >= 0;
// Estimates is known; 0 <= Cycle <= MaxSeconds, and with it EndLag, OmitRestarts
// and ForgiveUnpaid are not set; Rounds is nil or valid, and with it Tick, EndLag,
// Checkpoint, PreemptionWait, ForgiveUnpaid, OmitRestarts and Cycle are not set;
// Elastic needs Rounds; Sharing and Profiler are valid; Profiling is nil or valid, and
// with it Rounds, Profiler, Advice and Handler are not set and Estimates is not "none".
type World struct {
	// Tick makes decisions only at multiples of this many seconds; 0: at every event.
	Tick schedmate.Seconds `json:"tick_s" yaml:"tick_s"`
	// EndLag delays every end by this much after the work is done.
	EndLag schedmate.Seconds `json:"end_lag_s" yaml:"end_lag_s"`
	// RestartCost is the extra work that a job owes each time it loses its GPUs
	// before its end, by gang size. What it still owed before is owed on top,
	// unless ForgiveUnpaid.
	RestartCost []CostStep `json:"restart_cost,omitempty" yaml:"restart_cost,omitempty"`
	// ForgiveUnpaid makes a preempted job owe the cost of its latest preemption
	// alone: restart work that it has not done until then is forgotten.
	ForgiveUnpaid bool `json:"forgive_unpaid,omitempty" yaml:"forgive_unpaid,omitempty"`
	// OmitRestarts makes a host report the end of a job as submission + waits +
	// work, as if restart work, which holds its GPUs like other work, took no time.
	OmitRestarts bool `json:"omit_restarts,omitempty" yaml:"omit_restarts,omitempty"`
	// PreemptionWait is added to the reported waits of a job each time it is
	// preempted.
	PreemptionWait schedmate.Seconds `json:"preemption_wait_s,omitempty" yaml:"preemption_wait_s,omitempty"`
	// Cycle, if set, is how often the host counts how long jobs have waited. Then
	// RestartCost is owed at starts, the first one too, and not at preemptions. A
	// start between two counts is free, and the job counts as running since the
	// last one; a job that starts under a lease counts as running a Cycle longer
	// than it does, as its waiting until now has not been counted. What it is
	// thereby ahead it has gained for nothing: it may even be reported to end
	// before it has started.
	Cycle schedmate.Seconds `json:"cycle_s,omitempty" yaml:"cycle_s,omitempty"`
	// Checkpoint is the interval between periodic checkpoints of a running job.
	// A job that loses its node falls back to the last one; 0: to the beginning
	// of its current attempt. A preemption checkpoints first and loses nothing.
	Checkpoint schedmate.Seconds `json:"checkpoint_s" yaml:"checkpoint_s"`
	// Estimates says which run time a policy is told.
	Estimates Estimates `json:"estimates" yaml:"estimates"`
	// Advice says whether policies hear what an advisor says about jobs, from the
	// instant on at which it does.
	Advice Advice `json:"advice,omitempty" yaml:"advice,omitempty"`
	// Handler has failures looked at by a failure handler instead of people: how
	// soon a job that failed queues again, and which do so in vain.
	Handler bool `json:"handler,omitempty" yaml:"handler,omitempty"`
	// Rounds, if set, makes the host work in rounds instead of at every event.
	Rounds *Rounds `json:"rounds,omitempty" yaml:"rounds,omitempty"`
	// Elastic lets jobs of which the trace knows the speeds run on any of their
	// sizes, at the speed of each, and adaptive jobs tune themselves to any gang,
	// each paying its own delay at every start. Without it every job is a block of its run
	// time on the gang it asked for.
	Elastic bool `json:"elastic,omitempty" yaml:"elastic,omitempty"`
	// Profiling, if set, keeps every job that nobody knows the run time of from the
	// policy until it has been measured, on nodes that are taken from the cluster, the
	// last ones first. With estimates "truth" that is every job. A job whose work is
	// done within its first measurement ends there; what others do there is lost.
	Profiling *profile.Options `json:"profiling,omitempty" yaml:"profiling,omitempty"`
	// Sharing says how the work of jobs that share GPUs is counted. A host in rounds
	// or in cycles has no shared GPUs.
	Sharing Sharing `json:"sharing,omitzero" yaml:"sharing,omitempty"`
	// Profiler, if set, is a profiler that costs the jobs nothing.
	Profiler *FreeProfiler `json:"profiler,omitempty" yaml:"profiler,omitempty"`
}

// CostStep is the cost for gangs of up to UpToGPUs; 0 means any size.
type CostStep struct {
	UpToGPUs int               `json:"up_to_gpus" yaml:"up_to_gpus"`
	Cost     schedmate.Seconds `json:"cost_s" yaml:"cost_s"`
}

// Estimates says where a simulated policy's run-time fact comes from.
type Estimates string

const (
	TrueRunTime   Estimates = "truth" // what the job will really run, its time limit included: an upper bound of what knowledge can bring
	TraceEstimate Estimates = "trace" // the estimate stored in the trace; jobs without one have no fact
	NoEstimates   Estimates = "none"
)

// Advice says what becomes of an advisor's facts where others of their kind are
// known already.
type Advice string

const (
	NoAdvice Advice = "" // there is no advisor
	// AdviceReplaces: what an advisor says stands for what was known.
	AdviceReplaces Advice = "replaces"
	// AdviceIfSurer: it does if its interval of the run time is the narrower one, by
	// the ratio of its ends. Else what was said of run time and occupancy is dropped.
	AdviceIfSurer Advice = "if_surer"
)

// Restart returns the cost a gang of that size owes after a preemption.
func (w *World) Restart(gpus int) schedmate.Seconds {
	for _, step := range w.RestartCost {
		if step.UpToGPUs == 0 || gpus <= step.UpToGPUs {
			return step.Cost
		}
	}
	return 0
}

// Validate checks the invariant of World.
func (w *World) Validate() error {
	for _, f := range []struct {
		name  string
		value schedmate.Seconds
	}{{"tick_s", w.Tick}, {"end_lag_s", w.EndLag}, {"preemption_wait_s", w.PreemptionWait}, {"checkpoint_s", w.Checkpoint}, {"cycle_s", w.Cycle}} {
		if f.value < 0 || f.value > schedmate.MaxSeconds {
			return fmt.Errorf("%s must lie in [0, %d], got %d", f.name, schedmate.MaxSeconds, f.value)
		}
	}
	size := 0
	for i, step := range w.RestartCost {
		last := i == len(w.RestartCost)-1
		switch {
		case step.Cost < 0 || step.Cost > schedmate.MaxSeconds:
			return fmt.Errorf("restart_cost[%d].cost_s must lie in [0, %d], got %d", i, schedmate.MaxSeconds, step.Cost)
		case last != (step.UpToGPUs == 0):
			return fmt.Errorf("restart_cost[%d].up_to_gpus: only the last step covers every size (0), got %d", i, step.UpToGPUs)
		case !last && step.UpToGPUs <= size:
			return fmt.Errorf("restart_cost[%d].up_to_gpus must be positive and increase, got %d", i, step.UpToGPUs)
		}
		size = step.UpToGPUs
	}
	if w.Cycle > 0 && (w.EndLag != 0 || w.OmitRestarts || w.ForgiveUnpaid) {
		return errors.New("cycle_s says itself when restarts are owed: leave out end_lag_s, omit_restarts and forgive_unpaid")
	}
	for _, err := range []error{w.validateRounds(), w.Sharing.validate(), w.Profiler.validate()} {
		if err != nil {
			return err
		}
	}
	switch w.Advice {
	case NoAdvice, AdviceReplaces, AdviceIfSurer:
	default:
		return fmt.Errorf("advice: unknown %q: use replaces or if_surer, or leave it out", w.Advice)
	}
	if w.Profiling != nil {
		if err := w.Profiling.Validate(); err != nil {
			return fmt.Errorf("profiling.%w", err)
		}
		if w.Rounds != nil || w.Profiler != nil || w.Advice != NoAdvice || w.Handler || w.Estimates == NoEstimates {
			return errors.New("profiling cannot stand beside rounds, profiler, advice and handler, nor where policies are told no estimates")
		}
	}
	switch w.Estimates {
	case TrueRunTime, TraceEstimate, NoEstimates:
		return nil
	}
	return fmt.Errorf("unknown estimates %q: use truth, trace or none", w.Estimates)
}

// TypicalRestart is the mean cost of a preemption that Tiresias measured on its
// testbed (NSDI'19, section 5.2.4: 13,724 s for 221 preemptions, 62 s each).
const TypicalRestart schedmate.Seconds = 62

// TypicalRestartCost charges TypicalRestart whatever the gang's size.
func TypicalRestartCost() []CostStep { return []CostStep{{Cost: TypicalRestart}} }

// TitanWorld is what the simulator of the TitanSched artifact does: decisions
// every 60 s, restarts of 18 s (1 GPU), 22 (2), 29 (up to 7), 46 (8) and 46 for
// every 8 GPUs above, written for the multiples of 4 that jobs ask for. The end
// that it reports leaves the restarts out.
func TitanWorld(e Estimates) World {
	w := World{
		Tick:          60,
		RestartCost:   []CostStep{{UpToGPUs: 1, Cost: 18}, {UpToGPUs: 2, Cost: 22}, {UpToGPUs: 7, Cost: 29}, {UpToGPUs: 8, Cost: 46}},
		ForgiveUnpaid: true,
		OmitRestarts:  true,
		Estimates:     e,
	}
	for gpus := 12; gpus <= 128; gpus += 4 {
		w.RestartCost = append(w.RestartCost, CostStep{UpToGPUs: gpus, Cost: schedmate.Seconds(46 * gpus / 8)})
	}
	w.RestartCost[len(w.RestartCost)-1].UpToGPUs = 0
	return w
}
