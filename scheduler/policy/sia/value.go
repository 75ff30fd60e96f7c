package sia

import (
	"math"

	"schedmate"
	"schedmate/scheduler/goodput"
)

// worthless stands for a configuration that brings nothing, so that it has a
// finite cost.
const worthless = 0.0001

// value fills in what each configuration of the job brings. Values are rounded
// to 32 bits at every step, as the artifact has them.
func (r *round) value(j *job) {
	values := make([]float64, len(j.configs))
	limit := growth(j)
	least := math.Inf(1)
	for i, c := range j.configs {
		values[i] = worthless
		if limit == 0 || c.gpus <= limit {
			values[i] = round32(max(worthless, r.goodput(j, c)))
		}
		if values[i] > worthless {
			least = min(least, values[i])
		}
	}
	stay := r.stay(j)
	for i, c := range j.configs {
		v := values[i]
		if !math.IsInf(least, 1) {
			v = max(worthless, round32(v/least))
		}
		if j.present.gpus > 0 && (c.kind != j.present.kind || c.gpus != j.present.gpus) {
			v = round32(v * stay)
		}
		j.configs[i].gain = r.gain(v)
	}
}

func round32(x float64) float64 { return float64(float32(x)) }

// growth is the largest gang that the job may have: twice what it has been
// measured on, so that it learns before it grows on. 0: any.
func growth(j *job) int {
	t := j.Tuning
	if t == nil {
		return 0
	}
	limit := 0
	for i := range t.Types {
		limit = max(limit, min(max(2*t.Types[i].MostGPUs, 1), goodput.MostGPUs, t.MostBatch/t.LeastLocal))
	}
	return limit
}

// goodput is what a configuration brings before it is compared with others.
func (r *round) goodput(j *job, c config) float64 {
	if j.Tuning == nil {
		return 1
	}
	here := j.Tuning.On(r.kinds[c.kind].gpuType)
	if here == nil {
		return 0 // it cannot run there
	}
	from, kind := here, &r.kinds[c.kind]
	if here.Model == nil {
		if from, kind = r.modelled(j.Tuning); from == nil {
			if c.gpus == 1 {
				return 1 // nobody knows which type is best
			}
			return 0
		}
	}
	nodes := (c.gpus + kind.size - 1) / kind.size
	model := goodput.Reported(from.Model)
	learner := goodput.Learner{Batch: j.Tuning.Batch, LeastLocal: j.Tuning.LeastLocal, Noise: float64(j.Tuning.Noise) / 1e9}
	v := goodput.Best(learner, &model, goodput.Gang{Nodes: nodes, GPUs: c.gpus, MostLocal: from.MostLocal}, j.Tuning.LimitBatch).Goodput
	return v * float64(here.OneGPU) / float64(from.OneGPU)
}

// modelled is the first type that the job has a model of, and its nodes.
func (r *round) modelled(t *schedmate.Tuning) (*schedmate.TunedType, *kind) {
	for k := range r.kinds {
		if on := t.On(r.kinds[k].gpuType); on != nil && on.Model != nil {
			return on, &r.kinds[k]
		}
	}
	return nil, nil
}

// stay is the share of a value that is left if the job must restart for it: of
// its age so far, what it would have had with as many restarts as it has had and
// this one.
func (r *round) stay(j *job) float64 {
	if j.present.gpus == 0 {
		return 1
	}
	age, cost := float64(r.s.Now-j.Job.Submit), float64(r.restart(j))
	if r.YoungMove && age < cost {
		return 1
	}
	if age+cost == 0 {
		return 1
	}
	return max(age-float64(j.Attempt.Number-1)*cost, 0) / (age + cost)
}

// restart is what the policy takes a restart to cost.
func (r *round) restart(j *job) schedmate.Seconds {
	for _, b := range r.Believed {
		if b.Model == j.Job.Workload.Model {
			return b.Cost
		}
	}
	if r.OtherBelieved > 0 || j.Tuning == nil {
		return r.OtherBelieved
	}
	return j.Tuning.Restart
}
