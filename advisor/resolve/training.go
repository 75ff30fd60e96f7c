package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/pyeval"
)

// findTraining finds the loop that trains: the loops around the call that steps
// the optimiser, else around a backward pass, else around a call of a function
// that is named after training.
func (v *view) findTraining() {
	for _, want := range []func(c *pyeval.Call) bool{isStep, isBackward, isTrainCall} {
		var best *training
		for _, c := range v.obs.Calls {
			if !want(c) || c.Loops == nil {
				continue
			}
			t := &training{step: c}
			for l := c.Loops; l != nil; l = l.Parent {
				t.loops = append(t.loops, l)
			}
			if best == nil || best.step.Doubt && !c.Doubt {
				best = t
			}
		}
		if best != nil {
			v.train = best
			return
		}
	}
}

// reached reports whether the program was followed to where training begins: a
// step, an optimiser, or a trainer of a library that does the rest.
func (v *view) reached() bool {
	if v.train != nil {
		return true
	}
	if _, ok := v.runner(); ok {
		return true
	}
	for _, c := range v.obs.Calls {
		last := lastPart(strings.TrimSuffix(c.Name, "()"))
		switch {
		case strings.HasPrefix(c.Name, "repo:"):
			if o := c.Self.Object(); o != nil && holdsOptimisers(o.Class.Name) && slices.Contains(o.Class.Bases(), "torch.optim.Optimizer") {
				return true
			}
			if o := c.Self.Object(); o != nil && slices.Contains(o.Class.Bases(), "transformers.Trainer") {
				return true
			}
		case last == "fit", last == "learn", last == "backward", strings.HasSuffix(last, "Trainer"):
			return true
		}
		if name, _ := v.optimiserOf(c); name != "" {
			return true
		}
	}
	return false
}

func isStep(c *pyeval.Call) bool {
	name := strings.TrimSuffix(c.Name, "()")
	if lastPart(name) != "step" && lastPart(name) != "apply_gradients" && lastPart(name) != "minimize" {
		return false
	}
	low := strings.ToLower(name)
	return strings.Contains(low, "optim") || strings.Contains(low, "scaler") || strings.Contains(low, "engine") || strings.Contains(low, "deepspeed")
}

func isBackward(c *pyeval.Call) bool {
	name := lastPart(strings.TrimSuffix(c.Name, "()"))
	return name == "backward" || name == "train_step" || name == "train_on_batch" || name == "scale"
}

func isTrainCall(c *pyeval.Call) bool {
	if strings.HasPrefix(c.Name, "gym") { // a step of the environment
		return false
	}
	name := strings.ToLower(lastPart(c.Name))
	return strings.HasPrefix(name, "train") || name == "step" || name == "update"
}

// loader is the call that made what a loop goes over, when that is a loader of
// data.
func (v *view) loader(l *pyeval.Loop) *pyeval.Call {
	return loaderOf(l.Over, 4)
}

func loaderOf(x pyeval.Value, depth int) *pyeval.Call {
	if depth == 0 {
		return nil
	}
	if e := x.External(); e != nil && e.Call != nil {
		if isLoader(e.Call) {
			return e.Call
		}
		for _, a := range e.Call.Args {
			if c := loaderOf(a, depth-1); c != nil {
				return c
			}
		}
		if e.Call.Self.Ref != nil {
			return loaderOf(e.Call.Self, depth-1)
		}
		return nil
	}
	if o := x.Object(); o != nil {
		var found *pyeval.Call
		o.Attrs.Each(func(_, item pyeval.Value) {
			if found == nil {
				found = loaderOf(item, depth-1)
			}
		})
		return found
	}
	if items, _ := x.Items(); len(items) > 0 {
		return loaderOf(items[0], depth-1)
	}
	return nil
}

func isLoader(c *pyeval.Call) bool {
	name := lastPart(c.Name)
	return strings.HasSuffix(name, "DataLoader") || strings.HasSuffix(name, "Loader") || name == "BucketIterator" || name == "create_loader"
}

// trainLoader is the loader that feeds training: the one that the training
// loop goes over, else the first one that says so.
func (v *view) trainLoader() *pyeval.Call {
	if v.train != nil {
		for _, l := range v.train.loops {
			if c := v.loader(l); c != nil {
				return c
			}
		}
	}
	var all []*pyeval.Call
	for _, c := range v.obs.Calls {
		if isLoader(c) && !strings.HasPrefix(c.Name, "repo:") && (len(c.Args) > 0 || len(c.Kw) > 0) {
			all = append(all, c)
		}
	}
	all = notForTests(sure(all))
	for _, c := range all {
		if s, ok := c.Arg("shuffle", 2); ok {
			if s.Kind == pyeval.Bool && s.Int == 1 {
				return c
			}
		}
	}
	for _, c := range all {
		if s, ok := c.Arg("sampler", 3); ok {
			if e := s.External(); e != nil && !strings.Contains(e.Name, "Sequential") {
				return c
			}
		}
		if strings.Contains(strings.ToLower(c.Func), "train") {
			return c
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return nil
}

// notForTests leaves out the loaders that functions make which are named after
// tests, where there are others.
func notForTests(all []*pyeval.Call) []*pyeval.Call {
	var rest []*pyeval.Call
	for _, c := range all {
		if low := strings.ToLower(c.Func); !strings.Contains(low, "test") && !strings.Contains(low, "val") || strings.Contains(low, "train") {
			rest = append(rest, c)
		}
	}
	if len(rest) > 0 {
		return rest
	}
	return all
}
