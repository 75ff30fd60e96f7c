package resolve

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"schedmate/advisor/launch"
	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/source"
	"schedmate/advisor/workload"
)

// Result is what was found out about one submission.
type Result struct {
	Metadata *workload.Metadata
	Launch   *launch.Launch
	Program  *launch.Invocation // the training program; nil when none was found
	Observed *pyeval.Observations
}

// Budget bounds the work on one submission.
type Budget struct {
	Python   pyeval.Budget
	Deadline time.Time
}

// Submission answers the fields of one request. It fails only when the request
// itself cannot be read; what the repository does not tell stays unanswered.
func Submission(root *source.Root, request launch.Request, budget Budget) (*Result, error) {
	l, err := launch.Resolve(root, request)
	if err != nil {
		return nil, err
	}
	md := &workload.Metadata{Values: map[workload.Field]workload.Value{}, Candidates: map[workload.Field][]workload.Value{}, Unknown: map[workload.Field]string{}, Multiplier: 1}
	for _, w := range l.Warnings {
		md.Warnings = append(md.Warnings, w.Text)
	}
	out := &Result{Metadata: md, Launch: l, Program: l.Main()}
	if out.Program == nil {
		for _, f := range workload.Fields() {
			md.Unknown[f] = "the submission runs no Python program that can be read"
		}
		return out, nil
	}
	md.Multiplier = runs(out.Program, l)
	b := budget.Python
	b.Deadline = budget.Deadline
	v := &view{root: root, launch: l, run: out.Program, md: md, deadline: budget.Deadline}
	v.follow(program(root, out.Program, l, nil), b)
	if next, carried, ok := relaunched(l, out.Program, v); ok && v.missed() == "" {
		out.Program, v.run = next, next
		v.called = nil
		v.follow(program(root, next, l, carried), b)
	}
	out.Observed = v.obs
	v.answer()
	return out, nil
}

// follow runs the program. Where it ends with an exception before it trains, and
// that is not sure, our picture of the machine or of the data is more likely
// wrong than the program: it is followed again, past that place.
func (v *view) follow(p pyeval.Program, b pyeval.Budget) {
	v.obs = pyeval.Run(v.root, p, b)
	p.Past = map[string]bool{}
	for range 3 {
		i := slices.IndexFunc(v.obs.Aborts, func(a pyeval.Abort) bool { return !a.Sure && a.Site != nil && !p.Past[a.Site.String()] })
		if v.findTraining(); v.train != nil || i < 0 || v.obs.Steps > againSteps || v.late() || v.missed() != "" {
			break
		}
		p.Past[v.obs.Aborts[i].Site.String()] = true
		again := pyeval.Run(v.root, p, b)
		if len(again.Calls) <= len(v.obs.Calls) {
			break
		}
		v.obs, v.called = again, nil
	}
	v.train = nil
}

// againSteps is the most steps of a run that is made again: longer ones take too
// long.
const againSteps = 150_000

// runs is how many times the submission runs its program: by a loop of its
// script over folds or seeds, by the tasks of an array.
func runs(run *launch.Invocation, l *launch.Launch) int {
	n := max(1, run.Repeats)
	if a := l.Requested.ArrayTasks; a.Known && a.N > 1 {
		n *= a.N
	}
	return min(n, 1_000_000)
}

// program describes the invocation to the interpreter. Carried are values that
// stand behind unknown words, by the texts of the words.
func program(root *source.Root, run *launch.Invocation, l *launch.Launch, carried map[string]pyeval.Value) pyeval.Program {
	p := pyeval.Program{Dir: run.Dir, Environ: map[string]pyeval.Value{}}
	switch run.Program {
	case launch.File:
		p.File = run.Name
	case launch.Module:
		p.Module = run.Name
	case launch.Console:
		p.Module, p.Func = console(root, run.Name, run.Dir)
	}
	for _, w := range run.Args {
		if x, ok := carried[w.Text]; ok && !w.Known {
			p.Args = append(p.Args, x)
			continue
		}
		for _, part := range split(w) {
			p.Args = append(p.Args, word(part))
		}
	}
	for name, w := range run.Env {
		p.Environ[name] = word(w)
	}
	if dirs, ok := run.Env["PYTHONPATH"]; ok && dirs.Known {
		for _, d := range strings.Split(dirs.Text, ":") {
			if clean, ok := source.Clean(path.Join(run.Dir, d)); ok && d != "" {
				p.Paths = append(p.Paths, clean)
			}
		}
	}
	p.Machine = machine(run, l)
	p.RankOption = passesRank(run)
	return p
}

// passesRank reports whether the innermost launcher gives each process its
// rank as an option, beside the variable of the environment.
func passesRank(run *launch.Invocation) bool {
	if len(run.Launchers) == 0 {
		return false
	}
	l := run.Launchers[len(run.Launchers)-1]
	switch l.Name {
	case "torch.distributed.launch":
		return l.Settings["use_env"].Text != "true"
	case "deepspeed":
		return l.Settings["no_local_rank"].Text != "true"
	}
	return false
}

// split takes the unknown value of "--name=$VALUE" from the name, which is known.
func split(w launch.Word) []launch.Word {
	name, _, ok := strings.Cut(w.Text, "=")
	if w.Known || !ok || !strings.HasPrefix(name, "--") || strings.Contains(name, "$") {
		return []launch.Word{w}
	}
	return []launch.Word{{Text: name, Known: true, Origin: w.Origin}, {Text: w.Text[len(name)+1:], Origin: w.Origin}}
}

