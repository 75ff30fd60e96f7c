package sia

import (
	"fmt"
	"math"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule `json:"placement"`

	Power int `json:"power_milli"` // of a value in the objective, in thousandths; negative: fairness before speed
	Wait  int `json:"wait_milli"`  // what a job costs that gets nothing, in thousandths; its worst configuration costs 1

	// Cents rounds every cost to hundredths, as the artifact does, with 3,000 at
	// most. Many plans are equal then. Otherwise costs are exact to a millionth.
	Cents bool `json:"cents,omitempty"`

	// Believed is what a restart is taken to cost, by model; OtherBelieved stands for
	// models that are not in it. 0 and nothing: what the job has found it to cost.
	Believed      []Restart         `json:"believed,omitempty"`
	OtherBelieved schedmate.Seconds `json:"other_believed_s,omitempty"`

	// YoungMove lets jobs move freely that are younger than a restart costs.
	YoungMove bool `json:"young_move,omitempty"`

	// Generous gives GPUs that bring nothing, where they cost nothing either; the
	// artifact's solver often does. Otherwise the fewest are given.
	Generous bool `json:"generous,omitempty"`

	// Ring lays out every type of GPU anew in each round, from node to node, on a
	// spread cluster without virtual clusters of equal nodes a type, all healthy; on
	// any other, and without it, who keeps his configuration keeps his GPUs.
	Ring bool `json:"ring,omitempty"`
}

// Restart is what a restart of a model is taken to cost.
type Restart struct {
	Model string            `json:"model"`
	Cost  schedmate.Seconds `json:"cost_s"`
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	paper := Options{Placement: place.ConsolidatedRule, Power: -500, Wait: 1100}
	artifact := paper
	artifact.Cents, artifact.YoungMove, artifact.Generous, artifact.Ring = true, true, true, true
	artifact.OtherBelieved = 30
	artifact.Believed = []Restart{{"bert", 120}, {"cifar10", 30}, {"deepspeech2", 25}, {"imagenet", 250}, {"yolov3", 45}}
	world := func(sameShapeFree bool) scheduler.World {
		return scheduler.World{
			Estimates: scheduler.NoEstimates, Elastic: true,
			Rounds: &scheduler.Rounds{Slot: 60, Clock: true, SameShapeFree: sameShapeFree},
		}
	}
	return scheduler.Describe("sia", "goodput of adaptive jobs: type and number of GPUs by an integer program every round", build,
		scheduler.TypedPreset[Options]{Name: scheduler.DefaultPreset, Options: paper, World: world(false)},
		scheduler.TypedPreset[Options]{Name: "paper", Options: paper, World: world(false)},
		scheduler.TypedPreset[Options]{Name: "sia", Options: artifact, World: world(true)},
	)
}

type policy struct {
	Options
	find place.Func
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	switch {
	case err != nil:
		return nil, err
	case o.Power >= 0 || o.Power < -10_000:
		return nil, fmt.Errorf("power_milli must lie in [-10000, -1], got %d", o.Power)
	case o.Wait < 1 || o.Wait > 10_000:
		return nil, fmt.Errorf("wait_milli must lie in [1, 10000], got %d", o.Wait)
	case o.OtherBelieved < 0 || o.OtherBelieved > schedmate.MaxSeconds:
		return nil, fmt.Errorf("other_believed_s must lie in [0, %d], got %d", schedmate.MaxSeconds, o.OtherBelieved)
	}
	for i, b := range o.Believed {
		if b.Cost < 0 || b.Cost > schedmate.MaxSeconds {
			return nil, fmt.Errorf("believed[%d].cost_s must lie in [0, %d], got %d", i, schedmate.MaxSeconds, b.Cost)
		}
	}
	return &policy{o, find}, nil
}

func (p *policy) Name() string { return "sia" }

// Engine is the Engine of the policy's plans.
const Engine = "knapsack"

func (p *policy) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	r := p.open(&s)
	picked := choose(r.capacity, r.options(), effort(b))
	jobs, gpus := r.weights()
	value := r.gained(picked.option)
	bound := max(value, picked.bound/(gpus*jobs)) // without the parts that decide between equals
	plan := schedmate.Plan{Policy: p.Name(), Engine: Engine, BudgetUsed: picked.used, Value: &value, Bound: &bound}
	wants := r.wants(picked.option)
	if p.Ring && ringable(&s) {
		plan.Actions = r.ring(wants)
	} else {
		plan.Actions = r.keep(wants)
	}
	return plan
}

// effort is how many options the search may try.
func effort(b scheduler.Budget) int64 {
	if b.Iterations > 0 {
		return b.Iterations
	}
	return defaultEffort
}

// defaultEffort takes about a second and is reached by no round of the artifact's
// workloads.
const defaultEffort = 20_000_000

// unit is how many parts of the objective's 1 the program counts in: as many as
// leave room for the sum of all gains.
func (r *round) unit() float64 {
	if r.Cents {
		return 100
	}
	jobs, gpus := r.weights()
	room := float64(1<<62) / float64(gpus) / float64(jobs) / float64(jobs) / float64(r.Wait+1000) * 1000
	unit := 1e6
	for unit > 100 && unit > room {
		unit /= 10
	}
	return unit
}

// gain is what an option of that value brings over waiting.
func (r *round) gain(value float64) int64 {
	cost, unit := math.Min(math.Pow(value, float64(r.Power)/1000), 3000), r.unit()
	return int64(math.RoundToEven(float64(r.Wait)/1000*unit)) - int64(math.RoundToEven(cost*unit))
}
