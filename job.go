package schedmate

import (
	"slices"
	"strconv"
)

// Job is what a user asks for. It never changes after submission; what happens
// to it lives in [JobStatus] and [Attempt].
//
// Invariant: ID is not empty; 1 <= GPUs <= MaxGangGPUs; Sizes increase and lie
// in the same range; 0 <= Submit, TimeLimit <= MaxSeconds; Iterations >= 0;
// Workload and SLO are valid, and no deadline lies before Submit. Outcome is nil unless the job comes from a trace
// or a history; then it is valid.
type Job struct {
	ID    string `json:"id" yaml:"id"`
	Name  string `json:"name,omitempty" yaml:"name,omitempty"`
	User  string `json:"user,omitempty" yaml:"user,omitempty"`
	Group string `json:"group,omitempty" yaml:"group,omitempty"` // account or project
	VC    string `json:"vc,omitempty" yaml:"vc,omitempty"`

	GPUs    int    `json:"gpus" yaml:"gpus"`                             // gang size: all or nothing
	Sizes   []int  `json:"sizes,omitempty" yaml:"sizes,omitempty"`       // an elastic job runs on any of these gangs; empty: on GPUs alone
	GPUType string `json:"gpu_type,omitempty" yaml:"gpu_type,omitempty"` // empty: any

	Submit     Seconds  `json:"submit_s" yaml:"submit_s"`
	TimeLimit  Seconds  `json:"time_limit_s,omitempty" yaml:"time_limit_s,omitempty"` // kill limit, never an estimate
	Iterations int64    `json:"iterations,omitempty" yaml:"iterations,omitempty"`
	Workload   Workload `json:"workload,omitzero" yaml:"workload,omitempty"`
	SLO        SLO      `json:"slo,omitzero" yaml:"slo,omitempty"`

	Outcome *Outcome `json:"outcome,omitempty" yaml:"outcome,omitempty"`
}

// Workload names what a job trains, as far as it is known.
//
// Invariant: BatchSize >= 0, where 0 means unknown.
type Workload struct {
	Model     string `json:"model,omitempty" yaml:"model,omitempty"`
	Dataset   string `json:"dataset,omitempty" yaml:"dataset,omitempty"`
	BatchSize int    `json:"batch_size,omitempty" yaml:"batch_size,omitempty"` // samples an iteration, over the whole gang
	AMP       bool   `json:"amp,omitempty" yaml:"amp,omitempty"`               // automatic mixed precision
}

// Outcome is the truth about a job that has ended: it belongs to traces and
// histories, and no Snapshot may carry it (a policy must not see the future).
//
// Invariant: 0 <= Run <= MaxSeconds; State is terminal; Failure is a declared
// class or empty.
type Outcome struct {
	Run     Seconds      `json:"run_s" yaml:"run_s"` // work on the requested gang, without restarts
	State   State        `json:"state" yaml:"state"`
	Failure FailureClass `json:"failure,omitempty" yaml:"failure,omitempty"`
}

// State is where a job is in its life.
//
//	waiting -> running -> completed | failed | cancelled | timed_out
//	   ^          |
//	   +----------+  preempted, or its node went down
//	waiting -> infeasible   no placement exists on the whole, healthy cluster
type State string

const (
	Waiting    State = "waiting"
	Running    State = "running"
	Completed  State = "completed"
	Failed     State = "failed"
	Cancelled  State = "cancelled"
	TimedOut   State = "timed_out"
	Infeasible State = "infeasible"
)

// Terminal reports whether a job in this state is over.
func (s State) Terminal() bool {
	return slices.Contains([]State{Completed, Failed, Cancelled, TimedOut, Infeasible}, s)
}

// FailureClass says who must act on a failure.
type FailureClass string

const (
	NoFailure             FailureClass = ""
	InfrastructureFailure FailureClass = "infrastructure"
	FrameworkFailure      FailureClass = "framework"
	UserFailure           FailureClass = "user"
)

// Known tells whether the class is one of them, NoFailure included.
func (c FailureClass) Known() bool {
	switch c {
	case NoFailure, InfrastructureFailure, FrameworkFailure, UserFailure:
		return true
	}
	return false
}

// Runs reports whether the job can run on a gang of that size.
func (j *Job) Runs(gpus int) bool {
	if len(j.Sizes) == 0 {
		return gpus == j.GPUs
	}
	_, ok := slices.BinarySearch(j.Sizes, gpus)
	return ok
}

