package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

var (
	epochNames   = []string{"num_train_epochs", "num_epochs", "max_epochs", "epochs", "n_epochs", "nepochs", "num_epoch", "total_epochs", "train_epochs", "epoch_num", "max_epoch", "n_epoch", "nepoch", "training_epochs", "end_epoch", "niter", "number_of_epochs", "number_epochs", "nb_epochs", "nb_epoch", "num_training_epochs", "no_epochs", "epoch_limit"}
	stepNames    = []string{"max_steps", "max_iters", "total_steps", "num_train_steps", "train_steps", "max_train_steps", "num_steps", "training_steps", "max_iter", "train_iters", "num_iterations", "total_iterations", "max_iterations", "n_iters", "num_training_steps", "max_step", "num_iters", "n_steps", "iterations", "total_iters", "max_update", "end_step"}
	exampleNames = []string{"n_examples", "total_examples", "max_examples", "n_train_examples"}
	envNames     = []string{"total_timesteps", "num_env_steps", "total_env_steps", "total_frames", "num_timesteps", "num_train_frames", "num_training_frames", "num_train_env_steps", "max_env_steps", "total_env_frames"}
	tokenNames   = []string{"max_tokens", "train_tokens", "total_tokens", "num_tokens"}
)

// iterations answers when the run ends: by what a trainer of a library was
// told, by the bound of the loop that trains, by the names that configurations
// use.
func (v *view) iterations() {
	if v.trainerIterations() || v.loopIterations() {
		return
	}
	if t, at, ok := v.text("max_duration", "train_duration"); ok {
		if n, unit, ok := duration(t); ok && v.iterate(n, unit, at) {
			return
		}
	}
	for _, all := range []bool{false, true} { // a plain variable may count anything
		for _, try := range []struct {
			unit string
			keys []string
		}{{"env_step", envNames}, {"step", stepNames[:1]}, {"epoch", epochNames}, {"step", stepNames[1:]}, {"token", tokenNames}} {
			x, _, ok := v.lookupAmong(func(n *named) bool { return isPositive(n.value) && (n.config || all) }, try.keys...)
			if n, _ := x.Number(); ok {
				v.iterate(n, try.unit, x.Origin)
				return
			}
		}
	}
	if v.askedLength() {
		return
	}
	if x, _, ok := v.lookupAmong(func(n *named) bool { return isPositive(n.value) && n.config && !n.doubt && !n.fallback }, exampleNames...); ok && v.reached() {
		n, _ := x.Number()
		v.iterate(n, "sample", x.Origin)
		return
	}
	v.endless()
	v.why(workload.Iterations, "no loop with a known bound and no option of a known name")
}

// mostSteps is more than any run takes: what is beyond it counts tokens or
// samples, whatever it is called.
const mostSteps = 1e9

func (v *view) iterate(n float64, unit string, at *origin.Origin) bool {
	if unit == "step" { // a bound that was computed from a number of tokens ends the run by it
		if tokens, from, ok := v.number(tokenNames...); ok && descends(at, from) {
			n, unit, at = tokens, "token", from
		}
	}
	if unit == "step" && n > mostSteps {
		return false
	}
	return v.set(workload.Iterations, n, at) && v.set(workload.IterationType, unit, at)
}

// trainerIterations reads what a library's trainer was told. Where both are
// given the steps end the run, as all of these libraries have it.
func (v *view) trainerIterations() bool {
	for _, c := range v.obs.Calls {
		last := lastPart(strings.TrimSuffix(c.Name, "()"))
		given := func(unit string, keys ...string) bool {
			for _, key := range keys {
				if x, ok := c.Arg(key, -1); ok && isPositive(x) {
					n, _ := x.Number()
					return v.iterate(n, unit, or(x.Origin, c.Site))
				}
			}
			return false
		}
		switch {
		case strings.HasPrefix(c.Name, "repo:"):
		case strings.HasSuffix(last, "Trainer"), strings.HasSuffix(last, "TrainingArguments"), strings.HasSuffix(last, "Config") && strings.HasPrefix(c.Name, "trl."):
			if given("step", "max_steps") || given("epoch", "max_epochs", "num_train_epochs") {
				return true
			}
			if n, at, ok := lightningEpochs(c); ok {
				return v.iterate(n, "epoch", at)
			}
			if x, ok := c.Arg("max_duration", -1); ok && isText(x) {
				if n, unit, ok := duration(x.Text); ok {
					return v.iterate(n, unit, or(x.Origin, c.Site))
				}
			}
		case last == "train" && strings.Contains(c.Name, "Estimator"):
			if given("step", "max_steps", "steps") {
				return true
			}
		case last == "fit", last == "run":
			if given("epoch", "epochs", "max_epochs") {
				return true
			}
		case last == "learn":
			if given("env_step", "total_timesteps") {
				return true
			}
			if len(c.Args) > 0 && isPositive(c.Args[0]) {
				n, _ := c.Args[0].Number()
				return v.iterate(n, "env_step", or(c.Args[0].Origin, c.Site))
			}
		}
	}
	return false
}

