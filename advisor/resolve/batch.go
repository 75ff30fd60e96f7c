package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

var (
	perDeviceNames = []string{"local_micro_batch_size", "per_device_train_batch_size", "micro_batch_size", "micro_batch_size_per_gpu", "train_micro_batch_size_per_gpu", "device_batch_size", "batch_size_per_gpu", "batch_size_per_device", "per_gpu_batch_size", "per_gpu_train_batch_size", "device_train_microbatch_size", "local_batch_size", "microbatch_size", "samples_per_gpu", "ims_per_gpu", "batch_size_per_rank", "micro_train_batch_size", "mbs", "batch_gpu", "batch_per_gpu", "bs_per_gpu", "per_device_batch_size", "microbatch"}
	globalNames    = []string{"global_batch_size", "global_train_batch_size", "total_batch_size", "effective_batch_size", "total_train_batch_size", "ims_per_batch", "gbs"}
	plainNames     = []string{"train_batch_size", "batch_size", "batch_size_train", "train_bs", "mini_batch_size", "bsz", "bs", "batchsize", "batch", "n_batch", "minibatch_size", "train_batch", "samples_per_batch"}
	rayNames       = []string{"n_rand", "num_rays", "n_rays", "num_rays_per_batch", "train_num_rays_per_batch", "batch_rays", "rays_per_batch", "n_rays_per_batch", "ray_batch_size"}
	accumNames     = []string{"gradient_accumulation_steps", "grad_accum_steps", "accumulate_grad_batches", "accum_iter", "accumulation_steps", "grad_accumulation_steps", "gradient_accumulation_iters", "gradient_accumulation_iters_per_device", "update_freq", "accum_freq", "grad_accum", "accum_steps", "accumulate", "iter_size", "num_accumulation_steps", "gradient_accumulation", "grad_acc_steps", "gradient_accumulate_every", "acc_steps", "cumulative_iters", "n_accumulate", "accumulative_counts", "batch_accumulation_per_replica"}
)

// accumulation answers micro steps per optimiser step; without any the rule of
// absence says one.
func (v *view) accumulation() {
	for _, c := range v.obs.Calls {
		for _, key := range []string{"accumulate_grad_batches", "gradient_accumulation_steps", "grad_accum_steps", "grad_acc_steps", "accumulation_steps", "accum_steps", "accum_iter", "grad_accumulation_steps"} {
			if x, ok := c.Arg(key, -1); ok && isPositive(x) {
				n, _ := x.Number()
				v.set(workload.GradAccum, n, or(x.Origin, c.Site))
			}
		}
	}
	n, at, ok, some := v.stepsEvery()
	if ok {
		v.set(workload.GradAccum, n, at)
	}
	if n, at, ok := v.roundsOfBackward(); ok {
		v.set(workload.GradAccum, n, at)
	}
	if n, at, ok := v.number(accumNames...); ok && n == float64(int(n)) {
		v.set(workload.GradAccum, n, at)
	}
	if n, at, ok := v.only(accumNames...); ok && n == float64(int(n)) {
		v.set(workload.GradAccum, n, at)
	}
	if some {
		v.why(workload.GradAccum, "the optimiser steps once in so many rounds, of which the number is not known")
		return
	}
	v.absent(workload.GradAccum, "no-accumulation")
}

// stepsEvery is the number of rounds of the loop in which the optimiser steps
// once, where it does not step in each but runs backward in each.
func (v *view) stepsEvery() (n float64, at *origin.Origin, ok, some bool) {
	if !slices.ContainsFunc(v.obs.Calls, func(c *pyeval.Call) bool { return isBackward(c) && c.Loops != nil && c.Every == nil }) {
		return 0, nil, false, false
	}
	for _, c := range v.obs.Calls {
		if !isStep(c) || c.Loops == nil || strings.Contains(strings.ToLower(c.Name), "sched") {
			continue
		}
		if c.Every == nil {
			return 0, nil, false, false
		}
		some = true
		if x, is := c.Every.Number(); is && x >= 1 && x == float64(int(x)) {
			n, at, ok = x, or(c.Every.Origin, c.Site), true
		}
	}
	return n, at, ok, some
}

