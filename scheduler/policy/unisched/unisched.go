package unisched

import (
	"errors"
	"fmt"

	"schedmate"
	"schedmate/scheduler"
)

// Options configures the policy.
//
// Invariant: see Validate; presets satisfy it.
type Options struct {
	// Selector says whether jobs with deadlines and others are chosen together.
	Selector Selector `json:"selector"`
	// Lease is the lease of a job with a deadline, Spot that of all others; it
	// divides Lease.
	Lease schedmate.Seconds `json:"lease_s"`
	Spot  schedmate.Seconds `json:"spot_lease_s"`
	// Horizon is how many leases ahead are planned one by one. What is due later
	// must do what is left by then in the leases behind it.
	Horizon int `json:"horizon_leases"`
	// Steps bounds a round of the program, unless the host gives a budget. A round
	// that needs more falls back to what was chosen before, where that is worth more.
	Steps int64 `json:"solver_steps"`

	// Cells lets a gang of up to 16 GPUs lie in any combination of aligned cells,
	// where the cluster lets gangs spread. Without it a gang is planned with 1, 2, 4
	// or a multiple of 8 GPUs, and placed on the fewest nodes.
	Cells bool `json:"cells"`
	// Resume is what a resumption is planned to cost, by gang size.
	Resume []scheduler.CostStep `json:"resume_cost"`
	// DeadlineReward is what meeting a first deadline is worth, where ending a
	// best-effort job is worth 1. Later tiers are worth their share of it.
	DeadlineReward int `json:"deadline_reward"`
	// Estimates says which end of an estimate jobs with a strict deadline are
	// planned by.
	Estimates End `json:"estimates"`

	Profiling Profiling `json:"profiling"`
	Rules     Rules     `json:"rules"`
}

// Selector says how jobs are chosen.
type Selector string

const (
	Joint Selector = "joint" // one program for all
	Apart Selector = "apart" // deadlines first, the others on what that leaves
)

// End is an end of the interval of an estimate.
type End string

const (
	Value End = "value"
	Upper End = "upper"
)

// Profiling says who is measured before it may run, and on which GPUs.
type Profiling struct {
	Mode   Mode              `json:"mode"`
	GPUs   int               `json:"gpus"`     // set aside by fixed, and the most that dynamic sets aside
	Window schedmate.Seconds `json:"window_s"` // of one measurement; a multiple of the spot lease
}

// Mode is a way to profile.
type Mode string

const (
	NoProfiling Mode = "off"     // estimates come from elsewhere: history, source code
	Fixed       Mode = "fixed"   // so many GPUs are set aside for it, always
	Dynamic     Mode = "dynamic" // as many are set aside as wait for it
	Unified     Mode = "unified" // a profiling run competes with all others, with its reward
)

// Rules are what the paper leaves open, or we do otherwise.
type Rules struct {
	// Order is how jobs without a lease rank.
	Order Order `json:"order"`
	// Calendar says which of the calendars that keep the chosen deadlines is
	// carried out.
	Calendar Calendar `json:"calendar"`
	// ReserveMilli is the share of every slot that the program does not plan with, in
	// thousandths: room for who comes later. It never plans with less than the largest
	// gang that has a deadline.
	ReserveMilli int `json:"reserve_milli"`
	// AnyTime lets free GPUs go to whoever waits at once, and lets a newcomer that
	// cannot wait for the next lease begin. Otherwise all wait for a boundary.
	AnyTime bool `json:"any_time"`
	// Margin is what a job that gives way must have left beyond the newcomer.
	Margin schedmate.Seconds `json:"margin_s"`
	// SlackMilli delays jobs with a deadline that need no lease now: they rank in
	// Spot as if they had so many thousandths of what is left more to do.
	SlackMilli int `json:"slack_milli"`
	// Keep makes a deadline that has been promised binding for later rounds.
	Keep bool `json:"keep"`
}

// Order is what jobs without a lease are ranked by, the least first.
type Order string

const (
	ByReward Order = "reward" // GPU time that is left: most reward for a GPU
	ByTime   Order = "time"   // time that is left
)

// Calendar says when the leases of a chosen deadline are held.
type Calendar string

const (
	Early Calendar = "early" // least slack first, as many as fit now
	Late  Calendar = "late"  // as late as all can: what is free now goes to the shortest
)

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("unisched", "plans deadlines, best effort and profiling together, in leases and cells", build,
		scheduler.TypedPreset[Options]{Name: scheduler.DefaultPreset, Options: ours(), World: World()},
		scheduler.TypedPreset[Options]{Name: "paper", Options: paper(), World: World()},
	)
}

// World tells policies the true run times, and charges what UniSched's authors
// measured for every resumption.
func World() scheduler.World {
	return scheduler.World{Estimates: scheduler.TrueRunTime, RestartCost: Measured()}
}

