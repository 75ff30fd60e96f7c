package launch

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// Resolve finds out what a submission runs and on what. It fails when the
// request is empty or its manifest cannot be read; what it cannot follow
// otherwise becomes unknown words, doubts and warnings of the answer.
//
// Of a batch script given as text and a command, the script is what runs if it
// starts the command's program; else the command does, on what the script's
// #SBATCH lines ask for.
func Resolve(root *source.Root, req Request) (*Launch, error) {
	if req.Command == "" && len(req.Argv) == 0 && req.Sbatch == "" && req.Script == "" && len(req.Manifest) == 0 {
		return nil, errors.New("launch request: it has neither a command nor a script; give the command that trains, or its batch script")
	}
	var doc *manifest
	if len(req.Manifest) > 0 {
		var err error
		if doc, err = readManifest(req.Manifest); err != nil {
			return nil, err
		}
	}
	r := resolver{root, req, doc}
	var body, command *Launch
	if req.Sbatch != "" {
		body = r.attempt(func(s *shell) {
			if w, ok := s.m.words["chdir"]; ok {
				s.cd([]value{literal(w.Text, w.Origin)})
			} else if w, ok := s.m.lines["chdir"]; ok {
				s.cd([]value{literal(w.Text, w.Origin)})
			}
			s.source(req.Sbatch)
		})
	}
	if req.Command != "" || len(req.Argv) > 0 {
		command = r.attempt(func(s *shell) { s.submitted(req) })
	}
	switch {
	case body.runs() && (!command.runs() || body.starts(command.Main())):
		if command.runs() && !req.repeatsCommand() && !body.says(command.Main()) {
			body.warn("the batch script starts " + clip(command.Main().Name, 200) + " itself, with other words than the command: the words of the script count; leave one of the two out")
		}
		return body, nil
	case command.runs():
		if body.runs() {
			command.warn("the batch script starts " + clip(body.Main().Name, 200) + " and not " + clip(command.Main().Name, 200) + ": the command counts, on what the script asks for")
		}
		if doc != nil {
			if own := r.attempt(func(s *shell) { s.container(doc) }); own.runs() && !own.says(command.Main()) {
				command.warn("the manifest starts " + clip(own.Main().Name, 200) + " with other words than the command: the command counts, on what the manifest asks for")
			}
		}
		return command, nil
	case req.Script != "":
		if l := r.attempt(func(s *shell) { s.script(literal(s.upwards()+req.Script, nil), nil) }); l.runs() || command == nil {
			return l, nil
		}
	case doc != nil:
		if l := r.attempt(func(s *shell) { s.container(doc) }); l.runs() || command == nil {
			return l, nil
		}
	}
	for _, l := range []*Launch{command, body} {
		if l != nil {
			l.Warnings = append(l.Warnings, Warning{Text: "no program was found that this submission runs; name the training command itself"})
			return l, nil
		}
	}
	return &Launch{}, nil
}

func (l *Launch) runs() bool { return l != nil && len(l.Invocations) > 0 }

// starts reports whether one of the launch's programs has that program's name.
func (l *Launch) starts(program *Invocation) bool {
	return slices.ContainsFunc(l.Invocations, func(i Invocation) bool { return path.Base(i.Name) == path.Base(program.Name) })
}

// says reports whether one of the launch's programs has that program's name
// and words. Words that are not known may be any.
func (l *Launch) says(program *Invocation) bool {
	return slices.ContainsFunc(l.Invocations, func(i Invocation) bool {
		return path.Base(i.Name) == path.Base(program.Name) && slices.EqualFunc(i.Args, program.Args, func(a, b Word) bool { return a.Text == b.Text || !a.Known || !b.Known })
	})
}

// repeatsCommand reports whether the batch script holds the command word for
// word: what it runs may yet differ, by variables that the script sets before.
func (r Request) repeatsCommand() bool {
	command := strings.Fields(r.Command)
	if len(command) == 0 {
		command = r.Argv
	}
	return strings.Contains(strings.Join(strings.Fields(r.Sbatch), " "), strings.Join(command, " "))
}

func (l *Launch) warn(text string) { l.Warnings = append(l.Warnings, Warning{Text: text}) }

type resolver struct {
	root *source.Root
	req  Request
	doc  *manifest
}

// attempt interprets one reading of the submission from a fresh start.
func (r resolver) attempt(run func(*shell)) *Launch {
	req := r.req
	m := &machine{root: r.root, made: map[string]bool{}, own: map[string]bool{}, launch: &Launch{Written: map[string]string{}}, kind: req.Kind, body: req.Sbatch != ""}
	if m.kind == "" {
		switch {
		case req.Sbatch != "" || req.Script != "":
			m.kind = "slurm"
		case r.doc != nil:
			m.kind = "k8s"
		}
	}
	dir, ok := source.Clean(req.Workdir)
	if req.Workdir != "" && (!ok || !r.root.IsDir(dir)) {
		m.warn("the working folder "+strconv.Quote(clip(req.Workdir, 200))+" is no folder of the repository", nil)
	}
	if !ok {
		dir = "."
	}
	s := &shell{m: m, vars: map[string]variable{}, funcs: map[string]function{}, dir: dir, name: literal("bash", nil), status: yes}
	if r.doc != nil {
		for _, w := range r.doc.ask(&m.launch.Requested) {
			m.warn(w.Text, w.Origin)
		}
		if n := r.doc.documents(); n > 1 {
			m.warn(fmt.Sprintf("the manifest has %d documents with containers: the answer is about the one that trains, and the GPUs are those of all; give each job a file of its own", n), nil)
		}
		s.podEnv(r.doc)
	}
	for name, text := range req.Env {
		at := origin.Named(origin.Env, name)
		if v, ok := s.vars[name]; ok {
			at = at.Over(v.items[0].origin())
		}
		s.vars[name] = variable{items: []value{literal(text, at)}, exported: true}
	}
	m.words = r.overrides()
	switch {
	case req.Sbatch != "":
		m.lines = directives(req.Sbatch, "")
	case req.Script != "":
		if text, err := r.root.Read(req.Script); err == nil {
			m.lines = directives(string(text), req.Script)
		}
	}
	if m.kind == "slurm" && (m.lines != nil || len(m.words) > 0) {
		m.allocate(m.lines, m.words)
		s.slurmEnv()
	}
	run(s)
	return m.launch
}

