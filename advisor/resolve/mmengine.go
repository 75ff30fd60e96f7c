package resolve

import (
	"fmt"
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

// A runner of mmengine is told all by one configuration and builds the rest
// inside of the library, where nobody looks: its fields are read by the
// configuration's documented keys.

// runner is the configuration that a runner was made of.
func (v *view) runner() (pyeval.Value, bool) {
	for _, c := range v.obs.Calls {
		if !strings.HasPrefix(c.Name, "mmengine.runner.") || c.Doubt {
			continue
		}
		switch lastPart(c.Name) {
		case "from_cfg":
			if x, ok := c.Arg("cfg", 0); ok && x.Dict() != nil {
				return x, true
			}
		case "build": // RUNNERS.build(cfg)
			if x, ok := c.Arg("cfg", 0); ok && x.Dict() != nil && strings.Contains(c.Name, "RUNNERS") {
				return x, true
			}
		}
	}
	return v.oldRunner()
}

// key goes down a configuration by names.
func key(x pyeval.Value, names ...string) (pyeval.Value, bool) {
	for _, name := range names {
		d := x.Dict()
		if d == nil {
			return pyeval.Value{}, false
		}
		next, ok := d.Get(name)
		if !ok {
			return pyeval.Value{}, false
		}
		x = next
	}
	return x, true
}

// runnerModel is the model of a runner's configuration: its backbone with the
// size that it is given, unless the whole is a known model around it.
func (v *view) runnerModel() *modelName {
	cfg, ok := v.runner()
	if !ok {
		return nil
	}
	kind := ""
	model, _ := key(cfg, "model")
	if x, ok := key(model, "type"); ok {
		kind = x.Text
	}
	back, ok := key(model, "backbone")
	class, is := key(back, "type")
	if !ok || !is || !isText(class) {
		return nil
	}
	var sized []string
	at := class.Origin
	for _, option := range []string{"depth", "arch"} {
		size, ok := key(back, option)
		if !ok || size.Kind != pyeval.Int && !isText(size) {
			continue
		}
		at = or(size.Origin, at)
		sized = append(sized, class.Text+"-"+size.String())
		if m, ok := table.Model(class.Text); ok && m.Whole {
			sized = append([]string{m.Name + "-" + size.String()}, sized...)
		}
	}
	sized = append(sized, class.Text)
	if outer, ok := table.Model(kind); ok && outer.Whole && outer.Wraps { // a detector, a masked autoencoder
		for _, name := range sized {
			for _, whole := range []string{name, kind + "-" + name} {
				if m, ok := table.Model(whole); ok && m.Family == outer.Family && m.Wraps {
					return &modelName{text: m.Name, at: at, info: m, ok: true}
				}
			}
		}
		return &modelName{text: outer.Name, at: at, info: outer, ok: true}
	}
	if x, _ := key(model, "type"); !strings.HasSuffix(kind, "Classifier") {
		if whole := namedWhole(x); whole != nil {
			return whole
		}
		if m, ok := table.Model(class.Text); slices.Contains(plainHolders, kind) && !(ok && m.Whole && !strings.Contains(plain(class.Text), strings.TrimSpace(plain(m.Family)))) {
			return nil // a segmentor goes by its head, as its file does, unless its backbone is known by the name of one
		}
	}
	for _, name := range sized {
		if m, ok := table.Model(name); ok && m.Whole {
			return &modelName{text: m.Name, at: at, info: m, ok: true}
		}
	}
	return nil
}

// runnerRate is the rate of a runner that scales it by the batch: a switch that
// is off unless it is asked for.
func (v *view) runnerRate() {
	cfg, ok := v.runner()
	if !ok {
		return
	}
	rate, ok := key(cfg, "optim_wrapper", "optimizer", "lr")
	if !ok {
		rate, ok = key(cfg, "optimizer", "lr")
	}
	lr, is := rate.Number()
	if !ok || !is || lr <= 0 {
		return
	}
	at := rate.Origin
	on, _ := key(cfg, "auto_scale_lr", "enable")
	base, _ := key(cfg, "auto_scale_lr", "base_batch_size")
	if n, ok := base.Number(); ok && n > 0 && on.Kind == pyeval.Bool && on.Int == 1 {
		micro, okMicro := v.md.Number(workload.PerDeviceBatchSize)
		world, worldFrom := v.world()
		if !okMicro {
			return
		}
		if real := micro * float64(world); real != n {
			at = origin.Computed(fmt.Sprintf("%v*%v/%v", lr, real, n), rate.Origin, v.md.Values[workload.PerDeviceBatchSize].Origin, worldFrom, base.Origin)
			lr *= real / n
		}
	}
	v.set(workload.LearningRate, lr, at)
}

// runnerPrecision is that of the wrapper around a runner's optimiser.
func (v *view) runnerPrecision() {
	cfg, ok := v.runner()
	if !ok {
		return
	}
	v.oldPrecision()
	kind, ok := key(cfg, "optim_wrapper", "type")
	if !ok || !strings.HasSuffix(kind.Text, "AmpOptimWrapper") {
		return
	}
	if t, ok := key(cfg, "optim_wrapper", "dtype"); ok && strings.Contains(t.String(), "bfloat16") {
		v.set(workload.Precision, "amp-bf16", or(t.Origin, kind.Origin))
	}
	v.set(workload.Precision, "amp-fp16", kind.Origin)
}

// runnerBeginning is what a runner's model starts from. "resume" without a file
// goes on with the run's own last state, if there is one: a new run begins
// afresh.
func (v *view) runnerBeginning() bool {
	cfg, ok := v.runner()
	if !ok {
		return false
	}
	if x, ok := key(cfg, "load_from"); ok && isText(x) {
		return v.set(workload.InitFrom, x.Text, x.Origin)
	}
	for _, where := range [][]string{{"model", "backbone", "init_cfg"}, {"model", "init_cfg"}} {
		x, _ := key(cfg, where...)
		kind, _ := key(x, "type")
		if file, ok := key(x, "checkpoint"); ok && kind.Text == "Pretrained" && isText(file) {
			return v.set(workload.InitFrom, file.Text, or(file.Origin, kind.Origin))
		}
	}
	if x, ok := key(cfg, "model", "pretrained"); ok && isText(x) {
		return v.set(workload.InitFrom, x.Text, x.Origin)
	}
	v.absent(workload.InitFrom, "no-checkpoint-loaded")
	return true
}

// runnerImage is the size that a runner's pipeline cuts training images to.
func (v *view) runnerImage() {
	cfg, ok := v.runner()
	if !ok {
		return
	}
	steps, ok := key(cfg, "train_dataloader", "dataset", "pipeline")
	if !ok {
		steps, _ = key(cfg, "train_pipeline")
	}
	items, _ := steps.Items()
	for _, want := range []string{"RandomResizedCrop", "RandomCrop", "Resize", "RandomResize"} {
		for _, step := range items {
			kind, _ := key(step, "type")
			if lastPart(kind.Text) != want {
				continue
			}
			for _, option := range []string{"scale", "crop_size", "size"} {
				x, ok := key(step, option)
				if all, _ := x.Items(); len(all) > 0 {
					at := x.Origin
					x = all[0]
					x.Origin = or(x.Origin, at)
				}
				if n, is := x.Number(); ok && is && n >= 8 {
					v.set(workload.ImageSize, n, or(x.Origin, kind.Origin))
					return
				}
			}
		}
	}
}