// lightningEpochs is how long a trainer of Lightning trains that was told no
// limit.
func lightningEpochs(c *pyeval.Call) (float64, *origin.Origin, bool) {
	if !strings.HasPrefix(c.Name, "pytorch_lightning.") && !strings.HasPrefix(c.Name, "lightning.") || lastPart(c.Name) != "Trainer" || c.Open {
		return 0, nil, false
	}
	for _, limit := range []string{"max_epochs", "max_steps", "max_time"} {
		if x, ok := c.Arg(limit, -1); ok && x.Kind != pyeval.None {
			return 0, nil, false
		}
	}
	d, ok := table.LibraryDefault("lightning.Trainer", "max_epochs", "")
	n, isNumber := d.Value.(float64)
	return n, d.Origin, ok && isNumber
}

// duration reads "90ep", "4800ba", "2e9tok".
func duration(text string) (float64, string, bool) {
	for suffix, unit := range map[string]string{"ep": "epoch", "ba": "step", "tok": "token", "sp": "sample"} {
		if head, ok := strings.CutSuffix(strings.TrimSpace(text), suffix); ok {
			if n, err := parseFloat(head); err == nil {
				return n, unit, true
			}
		}
	}
	return 0, "", false
}

// loopIterations reads the bound of the loops around the training step, the
// outermost first: it ends the run.
func (v *view) loopIterations() bool {
	if v.train == nil {
		return false
	}
	if v.globalLimit() {
		return true
	}
	data := false // a loop over data lies inside of what is looked at
	var found []bound
	for _, l := range v.train.loops {
		over := l.Over.External()
		switch {
		case over != nil && over.Name == "builtins.range" && over.Call != nil:
			if n, at, ok := span(over.Call); ok {
				unit := "step"
				if data || isEpoch(originKey(at)) || isEpoch(l.Func) {
					unit = "epoch"
				}
				if isStepName(originKey(at)) {
					unit = "step"
				}
				if v.countsEnvironment(originKey(at)) {
					unit = "env_step"
				}
				found = append(found, bound{loopBound{n, unit, at}, originKey(at), !data})
			}
		case l.While || len(l.Bounds) > 0:
			for _, b := range l.Bounds {
				if !isPositive(b.Right) || b.Op == "==" && !isLimit(b.RightText) || !counter(b.Left) {
					continue
				}
				n, _ := b.Right.Number()
				if from, ok := b.From.Number(); ok && l.While && b.Op == "<" && from > 0 && from < n {
					n -= from
				}
				unit := "step"
				switch {
				case isEpoch(b.Left) || isEpoch(b.RightText):
					unit = "epoch"
				case countsSamples(b.Left):
					unit = "sample"
				case v.countsEnvironment(b.Left) || v.countsEnvironment(b.RightText):
					unit = "env_step"
				}
				found = append(found, bound{loopBound{n, unit, or(b.Right.Origin, b.Site)}, b.RightText, false})
			}
			if v.loader(l) != nil {
				data = true
			}
		}
		if o := l.Over.Object(); o != nil && isEpoch(o.Class.Name) { // an object that counts them to its limit
			for _, key := range append([]string{"limit"}, epochNames...) {
				if n, ok := o.Attrs.Get(key); ok && isPositive(n) {
					limit, _ := n.Number()
					found = append(found, bound{loopBound{limit, "epoch", or(n.Origin, l.Site)}, "epochs", false})
					break
				}
			}
		}
		if !l.While && (over == nil || over.Name != "builtins.range" && over.Name != "itertools.count") {
			data = true
		}
		if data {
			found = slices.DeleteFunc(found, func(b bound) bool { return b.chunk })
		}
	}
	found = v.once(found)
	// The outermost bound that is not a loop of accumulation ends the run.
	for i := len(found) - 1; i >= 0; i-- {
		b := found[i]
		if accum, ok := v.md.Number(workload.GradAccum); ok && accum == b.n && len(found) > 1 && i == 0 {
			continue
		}
		for unit, keys := range map[string][]string{"env_step": envNames, "token": tokenNames} { // rounds = total // size of a round
			if n, at, ok := v.number(keys...); ok && n > b.n && descends(b.at, at) {
				return v.iterate(n, unit, at)
			}
		}
		return v.iterate(b.n, b.unit, b.at)
	}
	return false
}

// globalLimit is a number of steps of the whole run that a loop breaks at,
// whatever the loops around it count.
func (v *view) globalLimit() bool {
	for _, l := range v.train.loops {
		for _, b := range l.Bounds {
			if low := strings.ToLower(b.Left); !strings.Contains(low, "global") || !strings.Contains(low, "step") && !strings.Contains(low, "iter") || !strings.HasPrefix(b.Op, ">") && b.Op != "==" {
				continue
			}
			most, at := 1.0, b.Site
			for _, a := range b.Right.Alternatives() { // it may end earlier on a signal
				if n, ok := a.Number(); ok && n > most {
					most, at = n, or(a.Origin, or(b.Right.Origin, b.Site))
				}
			}
			if most > 1 {
				return v.iterate(most, "step", at)
			}
		}
	}
	return false
}