// batches answers the batch of a device and that of an optimiser step, from
// the loader that feeds training or from the names that configurations use.
func (v *view) batches() {
	accum, told := v.md.Number(workload.GradAccum)
	accumFrom := v.md.Values[workload.GradAccum].Origin
	world, worldFrom := v.world()
	if n, at, ok := v.number(v.deviceNames()...); ok {
		if l, from, ok := v.loaderBatch(); ok && world > 1 && n == l*float64(world) && v.distributed() { // counted over all processes: each has a loader
			n, at = l, from
		}
		v.set(workload.PerDeviceBatchSize, n, at)
	}
	if n, at, ok := v.number(globalNames...); ok && !(onlyDefault(at) && v.loadsOther(n, world)) {
		v.set(workload.GlobalBatchSize, n, at)
	}
	if !v.has(workload.PerDeviceBatchSize) {
		n, at, ok := v.loaderBatch()
		if !ok {
			x, _, found := v.lookupAmong(func(n *named) bool { return isPositive(n.value) && !n.local }, plainNames...)
			n, _ = x.Number()
			at, ok = x.Origin, found
			ok = ok && (world == 1 || v.reached()) // of a device or of all, as what was not seen has it
		}
		if ok {
			split := v.oneLoader() || v.cutAmongRanks() || v.sharesOf(world, worldFrom)
			switch {
			case v.sharesOf(world, worldFrom) && accum > 1 && v.sharesOf(int(accum), accumFrom), accum > 1 && v.cutsInside():
				parts := accum * float64(world)
				v.set(workload.GlobalBatchSize, n, at)
				v.set(workload.PerDeviceBatchSize, n/parts, origin.Computed(fmt.Sprintf("%v/%v", n, parts), at, accumFrom, worldFrom))
			case split && world > 1 && told:
				v.set(workload.GlobalBatchSize, n*accum, scaled(n, accum, at, accumFrom))
				v.set(workload.PerDeviceBatchSize, n/float64(world), origin.Computed(fmt.Sprintf("%v/%d", n, world), at, worldFrom))
			default:
				v.set(workload.PerDeviceBatchSize, n, at)
			}
		}
	}
	if n, at, ok := v.number(rayNames...); ok && !v.has(workload.PerDeviceBatchSize) && v.set(workload.PerDeviceBatchSize, n, at) {
		v.set(workload.BatchUnit, "rays", at)
	}
	v.tokenBatch()
	v.cutBatch()
	accum, told = v.md.Number(workload.GradAccum)
	accumFrom = v.md.Values[workload.GradAccum].Origin
	micro, ok := v.md.Number(workload.PerDeviceBatchSize)
	microFrom := v.md.Values[workload.PerDeviceBatchSize].Origin
	global, hasGlobal := v.md.Number(workload.GlobalBatchSize)
	switch {
	case !told: // neither follows from the other
	case ok && !hasGlobal:
		total := micro * accum * float64(world)
		if shared, at, ok := undivided(accumFrom, world); ok {
			v.set(workload.GlobalBatchSize, micro*shared, product(micro, shared, 1, microFrom, at))
		}
		v.set(workload.GlobalBatchSize, total, product(micro, accum, world, microFrom, accumFrom, worldFrom))
	case !ok && hasGlobal:
		each := global / accum / float64(world)
		v.set(workload.PerDeviceBatchSize, each, origin.Computed(fmt.Sprintf("%v/%v/%d", global, accum, world), v.md.Values[workload.GlobalBatchSize].Origin, accumFrom, worldFrom))
	}
	v.why(workload.PerDeviceBatchSize, "no loader with a known batch and no option of a known name")
	if v.has(workload.PerDeviceBatchSize) {
		v.set(workload.BatchUnit, "samples", v.md.Values[workload.PerDeviceBatchSize].Origin)
	}
}

// loadsOther reports that the loader of training surely gives batches that a
// batch of all devices cannot be: another default of the code is then of a part.
func (v *view) loadsOther(global float64, world int) bool {
	n, _, ok := v.loaderBatch()
	c := v.trainLoader()
	return ok && c != nil && !c.Doubt && n != global && n*float64(world) != global && (n > global || v.oneLoader())
}

// cutsInside reports a program of JAX that accumulates gradients inside its step,
// over the parts of one batch: nothing keeps them from batch to batch.
func (v *view) cutsInside() bool {
	return len(v.calls("MultiSteps", "apply_every")) == 0 && slices.ContainsFunc(v.calls("pmap", "jit", "pjit", "value_and_grad"), func(c *pyeval.Call) bool {
		return strings.HasPrefix(c.Name, "jax.")
	})
}

