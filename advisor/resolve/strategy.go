package resolve

import (
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

// modelParallel answers over how many devices one copy of the model is spread:
// batches are counted by copies.
func (v *view) modelParallel() {
	if !v.has(workload.GPUsTotal) {
		return
	}
	if n, at, ok := v.number("tensor_model_parallel_size", "tensor_parallel_size", "tp_size", "tensor_parallel_degree", "model_parallel_size", "tensor_parallel", "tp"); ok {
		v.set(workload.TensorParallel, n, at)
	}
	if n, at, ok := v.number("pipeline_model_parallel_size", "pipeline_parallel_size", "pp_size", "pipeline_parallel_degree", "pipe_parallel_size", "pipeline_parallel", "pp"); ok {
		v.set(workload.PipelineParallel, n, at)
	}
	v.absent(workload.TensorParallel, "no-tensor-parallel")
	v.absent(workload.PipelineParallel, "no-pipeline-parallel")
}

// strategy answers how the work is spread over devices.
func (v *view) strategy() {
	total, ok := v.md.Number(workload.GPUsTotal)
	if !ok {
		return
	}
	for _, name := range []string{"FullyShardedDataParallel", "FSDP", "fully_shard"} {
		if calls := sure(v.calls(name)); len(calls) > 0 && !calls[0].Doubt && total > 1 {
			v.set(workload.ParallelStrategy, "fsdp", calls[0].Site)
		}
	}
	for _, l := range v.run.Launchers {
		if kind := l.Settings["distributed_type"]; strings.EqualFold(kind.Text, "fsdp") && total > 1 {
			v.set(workload.ParallelStrategy, "fsdp", kind.Origin)
		}
		if l.Settings["use_fsdp"].Text == "true" {
			v.set(workload.ParallelStrategy, "fsdp", l.Origin)
		}
	}
	// A mesh of JAX whose parameters are spread over an axis of that name; -1 is
	// all devices that other axes leave.
	if x, _, ok := v.lookup(isNumber, "ici_fsdp_parallelism"); ok && x.Int != 0 && x.Int != 1 && total > 1 {
		v.set(workload.ParallelStrategy, "fsdp", x.Origin)
	}
	if t, at, ok := v.text("fsdp"); ok && t != "" && total > 1 {
		v.set(workload.ParallelStrategy, "fsdp", at)
	}
	if x, _, ok := v.lookup(func(x pyeval.Value) bool { // "[full_shard, auto_wrap]"
		items, _ := x.Items()
		return len(items) > 0 && isText(items[0]) && strings.Contains(items[0].Text, "shard")
	}, "fsdp"); ok && total > 1 {
		items, _ := x.Items()
		v.set(workload.ParallelStrategy, "fsdp", or(x.Origin, items[0].Origin))
	}
	if x, _, ok := v.lookup(func(x pyeval.Value) bool { return x.Dict() != nil && x.Dict().Len() > 0 }, "fsdp_config"); ok && total > 1 && v.distributed() {
		v.set(workload.ParallelStrategy, "fsdp", x.Origin)
	}
	if stage, at, ok := v.zeroOf(); ok {
		v.set(workload.ParallelStrategy, "zero"+stage, at)
	}
	if stage, at, ok := v.zero(); ok {
		v.set(workload.ParallelStrategy, "zero"+stage, at)
	}
	for _, c := range v.calls("Trainer", "Fabric", "LightningCLI") {
		if x, ok := c.Arg("accelerator", -1); ok && x.Text == "ddp" { // Lightning before 1.5
			v.set(workload.ParallelStrategy, "ddp", or(x.Origin, c.Site))
		}
		if x, ok := c.Arg("strategy", -1); ok && total > 1 {
			name := strings.ToLower(x.String())
			for _, kind := range []string{"fsdp", "ddp", "deepspeed"} {
				if strings.Contains(name, kind) {
					v.set(workload.ParallelStrategy, kind, or(x.Origin, c.Site))
				}
			}
		}
	}
	for _, c := range v.obs.Calls {
		if strings.HasPrefix(c.Name, "horovod.") && strings.Contains(c.Name, "DistributedOptimizer") && total > 1 {
			v.set(workload.ParallelStrategy, "horovod", c.Site)
		}
	}
	if total <= 1 {
		v.set(workload.ParallelStrategy, "none", origin.Named(origin.Rule, "one device"))
		return
	}
	if calls := sure(v.calls("DistributedDataParallel", "DDP", "DistributedDataParallelCPU")); len(calls) > 0 {
		v.set(workload.ParallelStrategy, "ddp", calls[0].Site)
	}
	if v.oneLoader() {
		if calls := sure(v.calls("DataParallel")); len(calls) > 0 {
			v.set(workload.ParallelStrategy, "dp", calls[0].Site)
		}
		if calls := v.calls("pmap"); len(calls) > 0 { // the same program on each device
			v.set(workload.ParallelStrategy, "ddp", calls[0].Site)
		}
		if calls := v.calls("MirroredStrategy"); len(calls) > 0 {
			v.set(workload.ParallelStrategy, "mesh", calls[0].Site)
		}
	}
	if v.distributed() {
		v.set(workload.ParallelStrategy, "ddp", origin.Named(origin.Rule, "several processes of one program"))
	} else if v.reached() {
		v.set(workload.ParallelStrategy, "ddp", origin.Named(origin.Rule, "several devices of one trainer"))
	}
}

// zero is the stage of DeepSpeed's partitioning.
func (v *view) zero() (string, *origin.Origin, bool) {
	x, _, ok := v.lookup(isNumber, "zero_optimization.stage", "zero_stage")
	if !ok || x.Kind != pyeval.Int || x.Int < 1 || x.Int > 3 {
		return "", nil, false
	}
	return x.String(), x.Origin, true
}
