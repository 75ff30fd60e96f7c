package resolve

import (
	"fmt"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

// replays are algorithms whose batch is drawn from a buffer, once a step.
var replays = map[string]bool{"SAC": true, "DQN": true, "TD3": true, "DDPG": true, "TQC": true, "QRDQN": true, "CrossQ": true}

// agents answers what the algorithms of Stable-Baselines3 are told when they
// are made: the algorithm is the model, its optimiser is Adam unless the policy
// is told another, and the environments run in the process itself.
func (v *view) agents() {
	for _, c := range sure(v.obs.Calls) {
		pkg, name, _ := strings.Cut(c.Name, ".")
		if pkg != "stable_baselines3" && pkg != "sb3_contrib" || strings.Contains(name, ".") || strings.ToUpper(name[:min(1, len(name))]) != name[:min(1, len(name))] || name == "" {
			continue
		}
		if _, ok := c.Arg("env", 1); !ok {
			continue
		}
		v.set(workload.ModelName, name, c.Site)
		v.set(workload.ModelFamily, strings.ToLower(name), c.Site)
		v.set(workload.Domain, "rl", c.Site)
		v.set(workload.GradAccum, 1, origin.Named(origin.Rule, "each batch of an agent is a step of its optimiser"))
		v.set(workload.NumWorkers, 0, origin.Named(origin.Rule, "experience comes from environments, not from a loader"))
		if _, told := c.Arg("policy_kwargs", -1); !told {
			v.set(workload.Optimizer, "Adam", origin.Named(origin.Rule, "Stable-Baselines3 trains with Adam"))
		}
		if x, ok := c.Arg("learning_rate", -1); ok {
			if e := x.External(); e != nil && e.Call != nil && len(e.Call.Args) > 0 { // a schedule that begins with it
				x = e.Call.Args[0]
			}
			if n, ok := x.Number(); ok && n > 0 && x.Kind != pyeval.Bool {
				v.set(workload.LearningRate, n, or(x.Origin, c.Site))
			}
		} else if d, ok := table.LibraryDefault(c.Name, "learning_rate", ""); ok && !c.Open {
			v.set(workload.LearningRate, d.Value, d.Origin)
		}
		if x, ok := c.Arg("batch_size", -1); ok && isPositive(x) && replays[name] {
			n, _ := x.Number()
			v.set(workload.PerDeviceBatchSize, n, or(x.Origin, c.Site))
			v.set(workload.GlobalBatchSize, n, or(x.Origin, c.Site))
		}
		if steps, ok := c.Arg("n_steps", -1); ok && isPositive(steps) && !replays[name] { // what the environments gave between two updates
			n, _ := steps.Number()
			env, _ := c.Arg("env", 1)
			if envs, ok := environments(env, 8); ok {
				k, _ := envs.Number()
				v.set(workload.GlobalBatchSize, n*k, origin.Computed(fmt.Sprintf("%v*%v", k, n), envs.Origin, steps.Origin))
			}
		}
		return
	}
}

// environments is the number of environments side by side in a value that was
// made of them, below any wrappers.
func environments(x pyeval.Value, depth int) (pyeval.Value, bool) {
	for _, a := range x.Alternatives() {
		e := a.External()
		if e == nil || e.Call == nil || depth == 0 {
			continue
		}
		if n, ok := e.Call.Arg("n_envs", 1); ok && lastPart(e.Name) == "make_vec_env" {
			return n, isPositive(n)
		}
		if len(e.Call.Args) > 0 {
			if n, ok := environments(e.Call.Args[0], depth-1); ok {
				return n, true
			}
		}
	}
	return pyeval.Value{}, false
}
