package launch

import (
	"strings"

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
	a.Nodes, a.Tasks = m.someNodes(num("nodes")), num("ntasks")
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
	if !a.GPUs.Known && a.GPUsPerNode.Origin != nil { // something is asked for
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

// someNodes is a number of nodes that is asked for: nothing runs on none.
func (m *machine) someNodes(n Count) Count {
	if !n.Known || n.N > 0 {
		return n
	}
	m.warn("0 nodes are asked for; ask for at least 1", n.Origin)
	return Count{Origin: n.Origin}
}