// cutBatch answers the micro steps of a program whose loader gives a multiple of
// what a device takes at a time: it cuts each batch into so many parts.
func (v *view) cutBatch() {
	micro, ok := v.md.Number(workload.PerDeviceBatchSize)
	accum, told := v.md.Values[workload.GradAccum]
	if !ok || v.oneLoader() || v.has(workload.GlobalBatchSize) || told && (accum.Origin == nil || accum.Origin.Kind != origin.Rule) {
		return
	}
	n, at, ok := v.loaderBatch()
	from := v.md.Values[workload.PerDeviceBatchSize].Origin
	if parts := n / micro; ok && parts > 1 && parts == float64(int(parts)) && from != nil && !descends(from, at) && !descends(at, from) {
		delete(v.md.Values, workload.GradAccum)
		v.set(workload.GradAccum, parts, origin.Computed(fmt.Sprintf("%v/%v", n, micro), at, from))
	}
}

// tokenBatch answers the batch of a device where a program fills it up to a
// number of tokens: its size in samples is an option that is left open.
func (v *view) tokenBatch() {
	if v.has(workload.PerDeviceBatchSize) {
		return
	}
	if v.secondsBatch() || v.tokensPer() {
		return
	}
	if _, _, open := v.lookup(func(x pyeval.Value) bool { return x.Kind == pyeval.None }, "batch_size", "max_sentences", "batch_size_per_gpu"); !open {
		return
	}
	if n, at, ok := v.number("max_tokens", "max_tokens_per_batch", "tokens_per_batch", "batch_tokens"); ok && v.set(workload.PerDeviceBatchSize, n, at) {
		v.set(workload.BatchUnit, "tokens", at)
	}
}

// tokensPer answers the batch of a device where a configuration counts it in
// tokens and says of what: "tokens_per_microbatch", "num_tokens_per_device".
func (v *view) tokensPer() bool {
	for _, key := range sortedNames(v.names) {
		_, per, ok := strings.Cut(key, "tokens_per_")
		if !ok || !slices.ContainsFunc([]string{"microbatch", "micro_batch", "device", "gpu", "rank"}, func(of string) bool { return strings.HasPrefix(per, of) }) {
			continue
		}
		x, _, found := v.lookupAmong(func(n *named) bool { return n.config && !n.doubt && isPositive(n.value) }, key)
		if n, _ := x.Number(); found && v.set(workload.PerDeviceBatchSize, n, x.Origin) {
			return v.set(workload.BatchUnit, "tokens", x.Origin) && v.tokensOfStep(n)
		}
	}
	return false
}

// tokensOfStep answers the tokens of an optimiser's step, where they are
// configured too, and with them the micro steps that it takes.
func (v *view) tokensOfStep(micro float64) bool {
	world, worldFrom := v.world()
	accum := v.md.Values[workload.GradAccum]
	n, at, ok := v.number("num_tokens_per_train_step", "tokens_per_train_step", "tokens_per_step", "num_tokens_per_step", "tokens_per_global_batch")
	parts := n / micro / float64(world)
	if !ok || parts < 1 || parts != float64(int(parts)) || accum.Origin != nil && accum.Origin.Kind != origin.Rule {
		return true
	}
	delete(v.md.Values, workload.GradAccum)
	v.set(workload.GlobalBatchSize, n, at)
	v.set(workload.GradAccum, parts, origin.Computed(fmt.Sprintf("%v/%v/%d", n, micro, world), at, v.md.Values[workload.PerDeviceBatchSize].Origin, worldFrom))
	return true
}

// secondsBatch answers the batch of a device where the sampler fills it up to a
// number of seconds of sound.
func (v *view) secondsBatch() bool {
	c := v.trainLoader()
	if c == nil {
		return false
	}
	for _, name := range []string{"sampler", "batch_sampler"} {
		x, ok := c.Arg(name, -1)
		e := x.External()
		if !ok || e == nil || e.Call == nil {
			continue
		}
		if n, ok := e.Call.Arg("max_duration", -1); ok && isPositive(n) {
			seconds, _ := n.Number()
			at := or(n.Origin, e.Call.Site)
			return v.set(workload.PerDeviceBatchSize, seconds, at) && v.set(workload.BatchUnit, "seconds", at)
		}
	}
	return false
}

