package launch

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/origin"
)

// call carries out a simple command: assignments, then words.
func (s *shell) call(c *syntax.CallExpr) truth {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			s.assign(a, false)
		}
		return yes
	}
	args := s.words(c.Args)
	if len(c.Assigns) == 0 {
		return s.run(args)
	}
	// VAR=value command: the variable is the command's alone.
	before := map[string]variable{}
	for _, a := range c.Assigns {
		if a.Name != nil {
			if old, ok := s.vars[a.Name.Value]; ok {
				before[a.Name.Value] = old
			}
			s.assign(a, true)
		}
	}
	status := s.run(args)
	for _, a := range c.Assigns {
		if a.Name == nil {
			continue
		}
		if old, ok := before[a.Name.Value]; ok {
			s.vars[a.Name.Value] = old
		} else {
			delete(s.vars, a.Name.Value)
		}
	}
	return status
}

// run carries out a command of expanded words.
func (s *shell) run(args []value) truth {
	if len(args) == 0 || !s.m.step() {
		return yes
	}
	if !args[0].known() {
		return s.runUnknown(args)
	}
	name := args[0].text()
	if f, ok := s.funcs[name]; ok {
		return s.function(f, args)
	}
	if f, ok := builtins[name]; ok {
		return f(s, args[1:])
	}
	if f, ok := printers[path.Base(name)]; ok {
		printed, status := f(s, args[1:])
		s.print(printed)
		return status
	}
	if s.calls > maxDepth {
		s.m.stop("a script starts itself, or scripts are nested too deeply")
		return maybe
	}
	s.calls++
	status := s.program(args)
	s.calls--
	return status
}

// runUnknown runs a command whose first word is not known: "$PYTHON train.py",
// "$HERE/run.sh".
func (s *shell) runUnknown(args []value) truth {
	first := args[0]
	if last := first[len(first)-1]; !last.unknown && strings.HasPrefix(last.text, "/") {
		if at, ok := s.find(strings.TrimLeft(last.text, "/")); ok {
			return s.run(append([]value{literal("./"+at, first.origin())}, args[1:]...))
		}
	}
	for i, a := range args[1:] {
		if i < 6 && a.known() && runnable(a.text()) {
			if strings.HasSuffix(a.text(), ".py") {
				return s.run(append([]value{literal("python", first.origin())}, args[i+1:]...))
			}
			return s.run(args[i+1:])
		}
	}
	s.print(unknown("$("+first.text()+")", first.origin()))
	return maybe
}

func (s *shell) function(f function, args []value) truth {
	if s.calls > maxDepth {
		s.m.stop("a function calls itself, or functions are nested too deeply")
		return maybe
	}
	oldArgs, oldFile, oldLine := s.args, s.file, s.line
	s.args, s.file, s.line = args[1:], f.file, f.line
	s.calls++
	status := s.stmt(f.body)
	s.calls--
	s.args, s.file, s.line = oldArgs, oldFile, oldLine
	if s.end == returns {
		s.end = runs
		status = s.status
	}
	return status
}

// child is a new process: it has the exported variables alone.
func (s *shell) child() *shell {
	c := *s
	c.vars, c.funcs = map[string]variable{}, map[string]function{}
	for name, v := range s.vars {
		if v.exported {
			c.vars[name] = v
		}
	}
	s.m.work += 64 * len(c.vars)
	c.args, c.end, c.levels, c.status = nil, runs, 0, yes
	return &c
}

// script runs a shell script of the repository as a process of its own.
func (s *shell) script(name value, args []value) truth {
	text, at, ok := s.readFile(name)
	if !ok {
		s.m.warn("script "+clip(name.text(), 200)+" is not in the repository; add it, or submit the command that it runs", name.origin())
		s.print(unknown("$("+name.text()+")", nil))
		return maybe
	}
	c := s.child()
	c.file, c.line, c.name = at, 0, name
	c.args = slices.Clone(args)
	for i, a := range c.args { // of submitted words the position is what the script sees
		if len(a) == 1 && a[0].from != nil && a[0].from.Kind == origin.CLI && !strings.HasPrefix(a[0].text, "-") && a[0].from.Key == clip(flagName(a[0].text), 80) {
			f := a[0]
			f.from = origin.Named(origin.CLI, "positional $"+itoa(i+1))
			c.args[i] = value{f}
		}
	}
	c.source(text)
	return done(c)
}

// done is the exit status of a child that may have been left early.
func done(c *shell) truth {
	if c.end == exits {
		return c.status
	}
	return yes
}

// shellProgram is bash and its kin: a script, or text after -c.
func (s *shell) shellProgram(args []value) truth {
	for len(args) > 1 {
		w := args[1].text()
		if !args[1].known() || len(w) < 2 || (w[0] != '-' && w[0] != '+') {
			break
		}
		args = args[1:]
		if w == "-o" || w == "+o" || w == "-O" || w == "--rcfile" || w == "--init-file" {
			args = args[min(1, len(args)-1):]
			continue
		}
		if !strings.HasPrefix(w, "--") && strings.Contains(w, "c") {
			for len(args) > 1 && strings.HasPrefix(args[1].text(), "-") {
				args = args[1:]
			}
			if len(args) < 2 {
				return yes
			}
			c := s.child()
			if len(args) > 2 {
				c.name, c.args = args[2], args[3:]
			}
			c.again(args[1])
			return done(c)
		}
	}
	if len(args) < 2 {
		if s.hasIn { // bash <<EOF, echo ... | bash
			c := s.child()
			c.again(s.in)
			return done(c)
		}
		return yes
	}
	return s.script(args[1], args[2:])
}

// find looks for a file: from the present folder, from the script's folder
// and those above it, then by the longest end of the path that is there (a path of a
// container or of another machine).
func (s *shell) find(name string) (string, bool) {
	there := func(p string) bool {
		_, written := s.m.launch.Written[p]
		return written || s.m.root.IsFile(p)
	}
	if p, ok := s.path(name); ok && there(p) {
		return p, true
	}
	if p, ok := s.path("/" + name); ok && there(p) {
		return p, true
	}
	rest := strings.TrimLeft(name, "/")
	if !strings.HasPrefix(name, "/") {
		for dir := path.Dir(s.file); s.file != "" && dir != "."; dir = path.Dir(dir) { // scripts are written to be run from a folder above them
			if p := path.Join(dir, rest); there(p) {
				return p, true
			}
		}
		if p := path.Join(".", rest); there(p) {
			return p, true
		}
	}
	if strings.Contains(name, "/") {
		return s.suffix(name, there)
	}
	return "", false
}
