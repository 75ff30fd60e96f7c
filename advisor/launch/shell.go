package launch

import (
	"maps"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// Budgets of one launch. Real submissions stay far below: the longest script
// of the measured repositories takes some 3,000 steps.
const (
	maxSteps       = 200_000 // statements and parts of words
	maxDepth       = 40      // scripts, functions and substitutions within one another
	maxBytes       = 1 << 20 // of one value, and of one script
	maxWords       = 20_000  // of one command
	maxWork        = 64 << 20
	maxInvocations = 500
	maxLoop        = 5000
	maxNesting     = 200 // of brackets in a script
)

// truth is what is known of a condition or an exit status.
type truth int

const (
	no truth = iota
	yes
	maybe
)

func (t truth) not() truth {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return maybe
}

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// machine is what all shells of one launch share: the repository, the answer
// so far, and the budget.
type machine struct {
	root   *source.Root
	launch *Launch
	kind   string
	steps  int
	work   int // bytes of values made
	spent  bool
	lines  map[string]Word // #SBATCH lines of the script that came with the submission
	words  map[string]Word // sbatch words given apart from the command
	body   bool            // that script came as text
	made   map[string]bool // folders that the scripts make
	own    map[string]bool // variables that the scripts themselves set somewhere
}

// step takes a step of the budget; false means that it is used up and that
// everything has to come back.
func (m *machine) step() bool {
	m.steps++
	if m.steps > maxSteps || m.work > maxWork {
		m.stop("the scripts of this submission take more steps than are followed")
	}
	return !m.spent
}

func (m *machine) stop(why string) {
	if !m.spent {
		m.spent = true
		m.warn(why+"; what comes after was not looked at: name the training command itself", nil)
	}
}

func (m *machine) warn(text string, from *origin.Origin) {
	if len(m.launch.Warnings) >= 50 {
		return
	}
	for _, w := range m.launch.Warnings {
		if w.Text == text {
			return
		}
	}
	m.launch.Warnings = append(m.launch.Warnings, Warning{text, from})
}

// variable is a shell variable; a plain one has one item.
type variable struct {
	items    []value
	array    bool
	keys     []string // of an associative array, beside items
	exported bool
}

// ending is why a list of statements stopped early.
type ending int

const (
	runs ending = iota
	exits
	returns
	breaks
	continues
)

// shell is the state of one shell: it is copied for subshells and for the
// branches of an unknown condition.
type shell struct {
	m      *machine
	vars   map[string]variable
	funcs  map[string]function
	args   []value
	name   value  // $0
	dir    string // relative to the root
	file   string // of the script that is read; empty for the submission's own text
	line   int    // of the text that is read, in its file, less one
	doubt  string
	under  []Launcher
	world  world
	end    ending
	levels int // loops that a break or continue still has to leave
	depth  int // of the syntax tree
	calls  int // of scripts, functions and substitutions
	status truth
	out    *value // where what is printed goes; nil: to the terminal
	in     value
	hasIn  bool
}

type function struct {
	body *syntax.Stmt
	file string
	line int
}

// fork is a copy that can go its own way.
func (s *shell) fork() *shell {
	c := *s
	c.vars, c.funcs = maps.Clone(s.vars), maps.Clone(s.funcs)
	s.m.work += 64 * len(s.vars)
	return &c
}

// at is the evidence of text at a position of the script.
func (s *shell) at(pos syntax.Pos, text string) *origin.Origin {
	if s.file == "" {
		return origin.Named(origin.CLI, clip(flagName(text), 80))
	}
	return origin.At(origin.Shell, s.file, s.line+int(pos.Line()), clip(flagName(text), 80))
}

// flagName is the flag of "--lr=0.1" and the key of "lr=0.1".
func flagName(text string) string {
	if name, _, ok := strings.Cut(text, "="); ok && name != "" && !strings.ContainsAny(name, " \t\n'\"") {
		return name
	}
	return text
}

// parse reads a script within the budgets.
func (s *shell) parse(text string) (file *syntax.File) {
	defer func() { // the parser is not ours: whatever it meets, the submission gets an answer
		if recover() != nil {
			s.m.warn("a script cannot be parsed; name the training command itself", s.at(syntax.Pos{}, s.file))
			file = nil
		}
	}()
	if len(text) > maxBytes || nesting(text) > maxNesting {
		s.m.warn("a script is too long or too deeply nested to be followed; name the training command itself", s.at(syntax.Pos{}, s.file))
		return nil
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\x00", "")
	for _, m := range assignment.FindAllStringSubmatch(text, maxVars) {
		s.m.own[m[1]] = true
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		s.m.warn("a script cannot be parsed ("+clip(err.Error(), 200)+"); what stands before that line was followed", s.at(syntax.Pos{}, s.file))
	}
	return file
}

// assignment finds the names that a script sets: an unset one of them is empty
// in this run, while an unset name that no script sets is the user's own.
var assignment = regexp.MustCompile(`(?m)(?:^|[\s;&|({])([A-Za-z_][A-Za-z0-9_]*)\+?=`)

// nesting is an upper bound of how deep a text's brackets, and the keywords of
// one line, go. The parser is recursive: what is deeper is refused unread.
func nesting(text string) int {
	depth, top := 0, 0
	for _, c := range []byte(text) {
		switch c {
		case '(', '{', '[':
			depth++
			top = max(top, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	keywords := 0
	for word := range strings.FieldsSeq(text) {
		if top > maxNesting {
			break
		}
		switch strings.Trim(word, ";") {
		case "if", "while", "until", "for", "case", "select", "!", "time":
			keywords++
			top = max(top, keywords/8) // many of them are words of comments
		case "fi", "done", "esac":
			keywords = max(keywords-1, 0)
		}
	}
	return top
}

// source runs a text in this very shell.
func (s *shell) source(text string) {
	file := s.parse(text)
	if file == nil {
		return
	}
	s.list(file.Stmts)
}

func (s *shell) list(stmts []*syntax.Stmt) truth {
	status := yes
	for _, st := range stmts {
		if s.end != runs || !s.m.step() {
			break
		}
		status = s.stmt(st)
		s.status = status
	}
	return status
}

func (s *shell) stmt(st *syntax.Stmt) truth {
	if s.depth > maxDepth*8 || !s.m.step() {
		s.m.stop("the scripts of this submission are nested too deeply")
		return maybe
	}
	s.depth++
	defer func() { s.depth-- }()
	oldOut, oldIn, hadIn := s.out, s.in, s.hasIn
	finish := s.redirect(st.Redirs)
	status := s.command(st.Cmd)
	finish()
	if len(st.Redirs) > 0 { // else what "read" took stays taken
		s.out, s.in, s.hasIn = oldOut, oldIn, hadIn
	}
	if st.Background {
		status = yes
	}
	if st.Negated {
		status = status.not()
	}
	return status
}

func (s *shell) command(cmd syntax.Command) truth {
	switch c := cmd.(type) {
	case nil:
		return yes
	case *syntax.CallExpr:
		return s.call(c)
	case *syntax.IfClause:
		return s.ifClause(c)
	case *syntax.WhileClause:
		return s.while(c)
	case *syntax.ForClause:
		return s.forClause(c)
	case *syntax.CaseClause:
		return s.caseClause(c)
	case *syntax.Block:
		return s.list(c.Stmts)
	case *syntax.Subshell:
		return s.subshell(c.Stmts)
	case *syntax.BinaryCmd:
		return s.binary(c)
	case *syntax.FuncDecl:
		if c.Name != nil {
			s.funcs[c.Name.Value] = function{c.Body, s.file, s.line}
		}
		return yes
	case *syntax.ArithmCmd:
		n, ok := s.arith(c.X)
		return numberTruth(n, ok)
	case *syntax.LetClause:
		status := maybe
		for _, x := range c.Exprs {
			n, ok := s.arith(x)
			status = numberTruth(n, ok)
		}
		return status
	case *syntax.TestClause:
		return s.testExpr(c.X)
	case *syntax.DeclClause:
		return s.declare(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return s.stmt(c.Stmt)
		}
		return yes
	case *syntax.CoprocClause:
		return s.subshell([]*syntax.Stmt{c.Stmt})
	}
	return maybe
}

func numberTruth(n int64, ok bool) truth {
	if !ok {
		return maybe
	}
	return truthOf(n != 0)
}

func (s *shell) subshell(stmts []*syntax.Stmt) truth {
	c := s.fork()
	return c.list(stmts)
}

func (s *shell) binary(c *syntax.BinaryCmd) truth {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		left := s.stmt(c.X)
		if s.end != runs {
			return left
		}
		s.status = left
		want := yes
		if c.Op == syntax.OrStmt {
			want = no
		}
		switch left {
		case want:
			return s.stmt(c.Y)
		case maybe:
			s.either(s.at(c.OpPos, "").Place(), func(b *shell) { b.status = b.stmt(c.Y) }, func(*shell) {})
			return maybe
		}
		return left
	}
	// A pipe: what the left side prints is the input of the right one.
	var printed value
	left := s.fork()
	left.out = &printed
	left.stmt(c.X)
	right := s.fork()
	right.in, right.hasIn = printed, true
	return right.stmt(c.Y)
}

// capture runs statements of a command substitution and gives what they print,
// without the newlines at the end.
func (s *shell) capture(stmts []*syntax.Stmt) value {
	if s.calls > maxDepth {
		return unknown("$(...)", nil)
	}
	var printed value
	c := s.fork()
	c.out, c.calls = &printed, s.calls+1
	c.list(stmts) // a program in it runs like any other: LOG=$(mpirun ... train.py)
	return trimNewlines(printed)
}

func trimNewlines(v value) value {
	for i := len(v) - 1; i >= 0; i-- {
		if v[i].unknown {
			return v[:i+1]
		}
		f := v[i]
		f.text = strings.TrimRight(f.text, "\n")
		if f.text != "" {
			return append(append(value{}, v[:i]...), f)
		}
	}
	return nil
}

func (s *shell) print(v value) {
	if s.out != nil && s.out.size()+v.size() <= maxBytes && len(*s.out) < maxWords {
		*s.out = append(*s.out, v...)
		s.m.work += v.size()
	}
}
