package launch

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"schedmate/advisor/origin"
)

var pythonName = regexp.MustCompile(`^(python|pypy|ipython)[0-9.]*$`)

func isPython(name string) bool { return pythonName.MatchString(path.Base(name)) }

// runnable tells whether a word surely starts a command: where the options of
// a wrapper end.
func runnable(word string) bool {
	base := path.Base(word)
	return isPython(word) || launchers[base] != nil || slices.Contains(shells, base) || strings.HasSuffix(word, ".py") || strings.HasSuffix(word, ".sh")
}

var shells = []string{"bash", "sh", "zsh", "dash", "ksh"}

// quiet tools prepare or clean up; they print nothing and are no invocations.
var quiet = strings.Fields(`mkdir rm rmdir cp mv ln touch chmod chown sleep wait trap ulimit umask module ml spack conda-activate
	shopt hash alias unalias jobs kill pkill killall disown popd sync logger local typeset builtin rsync scp tar unzip zip gunzip gzip
	apt apt-get yum apk dpkg systemctl service mount umount activate deactivate scancel squeue sinfo clear reset xset stty exec enable bind`)

// asking tools print something that depends on the machine.
var asking = strings.Fields(`date hostname whoami id uname command type grep egrep fgrep sed find ls df du free ps top git sort uniq
	diff cmp stat file md5sum sha256sum curl wget ip ifconfig getent netstat lsof ss shuf mktemp tput numfmt jq yq od rev column paste comm
	env printenv locale arch lscpu lspci nvcc rocm-smi gcc g++ make-version aws gsutil gcloud s3cmd kubectl sacct srun-version getopt perl ruby node npm java xargs`)

// program starts a program of the machine or of the repository.
func (s *shell) program(args []value) truth {
	name := args[0].text()
	base := path.Base(name)
	switch {
	case slices.Contains(shells, base):
		return s.shellProgram(args)
	case isPython(name):
		return s.python(args[1:])
	}
	if strip, ok := prefixes[base]; ok {
		c := s.fork() // "env A=b" sets A for that command alone
		if rest := strip(c, args[1:]); len(rest) > 0 {
			status := c.run(rest)
			if base == "exec" {
				s.end = exits
			}
			return status
		}
		if slices.Contains(asking, base) {
			s.print(unread(base))
			return maybe
		}
		return yes
	}
	if f, ok := launchers[base]; ok {
		return f(s, base, args)
	}
	if base == "make" || base == "gmake" {
		return s.make(args[1:])
	}
	if at, ok := s.find(name); ok && (strings.Contains(name, "/") || strings.Contains(base, ".")) {
		return s.execute(at, args)
	}
	switch {
	case slices.Contains(quiet, base):
		return yes
	case slices.Contains(asking, base):
		s.print(unread(base))
		return maybe
	case strings.HasSuffix(base, ".sh"):
		return s.script(args[0], args[1:])
	case strings.HasSuffix(base, ".py"):
		return s.record(File, s.absent(name), args[0].origin(), args[1:])
	case strings.ContainsAny(name, "/ \n") || base == "":
		return s.record(Other, name, args[0].origin(), args[1:])
	}
	return s.record(Console, name, args[0].origin(), args[1:])
}

// absent is the name of a program that the repository does not have.
func (s *shell) absent(name string) string {
	if p, ok := s.path(name); ok {
		return p
	}
	return name
}

// execute runs a file of the repository by what its first line says.
func (s *shell) execute(at string, args []value) truth {
	text, _, ok := s.readFile(literal("./"+strings.Repeat("../", depthOf(s.dir))+at, nil))
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case strings.HasSuffix(at, ".py"), ok && strings.HasPrefix(first, "#!") && strings.Contains(first, "python"):
		return s.pythonFile(at, args)
	case strings.HasSuffix(at, ".sh"), ok && strings.HasPrefix(first, "#!") && strings.Contains(first, "sh"),
		slices.Contains([]string{".sbatch", ".slurm", ".bash", ".job"}, path.Ext(at)):
		return s.script(literal("./"+strings.Repeat("../", depthOf(s.dir))+at, args[0].origin()), args[1:])
	}
	return s.record(Other, at, args[0].origin(), args[1:])
}

