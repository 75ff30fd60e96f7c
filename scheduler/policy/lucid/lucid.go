package lucid

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/pack"
	"schedmate/scheduler/place"
)

// Options configures the policy.
type Options struct {
	Placement place.Rule `json:"placement"` // of jobs that get free GPUs

	// Pack lets jobs share GPUs by the Rules; without it each has its own.
	Pack  bool       `json:"pack"`
	Rules pack.Rules `json:"rules"`
	// Longer is how many times the estimated GPU time of its mate a newcomer's may
	// be; 0: any, and nobody needs an estimate.
	Longer int `json:"longer"`
	// PackFirst looks for a mate before it looks for free GPUs.
	PackFirst bool `json:"pack_first"`
	// GuestsStay is a slip of the artifact: a job that was packed onto another one is
	// joined by nobody, even when it has its GPUs to itself.
	GuestsStay bool `json:"guests_stay"`

	Undo  pack.UndoOptions `json:"undo"`  // when a pair is taken apart
	Prior pack.Prior       `json:"prior"` // how much must be seen before a forecast of speeds

	Profiler Profiler `json:"profiler"`
	Forecast Forecast `json:"forecast"`
}

// Profiler is the part of the cluster where jobs are measured before they queue.
type Profiler struct {
	Nodes    int               `json:"nodes"`     // the last ones; 0: no job is profiled
	MostGPUs int               `json:"most_gpus"` // larger jobs are not profiled
	Window   schedmate.Seconds `json:"window_s"`  // how long; who has waited as long for a profile goes on without
}

// Forecast switches packing off while few jobs come. Then a job that does not
// fit blocks those behind it.
type Forecast struct {
	Least int `json:"least"` // packing needs more submissions than this in ten minutes; 0: it is always on
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	prior := pack.Prior{Weight: 4, LeastClass: 8}
	return scheduler.Describe("lucid", "least estimated GPU time first; small jobs are profiled, light ones share GPUs", build,
		scheduler.TypedPreset[Options]{
			Name: scheduler.DefaultPreset,
			Options: Options{
				Placement: place.ConsolidatedRule, Pack: true, Rules: pack.LucidRules(), Longer: 2,
				Undo: pack.Sequential(), Prior: prior,
				Profiler: Profiler{Nodes: 1, MostGPUs: 8, Window: 100}, // of SchedMate's physical run; whoever may be packed
			},
			World: scheduler.World{Estimates: scheduler.TraceEstimate, RestartCost: scheduler.TypicalRestartCost()},
		},
		scheduler.TypedPreset[Options]{
			Name: "paper",
			Options: Options{
				Placement: place.ConsolidatedRule, Pack: true, Rules: pack.LucidRules(), Longer: 2, PackFirst: true,
				Undo: pack.Never(), Prior: prior,
				Profiler: Profiler{Nodes: 2, MostGPUs: 4, Window: 80}, Forecast: Forecast{Least: 2},
			},
			World: scheduler.World{Estimates: scheduler.TraceEstimate},
		},
		scheduler.TypedPreset[Options]{
			Name: "lucid",
			Options: Options{
				Placement: place.LucidRule, Pack: true, Rules: pack.LucidRules(), Longer: 2, PackFirst: true, GuestsStay: true,
				Undo: pack.Never(), Prior: prior,
			},
			World: World(),
		},
	)
}

// World is what the Lucid artifact's simulator does around Lucid, with its
// settings for Philly.
func World() scheduler.World {
	return scheduler.World{
		EndLag:    1,
		Estimates: scheduler.TraceEstimate,
		Sharing:   scheduler.Sharing{Unaffected: []string{"NeuMF", "ResNet50", "BERT", "Transformer"}, Binary64: true, GuestKeeps: true},
		Profiler:  &scheduler.FreeProfiler{Nodes: 2, MostGPUs: 4, Window: 80},
	}
}

// mostLonger keeps the product with any GPU time within 64 bits.
const mostLonger = 1000

type policy struct {
	Options
	find place.Func
	held bool              // orders by how long jobs are expected to hold their GPUs
	hear schedmate.Seconds // how long a newcomer's profile waits for advice
}

func build(o Options) (scheduler.Policy, error) {
	find, err := o.Placement.Func()
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		err  error
	}{{"rules", o.Rules.Validate()}, {"undo", o.Undo.Validate()}, {"prior", o.Prior.Validate()}} {
		if part.err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, part.err)
		}
	}
	switch {
	case o.Longer < 0 || o.Longer > mostLonger:
		return nil, fmt.Errorf("longer must lie in [0, %d], got %d", mostLonger, o.Longer)
	case o.Profiler.Nodes < 0 || o.Profiler.MostGPUs < 0:
		return nil, fmt.Errorf("profiler: nodes and most_gpus must not be negative, got %d and %d", o.Profiler.Nodes, o.Profiler.MostGPUs)
	case o.Profiler.Nodes > 0 && (o.Profiler.Window < 1 || o.Profiler.Window > schedmate.MaxSeconds):
		return nil, fmt.Errorf("profiler: window_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Profiler.Window)
	case o.Forecast.Least < 0 || o.Forecast.Least > 1<<32:
		return nil, fmt.Errorf("forecast: least must lie in [0, %d], got %d", 1<<32, o.Forecast.Least)
	}
	return &policy{Options: o, find: find}, nil
}

func (p *policy) Name() string { return "lucid" }

// Rank is the estimated GPU time. A job without an estimate comes after those
// with one, in order of submission.
func (p *policy) Rank(j *schedmate.JobStatus, now schedmate.Seconds) scheduler.Rank {
	f := j.Fact(schedmate.RunSeconds, now)
	if p.held {
		if held := j.Fact(schedmate.OccupancySeconds, now); held != nil {
			f = held
		}
	}
	if f == nil {
		return scheduler.Rank{Key: scheduler.Unknown, Tie: int64(j.Job.Submit)}
	}
	return scheduler.Rank{Key: f.Value * int64(j.Job.GPUs), Tie: int64(j.Job.Submit)}
}

func estimated(r scheduler.Rank) bool { return r.Key != scheduler.Unknown }