// Validate checks the invariant of Job.
func (j *Job) Validate(path string) error {
	switch {
	case j.ID == "":
		return fieldErr(path+".id", "must not be empty")
	case j.GPUs < 1 || j.GPUs > MaxGangGPUs:
		return fieldErr(path+".gpus", "must lie in [1, %d], got %d", MaxGangGPUs, j.GPUs)
	case j.Iterations < 0:
		return fieldErr(path+".iterations", "must not be negative, got %d", j.Iterations)
	case j.Workload.BatchSize < 0:
		return fieldErr(path+".workload.batch_size", "must not be negative, got %d", j.Workload.BatchSize)
	}
	for i, n := range j.Sizes {
		if n < 1 || n > MaxGangGPUs || i > 0 && n <= j.Sizes[i-1] {
			return fieldErr(index(path+".sizes", i), "sizes must increase and lie in [1, %d], got %d", MaxGangGPUs, n)
		}
	}
	if err := first(
		checkText(path, ".id", j.ID),
		checkText(path, ".name", j.Name),
		checkText(path, ".user", j.User),
		checkText(path, ".group", j.Group),
		checkText(path, ".vc", j.VC),
		checkText(path, ".gpu_type", j.GPUType),
		checkText(path, ".workload.model", j.Workload.Model),
		checkText(path, ".workload.dataset", j.Workload.Dataset),
		checkTime(path, ".submit_s", j.Submit, 0),
		checkTime(path, ".time_limit_s", j.TimeLimit, 0),
		j.SLO.validate(path, j.Submit),
	); err != nil {
		return err
	}
	if j.Outcome != nil {
		return j.Outcome.validate(path + ".outcome")
	}
	return nil
}

func (o *Outcome) validate(path string) error {
	if err := checkTime(path, ".run_s", o.Run, 0); err != nil {
		return err
	}
	if !o.State.Terminal() {
		return fieldErr(path+".state", "must be an end state, got %q", o.State)
	}
	if !o.Failure.Known() {
		return fieldErr(path+".failure", "unknown class %q: use infrastructure, framework or user", o.Failure)
	}
	return nil
}

// SLOClass is the kind of promise a user asks for.
type SLOClass string

const (
	BestEffort SLOClass = "best_effort" // no deadline
	Strict     SLOClass = "strict"      // worthless after its one deadline
	Soft       SLOClass = "soft"        // worth less after each deadline
)

// FullReward is the reward of a job that meets its first deadline.
const FullReward = 100

// SLO is a job's service-level objective.
//
// Invariant: best effort (or empty) has no tier, strict exactly one, soft at
// least one; deadlines strictly increase and lie in [Job.Submit, MaxSeconds],
// rewards strictly decrease and lie in [0, FullReward].
type SLO struct {
	Class SLOClass `json:"class,omitempty" yaml:"class,omitempty"`
	Tiers []Tier   `json:"tiers,omitempty" yaml:"tiers,omitempty"`
}

// Tier is one step of the reward: finish by Deadline (an instant), earn Reward.
type Tier struct {
	Deadline Seconds `json:"deadline_s" yaml:"deadline_s"`
	Reward   int     `json:"reward" yaml:"reward"`
}

// IsZero reports whether nothing is asked for. Encoders leave the SLO out then,
// whether its list of tiers is nil or empty.
func (s SLO) IsZero() bool { return s.Class == "" && len(s.Tiers) == 0 }

// HasDeadline reports whether the job is strict or soft.
func (s SLO) HasDeadline() bool { return s.Class == Strict || s.Class == Soft }

// RewardAt returns the reward of a job that ends at the instant end, and 0
// when every tier is missed or there is none.
func (s SLO) RewardAt(end Seconds) int {
	for _, t := range s.Tiers {
		if end <= t.Deadline {
			return t.Reward
		}
	}
	return 0
}

// validate checks the invariant of the SLO of the job at path.
func (s SLO) validate(path string, submit Seconds) error {
	n := len(s.Tiers)
	switch s.Class {
	case "", BestEffort:
		if n != 0 {
			return fieldErr(path+".slo.tiers", "a best-effort job has no deadline, got %d tiers", n)
		}
	case Strict:
		if n != 1 {
			return fieldErr(path+".slo.tiers", "a strict job has exactly one tier, got %d", n)
		}
	case Soft:
		if n < 1 {
			return fieldErr(path+".slo.tiers", "a soft job has at least one tier")
		}
	default:
		return fieldErr(path+".slo.class", "unknown class %q: use best_effort, strict or soft", s.Class)
	}
	for i, t := range s.Tiers {
		at := func(field string) string { return index(path+".slo.tiers", i) + field }
		switch {
		case t.Deadline < submit || t.Deadline > MaxSeconds:
			return checkTime(at(""), ".deadline_s", t.Deadline, submit)
		case t.Reward < 0 || t.Reward > FullReward:
			return fieldErr(at(".reward"), "must lie in [0, %d], got %d", FullReward, t.Reward)
		case i > 0 && s.Tiers[i-1].Deadline >= t.Deadline:
			return fieldErr(at(".deadline_s"), "deadlines must increase: %d follows %d", t.Deadline, s.Tiers[i-1].Deadline)
		case i > 0 && s.Tiers[i-1].Reward <= t.Reward:
			return fieldErr(at(".reward"), "rewards must decrease: %d follows %d", t.Reward, s.Tiers[i-1].Reward)
		}
	}
	return nil
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
