package launch

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/origin"
)

// slurmEnv sets what Slurm tells a job about its allocation.
func (s *shell) slurmEnv() {
	a := s.m.launch.Requested
	put := func(name string, c Count) {
		if c.Known && !s.given(name) {
			s.vars[name] = variable{items: []value{{{text: itoa(c.N), from: c.Origin}}}, exported: true}
		}
	}
	put("SLURM_NNODES", a.Nodes)
	put("SLURM_JOB_NUM_NODES", a.Nodes)
	put("SLURM_NTASKS", a.Tasks)
	put("SLURM_NPROCS", a.Tasks)
	put("SLURM_GPUS_ON_NODE", a.GPUsPerNode)
	put("SLURM_GPUS_PER_NODE", a.GPUsPerNode)
	put("SLURM_CPUS_PER_TASK", a.CPUsPerTask)
	put("SLURM_NTASKS_PER_NODE", over("tasks per node", a.Tasks, a.Nodes))
	for _, name := range []string{"SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID"} {
		put(name, Count{0, true, origin.Named(origin.Rule, "the first process is shown")})
	}
	for _, name := range []string{"SLURM_JOB_ID", "SLURM_JOBID", "SLURM_JOB_NODELIST", "SLURM_NODELIST"} {
		if _, ok := s.vars[name]; !ok { // the cluster decides them
			s.vars[name] = variable{items: []value{{{text: "$" + name, unknown: true, solid: !strings.HasSuffix(name, "LIST"), from: origin.Named(origin.Env, name)}}}, exported: true}
		}
	}
	if a.JobName.Known {
		if !s.given("SLURM_JOB_NAME") {
			s.vars["SLURM_JOB_NAME"] = variable{items: []value{literal(a.JobName.Text, a.JobName.Origin)}, exported: true}
		}
	}
	s.vars["SLURM_SUBMIT_DIR"] = variable{items: []value{literal("./"+strings.Repeat("../", depthOf(s.dir))+s.dir, origin.Named(origin.Request, "workdir"))}, exported: true}
}

// given tells whether the submission itself sets a variable.
func (s *shell) given(name string) bool {
	v, ok := s.vars[name]
	if !ok || len(v.items) != 1 {
		return false
	}
	at := v.items[0].origin()
	return at != nil && at.Kind == origin.Env
}

// srun starts tasks of the allocation, or asks for one of its own.
func srun(s *shell, name string, args []value) truth {
	settings, _, rest := slurmOptions.parse(args[1:])
	if !s.m.launch.Requested.Tasks.Known && s.m.kind != "k8s" {
		s.m.allocate(nil, settings)
	}
	c := s.below(Launcher{Name: name, Settings: settings, Origin: args[0].origin()})
	asked := c.m.launch.Requested
	nodes, per := asked.Nodes, Count{}
	if w, ok := settings["nodes"]; ok {
		low, _, _ := strings.Cut(w.Text, "-")
		nodes = c.m.someNodes(c.count(Word{low, w.Known, w.Origin}, "--nodes"))
	}
	if w, ok := settings["ntasks_per_node"]; ok {
		per = c.count(w, "--ntasks-per-node")
	}
	switch w, ok := settings["ntasks"]; {
	case ok:
		tasks := c.count(w, "--ntasks")
		if per.Known && tasks.Known && settings["nodes"].Text == "" {
			nodes = over("nodes", tasks, per)
		}
		if nodes.Known && tasks.Known && tasks.N < nodes.N {
			nodes = tasks
		}
		c.total(tasks, nodes)
	case per.Known || per.Origin != nil:
		c.world.set, c.world.nodes, c.world.perNode, c.world.procs = true, nodes, per, times("processes", nodes, per)
	case settings["nodes"].Text != "":
		c.total(nodes, nodes)
	default:
		c.total(asked.Tasks, nodes)
	}
	if w, ok := settings["export"]; ok {
		c.exportWords(exports(w))
	}
	c.slurmTask()
	if len(rest) == 0 {
		return yes
	}
	if slashed(rest[0]) && settings["multi_prog"].Text == "true" {
		return yes
	}
	return c.run(rest)
}

func slashed(v value) bool { return strings.Contains(path.Clean(v.text()), "/") }

// exports reads --export=ALL,A=b.
func exports(w Word) []value {
	var all []value
	for item := range strings.SplitSeq(w.Text, ",") {
		if name, _, ok := strings.Cut(item, "="); ok && syntax.ValidName(name) && w.Known {
			all = append(all, literal(item, w.Origin))
		}
	}
	return all
}

func (s *shell) slurmTask() {
	w := s.world
	zero := Word{Text: "0", Known: true, Origin: origin.Named(origin.Rule, "the first process is shown")}
	w.env["SLURM_NTASKS"], w.env["SLURM_NPROCS"], w.env["SLURM_NNODES"] = w.procs.word(), w.procs.word(), w.nodes.word()
	w.env["SLURM_NTASKS_PER_NODE"] = w.perNode.word()
	for name, word := range w.env {
		if !strings.HasPrefix(name, "SLURM_") {
			continue
		}
		s.vars[name] = variable{items: []value{{{text: word.Text, unknown: !word.Known, solid: true, from: word.Origin}}}, exported: true}
	}
	for _, name := range []string{"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"} {
		w.env[name] = zero
		s.vars[name] = variable{items: []value{literal("0", zero.Origin)}, exported: true}
	}
}

// sbatch submits a script of the repository, or the text after --wrap.
func sbatch(s *shell, _ string, args []value) truth {
	settings, _, rest := slurmOptions.parse(args[1:])
	for k, w := range s.m.words { // overrides given apart from the command
		if _, own := settings[k]; !own {
			settings[k] = w
		}
	}
	if w, ok := settings["wrap"]; ok {
		s.m.allocate(nil, settings)
		c := s.child()
		c.slurmEnv()
		c.again(value{{text: w.Text, unknown: !w.Known, from: w.Origin}})
		return yes
	}
	if len(rest) == 0 {
		return maybe
	}
	lines := s.m.lines
	if text, at, ok := s.readFile(rest[0]); ok {
		lines = directives(text, at)
	} else if s.m.body {
		s.m.allocate(lines, settings)
		return maybe // the script came with the submission
	}
	s.m.allocate(lines, settings)
	if s.m.kind == "" || s.m.kind == "local" {
		s.m.kind = "slurm"
	}
	c := s.child()
	if w, ok := settings["chdir"]; ok {
		c.cd([]value{{{text: w.Text, unknown: !w.Known}}})
	}
	if w, ok := settings["export"]; ok {
		c.exportWords(exports(w))
	}
	c.slurmEnv()
	return c.script(rest[0], rest[1:])
}

func salloc(s *shell, _ string, args []value) truth {
	settings, _, rest := slurmOptions.parse(args[1:])
	s.m.allocate(s.m.lines, settings)
	c := s.child()
	c.slurmEnv()
	return c.run(rest)
}