// overrides reads the words of the sbatch command line, the script's name and
// what follows it aside.
func (r resolver) overrides() map[string]Word {
	var words []value
	for _, w := range r.req.Overrides {
		if len(words) == 0 && path.Base(w) == "sbatch" {
			continue
		}
		words = append(words, literal(clip(w, 4096), origin.Named(origin.Request, "sbatch "+clip(flagName(w), 80))))
	}
	settings, all, _ := slurmOptions.parse(words)
	for _, o := range all {
		if w, ok := settings[o.name]; ok {
			w.Origin = origin.Named(origin.Request, "sbatch --"+strings.ReplaceAll(o.name, "_", "-"))
			settings[o.name] = w
		}
	}
	return settings
}

// upwards leads from the present folder to the root.
func (s *shell) upwards() string { return "./" + strings.Repeat("../", depthOf(s.dir)) }

// submitted runs the command of the submission.
func (s *shell) submitted(req Request) {
	if req.Command == "" && len(req.Argv) == 1 && strings.Contains(req.Argv[0], " ") {
		req.Command = req.Argv[0]
	}
	if req.Command != "" {
		if s.source(req.Command); s.m.launch.runs() || len(req.Argv) == 0 || s.m.spent {
			return
		}
	}
	if len(req.Argv) > maxWords {
		s.m.stop("the command has more words than are followed")
		return
	}
	var words []value
	for _, w := range req.Argv {
		words = append(words, literal(w, origin.Named(origin.CLI, clip(flagName(w), 80))))
	}
	for i := 1; i < len(words); i++ {
		words[i] = named(words[i-1], words[i])
	}
	s.run(words)
}

// podEnv sets the variables of the container, those that an operator adds, and
// the processes that the pods are.
func (s *shell) podEnv(doc *manifest) {
	p := doc.main()
	if p == nil {
		return
	}
	for name, w := range p.env {
		s.vars[name] = variable{items: []value{{{text: w.Text, unknown: !w.Known, from: w.Origin}}}, exported: true}
	}
	nodes := s.m.launch.Requested.Nodes
	if !nodes.Known || nodes.N < 2 || strings.HasPrefix(doc.kind, "Ray") || doc.kind == "MPIJob" {
		return
	}
	s.spreadPods(nodes)
	if doc.kind != "PyTorchJob" && doc.kind != "TrainJob" {
		return
	}
	slots := Count{1, true, origin.Named(origin.Default, "nprocPerNode=1")}
	if doc.slots > 0 {
		slots = Count{doc.slots, true, origin.Named(origin.Request, "k8s nprocPerNode")}
	}
	put := func(name string, c Count) {
		if _, own := s.vars[name]; !own {
			s.vars[name] = variable{items: []value{literal(itoa(c.N), c.Origin)}, exported: true}
		}
	}
	put("PET_NNODES", nodes)
	if doc.slots > 0 {
		put("PET_NPROC_PER_NODE", slots)
	}
	put("WORLD_SIZE", times("WORLD_SIZE", nodes, slots))
	put("RANK", Count{0, true, origin.Named(origin.Rule, "the first process is shown")})
}

func (s *shell) spreadPods(nodes Count) {
	per := one("one process a pod")
	s.world = world{set: true, nodes: nodes, perNode: per, procs: times("processes", nodes, per)}
}

// container runs the command of the pod that trains. $(NAME) in it stands for
// a variable of the container.
func (s *shell) container(doc *manifest) {
	p := doc.main()
	if doc.entrypoint != "" {
		s.source(doc.entrypoint)
		return
	}
	if p == nil || len(p.command) == 0 {
		return
	}
	if p.dir != "" {
		s.cd([]value{literal(p.dir, nil)})
	}
	var words []value
	for _, w := range p.command {
		at := origin.Named(origin.Request, "k8s command "+clip(flagName(w), 60))
		words = append(words, s.podWord(w, at))
	}
	if len(words) == 1 && strings.ContainsAny(words[0].text(), " \n") {
		s.again(words[0])
		return
	}
	s.run(words)
}

func (s *shell) podWord(w string, at *origin.Origin) value {
	var v value
	for rest := w; ; {
		before, after, ok := strings.Cut(rest, "$(")
		name, tail, closed := strings.Cut(after, ")")
		known, set := s.vars[name]
		if !ok || !closed || !set || strings.HasSuffix(before, "$") || len(v) > 100 {
			return append(v, frag{text: rest, from: at})
		}
		if before != "" {
			v = append(v, frag{text: before, from: at})
		}
		v = append(v, join(known.items, " ")...)
		if rest = tail; rest == "" {
			return v
		}
	}
}
