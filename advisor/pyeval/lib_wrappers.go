package pyeval

import "strings"

// Libraries that take a model, an optimizer or a loader and give it back ready
// for a machine.
func init() {
	// These methods give the object that they were called on.
	for _, name := range []string{"to", "cuda", "cpu", "half", "float", "double", "bfloat16", "train", "eval", "requires_grad_", "share_memory", "to_device", "npu", "xpu", "contiguous", "detach"} {
		resultCalls[name] = func(in *Interp, e *External, c *Call) (Value, bool) {
			if name == "train" {
				if v, done := trainEstimator(in, e, c); done {
					return v, true
				}
			}
			in.observe(c)
			in.callbacks(c)
			self := c.Self
			if o := self.External(); o != nil && self.Kind == ExternalKind {
				o.solid = o.Call != nil && o.Name == o.Call.Name && makes(o.Name)
			}
			return self.by(c.Site), true
		}
	}
	given := func(in *Interp, c *Call) Value {
		in.observe(c)
		return asGiven(c.Args, c)
	}
	resultCalls["prepare"] = func(in *Interp, e *External, c *Call) (Value, bool) {
		if !strings.Contains(e.Name, "Accelerator") {
			return Value{}, false
		}
		return given(in, c), true
	}
	for _, name := range []string{"prepare_model", "prepare_optimizer", "prepare_data_loader", "prepare_scheduler", "unwrap_model"} {
		resultCalls[name] = resultCalls["prepare"]
	}
	resultCalls["setup"] = func(in *Interp, e *External, c *Call) (Value, bool) {
		if !strings.Contains(e.Name, "Fabric") {
			return Value{}, false
		}
		return given(in, c), true
	}
	for _, name := range []string{"setup_module", "setup_optimizers", "setup_dataloaders"} {
		resultCalls[name] = resultCalls["setup"]
	}
	resultCalls["launch"] = func(in *Interp, e *External, c *Call) (Value, bool) {
		if !strings.Contains(e.Name, "Fabric") || len(c.Args) == 0 {
			return Value{}, false
		}
		in.observe(c)
		return in.handOver(c.Args[0], tuple(c.Args[1:]...), c.Self, c.Kw), true
	}
	for _, fabric := range []string{"lightning.Fabric", "lightning.fabric.Fabric", "lightning_fabric.Fabric"} {
		resultAttrs[fabric+".world_size"] = func(in *Interp, v Value) Value { return in.program.Machine.WorldSize }
		resultAttrs[fabric+".global_rank"] = func(*Interp, Value) Value { return integer(0) }
		resultAttrs[fabric+".is_global_zero"] = func(*Interp, Value) Value { return boolean(true) }
	}
	for _, accelerator := range []string{"accelerate.Accelerator", "accelerate.accelerator.Accelerator"} {
		resultAttrs[accelerator+".num_processes"] = func(in *Interp, v Value) Value { return in.program.Machine.WorldSize }
		for _, name := range []string{"is_main_process", "is_local_main_process", "is_last_process"} {
			resultAttrs[accelerator+"."+name] = func(*Interp, Value) Value { return boolean(true) }
		}
		for _, name := range []string{"process_index", "local_process_index"} {
			resultAttrs[accelerator+"."+name] = func(*Interp, Value) Value { return integer(0) }
		}
		resultAttrs[accelerator+".state.num_processes"] = resultAttrs[accelerator+".num_processes"]
		resultAttrs[accelerator+".mixed_precision"] = func(in *Interp, v Value) Value {
			if p, ok := v.External().Call.Arg("mixed_precision", 2); ok && p.Kind != None {
				return p
			}
			return unknown("the precision that the accelerate configuration sets")
		}
	}

	// apex: amp.initialize(models, optimizers) gives both back.
	native(func(in *Interp, c *Call) Value {
		in.observe(c)
		model, _ := c.Arg("models", 0)
		if optimizer, ok := c.Arg("optimizers", 1); ok && optimizer.Kind != None {
			return tuple(model, optimizer)
		}
		return model
	}, "apex.amp.initialize")

	// deepspeed.initialize(...) gives engine, optimizer, loader and scheduler.
	native(func(in *Interp, c *Call) Value {
		in.observe(c)
		part := func(name, from string, position int) Value {
			if v, ok := c.Arg(from, position); ok && v.Kind != None && v.Kind != FunctionKind {
				return v
			}
			return Value{Kind: ExternalKind, Ref: &External{Name: c.Name + "." + name, Call: c, solid: true}, Origin: c.Site}
		}
		engine := Value{Kind: ExternalKind, Ref: &External{Name: c.Name + ".engine", Call: c, solid: true}, Origin: c.Site}
		loader := Value{Kind: ExternalKind, Ref: &External{Name: c.Name + ".dataloader", Call: c, solid: true}, Origin: c.Site}
		return tuple(engine, part("optimizer", "optimizer", 2), loader, part("lr_scheduler", "lr_scheduler", 6))
	}, "deepspeed.initialize")
	resultAttrs["deepspeed.initialize.engine.module"] = func(in *Interp, v Value) Value { return wrapped(v, "model", 1) }
	native(func(in *Interp, c *Call) Value {
		parser := c.first()
		add := in.attribute(parser, "add_argument")
		flag := func(name string, kw ...Keyword) {
			in.call(add, &Call{Name: "add_argument", Args: []Value{str(name)}, Kw: kw}, nil)
		}
		flag("--deepspeed", Keyword{"action", str("store_true")})
		flag("--deepspeed_config", Keyword{"type", builtins["str"]}, Keyword{"default", none()})
		return parser
	}, "deepspeed.add_config_arguments")

	native(func(in *Interp, c *Call) Value {
		n := in.program.Machine.Devices
		if kind, ok := c.text("device_type", 0); !ok || kind != "GPU" || n.Kind != Int || n.Int > 4096 || n.Int < 0 {
			return unknown("the devices of the machine")
		}
		out := &List{born: in.born()}
		for i := range n.Int {
			out.Items = append(out.Items, str("/physical_device:GPU:"+itoa(int(i))).with(n.Origin))
		}
		return Value{Kind: ListKind, Ref: out, Origin: n.Origin}
	}, "tensorflow.config.list_physical_devices", "tensorflow.config.experimental.list_physical_devices", "tensorflow.config.get_visible_devices")
	for _, name := range []string{"MirroredStrategy", "MultiWorkerMirroredStrategy", "OneDeviceStrategy"} {
		size := func(in *Interp, v Value) Value { return in.program.Machine.Devices }
		switch name {
		case "MultiWorkerMirroredStrategy":
			size = func(in *Interp, v Value) Value { return in.program.Machine.WorldSize }
		case "OneDeviceStrategy":
			size = func(*Interp, Value) Value { return integer(1) }
		}
		resultAttrs["tensorflow.distribute."+name+".num_replicas_in_sync"] = size
		resultAttrs["tensorflow.distribute.experimental."+name+".num_replicas_in_sync"] = size
	}
}