func span(c *pyeval.Call) (float64, *origin.Origin, bool) {
	switch len(c.Args) {
	case 1:
		n, ok := c.Args[0].Number()
		return n, or(c.Args[0].Origin, c.Site), ok && n > 0
	case 2, 3:
		if n, at, ok := spanOf(c.Args[0], c.Args[1]); ok { // range(start, start + 200) after a checkpoint
			return n, or(at, c.Site), true
		}
		to, ok := c.Args[1].Number()
		from, okFrom := c.Args[0].Number()
		if !okFrom { // a start that a checkpoint may move is the beginning here
			from = beginning(c.Args[0])
			if o := c.Args[1].Origin; from == 0 && o != nil && o.Kind == origin.Derived && strings.HasSuffix(o.Key, "+1") { // range(start + 1, epochs + 1)
				from = 1
			}
			okFrom = c.Args[0].Kind == pyeval.CandidatesKind || c.Args[0].Kind == pyeval.Unknown || c.Args[0].Kind == pyeval.ExternalKind
		}
		if from == 1 && to > 1 { // range(1, epochs + 1)
			from = 1
		}
		return to - from, rangeOrigin(c), ok && okFrom && to-from > 0
	}
	return 0, nil, false
}

// beginning is where a range begins whose start a checkpoint may move: of
// "start + 1" at 1.
func beginning(from pyeval.Value) float64 {
	for _, a := range from.Alternatives() { // without a checkpoint
		if n, ok := a.Number(); ok {
			return n
		}
	}
	for _, a := range from.Alternatives() {
		if e := a.External(); e != nil {
			if n, ok := e.Added.Number(); ok {
				return n
			}
		}
	}
	return 0
}

// spanOf is the length of a range whose end is its unknown beginning and a
// known number more. Where either may be known, one of the pairs tells.
func spanOf(from, to pyeval.Value) (float64, *origin.Origin, bool) {
	for _, end := range to.Alternatives() {
		e := end.External()
		if e == nil {
			continue
		}
		n, ok := e.Added.Number()
		for _, begin := range from.Alternatives() {
			if b := begin.External(); ok && n > 0 && b != nil && b.Call == e.Call && b.Name+"+" == e.Name {
				return n, e.Added.Origin, true
			}
		}
	}
	return 0, nil, false
}

// rangeOrigin is the evidence of a range's end; of "epochs + 1" it is that of
// epochs.
func rangeOrigin(c *pyeval.Call) *origin.Origin {
	at := or(c.Args[1].Origin, c.Site)
	if at != nil && at.Kind == origin.Derived && len(at.From) > 0 && at.From[0] != nil {
		if from, ok := c.Args[0].Number(); ok && from == 1 {
			if begin := c.Args[0].Origin; len(at.From) > 1 && at.From[1] != nil && begin != nil && at.From[0].String() == begin.String() { // range(start, start + epochs)
				return at.From[1]
			}
			return at.From[0]
		}
	}
	return at
}

func originKey(o *origin.Origin) string {
	for depth := 0; o != nil && depth < 6; depth++ {
		if o.Kind != origin.Derived {
			if o.Beat != nil && !isEpoch(o.Key) && !isStepName(o.Key) {
				return o.Beat.Key
			}
			return o.Key
		}
		if len(o.From) == 0 {
			return o.Key
		}
		o = o.From[0]
	}
	return ""
}

func isEpoch(name string) bool { return strings.Contains(strings.ToLower(name), "epoch") }

// isLimit reports whether a name is one of an end: a count that equals it has
// come to it.
func isLimit(name string) bool {
	low := strings.ToLower(name)
	return strings.Contains(low, "max") || strings.Contains(low, "total") || strings.Contains(low, "num_") || strings.Contains(low, "end_") || strings.Contains(low, "last_")
}

func isStepName(name string) bool {
	low := strings.ToLower(name)
	return !isEpoch(low) && (strings.Contains(low, "step") || strings.Contains(low, "iter") || strings.Contains(low, "update"))
}

// countsSamples reports whether a name is one that counts what was trained on:
// "cur_nimg", "samples_seen".
func countsSamples(name string) bool {
	low := strings.ToLower(lastPart(name))
	for _, word := range []string{"nimg", "num_images", "images_seen", "seen_images", "samples", "nsample", "examples_seen"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// counter reports whether a name is one that counts rounds.
func counter(name string) bool {
	low := strings.ToLower(name)
	if countsSamples(low) {
		return true
	}
	for _, word := range []string{"step", "iter", "epoch", "update", "batch_i", "count", "num_batches"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return low == "i" || low == "it" || low == "t" || low == "n"
}
