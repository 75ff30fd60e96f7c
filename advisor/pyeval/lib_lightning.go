package pyeval

// Lightning: a trainer calls back what the module and the data module define.
func init() {
	fit := func(in *Interp, c *Call) {
		model, _ := c.Arg("model", 0)
		loaders, hasLoaders := c.Arg("train_dataloaders", 1)
		if !hasLoaders {
			loaders, hasLoaders = c.Arg("train_dataloader", -1)
		}
		data, hasData := c.Arg("datamodule", 3)
		if !hasData && loaders.Object() != nil && offersLoader(loaders.Object()) {
			data, hasData = loaders, true
		}
		for _, v := range []Value{model, data} {
			if o := v.Object(); o != nil {
				o.Attrs.set(str("trainer"), c.Self)
			}
		}
		stage := str("fit")
		if hasData && data.Kind != None {
			in.tryCall(data, "setup", stage)
			in.tryCall(data, "train_dataloader")
			in.tryCall(data, "val_dataloader")
		}
		in.tryCall(model, "configure_model")
		in.tryCall(model, "setup", stage)
		in.tryCall(model, "configure_optimizers")
		if !hasLoaders && (!hasData || data.Kind == None) {
			in.tryCall(model, "train_dataloader")
			in.tryCall(model, "val_dataloader")
		}
		in.tryCall(model, "training_step", unknown("a batch"), unknown("the number of a batch"))
	}
	callbackRules["lightning.Trainer.fit"] = fit
	callbackRules["lightning.trainer.Trainer.fit"] = fit
	callbackRules["lightning.trainer.trainer.Trainer.fit"] = fit

	for _, base := range []string{"lightning.LightningModule", "lightning.LightningDataModule", "lightning.core.LightningModule", "lightning.core.lightning.LightningModule", "lightning.core.mixins.HyperparametersMixin", "lightning.core.module.LightningModule", "lightning.core.datamodule.LightningDataModule"} {
		resultAttrs[base+".save_hyperparameters"] = func(in *Interp, v Value) Value {
			return bound(v, base+".save_hyperparameters", saveHyperparameters)
		}
		resultAttrs[base+".hparams"] = func(in *Interp, v Value) Value { return in.hparams(v) }
	}
	for _, trainer := range []string{"lightning.Trainer", "lightning.trainer.Trainer"} {
		resultAttrs[trainer+".world_size"] = func(in *Interp, v Value) Value { return in.trainerWorld(v) }
		resultAttrs[trainer+".num_nodes"] = func(in *Interp, v Value) Value {
			if n, ok := v.External().Call.Arg("num_nodes", -1); ok {
				return n
			}
			return in.program.Machine.Nodes
		}
		resultAttrs[trainer+".is_global_zero"] = func(*Interp, Value) Value { return boolean(true) }
		resultAttrs[trainer+".global_rank"] = func(*Interp, Value) Value { return integer(0) }
	}

	// instantiate_class(args, {"class_path": ..., "init_args": {...}})
	native(func(in *Interp, c *Call) Value {
		init, _ := c.Arg("init", 1)
		d := init.Dict()
		if d == nil {
			return unknown("an object of a class that is not known")
		}
		class, _ := d.Get("class_path")
		if class.Kind != Str {
			return unknown("an object of a class that is not known")
		}
		made := &Call{Name: class.Text}
		if args, ok := c.Arg("args", 0); ok {
			made.Args = []Value{args}
			if args.Kind == TupleKind {
				made.Args, _ = args.Items()
			}
		}
		if given, ok := d.Get("init_args"); ok && given.Dict() != nil {
			given.Dict().Each(func(k, v Value) { made.Kw = append(made.Kw, Keyword{k.Text, v}) })
			made.Open = given.Dict().Open
		}
		return in.call(in.target(class), made, nil)
	}, "lightning.cli.instantiate_class", "lightning.utilities.cli.instantiate_class")

	// ignite: an engine calls its function for every batch.
	callbackRules["ignite.engine.Engine.run"] = func(in *Interp, c *Call) {
		if e := c.Self.External(); e != nil && e.Call != nil {
			if fn, ok := e.Call.Arg("process_function", 0); ok {
				in.handOver(fn, none(), c.Self, unknown("a batch"))
			}
		}
	}
	// detectron2: a trainer builds its parts by methods that heirs replace.
	callbackRules["detectron2.engine.DefaultTrainer.train"] = func(in *Interp, c *Call) {
		o := c.Self.Object()
		if o == nil || o.ext == nil {
			return
		}
		cfg, _ := o.ext.Arg("cfg", 0)
		for _, name := range []string{"build_model", "build_train_loader"} {
			in.tryCall(c.Self, name, cfg)
		}
		in.tryCall(c.Self, "build_optimizer", cfg, unknown("the model"))
	}
}