// python reads the interpreter's own options and what it runs.
func (s *shell) python(args []value) truth {
	for len(args) > 0 {
		w := args[0].text()
		if !args[0].known() || len(w) < 2 || w[0] != '-' {
			break
		}
		args = args[1:]
		if strings.HasPrefix(w, "--") {
			continue
		}
		for i := 1; i < len(w); i++ {
			switch w[i] {
			case 'm', 'c':
				subject := literal(w[i+1:], nil)
				if w[i+1:] == "" {
					if len(args) == 0 {
						return maybe
					}
					subject, args = args[0], args[1:]
				}
				if w[i] == 'c' {
					s.print(unread("python -c"))
					return s.record(Other, "python -c", subject.origin(), append([]value{subject}, args...))
				}
				return s.module(subject, args)
			case 'W', 'X':
				if w[i+1:] == "" && len(args) > 0 {
					args = args[1:]
				}
				i = len(w)
			}
		}
	}
	if len(args) == 0 || args[0].is("-") {
		s.print(unread("python"))
		return maybe
	}
	if len(args[0]) > 1 && args[0][0].unknown { // "$CODE_DIR/train.py"
		if last := args[0][len(args[0])-1]; !last.unknown {
			if at, ok := s.find(strings.TrimLeft(last.text, "/")); ok {
				return s.pythonFile(at, args)
			}
		}
	}
	if at, ok := s.find(args[0].text()); ok && args[0].known() {
		return s.pythonFile(at, args)
	}
	if f, ok := launchers[path.Base(args[0].text())]; ok && args[0].known() { // python $(which torchrun)
		return f(s, path.Base(args[0].text()), args)
	}
	if p, ok := s.path(args[0].text()); ok && args[0].known() && s.m.root.IsFile(path.Join(p, "__main__.py")) {
		return s.pythonFile(path.Join(p, "__main__.py"), args)
	}
	return s.record(File, s.absent(args[0].text()), args[0].origin(), args[1:])
}

// modules are launchers that are started with python -m.
var modules = map[string]string{
	"torch.distributed.run": "torchrun", "torch.distributed.launch": "torch.distributed.launch", "accelerate.commands.launch": "accelerate-launch",
	"accelerate.commands.accelerate_cli": "accelerate", "deepspeed.launcher.runner": "deepspeed", "deepspeed": "deepspeed", "torchx.apps.run": "torchx",
	"composer.cli.launcher": "composer", "composer": "composer", "colossalai.cli": "colossalai", "horovod.runner": "horovodrun",
	"paddle.distributed.launch": "paddle.distributed.launch", "torch.distributed.elastic_launch": "torchrun",
}

func (s *shell) module(name value, args []value) truth {
	if launcher, ok := modules[name.text()]; ok {
		return launchers[launcher](s, launcher, append([]value{name}, args...))
	}
	if s.wrapper(append([]value{name}, args...)) {
		return yes
	}
	return s.record(Module, name.text(), name.origin(), args)
}

var wrapperOptions = newOptions("--nproc_per_node=", "--nproc=", "--nnodes=", "--node_rank=", "--master_addr=", "--master_port=", "--num_gpus=")

// pythonFile runs a Python file of the repository. One that is told a number
// of processes and then another program is a launcher: a Python file, or a
// script that starts one.
func (s *shell) pythonFile(at string, args []value) truth {
	if s.wrapper(args) {
		return yes
	}
	return s.record(File, at, args[0].origin(), args[1:])
}

func (s *shell) wrapper(args []value) bool {
	settings, _, rest := wrapperOptions.parse(args[1:])
	n, ok := firstOf(settings, "nproc_per_node", "nproc")
	if !ok || len(rest) == 0 {
		return false
	}
	script := strings.HasSuffix(rest[0].text(), ".sh")
	if !script && !strings.HasSuffix(rest[0].text(), ".py") {
		return false
	}
	w := s.below(Launcher{Name: "wrapper", Settings: settings, Origin: args[0].origin()})
	w.spread(s.count(settings["nnodes"], "--nnodes"), s.count(n, "--nproc_per_node"))
	if script {
		w.program(rest)
	} else {
		w.python(rest)
	}
	return true
}

func firstOf(settings map[string]Word, names ...string) (Word, bool) {
	for _, n := range names {
		if w, ok := settings[n]; ok {
			return w, true
		}
	}
	return Word{}, false
}

// record notes that a program runs.
func (s *shell) record(kind Program, name string, from *origin.Origin, args []value) truth {
	s.print(unread(name))
	if len(s.m.launch.Invocations) >= maxInvocations {
		s.m.stop("the scripts of this submission run more programs than are followed")
		return maybe
	}
	inv := Invocation{Program: kind, Name: name, NameFrom: from, Dir: s.dir, Doubt: s.doubt, Repeats: 1,
		Launchers: slices.Clone(s.under), Env: map[string]Word{}}
	for _, a := range args {
		inv.Args = append(inv.Args, a.word())
	}
	for name, v := range s.vars {
		if v.exported && !v.array && len(v.items) == 1 {
			inv.Env[name] = v.items[0].word()
		}
	}
	for name, w := range s.world.env {
		inv.Env[name] = w
	}
	s.m.work += 128*len(inv.Env) + 64*len(args)
	inv.Nodes, inv.PerNode, inv.Processes = s.world.counts()
	inv.Devices = s.visible()
	s.m.launch.Invocations = append(s.m.launch.Invocations, inv)
	return yes
}
