package launch

import (
	"path"
	"slices"
	"strings"

	"schedmate/advisor/origin"
)

// launchers start a program in several processes. Each reads its own options
// (canonical names go into Settings), works out nodes and processes, and runs
// what follows.
var launchers map[string]func(s *shell, name string, args []value) truth

func init() {
	launchers = map[string]func(*shell, string, []value) truth{
		"torchrun": torchrun, "torch.distributed.launch": torchrun, "paddle.distributed.launch": torchrun, "accelerate": accelerate, "accelerate-launch": accelerateLaunch,
		"deepspeed": deepspeed, "srun": srun, "sbatch": sbatch, "salloc": salloc, "jsrun": mpirun,
		"mpirun": mpirun, "mpiexec": mpirun, "mpiexec.hydra": mpirun, "orterun": mpirun, "horovodrun": mpirun,
		"composer": composer, "torchx": torchx, "colossalai": colossalai, "lightning": lightning, "fabric": lightning, "ray": rayJob,
	}
}

var torchOptions = newOptions("--nnodes=", "--nproc_per_node=", "--rdzv_backend=", "--rdzv_endpoint=", "--rdzv_id=", "--rdzv_conf=",
	"--standalone", "--max_restarts=", "--monitor_interval=", "--start_method=", "--role=", "-m --module", "--no_python", "--run_path",
	"--log_dir=", "-r --redirects=", "-t --tee=", "--node_rank=", "--master_addr=", "--master_port=", "--local_addr=", "--use_env",
	"--logs_specs=", "--local_ranks_filter=", "--numa_binding=", "--nproc=", "--gpus=", "--devices=", "--ips=", "--nnode=")

func torchrun(s *shell, name string, args []value) truth {
	settings, _, rest := torchOptions.parse(args[1:])
	c := s.below(Launcher{Name: name, Settings: settings, Origin: args[0].origin()})
	nodes := c.elastic(c.setting(settings, "nnodes", "PET_NNODES"))
	per := c.perNode(c.setting(settings, "nproc_per_node", "PET_NPROC_PER_NODE"))
	if w, ok := firstOf(settings, "gpus", "devices"); ok && strings.HasPrefix(name, "paddle") {
		per = devices(literal(w.Text, w.Origin))
	}
	c.spread(nodes, per)
	return c.target(settings, rest)
}

// setting is an option, or the variable that replaces it.
func (s *shell) setting(settings map[string]Word, name, variable string) Word {
	if w, ok := settings[name]; ok {
		return w
	}
	if v, ok := s.vars[variable]; ok && len(v.items) == 1 {
		return v.items[0].word()
	}
	return Word{Text: "1", Known: true, Origin: origin.Named(origin.Default, "torchrun --"+name+"=1")}
}

// elastic reads "2" or "1:4"; of a range the allocation decides, or its upper
// end.
func (s *shell) elastic(w Word) Count {
	low, top, ranged := strings.Cut(w.Text, ":")
	if !ranged {
		return s.count(w, "--nnodes")
	}
	a, ok1 := natural(low)
	b, ok2 := natural(top)
	if !ok1 || !ok2 || !w.Known {
		return Count{Origin: w.Origin}
	}
	if asked := s.m.launch.Requested.Nodes; asked.Known && asked.N >= a && asked.N <= b {
		return asked
	}
	return Count{b, true, w.Origin}
}

// perNode reads a number of processes, "gpu" or "auto".
func (s *shell) perNode(w Word) Count {
	if w.Known && (w.Text == "gpu" || w.Text == "auto") {
		c := s.visible()
		if c.Known {
			c.Origin = origin.Computed("nproc_per_node="+w.Text, c.Origin, w.Origin)
		} else {
			c.Origin = w.Origin
		}
		return c
	}
	return s.count(w, "--nproc_per_node")
}

// target runs the program after a launcher's options.
func (s *shell) target(settings map[string]Word, rest []value) truth {
	if len(rest) == 0 {
		return yes
	}
	switch {
	case settings["module"].Text == "true":
		return s.module(rest[0], rest[1:])
	case settings["no_python"].Text == "true" || settings["no_local_rank"].Text == "true":
		return s.run(rest)
	}
	return s.python(rest)
}

