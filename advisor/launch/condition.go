package launch

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/source"
)

// testExpr decides [[ ... ]].
func (s *shell) testExpr(x syntax.TestExpr) truth {
	if s.depth > maxDepth*8 || !s.m.step() {
		s.m.stop("a condition is nested too deeply")
		return maybe
	}
	s.depth++
	defer func() { s.depth-- }()
	switch e := x.(type) {
	case *syntax.ParenTest:
		return s.testExpr(e.X)
	case *syntax.Word:
		return nonEmpty(s.single(e))
	case *syntax.UnaryTest:
		if e.Op == syntax.TsNot {
			return s.testExpr(e.X).not()
		}
		if w, ok := e.X.(*syntax.Word); ok {
			return s.unaryTest(e.Op.String(), s.single(w))
		}
	case *syntax.BinaryTest:
		return s.binaryTestExpr(e)
	}
	return maybe
}

func (s *shell) binaryTestExpr(e *syntax.BinaryTest) truth {
	switch e.Op {
	case syntax.AndTest:
		return both(s.testExpr(e.X), s.testExpr(e.Y))
	case syntax.OrTest:
		return both(s.testExpr(e.X).not(), s.testExpr(e.Y).not()).not()
	}
	x, okX := e.X.(*syntax.Word)
	y, okY := e.Y.(*syntax.Word)
	if !okX || !okY {
		return maybe
	}
	left := s.single(x)
	switch e.Op {
	case syntax.TsMatch, syntax.TsMatchShort:
		return s.matches(left, y)
	case syntax.TsNoMatch:
		return s.matches(left, y).not()
	case syntax.TsReMatch:
		return regexMatch(left, s.single(y))
	}
	return s.binaryTest(left, e.Op.String(), s.single(y))
}

func both(a, b truth) truth {
	switch {
	case a == no || b == no:
		return no
	case a == maybe || b == maybe:
		return maybe
	}
	return yes
}

func regexMatch(subject, expr value) truth {
	subject, expr = subject.present(), expr.present()
	if !subject.known() || !expr.known() || expr.size() > 4096 {
		return maybe
	}
	re, err := regexp.Compile(expr.text())
	if err != nil {
		return maybe
	}
	return truthOf(re.MatchString(subject.text()))
}

func nonEmpty(v value) truth {
	v = v.present()
	for _, f := range v {
		if f.text != "" && (!f.unknown || f.solid) {
			return yes
		}
	}
	if v.known() {
		return no
	}
	return maybe
}

func (s *shell) unaryTest(op string, v value) truth {
	switch op {
	case "-z":
		return nonEmpty(v).not()
	case "-n":
		return nonEmpty(v)
	case "-v":
		_, set := s.lookup(v.text(), syntax.Pos{})
		return truthOf(set)
	case "-e", "-f", "-d", "-r", "-s", "-x", "-a":
		return s.exists(op, v)
	}
	return maybe
}

// exists asks for a file: what the repository or the script itself has is
// there, the empty name is not, and of all else nobody knows.
func (s *shell) exists(op string, v value) truth {
	if v.known() && v.size() == 0 {
		return no
	}
	if !v.known() {
		return maybe
	}
	if op != "-f" && s.m.made[s.absolute(v.text())] {
		return yes
	}
	name, ok := s.path(v.text())
	if !ok {
		return maybe
	}
	if _, written := s.m.launch.Written[name]; written {
		return yes
	}
	file, dir := s.m.root.IsFile(name), s.m.root.IsDir(name)
	switch {
	case file && op != "-d", dir && op != "-f":
		return yes
	case file || dir:
		return no
	}
	return maybe
}

// mkdir remembers the folders that a script makes.
func (s *shell) mkdir(args []value) truth {
	for _, a := range args {
		if strings.HasPrefix(a.text(), "-") || !a.known() || a.size() > 1000 {
			continue
		}
		for p := s.absolute(a.text()); p != "/" && len(s.m.made) < 2000; p = path.Dir(p) {
			s.m.made[p] = true
		}
	}
	return yes
}

// absolute is a name with the root as "/repository", so that it cannot be
// taken for a folder of the machine.
func (s *shell) absolute(name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join("/repository", s.dir, name)
}

// path is a name as a path below the root; false for one that leaves it.
func (s *shell) path(name string) (string, bool) {
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") {
		return "", false
	}
	return source.Clean(path.Join(s.dir, name))
}

func (s *shell) binaryTest(x value, op string, y value) truth {
	x, y = x.present(), y.present()
	switch op {
	case "=", "==", "!=":
		t := maybe
		if x.known() && y.known() {
			t = truthOf(x.text() == y.text())
		} else if (x.known() && x.size() == 0 && nonEmpty(y) == yes) || (y.known() && y.size() == 0 && nonEmpty(x) == yes) {
			t = no
		}
		if op == "!=" {
			return t.not()
		}
		return t
	}
	a, okA := s.numeric(x)
	b, okB := s.numeric(y)
	if !okA || !okB {
		return maybe
	}
	switch op {
	case "-eq":
		return truthOf(a == b)
	case "-ne":
		return truthOf(a != b)
	case "-lt":
		return truthOf(a < b)
	case "-le":
		return truthOf(a <= b)
	case "-gt":
		return truthOf(a > b)
	case "-ge":
		return truthOf(a >= b)
	}
	return maybe
}

func (s *shell) numeric(v value) (int64, bool) {
	if !v.known() {
		return 0, false
	}
	text := strings.TrimSpace(v.text())
	if text == "" {
		return 0, false
	}
	return integer(text)
}

// test decides the test command, "[ a = b -a c ]".
func (s *shell) test(args []value) truth {
	if len(args) > 200 {
		return maybe
	}
	for i, a := range args { // -o binds weaker than -a
		if i > 0 && i < len(args)-1 && a.is("-o") {
			return both(s.test(args[:i]).not(), s.test(args[i+1:]).not()).not()
		}
	}
	for i, a := range args {
		if i > 1 && i < len(args)-1 && a.is("-a") {
			return both(s.test(args[:i]), s.test(args[i+1:]))
		}
	}
	switch len(args) {
	case 0:
		return no
	case 1:
		return nonEmpty(args[0])
	}
	if args[0].is("!") {
		return s.test(args[1:]).not()
	}
	if args[0].is("(") && args[len(args)-1].is(")") {
		return s.test(args[1 : len(args)-1])
	}
	switch len(args) {
	case 2:
		return s.unaryTest(args[0].text(), args[1])
	case 3:
		return s.binaryTest(args[0], args[1].text(), args[2])
	}
	return maybe
}
