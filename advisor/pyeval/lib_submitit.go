package pyeval

import "schedmate/advisor/origin"

// submitit sends a call to the cluster: the parameters that its executor was
// told are the allocation in which the call runs.
func init() {
	resultCalls["update_parameters"] = func(in *Interp, e *External, c *Call) (Value, bool) {
		if !IsSubmitit(e.Name) {
			return Value{}, false
		}
		in.observe(c)
		in.submitted(c)
		return none(), true
	}
	attr := func(name string, f func(in *Interp) Value) {
		resultAttrs["submitit.JobEnvironment."+name] = func(in *Interp, _ Value) Value { return f(in) }
		resultAttrs["submitit.helpers.JobEnvironment."+name] = resultAttrs["submitit.JobEnvironment."+name]
	}
	zero := func(*Interp) Value {
		return integer(0).with(origin.Named(origin.Rule, "the first process is shown"))
	}
	attr("num_tasks", func(in *Interp) Value { return in.program.Machine.WorldSize })
	attr("num_nodes", func(in *Interp) Value { return in.program.Machine.Nodes })
	attr("local_rank", zero)
	attr("global_rank", zero)
	attr("node", zero)
}

// IsSubmitit reports whether a qualified name is of submitit's executors.
func IsSubmitit(name string) bool {
	return name == "submitit.AutoExecutor" || name == "submitit.SlurmExecutor" || name == "submitit.AutoExecutor.update_parameters" || name == "submitit.SlurmExecutor.update_parameters"
}

// submitted makes the machine that of an executor's parameters. Tasks run under
// srun, which sets Slurm's variables.
func (in *Interp) submitted(c *Call) {
	m := &in.program.Machine
	for _, p := range []struct {
		to    *Value
		names []string
	}{
		{&m.Nodes, []string{"nodes", "slurm_nodes"}},
		{&m.LocalSize, []string{"tasks_per_node", "slurm_ntasks_per_node", "ntasks_per_node"}},
		{&m.Devices, []string{"gpus_per_node", "slurm_gpus_per_node"}},
	} {
		for _, name := range p.names {
			if v, ok := c.Arg(name, -1); ok && v.Kind == Int && v.Int > 0 {
				*p.to = v.by(c.Site)
			}
		}
	}
	if m.Nodes.Kind == Int && m.LocalSize.Kind == Int {
		m.WorldSize = in.binary("*", m.Nodes, m.LocalSize).by(c.Site)
	}
	for name, v := range map[string]Value{"SLURM_PROCID": integer(0), "SLURM_LOCALID": integer(0), "SLURM_NODEID": integer(0), "SLURM_NTASKS": m.WorldSize, "SLURM_NNODES": m.Nodes} {
		if v.Kind == Int {
			in.environ.set(str(name), str(v.String()).with(c.Site))
		}
	}
}