var deepspeedOptions = newOptions("-H --hostfile=", "-i --include=", "-e --exclude=", "--num_nodes=", "--min_elastic_nodes=", "--max_elastic_nodes=",
	"--num_gpus=", "--num_accelerators=", "--master_port=", "--master_addr=", "--node_rank=", "--launcher=", "--launcher_args=", "--module",
	"--no_python", "--no_local_rank", "--no_ssh_check", "--no_ssh", "--force_multi", "--save_pid", "--enable_each_rank_log=", "--autotuning=",
	"--elastic_training", "--user_args=", "--bind_cores_to_rank", "--bind_core_list=", "--venv_script=", "--ssh_port=")

func deepspeed(s *shell, name string, args []value) truth {
	settings, _, rest := deepspeedOptions.parse(args[1:])
	c := s.below(Launcher{Name: name, Settings: settings, Origin: args[0].origin()})
	nodes, per := Count{}, c.visible()
	if w, ok := settings["hostfile"]; ok {
		nodes, per = c.hostfile(w, per)
	}
	if w, ok := settings["include"]; ok {
		nodes, per = included(w, per)
	}
	if w, ok := settings["num_nodes"]; ok {
		if n := c.count(w, "--num_nodes"); !n.Known || n.N > 0 {
			nodes = n
		}
	}
	if w, ok := firstOf(settings, "num_gpus", "num_accelerators"); ok {
		if n := c.count(w, "--num_gpus"); !n.Known || n.N > 0 {
			per = n
		}
	}
	if asked := s.m.launch.Requested.Nodes; !nodes.Known && settings["launcher"].Text == "slurm" {
		nodes = asked
	}
	c.world.devices = per
	c.spread(nodes, per)
	return c.target(settings, rest)
}

// included reads "host1:0,1@host2" or "localhost:0,1".
func included(w Word, per Count) (Count, Count) {
	if !w.Known {
		return Count{Origin: w.Origin}, Count{Origin: w.Origin}
	}
	hosts := strings.Split(w.Text, "@")
	if _, slots, ok := strings.Cut(hosts[0], ":"); ok {
		per = Count{len(strings.Split(slots, ",")), true, w.Origin}
	}
	return Count{len(hosts), true, w.Origin}, per
}

// hostfile reads "host slots=8" lines of a file of the repository.
func (s *shell) hostfile(w Word, per Count) (Count, Count) {
	text, at, ok := s.readFile(value{{text: w.Text, unknown: !w.Known}})
	if !ok {
		return s.m.launch.Requested.Nodes, per
	}
	hosts := 0
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		hosts++
		if _, slots, ok := strings.Cut(line, "slots="); ok {
			if n, ok := natural(strings.Fields(slots + " x")[0]); ok {
				per = Count{n, true, origin.At(origin.Shell, at, i+1, "slots")}
			}
		}
	}
	return Count{hosts, hosts > 0, origin.At(origin.Shell, at, 1, "hosts")}, per
}

var mpiOptions = func() *options {
	o := newOptions("-np -n -c --n --num-proc --np=", "-H -host --host --hosts=", "-hostfile --hostfile -machinefile --machinefile -f --hostfile=", "-x -genvlist --x=",
		"-N -npernode -ppn --npernode --ppn -perhost --npernode=", "--mca -mca --gmca --mca==", "--map-by -map-by --map_by=", "--bind-to -bind-to --bind_to=", "--rank-by=",
		"-wdir --wdir -wd --wdir=", "-env -genv --env==", "--allow-run-as-root", "--oversubscribe", "--tag-output", "--display-map", "--report-bindings",
		"-p --ssh-port=", "--network-interface --network_interfaces=", "--start-timeout=", "--min-np=", "--max-np=", "--fusion-threshold-mb=",
		"--timeline-filename=", "--output-filename=", "--prefix=", "--cpu-set=", "-v --verbose", "-q --quiet", "--gloo", "--mpi", "-r --nrs=", "-a --tasks_per_rs=", "-g --gpu_per_rs=")
	o.long = true
	return o
}()

