package launch

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/origin"
)

var slurmOptions = newOptions("-N --nodes=", "-n --ntasks=", "--ntasks-per-node=", "--ntasks-per-gpu=", "--ntasks-per-socket=", "-c --cpus-per-task=", "-G --gpus=", "--gpus-per-node=", "--gpus-per-task=",
	"--gpus-per-socket=", "--cpus-per-gpu=", "--gres=", "--tres-per-task=", "-t --time=", "-J --job-name=", "-a --array=", "-p --partition=", "-A --account=", "-q --qos=", "-C --constraint=",
	"-o --output=", "-e --error=", "-i --input=", "-D --chdir=", "-d --dependency=", "-w --nodelist=", "-x --exclude=", "-M --clusters=", "-b --begin=", "--mem=", "--mem-per-cpu=", "--mem-per-gpu=",
	"--mail-type=", "--mail-user=", "--exclusive", "--requeue", "--no-requeue", "--export=", "--wrap=", "--signal=", "--open-mode=", "-L --licenses=", "-m --distribution=", "--hint=", "--switches=",
	"--time-min=", "--nice=", "-W --wait", "-H --hold", "-k --no-kill", "-K --kill-on-bad-exit", "-l --label", "-u --unbuffered", "-s --oversubscribe", "-O --overcommit", "--cpu_bind=", "--gpu_bind=", "--accel_bind=",
	"--mpi=", "--container-image=", "--container-mounts=", "--container-name=", "--container-workdir=", "--pty", "-v --verbose", "-Q --quiet", "--overlap", "--exact", "--multi-prog", "--propagate=", "--comment=",
	"--reservation=", "--threads-per-core=", "--cores-per-socket=", "--sockets-per-node=", "--parsable", "--test-only", "--get-user-env", "-r --relative=", "--jobid=", "--het-group=", "--spread-job", "--no-container-mount-home", "--container-writable")

// directives reads the #SBATCH lines in front of a script's first command.
func directives(text, file string) map[string]Word {
	got := map[string]Word{}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		trimmed := strings.TrimSpace(line)
		if len(line) > 4096 || n > 10_000 {
			break
		}
		if trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			break
		}
		rest, ok := strings.CutPrefix(trimmed, "#SBATCH")
		if !ok || rest == "" || (rest[0] != ' ' && rest[0] != '\t') {
			continue
		}
		var words []value
		for _, w := range directiveWords(rest) {
			from := origin.Named(origin.Request, "sbatch "+flagName(w))
			if file != "" {
				from = origin.At(origin.Shell, file, n, flagName(w))
			}
			words = append(words, literal(w, from))
		}
		settings, _, _ := slurmOptions.parse(words)
		for k, w := range settings {
			if len(words) > 0 {
				w.Origin = words[0].origin()
			}
			got[k] = w
		}
	}
	return got
}

// directiveWords splits a line at blanks outside quotes and before a comment.
func directiveWords(line string) []string {
	var all []string
	var b strings.Builder
	quote, open := byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == ' ' || c == '\t':
			if open || b.Len() > 0 {
				all = append(all, b.String())
			}
			b.Reset()
			open = false
		case c == '#' && b.Len() == 0:
			return all
		default:
			b.WriteByte(c)
		}
	}
	if open || b.Len() > 0 {
		all = append(all, b.String())
	}
	return all
}

// allocate works out what was asked for: words of the sbatch line beat the
// script's own lines.
func (m *machine) allocate(lines, words map[string]Word) {
	o := map[string]Word{}
	for k, w := range lines {
		o[k] = w
	}
	for k, w := range words {
		if weaker, ok := o[k]; ok {
			w.Origin = w.Origin.Over(weaker.Origin)
		}
		o[k] = w
	}
	s := &shell{m: m}
	num := func(key string) Count {
		w, ok := o[key]
		if !ok {
			return Count{}
		}
		low, _, _ := strings.Cut(w.Text, "-")
		return s.count(Word{low, w.Known, w.Origin}, key)
	}
	a := &m.launch.Requested
	*a = Allocation{TimeLimit: a.TimeLimit}
	a.CPUsPerTask, a.JobName = num("cpus_per_task"), o["job_name"]
	if w, ok := o["time"]; ok {
		if n, ok := slurmTime(w.Text); ok && w.Known {
			a.TimeLimit = Count{n, true, w.Origin}
		}
	}
	if w, ok := o["array"]; ok {
		n, known := arraySize(w.Text)
		a.ArrayTasks = Count{n, known && w.Known, w.Origin}
	}
	a.Nodes, a.Tasks = num("nodes"), num("ntasks")
	per := num("ntasks_per_node")
	if !a.Nodes.Known && a.Nodes.Origin == nil {
		a.Nodes = Count{1, true, origin.Named(origin.Default, "slurm --nodes=1")}
		if per.Known && a.Tasks.Known {
			a.Nodes = over("nodes", a.Tasks, per)
		}
	}
	m.gpus(o, num, per)
	if a.Tasks.Known || a.Tasks.Origin != nil {
		return
	}
	switch each := num("ntasks_per_gpu"); {
	case per.Known:
		a.Tasks = times("tasks", a.Nodes, per)
	case each.Known && a.GPUs.Known:
		a.Tasks = times("tasks", a.GPUs, each)
	default:
		a.Tasks = Count{a.Nodes.N, a.Nodes.Known, origin.Computed("slurm: one task a node", a.Nodes.Origin)}
	}
}

