package pyeval

import "strings"

// What the libraries of training say about the machine.
func init() {
	native(func(in *Interp, c *Call) Value {
		n := in.program.Machine.Devices
		if n.Kind == Int {
			return boolean(n.Int > 0).with(n.Origin)
		}
		return unknown("whether there are GPUs")
	}, "torch.cuda.is_available", "torch.cuda.is_initialized", "torch.accelerator.is_available")
	native(func(in *Interp, c *Call) Value { return in.program.Machine.Devices }, "torch.cuda.device_count", "torch.accelerator.device_count", "jax.local_device_count")
	world := func(in *Interp, c *Call) Value { return in.program.Machine.WorldSize }
	native(world, "torch.distributed.get_world_size", "horovod.torch.size", "horovod.tensorflow.size", "deepspeed.comm.get_world_size", "byteps.torch.size", "composer.utils.dist.get_world_size", "mmengine.dist.get_world_size", "idist.get_world_size")
	zero := func(in *Interp, c *Call) Value { return integer(0) }
	native(zero, "torch.distributed.get_rank", "horovod.torch.rank", "horovod.torch.local_rank", "horovod.tensorflow.rank", "deepspeed.comm.get_rank", "jax.process_index", "torch.cuda.current_device", "composer.utils.dist.get_global_rank", "jax.host_id")
	native(func(in *Interp, c *Call) Value { return in.program.Machine.LocalSize }, "torch.distributed.get_local_world_size", "horovod.torch.local_size", "composer.utils.dist.get_local_world_size")
	// One process of JAX has all devices of its node, unless a launcher starts
	// one for each.
	native(func(in *Interp, c *Call) Value { return in.jaxProcesses() }, "jax.process_count", "jax.host_count")
	native(func(in *Interp, c *Call) Value {
		m := in.program.Machine
		if m.LocalSize.Kind == Int && m.LocalSize.Int > 1 {
			return m.WorldSize
		}
		return in.binary("*", m.Devices, in.jaxProcesses())
	}, "jax.device_count")
	resultCalls["append"] = func(in *Interp, e *External, c *Call) (Value, bool) {
		if e.Name != "torch.nn.ModuleList.append" || len(c.Args) != 1 {
			return Value{}, false
		}
		if len(e.Call.Args) == 0 {
			e.Call.Args = []Value{{Kind: ListKind, Ref: &List{born: in.born()}}}
		}
		if l, ok := e.Call.Args[0].Ref.(*List); ok && len(l.Items) < loopItems {
			l.Open = l.Open || in.weakly(l.born)
			l.Items = append(l.Items, c.Args[0])
		}
		return c.Self, true
	}
	// A program that says how many processes it joins has that many.
	native(func(in *Interp, c *Call) Value {
		in.observe(c)
		if n, ok := c.Arg("world_size", 2); ok && n.Kind == Int && n.Int > 0 {
			in.program.Machine.WorldSize = n
		}
		return none()
	}, "torch.distributed.init_process_group", "torch.distributed.distributed_c10d.init_process_group")
	kind := func(in *Interp, v Value) Value {
		if n := in.program.Machine.Devices; n.Kind == Int && n.Int > 0 {
			return str("cuda").with(n.Origin)
		}
		return unknown("whether there are GPUs")
	}
	resultAttrs["torch.accelerator.current_accelerator.type"] = kind
	resultAttrs["torch.device.type"] = func(in *Interp, v Value) Value {
		name, ok := v.External().Call.Arg("device", 0)
		if !ok {
			name, ok = v.External().Call.Arg("type", 0)
		}
		if e := name.External(); e != nil && e.Call != nil && e.Name == "torch.accelerator.current_accelerator" {
			return kind(in, name)
		}
		if !ok || name.Kind != Str {
			return unknown("the kind of a device")
		}
		kind, _, _ := strings.Cut(name.Text, ":")
		return str(kind).with(name.Origin)
	}
	yes := func(in *Interp, c *Call) Value { return boolean(true) }
	native(yes, "torch.distributed.is_available", "torch.backends.cudnn.is_available")
	no := func(in *Interp, c *Call) Value { return boolean(false) }
	native(no, "torch.backends.mps.is_available", "torch.backends.mps.is_built", "transformers.utils.is_torch_tpu_available", "transformers.is_torch_xla_available", "torch.xpu.is_available", "transformers.utils.is_torch_npu_available", "torch.npu.is_available")
	native(func(in *Interp, c *Call) Value { return in.program.Machine.BF16 }, "torch.cuda.is_bf16_supported")
	native(func(in *Interp, c *Call) Value {
		w := in.program.Machine.WorldSize
		if w.Kind == Int {
			return boolean(w.Int > 1)
		}
		return unknown("whether processes are joined")
	}, "torch.distributed.is_initialized", "torch.distributed.is_torchelastic_launched")
}

func (in *Interp) jaxProcesses() Value {
	if w := in.program.Machine.WorldSize; w.Kind == Int && w.Int > 1 {
		return w
	}
	return in.program.Machine.Nodes
}
