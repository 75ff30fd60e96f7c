package launch

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtins are the commands that the interpreter carries out itself. What they
// do is decided by their words alone.
var builtins map[string]func(*shell, []value) truth

func init() {
	builtins = map[string]func(*shell, []value) truth{
		":": succeed, "true": succeed, "false": func(*shell, []value) truth { return no },
		"test": (*shell).test, "[": func(s *shell, a []value) truth {
			if len(a) > 0 && a[len(a)-1].is("]") {
				a = a[:len(a)-1]
			}
			return s.test(a)
		},
		"cd": (*shell).cd, "pushd": (*shell).cd, "set": (*shell).setWords, "shift": (*shell).shift,
		"exit": stopWith(exits), "return": stopWith(returns), "break": leave(breaks), "continue": leave(continues),
		"eval": (*shell).eval, "source": (*shell).sourceFile, ".": (*shell).sourceFile, "getopts": (*shell).getopts,
		"mkdir": (*shell).mkdir, "unset": (*shell).unset, "read": (*shell).read, "mapfile": (*shell).mapfile, "readarray": (*shell).mapfile,
		"let": (*shell).let, "command": (*shell).commandWord, "type": (*shell).there, "hash": (*shell).there, "export": func(s *shell, a []value) truth { s.exportWords(a); return yes },
	}
}

func succeed(*shell, []value) truth { return yes }

func stopWith(end ending) func(*shell, []value) truth {
	return func(s *shell, args []value) truth {
		s.end = end
		if len(args) > 0 {
			switch {
			case args[0].is("0"):
				return yes
			case args[0].known():
				return no
			}
			return maybe
		}
		return s.status
	}
}

func leave(end ending) func(*shell, []value) truth {
	return func(s *shell, args []value) truth {
		s.end, s.levels = end, 1
		if len(args) > 0 {
			if n, err := strconv.Atoi(args[0].text()); err == nil && n > 0 {
				s.levels = n
			}
		}
		return yes
	}
}

// cd moves to a folder of the repository. The same text is used from the
// submission's folder and from the root, and on machines that keep the
// repository elsewhere: the longest end of the path that is a folder counts.
func (s *shell) cd(args []value) truth {
	for len(args) > 0 && strings.HasPrefix(args[0].text(), "-") && args[0].size() > 1 {
		args = args[1:]
	}
	if len(args) == 0 || !args[0].known() {
		if len(args) > 0 {
			for i, f := range args[0] { // "$SLURM_SUBMIT_DIR/tools"
				if !f.unknown && i > 0 && strings.HasPrefix(f.text, "/") {
					return s.cd([]value{literal(strings.TrimLeft(f.text, "/"), nil)})
				}
			}
		}
		return yes
	}
	if dir, ok := s.findDir(args[0].text()); ok {
		s.dir = dir
	}
	return yes
}

func (s *shell) findDir(name string) (string, bool) {
	if p, ok := s.path(name); ok && s.m.root.IsDir(p) {
		return p, true
	}
	if p, ok := s.path(name); ok && p == "." {
		return p, true
	}
	return s.suffix(name, s.m.root.IsDir)
}

// suffix looks for the longest end of a path that is there, from the present
// folder upwards, then from the script's.
func (s *shell) suffix(name string, there func(string) bool) (string, bool) {
	parts := strings.Split(strings.Trim(path.Clean("/"+strings.ReplaceAll(name, "../", "")), "/"), "/")
	if len(parts) > 30 {
		return "", false
	}
	for i := range parts {
		end := strings.Join(parts[i:], "/")
		for _, start := range []string{s.dir, path.Dir(path.Join(".", s.file))} {
			for dir := start; ; dir = path.Dir(dir) {
				if p := path.Join(dir, end); end != "" && there(p) {
					return p, true
				}
				if dir == "." || dir == "/" {
					break
				}
			}
		}
	}
	return "", false
}

func (s *shell) setWords(args []value) truth {
	for i, a := range args {
		if a.is("--") {
			s.args = args[i+1:]
			return yes
		}
		if !strings.HasPrefix(a.text(), "-") && !strings.HasPrefix(a.text(), "+") {
			if i > 0 && (args[i-1].is("-o") || args[i-1].is("+o") || strings.HasSuffix(args[i-1].text(), "o")) {
				continue
			}
			s.args = args[i:]
			return yes
		}
	}
	return yes
}

func (s *shell) shift(args []value) truth {
	n := 1
	if len(args) > 0 {
		m, err := strconv.Atoi(args[0].text())
		if err != nil || m < 0 {
			return maybe
		}
		n = m
	}
	if n > len(s.args) {
		return no
	}
	s.args = s.args[n:]
	return yes
}

func (s *shell) unset(args []value) truth {
	for _, a := range args {
		delete(s.vars, a.text())
		if len(args) > 1 && args[0].is("-f") {
			delete(s.funcs, a.text())
		}
	}
	return yes
}

func (s *shell) let(args []value) truth {
	status := maybe
	for _, a := range args {
		expr, err := syntax.NewParser().Arithmetic(strings.NewReader(clip(a.text(), 400)))
		if err == nil && a.known() {
			n, ok := s.arith(expr)
			status = numberTruth(n, ok)
		}
	}
	return status
}

