package schedtest

import (
	"fmt"
	"slices"
	"strings"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
)

// Variant is a policy as configured for a test, with the world of its preset.
type Variant struct {
	Name    string // policy/preset, and what was changed
	Options any    // of the policy's own type
	Policy  scheduler.Policy
	World   scheduler.World
}

// Order returns how the policy ranks jobs, whether or not a host may keep the
// queue in that order.
func (v *Variant) Order() func(*schedmate.JobStatus, schedmate.Seconds) scheduler.Rank {
	switch p := v.Policy.(type) {
	case scheduler.Ranker:
		return p.Rank
	case interface {
		Order(*schedmate.JobStatus, schedmate.Seconds) scheduler.Rank
	}:
		return p.Order
	}
	panic("BUG: " + v.Name + " has no order")
}

// Policies returns the presets of every policy that decide by the jobs of the
// snapshot alone and at every event, and some further options: all placements
// with all ways to block and to select, and Tiresias with thresholds that small
// jobs reach.
func Policies() []Variant {
	return slices.DeleteFunc(All(), func(v Variant) bool { return v.World.Rounds != nil || v.remembers() })
}

// AtEvents returns the variants whose host works at every event.
func AtEvents() []Variant {
	return slices.DeleteFunc(All(), func(v Variant) bool { return v.World.Rounds != nil })
}

// InRounds returns the variants whose host works in rounds.
func InRounds() []Variant {
	return slices.DeleteFunc(All(), func(v Variant) bool { return v.World.Rounds == nil })
}

// remembers says whether the variant takes notes.
func (v *Variant) remembers() bool {
	return slices.Contains([]string{"gandiva", "themis", "chronus", "unisched", "lucid", "packing"}, v.Policy.Name()) || strings.HasPrefix(v.Name, "threesigma/titan")
}

// All returns every preset of every policy, and some further options.
func All() []Variant {
	var out []Variant
	for _, d := range policy.All() {
		for _, p := range d.Presets {
			out = append(out, build(&d, p, ""))
			if p.World.Rounds != nil {
				continue
			}
			list, own := overlays[d.Name+"/"+p.Name]
			if !own {
				list = overlays[d.Name]
			}
			for _, overlay := range list {
				out = append(out, build(&d, p, overlay))
			}
		}
	}
	return out
}

var overlays = map[string][]string{
	"fifo":            {`{"blocking":"skip"}`},
	"sjf":             {`{"blocking":"skip"}`, `{"blocking":"head_of_line"}`},
	"qssf":            {`{"blocking":"skip","arrivals_by_gpus":true}`},
	"srtf":            {`{"selection":"displace","margin_s":0}`, `{"selection":"counted","placement":"consolidated"}`},
	"edf":             {`{"placement":"lucid"}`},
	"yarncs":          {`{"blocking":"head_of_line","placement":"consolidated"}`},
	"gandiva":         {`{"slice_s":7}`},
	"themis":          {`{"lease_s":20}`},
	"tiresias":        {`{"thresholds_gpu_s":[100,1000]}`, `{"selection":"displace","thresholds_gpu_s":[50]}`},
	"lucid":           {`{"profiler":{"nodes":1,"most_gpus":2,"window_s":7},"pack_first":true}`, `{"rules":{"jobs_per_gpu":3,"scores":6,"memory_mib":0},"longer":0}`},
	"chronus":         {`{"lease_s":48,"cycle_s":12,"step_s":4}`, `{"lease_s":30,"cycle_s":6,"step_s":2,"selector":"greedy"}`},
	"chronus/default": {`{"lease_s":48,"cycle_s":12,"rules":{"terms":{"resume_s":3},"margin_s":5}}`, `{"lease_s":30,"cycle_s":6,"rules":{"calendar":"planned","terms":{"resume_s":2}}}`},
	"chronus/paper":   {`{"lease_s":48,"cycle_s":12,"rules":{"terms":{"resume_s":3}}}`},
	"unisched":        {`{"lease_s":20,"spot_lease_s":10,"resume_cost":[{"up_to_gpus":0,"cost_s":3}],"profiling":{"window_s":10}}`},
	"threesigma":      {`{"slot_s":120}`}, // longer than any restart: TitanSched lets equal jobs take turns each slot
}

func build(d *scheduler.Descriptor, p scheduler.Preset, overlay string) Variant {
	options, err := d.Decode(p.Options, []byte(overlay))
	if err != nil {
		panic(fmt.Sprintf("BUG: options of a test variant: %v", err))
	}
	made, err := d.New(options)
	if err != nil {
		panic(fmt.Sprintf("BUG: options of a test variant: %v", err))
	}
	return Variant{Name: d.Name + "/" + p.Name + overlay, Options: options, Policy: made, World: p.World}
}