// Measured is what suspending and resuming a gang costs in the simulator of
// UniSched's authors, after measurements of theirs: 18 s for one GPU, 22 for two,
// 29 up to seven, 46 for eight and for every eight GPUs beyond, in proportion; here
// in steps, of which each costs what its largest gang does.
func Measured() []scheduler.CostStep {
	steps := []scheduler.CostStep{{UpToGPUs: 1, Cost: 18}, {UpToGPUs: 2, Cost: 22}, {UpToGPUs: 7, Cost: 29}}
	for _, gpus := range []int{8, 12, 16, 24, 32, 64, 128} {
		steps = append(steps, scheduler.CostStep{UpToGPUs: gpus, Cost: schedmate.Seconds(46 * gpus / 8)})
	}
	steps[len(steps)-1].UpToGPUs = 0 // and any beyond
	return steps
}

// paper is what the paper says.
func paper() Options {
	return Options{
		Selector: Joint, Lease: 600, Spot: 300, Horizon: 144, Steps: 400,
		Cells: true, Resume: Measured(), DeadlineReward: 100, Estimates: Value,
		Profiling: Profiling{Mode: Unified, Window: 300},
		Rules:     Rules{Order: ByReward, Calendar: Early},
	}
}

// ours differs from the paper where that serves both kinds of jobs better.
func ours() Options {
	o := paper()
	o.Estimates = Upper
	o.Profiling.Mode = NoProfiling
	o.Rules = Rules{Order: ByReward, Calendar: Late, ReserveMilli: 600, AnyTime: true, Margin: 2 * scheduler.TypicalRestart, Keep: true}
	return o
}

func build(o Options) (scheduler.Policy, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &planner{o}, nil
}

// Bounds that keep sums far from overflow.
const (
	mostHorizon = 2016 // two weeks in leases of ten minutes
	mostReward  = 10000
	mostWindow  = 86400
)

// Validate checks the invariant of Options.
func (o *Options) Validate() error {
	p, r := &o.Profiling, &o.Rules
	switch {
	case o.Selector != Joint && o.Selector != Apart:
		return fmt.Errorf("selector: unknown %q: use %s or %s", o.Selector, Joint, Apart)
	case o.Spot < 1 || o.Spot > schedmate.MaxSeconds:
		return fmt.Errorf("spot_lease_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Spot)
	case o.Lease < 1 || o.Lease > schedmate.MaxSeconds || o.Lease%o.Spot != 0 || o.Lease/o.Spot > 16:
		return fmt.Errorf("lease_s must be one to sixteen times spot_lease_s, got %d", o.Lease)
	case o.Horizon < 1 || o.Horizon > mostHorizon:
		return fmt.Errorf("horizon_leases must lie in [1, %d], got %d", mostHorizon, o.Horizon)
	case o.Steps < 0:
		return fmt.Errorf("solver_steps must not be negative, got %d", o.Steps)
	case o.DeadlineReward < 1 || o.DeadlineReward > mostReward:
		return fmt.Errorf("deadline_reward must lie in [1, %d], got %d", mostReward, o.DeadlineReward)
	case o.Estimates != Value && o.Estimates != Upper:
		return fmt.Errorf("estimates: unknown %q: use %s or %s", o.Estimates, Value, Upper)
	case p.Mode != NoProfiling && p.Mode != Fixed && p.Mode != Dynamic && p.Mode != Unified:
		return fmt.Errorf("profiling.mode: unknown %q: use %s, %s, %s or %s", p.Mode, NoProfiling, Fixed, Dynamic, Unified)
	case (p.Mode == Fixed || p.Mode == Dynamic) && p.GPUs < 1:
		return fmt.Errorf("profiling.gpus: %s profiling needs some, got %d", p.Mode, p.GPUs)
	case p.GPUs < 0 || p.GPUs > schedmate.MaxGangGPUs:
		return fmt.Errorf("profiling.gpus must lie in [0, %d], got %d", schedmate.MaxGangGPUs, p.GPUs)
	case p.Mode != NoProfiling && (p.Window < 1 || p.Window > mostWindow || p.Window%o.Spot != 0):
		return fmt.Errorf("profiling.window_s must be a multiple of spot_lease_s up to %d, got %d", mostWindow, p.Window)
	case r.Order != ByReward && r.Order != ByTime:
		return fmt.Errorf("rules.order: unknown %q: use %s or %s", r.Order, ByReward, ByTime)
	case r.Calendar != Early && r.Calendar != Late:
		return fmt.Errorf("rules.calendar: unknown %q: use %s or %s", r.Calendar, Early, Late)
	case r.ReserveMilli < 0 || r.ReserveMilli > 1000:
		return fmt.Errorf("rules.reserve_milli must lie in [0, 1000], got %d", r.ReserveMilli)
	case r.Margin < 0 || r.Margin > schedmate.MaxSeconds:
		return fmt.Errorf("rules.margin_s must lie in [0, %d], got %d", schedmate.MaxSeconds, r.Margin)
	case r.SlackMilli < 0 || r.SlackMilli > 1000000:
		return errors.New("rules.slack_milli must lie in [0, 1000000]")
	}
	world := scheduler.World{RestartCost: o.Resume, Estimates: scheduler.TrueRunTime}
	if err := world.Validate(); err != nil {
		return fmt.Errorf("resume_cost, read as %w", err)
	}
	return nil
}

// resume is what a resumption of the gang is planned to cost.
func (o *Options) resume(gpus int) schedmate.Seconds {
	w := scheduler.World{RestartCost: o.Resume}
	return w.Restart(gpus)
}
