package launch

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/origin"
)

// prefixes are programs that start another one with the words that follow;
// each returns those words.
var prefixes map[string]func(*shell, []value) []value

func init() {
	simple := map[string]*options{
		"nohup": newOptions(), "time": newOptions("-f --format=", "-o --output="), "exec": newOptions("-a="),
		"stdbuf": newOptions("-i --input=", "-o --output=", "-e --error="), "nice": newOptions("-n --adjustment="),
		"ionice": newOptions("-c --class=", "-n --classdata="), "setsid": newOptions(), "unbuffer": newOptions(),
		"sudo":      newOptions("-u --user=", "-g --group=", "-E --preserve-env"),
		"numactl":   newOptions("-N --cpunodebind=", "-C --physcpubind=", "-m --membind=", "-i --interleave=", "-p --preferred=", "-l --localalloc"),
		"catchsegv": newOptions(), "caffeinate": newOptions(), "xvfb-run": newOptions("-n --server-num=", "-s --server-args=", "-a --auto-servernum"),
		"uv":     newOptions("-p --python=", "--with=", "--extra=", "--group=", "--env-file=", "--directory=", "--project=", "--no-sync", "--frozen", "--isolated", "--active", "--locked", "--all-extras"),
		"poetry": newOptions("-C --directory="), "pipenv": newOptions(), "pdm": newOptions("-p --project="), "rye": newOptions(),
		"hatch": newOptions("-e --env="), "pixi": newOptions("-e --environment=", "--manifest-path="),
		"conda": newOptions("-n --name=", "-p --prefix=", "--cwd=", "--no-capture-output", "--live-stream"),
	}
	prefixes = map[string]func(*shell, []value) []value{
		"env": environment, "timeout": timeout, "chronic": func(_ *shell, a []value) []value { return a },
	}
	for name, o := range simple {
		needs := map[string]string{"uv": "run", "poetry": "run", "pipenv": "run", "pdm": "run", "rye": "run", "hatch": "run", "pixi": "run", "conda": "run"}[name]
		prefixes[name] = func(s *shell, args []value) []value {
			if needs != "" {
				i := slices.IndexFunc(args, func(v value) bool { return v.is(needs) })
				if i < 0 || i > 4 {
					return s.helper(name, args)
				}
				args = args[i+1:]
			}
			_, _, rest := o.parse(args)
			if name == "uv" && len(rest) > 0 && strings.HasSuffix(rest[0].text(), ".py") {
				rest = append([]value{literal("python", nil)}, rest...)
			}
			return rest
		}
	}
	prefixes["mamba"], prefixes["micromamba"] = prefixes["conda"], prefixes["conda"]
	for _, name := range []string{"docker", "podman", "nerdctl", "singularity", "apptainer", "enroot", "shifter", "sarus", "nvidia-docker",
		"nsys", "ncu", "dlprof", "nvprof", "py-spy", "perf", "strace", "gdb", "coverage", "kernprof", "scalene", "taskset", "chrt", "dlrover-run", "ssh", "tmux", "screen"} {
		prefixes[name] = scan(name)
	}
}

// helper notes a tool's own command ("poetry install") as an invocation.
func (s *shell) helper(name string, args []value) []value {
	if name == "conda" {
		return nil // activation
	}
	s.record(Console, name, nil, args)
	return nil
}

// scan is for wrappers with too many options of their own: the command begins
// at the first word that surely starts one.
func scan(name string) func(*shell, []value) []value {
	return func(s *shell, args []value) []value {
		for i, a := range args {
			if a.known() && runnable(a.text()) && !strings.HasPrefix(a.text(), "-") {
				s.containerEnv(args[:i])
				if strings.HasSuffix(a.text(), ".py") {
					return append([]value{literal("python", a.origin())}, args[i:]...)
				}
				return args[i:]
			}
			if _, prefix := prefixes[a.text()]; prefix && i > 0 {
				return args[i:]
			}
		}
		if len(args) > 0 {
			s.record(Other, name, args[0].origin(), args)
		}
		return nil
	}
}

// containerEnv exports what a container is given with -e NAME=value.
func (s *shell) containerEnv(args []value) {
	for i, a := range args {
		w := a.text()
		switch {
		case i > 0 && (args[i-1].is("-e") || args[i-1].is("--env")):
			s.exportWords([]value{a})
		case strings.HasPrefix(w, "--env=") && strings.Contains(w[6:], "="):
			s.exportWords([]value{a.cutPrefix(6)})
		}
	}
}

// environment is env: assignments, then a command.
func environment(s *shell, args []value) []value {
	for len(args) > 0 {
		w := args[0].text()
		name, _, ok := strings.Cut(w, "=")
		switch {
		case w == "-u" && len(args) > 1:
			delete(s.vars, args[1].text())
			args = args[2:]
		case strings.HasPrefix(w, "-"):
			args = args[1:]
		case ok && syntax.ValidName(name):
			s.exportWords(args[:1])
			args = args[1:]
		default:
			return args
		}
	}
	return nil
}

var timeoutOptions = newOptions("-s --signal=", "-k --kill-after=", "--preserve-status", "--foreground", "-v --verbose")

func timeout(s *shell, args []value) []value {
	_, _, rest := timeoutOptions.parse(args)
	if len(rest) < 2 {
		return nil
	}
	if !s.m.launch.Requested.TimeLimit.Known {
		if seconds, ok := duration(rest[0].text()); ok {
			s.m.launch.Requested.TimeLimit = Count{seconds, true, rest[0].origin()}
		}
	}
	return rest[1:]
}

// duration reads "90", "30m", "3h", "2d" as seconds.
func duration(text string) (int, bool) {
	unit := 1
	if text == "" {
		return 0, false
	}
	switch text[len(text)-1] {
	case 's':
		text = text[:len(text)-1]
	case 'm':
		unit, text = 60, text[:len(text)-1]
	case 'h':
		unit, text = 3600, text[:len(text)-1]
	case 'd':
		unit, text = 86400, text[:len(text)-1]
	}
	n, ok := natural(text)
	if !ok || n > 1<<30 {
		return 0, false
	}
	return n * unit, true
}

// natural reads a whole number of at most nine digits.
func natural(text string) (int, bool) {
	if text == "" || len(text) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// count reads a number of an option.
func (s *shell) count(w Word, key string) Count {
	n, ok := natural(strings.TrimSpace(w.Text))
	if !w.Known || !ok {
		return Count{Origin: w.Origin}
	}
	if w.Origin == nil {
		w.Origin = origin.Named(origin.CLI, key)
	}
	return Count{N: n, Known: true, Origin: w.Origin}
}