// undivided is the number of micro steps that all ranks were to share, where
// it does not divide among them: the launch will abort or lose some, and what
// was meant is the number as configured.
func undivided(accum *origin.Origin, world int) (float64, *origin.Origin, bool) {
	if accum == nil || accum.Kind != origin.Derived || len(accum.From) == 0 || accum.From[0] == nil {
		return 0, nil, false
	}
	shared, ranks, ok := strings.Cut(accum.Key, "//")
	n, errN := strconv.Atoi(shared)
	w, errW := strconv.Atoi(ranks)
	if !ok || errN != nil || errW != nil || w != world || w < 2 || n%w == 0 {
		return 0, nil, false
	}
	return float64(n), accum.From[0], true
}

// deviceNames are names of the batch of a device. Where one process spreads over
// its devices, its local batch is that of all of them.
func (v *view) deviceNames() []string {
	if !v.oneLoader() {
		return perDeviceNames
	}
	return slices.DeleteFunc(slices.Clone(perDeviceNames), func(name string) bool { return strings.HasPrefix(name, "local_") })
}

func scaled(n, by float64, from, byFrom *origin.Origin) *origin.Origin {
	if by == 1 {
		return from
	}
	return origin.Computed(fmt.Sprintf("%v*%v", n, by), from, byFrom)
}

func product(micro, accum float64, world int, from ...*origin.Origin) *origin.Origin {
	if accum == 1 && world == 1 {
		return from[0]
	}
	text := fmt.Sprintf("%v", micro)
	if accum != 1 {
		text += fmt.Sprintf("*%v", accum)
	}
	if world != 1 {
		text += fmt.Sprintf("*%d", world)
	}
	return origin.Computed(text, from...)
}

// loaderBatch is the batch of the loader that feeds training.
func (v *view) loaderBatch() (float64, *origin.Origin, bool) {
	for _, c := range v.obs.Calls { // of TensorFlow, whose loader is a function
		if x, ok := c.Arg("train_batch_size", -1); ok && isPositive(x) && strings.HasSuffix(lastPart(c.Name), "Estimator") {
			n, _ := x.Number()
			return n, or(x.Origin, c.Site), true
		}
	}
	c := v.trainLoader()
	if c == nil {
		return 0, nil, false
	}
	x, ok := c.Arg("batch_size", 1)
	if b, has := c.Arg("batch_sampler", -1); !ok && has {
		if o := b.Object(); o != nil {
			if n, has := o.Attrs.Get("batch_size"); has {
				x, ok = n, true
			}
		}
		if e := b.External(); e != nil && e.Call != nil {
			if x, ok = e.Call.Arg("batch_size", 1); !ok {
				return 0, nil, false
			}
		}
	}
	if !ok || !isPositive(x) {
		if x.Kind == pyeval.CandidatesKind {
			v.candidates(workload.PerDeviceBatchSize, x)
		}
		return 0, nil, false
	}
	n, _ := x.Number()
	if whole, at, ok := v.shares(c, n); ok {
		return whole, at, true
	}
	return n, or(x.Origin, c.Site), true
}

// shares is the batch of several loaders that are made at one place, each with a
// share of it, where a configured batch is their sum.
func (v *view) shares(c *pyeval.Call, n float64) (float64, *origin.Origin, bool) {
	if c.Loops == nil || c.Site == nil {
		return 0, nil, false
	}
	sum, some := 0.0, 0
	for _, o := range v.obs.Calls {
		if o.Site == nil || o.Name != c.Name || o.Site.String() != c.Site.String() || o.Doubt {
			continue
		}
		x, _ := o.Arg("batch_size", 1)
		part, ok := x.Number()
		if !ok {
			return 0, nil, false
		}
		sum += part
		some++
	}
	x, _, ok := v.lookupAmong(func(m *named) bool { total, is := m.value.Number(); return is && m.config && total == sum }, plainNames...)
	return sum, x.Origin, ok && some > 1 && sum > n && x.Origin != nil
}

// oneLoader reports that one loader feeds all devices of the process
// (DataParallel): its batch is split among them.
func (v *view) oneLoader() bool {
	return v.usesAll() && !v.distributed()
}

// cutAmongRanks reports that each process takes one of as many chunks of the
// data as there are processes: what it was given is the batch of all of them.
func (v *view) cutAmongRanks() bool {
	w := v.run.Processes
	for _, c := range v.calls("chunk", "tensor_split") {
		if n, ok := c.Arg("chunks", 0); ok && w.Known && w.N > 1 && n.Kind == pyeval.Int && int(n.Int) == w.N && n.Origin != nil && w.Origin != nil && n.Origin.String() == w.Origin.String() {
			return true
		}
	}
	return false
}