func mpirun(s *shell, name string, args []value) truth {
	settings, all, rest := mpiOptions.parse(args[1:])
	if name != "horovodrun" && name != "jsrun" {
		name = "mpirun"
	}
	c := s.below(Launcher{Name: name, Settings: settings, Origin: args[0].origin()})
	for _, o := range all { // -x NAME=value exports, -env NAME value too
		if o.name == "x" && len(o.args) == 1 {
			c.exportWords(o.args)
		}
		if o.name == "env" && len(o.args) == 2 {
			c.exportWords([]value{join(o.args, "=")})
		}
	}
	asked := s.m.launch.Requested
	nodes, per := Count{}, Count{}
	if w, ok := settings["hosts"]; ok && w.Known { // host1:4,host2:4
		hosts := strings.Split(w.Text, ",")
		nodes = Count{len(hosts), true, w.Origin}
		if _, slots, ok := strings.Cut(hosts[0], ":"); ok {
			n, known := natural(slots)
			per = Count{n, known, w.Origin}
		}
	} else if asked.Nodes.Known && asked.Nodes.N > 1 {
		nodes = asked.Nodes
	}
	if w, ok := settings["npernode"]; ok {
		per = c.count(w, "--npernode")
	}
	if w, ok := firstOf(settings, "np", "nrs"); ok {
		c.total(c.count(w, "-np"), nodes)
	} else if per.Known {
		c.spread(nodes, per)
	} else {
		c.total(asked.Tasks, nodes)
	}
	c.mpiEnv()
	return c.run(rest)
}

// mpiEnv sets what OpenMPI and Horovod set for the first process.
func (s *shell) mpiEnv() {
	w := s.world
	for _, name := range []string{"WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT"} {
		delete(w.env, name)
	}
	zero := Word{Text: "0", Known: true, Origin: origin.Named(origin.Rule, "the first process is shown")}
	for _, p := range []string{"OMPI_COMM_WORLD_", "HOROVOD_"} {
		w.env[p+"SIZE"], w.env[p+"LOCAL_SIZE"] = w.procs.word(), w.perNode.word()
		w.env[p+"RANK"], w.env[p+"LOCAL_RANK"] = zero, zero
	}
	delete(w.env, "HOROVOD_LOCAL_SIZE")
}

var composerOptions = newOptions("-n --nproc=", "--world_size=", "--base_rank=", "--node_rank=", "--master_addr=", "--master_port=", "-m --module_mode",
	"-c --command_mode", "--stdout=", "--stderr=", "-v --verbose", "--run_directory=")

func composer(s *shell, name string, args []value) truth {
	settings, _, rest := composerOptions.parse(args[1:])
	c := s.below(Launcher{Name: name, Settings: settings, Origin: args[0].origin()})
	per, nodes := c.visible(), Count{}
	if w, ok := settings["nproc"]; ok {
		per = c.count(w, "-n")
	}
	if w, ok := settings["world_size"]; ok {
		nodes = over("nodes", c.count(w, "--world_size"), per)
	} else if asked := s.m.launch.Requested.Nodes; s.m.kind == "k8s" && asked.Known && asked.N > 1 { // each pod runs it, and the platform tells it of the others
		nodes = asked
	}
	c.spread(nodes, per)
	if settings["module_mode"].Text == "true" && len(rest) > 0 {
		return c.module(rest[0], rest[1:])
	}
	if settings["command_mode"].Text == "true" {
		return c.run(rest)
	}
	return c.target(settings, rest)
}

var (
	torchxOptions = newOptions("-s --scheduler=", "-cfg --scheduler_args=", "--dryrun", "--wait", "--log", "--workspace=", "--parent_run_id=")
	ddpOptions    = newOptions("-j --nproc=", "--script=", "-m --module=", "--image=", "--name=", "-h --h=", "--cpu=", "--gpu=", "--memMB=", "--env=", "--max_retries=",
		"--rdzv_port=", "--rdzv_backend=", "--mounts=", "--debug=", "--tee=")
)