// trainerWorld is the number of processes of a trainer, which starts those that
// its launcher did not.
func (in *Interp) trainerWorld(trainer Value) Value {
	world := in.program.Machine.WorldSize
	e := trainer.External()
	if n, ok := world.Number(); ok && n > 1 || e == nil || e.Call == nil {
		return world
	}
	devices, ok := e.Call.Arg("devices", -1)
	if !ok || devices.Kind == None {
		devices, ok = e.Call.Arg("gpus", -1)
	}
	if items, whole := devices.Items(); whole && len(items) > 0 { // the numbers of the devices
		devices = Value{Kind: Int, Int: int64(len(items)), Origin: devices.Origin}
	}
	if all := devices.Kind == Int && devices.Int == -1 || devices.Text == "auto" || devices.Text == "-1"; all {
		devices = in.program.Machine.Devices
	}
	if !ok || devices.Kind != Int || devices.Int < 1 {
		return world
	}
	nodes, ok := e.Call.Arg("num_nodes", -1)
	if !ok || nodes.Kind != Int || nodes.Int < 1 {
		nodes = in.program.Machine.Nodes
	}
	n := int64(1)
	if nodes.Kind == Int && nodes.Int >= 1 {
		n = nodes.Int
	}
	if n > 1<<20 || devices.Int > 1<<20 {
		return world
	}
	return Value{Kind: Int, Int: n * devices.Int, Origin: devices.Origin}
}

// hparams are the hyperparameters that a module keeps.
func (in *Interp) hparams(self Value) Value {
	o := self.Object()
	if o == nil {
		return unknown("hyperparameters of %s", self.String())
	}
	if v, ok := o.Attrs.Get("hparams"); ok {
		return v
	}
	d := newDict()
	d.attrs, d.born = true, in.born()
	v := Value{Kind: DictKind, Ref: d, Origin: in.line}
	o.Attrs.set(str("hparams"), v)
	return v
}

// saveHyperparameters keeps the arguments of the constructor that calls it.
func saveHyperparameters(in *Interp, c *Call) Value {
	if c.Self.Object() == nil {
		return none()
	}
	d := in.hparams(c.Self).Dict()
	frame := in.frame
	if d == nil || frame == nil || frame.fn == nil {
		return none()
	}
	only, ignored := map[string]bool{}, map[string]bool{}
	for _, a := range c.Args {
		switch {
		case a.Kind == Str:
			only[a.Text] = true
		case a.Dict() != nil:
			a.Dict().Each(d.set)
			return none()
		case a.Object() != nil:
			a.Object().Attrs.Each(d.set)
			return none()
		}
	}
	if skip, ok := c.Arg("ignore", -1); ok {
		names := []Value{skip}
		if items, whole := skip.Items(); whole {
			names = items
		}
		for _, n := range names {
			ignored[n.Text] = true
		}
	}
	for i, p := range parameterNames(frame.fn) {
		v, ok := frame.vars.Get(p.name)
		if i == 0 || !ok || ignored[p.name] || (len(only) > 0 && !only[p.name]) || p.rest {
			continue
		}
		d.set(str(p.name), v)
	}
	for _, p := range parameterNames(frame.fn) {
		if v, ok := frame.vars.Get(p.name); ok && p.rest && v.Dict() != nil && len(only) == 0 {
			v.Dict().Each(d.set)
		}
	}
	return none()
}

type parameterName struct {
	name string
	rest bool // *args or **kwargs
}

// parameterNames lists a function's parameters in order.
func parameterNames(fn *Function) []parameterName {
	params := fn.node.get("parameters")
	if params == nil {
		return nil
	}
	var all []parameterName
	for _, p := range params.kids {
		switch p.kind {
		case "identifier":
			all = append(all, parameterName{p.text, false})
		case "default_parameter", "typed_default_parameter":
			all = append(all, parameterName{leafName(p.get("name")), false})
		case "typed_parameter":
			if len(p.kids) > 0 {
				inner := p.kids[0]
				all = append(all, parameterName{leafName(inner), inner.kind != "identifier"})
			}
		case "list_splat_pattern", "dictionary_splat_pattern":
			all = append(all, parameterName{leafName(p), true})
		}
	}
	return all
}

// offersLoader reports whether an object gives loaders, by a method of its class
// or one that it was given.
func offersLoader(o *Object) bool {
	_, own := o.Attrs.Get("train_dataloader")
	return own || o.Class.defines("train_dataloader")
}
