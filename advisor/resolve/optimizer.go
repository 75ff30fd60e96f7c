package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

var lrNames = []string{"learning_rate", "lr", "base_lr", "max_lr", "peak_lr", "init_lr", "initial_lr", "lr0", "blr"}

// optimisers answers the optimiser and the rate that it gets, from its
// construction, else from the names that configurations use.
func (v *view) optimisers() {
	var made []*pyeval.Call
	for _, c := range v.obs.Calls {
		if name, at := v.optimiserOf(c); name != "" && at != nil {
			made = append(made, c)
		}
	}
	made = sure(made)
	if v.trainingArguments() != nil {
		made = slices.DeleteFunc(made, func(c *pyeval.Call) bool { return !v.givenToTrainer(c) })
	}
	if len(made) > 0 {
		c := made[0]
		name, at := v.optimiserOf(c)
		v.set(workload.Optimizer, name, at)
		v.rateOf(c)
	}
	if c := v.byHand(); len(made) == 0 && c != nil {
		v.set(workload.Optimizer, "SGD", c.Site)
	}
	v.runnerRate()
	v.handedOptimiser()
	if t, at, ok := v.text("optimizer", "optim", "opt", "optimizer_type", "optimizer_name", "optim_type", "opt_type", "optim_name", "optimizer.type", "optimizer.name"); ok {
		if name, known := optimiserName(t); known {
			v.set(workload.Optimizer, name, at)
		}
	}
	if x, _, ok := v.lookupAmong(func(n *named) bool { // what the command says comes before another name's default
		return isPositive(n.value) && n.config && !n.doubt && n.value.Origin != nil && n.value.Origin.Kind == origin.CLI && depth(n.path) <= 1
	}, lrNames...); ok {
		n, _ := x.Number()
		v.set(workload.LearningRate, n, x.Origin)
	}
	if x, _, ok := v.lookupAmong(func(n *named) bool { return isPositive(n.value) && (n.config || !v.ratePut(made)) }, lrNames...); ok {
		n, _ := x.Number()
		v.set(workload.LearningRate, n, x.Origin)
	}
	if n, at, ok := v.only(lrNames...); ok {
		v.set(workload.LearningRate, n, at)
	}
	v.why(workload.Optimizer, "no optimiser was seen to be made")
	v.why(workload.LearningRate, "no optimiser with a known rate was seen")
}

// decaying is the rate from which a schedule of TensorFlow comes down.
func decaying(x pyeval.Value) (float64, *origin.Origin, bool) {
	for _, a := range x.Alternatives() {
		for e, depth := a.External(), 0; e != nil && e.Call != nil && depth < 4; depth++ {
			name := strings.ToLower(lastPart(strings.TrimSuffix(e.Call.Name, "()")))
			if strings.Contains(name, "decay") {
				for _, key := range []string{"learning_rate", "initial_learning_rate"} {
					if n, ok := e.Call.Arg(key, 0); ok && isPositive(n) {
						rate, _ := n.Number()
						return rate, or(n.Origin, e.Call.Site), true
					}
				}
			}
			e = e.Call.Self.External()
		}
	}
	return 0, nil, false
}

// setsRate reports whether the program writes rates into the groups of an
// optimiser itself: then it never runs at the library's default.
func (v *view) setsRate() bool {
	return slices.ContainsFunc(v.calls("__setitem__"), func(c *pyeval.Call) bool {
		return len(c.Args) == 2 && c.Args[0].Text == "lr" && strings.Contains(c.Name, "param_groups")
	})
}

// ratePut reports whether the optimiser was made with a rate that is put in its
// place later, such as 0: then a variable of such a name is a step on the way.
func (v *view) ratePut(made []*pyeval.Call) bool {
	for _, c := range made {
		if x, ok := c.Arg("lr", 1); ok {
			if n, is := x.Number(); is && n == 0 {
				return true
			}
		}
	}
	return false
}

// givenToTrainer reports whether transformers' trainer gets an optimiser: it
// makes its own unless it is handed one or has a method that makes another.
// What else the program makes is for evaluation.
func (v *view) givenToTrainer(made *pyeval.Call) bool {
	if strings.Contains(made.Func, "optimizer") || strings.Contains(made.Func, "optimiser") {
		return true
	}
	trains := false
	for _, c := range v.obs.Calls {
		if !strings.HasSuffix(lastPart(c.Name), "Trainer") {
			continue
		}
		trains = true
		given, _ := c.Arg("optimizers", -1)
		items, _ := given.Items()
		for _, x := range items {
			if e := x.External(); e != nil && e.Call == made || x.Object() != nil && x.Object() == made.Self.Object() {
				return true
			}
		}
	}
	return !trains
}

// handedOptimiser is a class of optimisers that something else is given to make
// one of: fused and sharded optimisers of libraries are told so.
func (v *view) handedOptimiser() {
	for _, c := range sure(v.obs.Calls) {
		if strings.HasPrefix(c.Name, "repo:") {
			continue
		}
		for _, a := range c.Args {
			e := a.External()
			if e == nil || e.Call != nil || !strings.HasPrefix(e.Name, "torch.optim.") {
				continue
			}
			if name, ok := optimiserName(lastPart(e.Name)); ok {
				v.set(workload.Optimizer, name, c.Site)
				return
			}
		}
	}
}