func word(w launch.Word) pyeval.Value {
	if !w.Known {
		return pyeval.Value{Kind: pyeval.Unknown, Text: "a word that the shell makes when the job runs", Origin: w.Origin}
	}
	return pyeval.Value{Kind: pyeval.Str, Text: w.Text, Origin: w.Origin}
}

// machine is what the program finds around it.
func machine(run *launch.Invocation, l *launch.Launch) pyeval.Machine {
	number := func(c launch.Count, otherwise pyeval.Value) pyeval.Value {
		if !c.Known {
			return otherwise
		}
		return pyeval.Value{Kind: pyeval.Int, Int: int64(c.N), Origin: c.Origin}
	}
	open := pyeval.Value{Kind: pyeval.Unknown, Text: "the GPUs of the node are not told"}
	devices := number(run.Devices, number(l.Requested.GPUsPerNode, open))
	one := pyeval.Value{Kind: pyeval.Int, Int: 1, Origin: origin.Named(origin.Rule, "one process")}
	m := pyeval.Machine{
		Devices:   devices,
		WorldSize: number(run.Processes, one),
		LocalSize: number(run.PerNode, one),
		Nodes:     number(run.Nodes, one),
		BF16:      pyeval.Value{Kind: pyeval.Bool, Int: 1, Origin: origin.Named(origin.Rule, "GPUs since Ampere compute in bf16")},
	}
	if devices.Kind == pyeval.Unknown { // a job without a word on GPUs is one on a machine that has one
		m.Devices = pyeval.Value{Kind: pyeval.Int, Int: 1, Origin: origin.Named(origin.Rule, "one GPU unless the request says otherwise")}
	}
	if t := l.Requested.GPUType; t.Known && beforeAmpere(t.Text) {
		m.BF16 = pyeval.Value{Kind: pyeval.Bool, Origin: t.Origin}
	}
	return m
}

func beforeAmpere(gpu string) bool {
	g := strings.ToLower(gpu)
	for _, old := range []string{"v100", "p100", "t4", "k80", "p40", "rtx2080", "2080", "1080", "titan", "rtx6000", "quadro"} {
		if strings.Contains(g, old) {
			return true
		}
	}
	return false
}

// answer runs the rules, in the order in which they build on each other.
func (v *view) answer() {
	if v.abstains() {
		return
	}
	for _, rule := range []func(){
		v.gather, v.findTraining, v.gpus, v.modelParallel, v.agents, v.accumulation, v.batches, v.iterations, v.optimisers, v.precision, v.workers,
		v.models, v.plainNet, v.datasets, v.dimensions, v.parameters, v.beginnings, v.strategy, v.arithmetic, v.tasks,
		v.withoutTraining,
	} {
		if v.late() {
			v.outOfTime()
			return
		}
		rule()
	}
}

// late reports whether the time for this job is used up.
func (v *view) late() bool { return !v.deadline.IsZero() && time.Now().After(v.deadline) }

// outOfTime tells what the rules that are left would have told.
func (v *view) outOfTime() {
	for _, f := range workload.Fields() {
		if _, known := v.md.Values[f]; !known {
			v.why(f, "the time for this job was used up before it could be told")
		}
	}
}

// abstains reports that the program would not train as submitted, or that what
// decides over it cannot be seen: then no field is answered.
func (v *view) abstains() bool {
	reason := v.missed()
	if reason == "" && v.obs.Entry == nil {
		reason = fmt.Sprintf("%s is not in the repository", v.run.Name)
	}
	for _, a := range v.obs.Aborts {
		if !a.Sure { // our own picture of the machine or of the data may be what is wrong
			continue
		}
		v.warn("this launch will abort: %s (%s)", a.Text, a.Site)
	}
	if reason == "" {
		return false
	}
	v.names = map[string][]named{}
	v.blind = true
	v.gpus() // what the launch alone tells
	v.missingNames()
	for _, f := range workload.Fields() {
		v.why(f, reason)
	}
	return true
}

// missed says which file that the submission names is not there; empty when
// none is missing.
func (v *view) missed() string {
	for _, m := range v.obs.Missing {
		if !m.Doubt && (v.obs.Entry == nil || configures(m.Path) && v.named(m.Path)) {
			return fmt.Sprintf("the submission names %s, which is not in the repository", m.Path)
		}
	}
	return ""
}

// configures reports whether a file is written as configurations are; a list of
// data that the cluster has and the repository lacks is none.
func configures(file string) bool {
	switch path.Ext(file) {
	case ".yaml", ".yml", ".toml", ".gin", ".py", ".cfg", ".ini":
		return true
	case ".json":
		return strings.Contains(file, "conf")
	}
	return false
}

// named reports whether a word of the command names a file.
func (v *view) named(file string) bool {
	base := path.Base(file)
	for _, w := range v.run.Args {
		if !w.Known || w.Text == "" {
			continue
		}
		last := path.Base(w.Text)
		if _, value, ok := strings.Cut(last, "="); ok {
			last = value
		}
		if strings.Contains(w.Text, base) || strings.Contains(w.Text, "/") && last == strings.TrimSuffix(base, path.Ext(base)) {
			return true
		}
	}
	return false
}
