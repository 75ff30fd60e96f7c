package resolve

import (
	"fmt"
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

// gpus answers how many GPUs are used. In order of trust: the processes that
// the launcher or the program starts, the devices that the program lists, the
// allocation where the program takes all it sees, one otherwise.
func (v *view) gpus() {
	if at, cpu := v.onCPU(); cpu {
		v.set(workload.GPUsTotal, 0, at)
		v.set(workload.GPUsPerNode, 0, at)
		one := origin.Named(origin.Rule, "one node unless something says otherwise")
		if c := v.run.Nodes; c.Known && c.N == 1 && c.Origin != nil {
			one = c.Origin
		}
		v.set(workload.Nodes, 1, one)
		return
	}
	nodes := 1
	nodesFrom := origin.Named(origin.Rule, "one node unless something says otherwise")
	if c := v.run.Nodes; c.Known && c.N > 0 {
		nodes, nodesFrom = c.N, c.Origin
	}
	if n, at, ok := v.trainerNumber("num_nodes", "nnodes"); ok {
		nodes, nodesFrom = int(n), at
	}
	if n, at, ok := v.submitted("nodes", "slurm_nodes"); ok {
		nodes, nodesFrom = n, at
	}
	per, from, ok := v.perNode()
	if !ok {
		v.why(workload.GPUsTotal, "neither the launch nor the program says how many GPUs are used")
		return
	}
	if v.run.PerNode.Known && v.run.Processes.Known && v.run.Processes.N > 1 && from == v.run.PerNode.Origin && v.run.Processes.N%max(nodes, 1) == 0 {
		per = v.run.Processes.N / max(nodes, 1)
	}
	from = v.against(per, from)
	v.set(workload.Nodes, nodes, nodesFrom)
	v.set(workload.GPUsPerNode, per, from)
	if nodes == 1 {
		v.set(workload.GPUsTotal, per, from)
	} else {
		v.set(workload.GPUsTotal, per*nodes, origin.Computed(fmt.Sprintf("%d*%d", nodes, per), nodesFrom, from))
	}
}

// onCPU reports a job without GPUs: its device is the CPU, or it asked for
// none.
func (v *view) onCPU() (*origin.Origin, bool) {
	if c := v.run.PerNode; c.Known && c.N > 1 && v.distributed() { // started once for each device
		return nil, false
	}
	for _, key := range []string{"device", "accelerator", "device_type"} {
		for _, n := range v.all(key) {
			if t := n.value.Text; isText(n.value) && n.value.Origin != nil && !n.doubt && (t == "cpu" || t == "tpu") && (n.config || v.run.Devices.Known && v.run.Devices.N == 0) {
				return n.value.Origin, true
			}
		}
	}
	if at, ok := v.flag("no_cuda", "use_cpu", "no_accel"); ok {
		return at, true
	}
	if x, _, ok := v.lookupAmong(func(n *named) bool { // of the program, not of a part: a profiler looks at the CPU too
		return n.value.Kind == pyeval.Bool && (depth(n.path) == 0 || strings.HasSuffix(n.path, "args.cpu"))
	}, "cpu"); ok && x.Int != 0 {
		return x.Origin, true
	}
	if g := v.launch.Requested.GPUs; g.Known && g.N == 0 && g.Origin != nil {
		return g.Origin, true
	}
	if d := v.run.Devices; d.Known && d.N == 0 && d.Origin != nil { // CUDA_VISIBLE_DEVICES=""
		return d.Origin, true
	}
	return nil, false
}

// perNode is the GPUs used on a node.
func (v *view) perNode() (int, *origin.Origin, bool) {
	visible, visibleFrom := v.visible()
	for _, key := range []string{"gpus_per_node", "slurm_gpus_per_node", "tasks_per_node"} {
		if n, at, ok := v.submitted(key); ok {
			return n, at, true
		}
	}
	spawned, at, spawns := v.spawned()
	if c := v.run.PerNode; c.Known && v.distributed() {
		if spawns && c.N > 0 { // each process starts others
			return c.N * spawned, at, true
		}
		return c.N, c.Origin, true
	}
	if spawns {
		return spawned, at, true
	}
	if n, at, ok := v.trainerDevices(visible); ok {
		return n, at, true
	}
	if (v.usesAll() || v.blind) && visible > 0 {
		return visible, visibleFrom, true
	}
	if visible > 1 && !v.reached() { // what was not seen may spread over all that it asked for
		return visible, visibleFrom, true
	}
	if n, at, ok := v.listed(); ok {
		return n, at, true
	}
	if visible > 1 && v.spawnsSome() {
		return visible, visibleFrom, true
	}
	if visible > 0 {
		if visible == 1 {
			return 1, visibleFrom, true
		}
		return 1, origin.Named(origin.Rule, "a single process that does not spread over GPUs uses one"), true
	}
	if asked := v.launch.Requested.GPUs; !asked.Known && asked.Origin != nil && strings.HasPrefix(asked.Origin.Explain(), "launch:k8s") { // a manifest that asks for what cannot be
		return 0, nil, false
	}
	if at, stays := v.staysOnCPU(); stays {
		return 0, at, true
	}
	return 1, origin.Named(origin.Rule, "one GPU unless the request says otherwise"), true
}

// asksOfCUDA are functions of torch.cuda that use no device.
var asksOfCUDA = []string{"is_available", "manual_seed_all", "manual_seed", "version", "device_count", "get_device_name", "get_device_properties", "empty_cache", "max_memory_allocated", "memory_allocated", "get_rng_state_all", "set_rng_state_all", "get_rng_state"}

// staysOnCPU reports a program of PyTorch that was followed to its training and
// that moves nothing to a device.
func (v *view) staysOnCPU() (*origin.Origin, bool) {
	if v.train == nil || v.obs.Stopped != "" || len(v.obs.Aborts) > 0 || v.launch.Requested.GPUs.Origin != nil {
		return nil, false
	}
	trains := false
	for _, c := range v.obs.Calls {
		name := strings.TrimSuffix(c.Name, "()")
		if strings.HasPrefix(name, "torch.optim.") && strings.HasSuffix(name, ".step") && strings.Count(name, ".") == 3 {
			trains = true
		}
		switch last := lastPart(name); last {
		case "to", "device":
			if !toCPU(c) {
				return nil, false
			}
		case "cuda", "half", "set_device", "init_process_group", "prepare", "initialize", "set_default_device", "set_default_tensor_type", "DataParallel", "DistributedDataParallel":
			return nil, false
		default:
			if strings.HasSuffix(last, "Trainer") || strings.HasPrefix(name, "torch.cuda.") && !slices.Contains(asksOfCUDA, last) {
				return nil, false
			}
		}
		for _, k := range c.Kw {
			if k.Name == "device" && !isCPU(k.Value) {
				return nil, false
			}
		}
		for _, a := range c.Args {
			if a.Kind == pyeval.Str && strings.Contains(a.Text, "cuda") {
				return nil, false
			}
		}
	}
	return origin.Named(origin.Rule, "nothing is moved to a GPU, and none is asked for"), trains
}

// distributed reports whether a launcher started the processes.
func (v *view) distributed() bool {
	for _, l := range v.run.Launchers {
		switch l.Name {
		case "srun":
			if v.run.Processes.N > 1 {
				return true
			}
		case "env":
		default:
			return v.run.PerNode.Known
		}
	}
	return false
}

// visible is the number of GPUs that the program sees on a node.
func (v *view) visible() (int, *origin.Origin) {
	if d := v.run.Devices; d.Known {
		return d.N, d.Origin
	}
	if g := v.launch.Requested.GPUsPerNode; g.Known {
		return g.N, g.Origin
	}
	return 0, nil
}

// spawnsSome tells whether the program starts processes whose number is not
// known: that is mostly the number of the devices it finds.
func (v *view) spawnsSome() bool {
	return slices.ContainsFunc(v.calls("spawn", "start_processes"), func(c *pyeval.Call) bool {
		n, ok := c.Arg("nprocs", 2)
		return ok && n.Kind != pyeval.Int && (strings.HasPrefix(c.Name, "torch.multiprocessing.") || strings.HasPrefix(c.Name, "torch.mp."))
	})
}

// spawned are processes that the program starts itself.
func (v *view) spawned() (int, *origin.Origin, bool) {
	for _, c := range sure(v.calls("spawn", "start_processes")) {
		if n, ok := c.Arg("nprocs", 2); ok && n.Kind == pyeval.Int && n.Int > 0 && n.Int < 1<<20 {
			return int(n.Int), or(n.Origin, c.Site), true
		}
	}
	workers, from := 0.0, []*origin.Origin(nil)
	for _, c := range v.obs.Calls { // of ray, each with devices of its own
		if c.Doubt || !strings.HasPrefix(c.Name, "ray.") {
			continue
		}
		switch n, ok := c.Arg("num_gpus", -1); {
		case ok && isPositive(n) && strings.HasSuffix(c.Name, ".options"):
			each, _ := n.Number()
			workers += each
			from = append(from, or(n.Origin, c.Site))
		case strings.HasSuffix(c.Name, "ScalingConfig"):
			k, _ := c.Arg("num_workers", 1)
			if gpu, ok := c.Arg("use_gpu", 2); ok && gpu.Int == 1 && isPositive(k) {
				return int(k.Int), or(k.Origin, c.Site), true
			}
		}
	}
	if workers >= 1 {
		return int(workers), origin.Computed(fmt.Sprintf("%d workers with devices", len(from)), from[0]), true
	}
	return 0, nil, false
}

// submitted is what the program asks the cluster for when it submits itself.
func (v *view) submitted(keys ...string) (int, *origin.Origin, bool) {
	calls := v.calls("update_parameters")
	for i := len(calls) - 1; i >= 0; i-- { // the last word counts
		if !pyeval.IsSubmitit(calls[i].Name) {
			continue
		}
		for _, key := range keys {
			if x, ok := calls[i].Arg(key, -1); ok && x.Kind == pyeval.Int && x.Int > 0 && x.Int < 1<<20 {
				return int(x.Int), or(x.Origin, calls[i].Site), true
			}
		}
	}
	return 0, nil, false
}

// trainerDevices is what a trainer object of a library was given.
func (v *view) trainerDevices(visible int) (int, *origin.Origin, bool) {
	for _, c := range v.calls("Trainer", "Fabric") {
		for _, key := range []string{"devices", "gpus", "num_processes"} {
			x, ok := c.Arg(key, -1)
			if !ok || x.Kind == pyeval.None {
				continue
			}
			if n, at, ok := devices(x, visible); ok {
				return n, or(at, c.Site), true
			}
		}
	}
	return 0, nil, false
}

// devices reads a list or a number of devices: 4, "4", "0,1", [0, 1], "auto",
// -1.
func devices(x pyeval.Value, visible int) (int, *origin.Origin, bool) {
	switch x.Kind {
	case pyeval.Int:
		if x.Int > 0 {
			return int(x.Int), x.Origin, true
		}
		if x.Int == -1 && visible > 0 {
			return visible, x.Origin, true
		}
	case pyeval.Str:
		t := strings.Trim(x.Text, " ,[]")
		if t == "auto" || t == "-1" {
			return visible, x.Origin, visible > 0
		}
		if t != "" && strings.Trim(t, "0123456789, ") == "" {
			if strings.Contains(x.Text, ",") {
				return len(strings.Split(t, ",")), x.Origin, true
			}
			n := 0
			fmt.Sscan(t, &n)
			return n, x.Origin, n > 0
		}
	case pyeval.ListKind, pyeval.TupleKind:
		items, whole := x.Items()
		return len(items), x.Origin, whole && len(items) > 0
	}
	return 0, nil, false
}

// usesAll reports that one process spreads over all GPUs that it sees.
func (v *view) usesAll() bool {
	for _, c := range sure(v.calls("DataParallel", "MirroredStrategy", "pmap", "data_parallel", "create_device_mesh", "shard_map")) {
		if !c.Doubt {
			return true
		}
	}
	for _, c := range v.obs.Calls { // transformers' trainer does when it is one process
		if strings.HasPrefix(c.Name, "transformers.") && strings.HasSuffix(c.Name, "Trainer") {
			return true
		}
	}
	return false
}

// listed is what the program keeps under a name for devices.
func (v *view) listed() (int, *origin.Origin, bool) {
	if v.spreadsNot() {
		return 0, nil, false
	}
	for _, key := range []string{"num_gpus", "n_gpus", "gpus", "ngpus", "ngpu", "n_gpu", "num_devices", "gpu_ids", "devices", "device_ids"} {
		for _, n := range v.all(key) {
			if n.value.Kind == pyeval.Int || n.value.Kind == pyeval.Str || n.value.Kind == pyeval.ListKind {
				if k, at, ok := devices(n.value, 0); ok && at != nil && k < 10000 {
					return k, at, true
				}
			}
		}
	}
	if t, at, ok := v.text("device", "gpu"); ok { // "0,1,2,3", "cuda:0,1"
		if n, _, ok := devices(pyeval.Value{Kind: pyeval.Str, Text: strings.TrimPrefix(t, "cuda:") + ","}, 0); ok && strings.ContainsAny(t, "0123456789") {
			return n, at, true
		}
	}
	return 0, nil, false
}

// trainerNumber is a positive number that a trainer object was given.
func (v *view) trainerNumber(keys ...string) (float64, *origin.Origin, bool) {
	for _, c := range v.obs.Calls {
		if !strings.HasSuffix(c.Name, "Trainer") && !strings.HasSuffix(c.Name, "Fabric") {
			continue
		}
		for _, key := range keys {
			if x, ok := c.Arg(key, -1); ok && isPositive(x) {
				n, _ := x.Number()
				return n, or(x.Origin, c.Site), true
			}
		}
	}
	return 0, nil, false
}

func or(a, b *origin.Origin) *origin.Origin {
	if a != nil {
		return a
	}
	return b
}

// world is the number of data-parallel ranks.
func (v *view) world() (int, *origin.Origin) {
	total := v.md.Values[workload.GPUsTotal]
	n, ok := total.Value.(float64)
	if !ok || n < 1 {
		return 1, total.Origin
	}
	split := 1.0
	for _, f := range []workload.Field{workload.TensorParallel, workload.PipelineParallel} {
		if x, ok := v.md.Number(f); ok && x > 0 {
			split *= x
		}
	}
	return max(1, int(n/split)), total.Origin
}