// asGiven is one argument, or the tuple of several.
func asGiven(args []Value, c *Call) Value {
	if len(args) == 1 && !c.Open {
		return args[0]
	}
	v := tuple(args...)
	v.Ref.(*List).Open = c.Open
	return v.with(c.Site)
}

// wrapped is the object that a wrapper was made of.
func wrapped(v Value, name string, position int) Value {
	if inner, ok := v.External().Call.Arg(name, position); ok {
		return inner
	}
	return unknown("what %s wraps", v.String())
}

// parallelWrapper reports whether a constructor's name is that of a wrapper
// around a model that keeps it as its module.
func parallelWrapper(name string) bool {
	last := lastName(name)
	return strings.HasSuffix(last, "DataParallel") || last == "DDP" || last == "FSDP" || last == "DistributedModelParallel" || last == "PipelineModule"
}

// constructed is an attribute of an object of another package that was given
// to its constructor under the same name, or that training libraries are known
// to keep.
func (in *Interp) constructed(e *External, name string) (Value, bool) {
	c := e.Call
	if e.Name != c.Name || !makes(c.Name) {
		return Value{}, false
	}
	if name == "module" && parallelWrapper(c.Name) {
		return c.Arg("module", 0)
	}
	if v, ok := c.Arg(name, -1); ok {
		return v, true
	}
	switch {
	case lastName(c.Name) == "DataLoader" && (name == "dataset" || name == "batch_size"):
		return c.Arg(name, map[string]int{"dataset": 0, "batch_size": 1}[name])
	case name == "param_groups" && strings.Contains(c.Name, "optim"):
		return in.paramGroups(c), true
	}
	return Value{}, false
}

// groupStyle marks the parameter groups of an optimizer: what is written into
// them is observed.
const groupStyle = "param_groups"

// paramGroups are the groups of an optimizer of another package: one for the
// parameters, or those that it was given.
func (in *Interp) paramGroups(c *Call) Value {
	if v, ok := in.groups[c]; ok {
		return v
	}
	out := &List{}
	group := func(given *Dict) {
		d := newDict()
		d.Open, d.style = true, groupStyle
		for _, k := range c.Kw {
			if k.Name != "params" {
				d.set(str(k.Name), k.Value)
			}
		}
		if lr, ok := c.Arg("lr", 1); ok {
			d.set(str("lr"), lr)
		}
		if given != nil {
			given.Each(d.set)
		}
		out.Items = append(out.Items, Value{Kind: DictKind, Ref: d, Origin: c.Site})
	}
	params, _ := c.Arg("params", 0)
	if items, whole := params.Items(); whole {
		for _, item := range items {
			if d := item.Dict(); d != nil && len(out.Items) < loopItems {
				group(d)
			}
		}
	}
	if len(out.Items) == 0 {
		group(nil)
	}
	v := Value{Kind: ListKind, Ref: out, Origin: c.Site}
	if in.groups == nil {
		in.groups = map[*Call]Value{}
	}
	in.groups[c] = v
	return v
}

// functools.wraps: what it decorates goes by the name of what it wraps, and
// hands on what decorators of click told of that.
func init() {
	native(func(in *Interp, c *Call) Value {
		of, _ := c.first().Ref.(*Function)
		return Value{Kind: NativeKind, Ref: &Native{Name: "functools.wraps", Run: func(in *Interp, d *Call) Value {
			v := d.first()
			if fn, ok := v.Ref.(*Function); ok && of != nil && fn != of {
				fn.goesBy = of.title()
				fn.click, fn.clickContext = append(fn.click, of.click...), fn.clickContext || of.clickContext
			}
			return v
		}}}
	}, "functools.wraps")
}

// title is the name that a function is known by outside.
func (fn *Function) title() string {
	if fn.goesBy != "" {
		return fn.goesBy
	}
	return fn.Name
}