// holdsOptimisers reports whether a class is named after the optimisers that
// it only holds: they say which they are.
func holdsOptimisers(class string) bool {
	for _, word := range []string{"Container", "Wrapper", "Optimizers", "Chained"} {
		if strings.Contains(class, word) {
			return true
		}
	}
	return false
}

// optimiserOf tells the optimiser that a call makes.
func (v *view) optimiserOf(c *pyeval.Call) (string, *origin.Origin) {
	if strings.HasPrefix(c.Name, "repo:") {
		o := c.Self.Object()
		if o == nil || strings.Contains(o.Class.Name, "Scheduler") || holdsOptimisers(o.Class.Name) {
			return "", nil
		}
		for _, b := range o.Class.Bases() {
			if strings.HasPrefix(b, "torch.optim") && !strings.Contains(b, "lr_scheduler") {
				return lastPart(c.Name), c.Site
			}
			if strings.HasPrefix(b, "tensorflow.") && strings.HasSuffix(b, "train.Optimizer") {
				name := strings.TrimSuffix(lastPart(c.Name), "Optimizer")
				if known, ok := optimiserName(name); ok {
					name = known
				}
				return name, c.Site
			}
		}
		return "", nil
	}
	last := lastPart(c.Name)
	if strings.Contains(c.Name, "lr_scheduler") || strings.HasSuffix(c.Name, "()") {
		return "", nil
	}
	if strings.Contains(c.Name, "optim") || strings.HasPrefix(c.Name, "optax.") || strings.HasPrefix(c.Name, "apex.") || strings.HasPrefix(c.Name, "bitsandbytes.") || strings.HasPrefix(c.Name, "transformers.") || strings.HasPrefix(c.Name, "deepspeed.ops") || takesParameters(c) {
		if name, ok := optimiserName(last); ok {
			return name, c.Site
		}
	}
	return "", nil
}

// takesParameters reports whether a constructor of any package is given what
// an optimiser is given: parameters, or groups of them, and a rate.
func takesParameters(c *pyeval.Call) bool {
	if _, rate := c.Arg("lr", -1); !rate || len(c.Args) == 0 || !constructsName(lastPart(c.Name)) {
		return false
	}
	first := c.Args[0]
	if items, _ := first.Items(); len(items) > 0 {
		if d := items[0].Dict(); d != nil {
			_, groups := d.Get("params")
			return groups
		}
		first = items[0]
	}
	e := first.External()
	return e != nil && strings.Contains(e.Name, "parameters")
}

// byHand finds the update of an optimiser that the program writes itself: in a
// loop over parameters, to each of them a share of its gradient is added.
func (v *view) byHand() *pyeval.Call {
	for _, c := range sure(v.calls("add_", "sub_")) {
		if c.Loops == nil || c.Doubt || len(c.Args) == 0 || !strings.Contains(c.Name, "parameters().__next__") {
			continue
		}
		if e := c.Args[len(c.Args)-1].External(); e != nil && strings.Contains(e.Name, "parameters().__next__") && strings.Contains(e.Name, ".grad") {
			return c
		}
	}
	return nil
}

// rateOf answers the learning rate from an optimiser's construction.
func (v *view) rateOf(c *pyeval.Call) {
	for _, key := range []string{"lr", "learning_rate"} {
		position := 1
		if strings.HasPrefix(c.Name, "optax.") {
			position = 0
		}
		x, ok := c.Arg(key, position)
		if !ok {
			continue
		}
		if isPositive(x) {
			n, _ := x.Number()
			v.set(workload.LearningRate, n, or(x.Origin, c.Site))
			return
		}
		if n, err := parseFloat(x.Text); err == nil && x.Kind == pyeval.Str { // "4e-4" is text to YAML 1.1
			v.set(workload.LearningRate, n, or(x.Origin, c.Site))
			return
		}
		if n, at, ok := decaying(x); ok {
			v.set(workload.LearningRate, n, or(at, c.Site))
			return
		}
		if x.Kind == pyeval.CandidatesKind {
			v.candidates(workload.LearningRate, x)
		}
		if n, is := x.Number(); is && n == 0 && v.steeredRate() {
			return
		}
	}
	if len(c.Args) > 0 { // groups of parameters with rates of their own
		items, _ := c.Args[0].Items()
		for _, g := range items {
			if d := g.Dict(); d != nil {
				if x, ok := d.Get("lr"); ok && isPositive(x) {
					n, _ := x.Number()
					v.set(workload.LearningRate, n, or(x.Origin, c.Site))
					return
				}
			}
		}
	}
	if _, told := c.Arg("lr", 1); told || c.Open || len(c.Args) > 1 {
		return
	}
	if v.scheduledRate(c) {
		return
	}
	if v.setsRate() {
		return
	}
	if d, ok := table.LibraryDefault(c.Name, "lr", ""); ok && strings.HasPrefix(c.Name, "torch.optim.") {
		v.set(workload.LearningRate, d.Value, d.Origin)
	}
}

// optimiserName is the canonical name behind a word for an optimiser.
func optimiserName(text string) (string, bool) {
	o, ok := table.Optimizer(text)
	return o.Name, ok
}