func torchx(s *shell, name string, args []value) truth {
	i := slices.IndexFunc(args, func(v value) bool { return v.is("run") })
	if i < 0 {
		return s.record(Console, name, args[0].origin(), args[1:])
	}
	settings, _, rest := torchxOptions.parse(args[i+1:])
	if len(rest) == 0 {
		return yes
	}
	component, rest := rest[0], rest[1:]
	own, _, rest := ddpOptions.parse(rest)
	for k, w := range own {
		settings[k] = w
	}
	settings["component"] = component.word()
	c := s.below(Launcher{Name: name, Settings: settings, Origin: args[0].origin()})
	nodes, per := Count{}, one("torchx -j default")
	if w, ok := settings["nproc"]; ok {
		a, b, two := strings.Cut(w.Text, "x")
		if !two {
			a, b = "1", w.Text
		}
		_, low, ranged := strings.Cut(a, ":") // 1:2x8
		if ranged {
			a = low
		}
		nodes, per = c.count(Word{a, w.Known, w.Origin}, "-j"), c.count(Word{b, w.Known, w.Origin}, "-j")
	}
	if strings.HasPrefix(component.text(), "dist.") {
		c.spread(nodes, per)
	}
	if w, ok := settings["script"]; ok {
		return c.python(append([]value{{{text: w.Text, unknown: !w.Known, from: w.Origin}}}, rest...))
	}
	if w, ok := settings["module"]; ok {
		return c.module(value{{text: w.Text, unknown: !w.Known, from: w.Origin}}, rest)
	}
	return c.run(rest)
}

var colossalOptions = newOptions("-H --host=", "--hostfile=", "--include=", "--exclude=", "--num_nodes=", "--nproc_per_node=", "--master_port=", "--master_addr=",
	"--extra_launch_args=", "--ssh-port=", "-m --module")

func colossalai(s *shell, name string, args []value) truth {
	i := slices.IndexFunc(args, func(v value) bool { return v.is("run") })
	if i < 0 {
		return s.record(Console, name, args[0].origin(), args[1:])
	}
	settings, _, rest := colossalOptions.parse(args[i+1:])
	c := s.below(Launcher{Name: name, Settings: settings, Origin: args[0].origin()})
	nodes, per := Count{}, c.visible()
	if w, ok := settings["hostfile"]; ok {
		nodes, _ = c.hostfile(w, per)
	}
	if w, ok := settings["host"]; ok && w.Known {
		nodes = Count{len(strings.Split(w.Text, ",")), true, w.Origin}
	}
	if w, ok := settings["num_nodes"]; ok {
		nodes = c.count(w, "--num_nodes")
	}
	if w, ok := settings["nproc_per_node"]; ok {
		per = c.count(w, "--nproc_per_node")
	}
	c.spread(nodes, per)
	return c.target(settings, rest)
}

var lightningOptions = newOptions("--accelerator=", "--strategy=", "--devices=", "--num_nodes=", "--node_rank=", "--main_address=", "--main_port=", "--precision=")

// lightning is "lightning run model" and "fabric run".
func lightning(s *shell, name string, args []value) truth {
	i := slices.IndexFunc(args, func(v value) bool { return v.is("run") })
	if i < 0 {
		return s.record(Console, name, args[0].origin(), args[1:])
	}
	rest := args[i+1:]
	if len(rest) > 0 && rest[0].is("model") {
		rest = rest[1:]
	}
	settings, _, rest := lightningOptions.parse(rest)
	c := s.below(Launcher{Name: "lightning", Settings: settings, Origin: args[0].origin()})
	per, nodes := one("lightning run --devices=1"), Count{}
	if w, ok := settings["devices"]; ok {
		switch {
		case w.Text == "auto" || w.Text == "-1":
			per = c.visible()
		case strings.Contains(w.Text, ","):
			per = devices(literal(w.Text, w.Origin))
		default:
			per = c.count(w, "--devices")
		}
	}
	if w, ok := settings["num_nodes"]; ok {
		nodes = c.count(w, "--num_nodes")
	}
	c.spread(nodes, per)
	return c.target(settings, rest)
}

var rayOptions = newOptions("--address=", "--working-dir=", "--runtime-env=", "--runtime-env-json=", "--submission-id=", "--job-id=", "--entrypoint-num-cpus=",
	"--entrypoint-num-gpus=", "--entrypoint-memory=", "--no-wait", "--verify=", "--log-style=")

// rayJob is "ray job submit -- command".
func rayJob(s *shell, name string, args []value) truth {
	if len(args) < 3 || !args[1].is("job") || !args[2].is("submit") {
		return s.record(Console, path.Base(name), args[0].origin(), args[1:])
	}
	settings, _, rest := rayOptions.parse(args[3:])
	return s.below(Launcher{Name: "ray", Settings: settings, Origin: args[0].origin()}).run(rest)
}