// read takes a line of what is known to be on standard input.
func (s *shell) read(args []value) truth {
	var names []string
	array := false
	for i := 0; i < len(args); i++ {
		a := args[i].text()
		if strings.HasPrefix(a, "-") {
			array = array || strings.Contains(a, "a")
			if len(a) == 2 && strings.Contains("dnptu", a[1:]) {
				i++
			}
			continue
		}
		names = append(names, a)
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	line, rest := firstLine(s.in)
	if s.hasIn && s.in.known() && s.in.size() == 0 {
		return no
	}
	s.in = rest
	known := s.hasIn
	ifs := blanks
	if v, ok := s.vars["IFS"]; ok && len(v.items) == 1 && v.items[0].known() {
		ifs = v.items[0].text()
	}
	var b fields
	b.split(line, ifs)
	b.end()
	if array {
		v := variable{array: true, items: b.out}
		if !known {
			v.items = []value{unknown("${"+names[0]+"[@]}", nil)}
		}
		s.put(names[0], v)
	} else {
		for i, name := range names {
			v := unknown("$"+name, nil)
			switch {
			case known && i < len(b.out) && i == len(names)-1:
				v = join(b.out[i:], " ")
			case known && i < len(b.out):
				v = b.out[i]
			case known:
				v = nil
			}
			s.set(name, v)
		}
	}
	if !known {
		return maybe
	}
	return yes
}

func firstLine(v value) (line, rest value) {
	for i, f := range v {
		if j := strings.IndexByte(f.text, '\n'); j >= 0 && !f.unknown {
			end, start := f, f
			end.text, start.text = f.text[:j], f.text[j+1:]
			line = append(slices.Clone(v[:i]), end)
			if start.text != "" {
				rest = append(rest, start)
			}
			return line, append(rest, v[i+1:]...)
		}
	}
	return v, nil
}

func (s *shell) mapfile(args []value) truth {
	if len(args) == 0 {
		return yes
	}
	var b fields
	b.split(s.in, "\n")
	b.end()
	items := b.out
	if !s.hasIn {
		items = []value{unknown("${"+args[len(args)-1].text()+"[@]}", nil)}
	}
	s.put(args[len(args)-1].text(), variable{array: true, items: items})
	return yes
}

// plainText tells that a text has nothing that a second reading by the shell
// would change.
func plainText(v value) bool {
	for _, f := range v {
		if !f.unknown && strings.ContainsAny(f.text, "$`\"'\\|&;<>(){}*?#\n[]~") {
			return false
		}
	}
	return true
}

// eval reads words a second time. Words that are plain keep their evidence.
func (s *shell) eval(args []value) truth {
	if s.calls > maxDepth {
		s.m.stop("the scripts of this submission are nested too deeply")
		return maybe
	}
	text := join(args, " ")
	if words := splitWords(text); plainText(text) && len(words) > 0 && !strings.Contains(words[0].text(), "=") {
		return s.run(words)
	}
	return s.again(text)
}

// again parses text that was put together and runs it in this shell. Unknown
// pieces go in as variables of unknown value.
func (s *shell) again(text value) truth {
	var b strings.Builder
	for i, f := range text {
		if f.unknown {
			name := "_unknown" + strconv.Itoa(s.calls) + "_" + strconv.Itoa(i)
			s.put(name, variable{items: []value{{f}}})
			b.WriteString("${" + name + "}")
			continue
		}
		b.WriteString(f.text)
	}
	oldFile, oldLine := s.file, s.line
	if at := text.origin(); at != nil && at.File != "" {
		s.file, s.line = at.File, at.Line-1
	}
	file := s.parse(b.String())
	status := maybe
	if file != nil {
		s.calls++
		status = s.list(file.Stmts)
		s.calls--
	}
	s.file, s.line = oldFile, oldLine
	return status
}

func (s *shell) exportWords(args []value) {
	for _, a := range args {
		name, _, ok := strings.Cut(a.text(), "=")
		if !syntax.ValidName(name) {
			continue
		}
		if ok {
			s.put(name, variable{items: []value{a.cutPrefix(len(name) + 1)}, exported: true})
		} else {
			s.export(name, true)
		}
	}
}

// sourceFile runs a file of the repository in this shell. One from elsewhere
// (a tool chain of the cluster) is passed over.
func (s *shell) sourceFile(args []value) truth {
	if len(args) == 0 {
		return no
	}
	text, at, ok := s.readFile(args[0])
	if !ok {
		return yes
	}
	if s.calls > maxDepth {
		s.m.stop("a script sources itself, or scripts are nested too deeply")
		return maybe
	}
	oldFile, oldLine, oldArgs := s.file, s.line, s.args
	s.file, s.line = at, 0
	if len(args) > 1 {
		s.args = args[1:]
	}
	s.calls++
	s.source(text)
	s.calls--
	s.file, s.line = oldFile, oldLine
	if len(args) > 1 {
		s.args = oldArgs
	}
	if s.end == returns {
		s.end = runs
	}
	return yes
}