// gpus reads the many ways to ask for GPUs.
func (m *machine) gpus(o map[string]Word, num func(string) Count, tasksPerNode Count) {
	a := &m.launch.Requested
	read := func(key string) Count {
		w, ok := o[key]
		if !ok {
			return Count{}
		}
		kind, n, ok := gpuCount(w.Text, key == "gres")
		if !ok {
			return Count{}
		}
		if kind != "" {
			a.GPUType = Word{kind, true, w.Origin}
		}
		return Count{n, w.Known, w.Origin}
	}
	a.GPUsPerNode = read("gres")
	if c := read("gpus_per_node"); c.Known {
		a.GPUsPerNode = c
	}
	if c := read("gpus"); c.Known {
		a.GPUs = c
		if !a.GPUsPerNode.Known {
			a.GPUsPerNode = over("GPUs per node", c, a.Nodes)
			if a.Nodes.Known && a.Nodes.N == 1 {
				a.GPUsPerNode = c
			}
		}
	}
	if c := read("gpus_per_task"); c.Known && !a.GPUsPerNode.Known {
		tasks := a.Tasks
		if !tasks.Known {
			tasks = a.Nodes
			if tasksPerNode.Known {
				tasks = times("tasks", a.Nodes, tasksPerNode)
			}
		}
		a.GPUs = times("GPUs", c, tasks)
		a.GPUsPerNode = over("GPUs per node", a.GPUs, a.Nodes)
	}
	if !a.GPUs.Known {
		a.GPUs = times("GPUs", a.Nodes, a.GPUsPerNode)
	}
}

// gpuCount reads "gpu:a100:4", "gpu:2", "gpu" (of --gres, in a list) and
// "a100:4", "4" (of --gpus).
func gpuCount(text string, gres bool) (kind string, n int, ok bool) {
	for item := range strings.SplitSeq(text, ",") {
		item, _, _ = strings.Cut(item, "(")
		parts := strings.Split(strings.TrimPrefix(item, "gres:"), ":")
		if gres {
			base := strings.TrimPrefix(parts[0], "gres/")
			if base != "gpu" && base != "mig" {
				continue
			}
			if parts = parts[1:]; len(parts) == 0 {
				return "", n + 1, true
			}
		}
		m, isNumber := natural(parts[len(parts)-1])
		if !isNumber {
			kind, m = parts[len(parts)-1], 1
		} else if len(parts) > 1 {
			kind = parts[0]
		}
		n, ok = n+m, true
	}
	return kind, n, ok
}

// slurmTime reads minutes, m:s, h:m:s, d-h, d-h:m and d-h:m:s as seconds.
func slurmTime(text string) (int, bool) {
	days, rest, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, rest = "0", text
	}
	var parts []int
	for p := range strings.SplitSeq(days+":"+rest, ":") {
		n, ok := natural(p)
		if !ok || n > 1<<24 {
			return 0, false
		}
		parts = append(parts, n)
	}
	d, t := parts[0], parts[1:]
	switch {
	case len(t) > 3 || len(t) == 0:
		return 0, false
	case hasDays || len(t) == 3:
		t = append(t, 0, 0)
		return d*86400 + t[0]*3600 + t[1]*60 + t[2], true
	case len(t) == 2:
		return t[0]*60 + t[1], true
	}
	return t[0] * 60, true
}

// arraySize counts the tasks of "1-10%2", "0-15:4", "1,3,5-7".
func arraySize(text string) (int, bool) {
	text, _, _ = strings.Cut(text, "%")
	total := 0
	for item := range strings.SplitSeq(text, ",") {
		span, step, stepped := strings.Cut(item, ":")
		low, top, ranged := strings.Cut(span, "-")
		if !ranged {
			top = low
		}
		a, ok1 := natural(low)
		b, ok2 := natural(top)
		by := 1
		ok3 := true
		if stepped {
			by, ok3 = natural(step)
		}
		if !ok1 || !ok2 || !ok3 || by == 0 || b < a {
			return 0, false
		}
		total += (b-a)/by + 1
	}
	return total, total > 0
}

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
	c := s.under1(Launcher{Name: name, Settings: settings, Origin: args[0].origin()})
	asked := c.m.launch.Requested
	nodes, per := asked.Nodes, Count{}
	if w, ok := settings["nodes"]; ok {
		low, _, _ := strings.Cut(w.Text, "-")
		nodes = c.count(Word{low, w.Known, w.Origin}, "--nodes")
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
