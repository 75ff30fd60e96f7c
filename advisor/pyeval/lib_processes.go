package pyeval

// Functions that a program hands to other processes and threads. What the
// first of them does stands for all.
func init() {
	// spawn(fn, args=(...), nprocs=n) calls fn(rank, *args).
	ranked := func(in *Interp, c *Call) {
		fn, _ := c.Arg("fn", 0)
		args, _ := c.Arg("args", 1)
		in.handOver(fn, args, integer(0).with(c.Site))
	}
	for _, name := range []string{"torch.multiprocessing.spawn", "torch.multiprocessing.start_processes", "torch_xla.distributed.xla_multiprocessing.spawn"} {
		callbackRules[name] = ranked
	}
	plain := func(in *Interp, c *Call) {
		fn, _ := c.Arg("function", 0)
		args, _ := c.Arg("args", 1)
		in.handOver(fn, args)
	}
	callbackRules["accelerate.notebook_launcher"] = plain
	callbackRules["accelerate.debug_launcher"] = plain
	callbackRules["detectron2.engine.launch"] = func(in *Interp, c *Call) {
		fn, _ := c.Arg("main_func", 0)
		args, _ := c.Arg("args", 5)
		in.handOver(fn, args)
	}

	// Process(target=f, args=(...)).start(), and the same for threads.
	resultCalls["start"] = func(in *Interp, e *External, c *Call) (Value, bool) {
		if e.Call == nil {
			return Value{}, false
		}
		switch lastName(e.Call.Name) {
		case "Process", "Thread", "Timer", "SpawnProcess":
			target, ok := e.Call.Arg("target", 1)
			if !ok {
				return Value{}, false
			}
			args, _ := e.Call.Arg("args", 3)
			in.observe(c)
			in.handOver(target, args)
			return none(), true
		}
		return Value{}, false
	}
	// executor.submit(f, *args), of concurrent.futures and submitit.
	resultCalls["submit"] = func(in *Interp, e *External, c *Call) (Value, bool) {
		if len(c.Args) == 0 {
			return Value{}, false
		}
		in.observe(c)
		out := in.handOver(c.Args[0], tuple(c.Args[1:]...), c.Kw)
		return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + "()", Call: c, Args: out, solid: true}, Origin: c.Site}, true
	}
	native(func(in *Interp, c *Call) Value { return c.first() }, "ray.get", "ray.put")
}

// handOver calls a function of the repository as another process would, after
// further leading arguments. Anything else stays uncalled.
func (in *Interp) handOver(fn, args Value, leading ...any) Value {
	if in.depth >= in.budget.Depth-5 {
		return unknown("processes are nested too deeply")
	}
	// What it does there is no part of the loop that starts the processes.
	loop := in.loop
	in.loop = nil
	defer func() { in.loop = loop }()
	c := &Call{Name: "process"}
	for _, l := range leading {
		switch l := l.(type) {
		case Value:
			c.Args = append(c.Args, l)
		case []Keyword:
			c.Kw = l
		}
	}
	if args.Kind != None && args.Known() {
		items, whole := in.iterate(args, listItems)
		c.Args = append(c.Args, items...)
		c.Open = !whole
	}
	switch fn.Kind {
	case FunctionKind, MethodKind, ObjectKind, NativeKind:
		return in.call(fn, c, nil)
	}
	return unknown("what %s gives", fn.String())
}
