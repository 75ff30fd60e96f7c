package pyeval

import (
	"fmt"
	"runtime"
	"time"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// Budget bounds one run. The zero value of a field means its default.
type Budget struct {
	Steps    int       // nodes evaluated
	Depth    int       // nested calls
	Calls    int       // observations kept
	Deadline time.Time // stop when it has passed; zero: never
}

// DefaultBudget lets real programs through to their training loop (measured on
// the shared jobs) and ends a hostile one within a fraction of a second.
var DefaultBudget = Budget{Steps: 400_000, Depth: 60, Calls: 20_000}

// Machine is what the program would find around it. Unknown values are of Kind
// Unknown.
type Machine struct {
	Devices     Value // accelerators that the process sees
	WorldSize   Value // processes of the job
	LocalSize   Value // processes on a node
	Nodes       Value
	BF16        Value // whether the accelerators compute in bf16
	TensorFloat Value
}

// Program is what to follow.
type Program struct {
	File    string  // path of the script, relative to the root; empty when Module is set
	Module  string  // python -m NAME
	Func    string  // function to call after loading (console scripts); empty: the script runs as __main__
	Args    []Value // sys.argv[1:]
	Environ map[string]Value
	Dir     string   // working folder relative to the root
	Paths   []string // further folders of modules (PYTHONPATH), relative to the root
	Machine Machine

	RankOption bool // the launcher passes the process's rank as an option --local_rank

	// Past are places where an exception is raised, as origins write them, at which
	// the program goes on: what led there was guessed, and the guess was wrong.
	Past map[string]bool
}

// Observations are what a run saw.
type Observations struct {
	Calls    []*Call
	Loops    []*Loop
	Assigned []Assignment
	Parsers  []*ArgumentParser // command-line parsers that the program used
	Missing  []Missing         // files that the program would open and that are not in the repository
	Exit     *Exit             // where the program ends itself, if it does
	Aborts   []Abort           // exceptions that nothing catches: the program would end there
	Notes    []string          // why parts could not be followed
	Broken   int               // statements whose syntax was too broken to follow
	Entry    *Module
	Configs  []Value // configuration objects in order of making
	Loaded   []Value // contents of data files that the program read itself, in this order; it may have changed them since
	Steps    int
	Stopped  string // why the run ended early; empty when it came to its end
}

// Assignment is a plain value that code bound to a name.
type Assignment struct {
	Name   string
	Value  Value
	Func   string // the function in which it happened; empty at the top of a module
	Doubt  bool   // behind an unknown condition
	InLoop bool
	Seq    int // observed calls before it
}

// Missing is a file that was asked for and does not exist.
type Missing struct {
	Path  string
	Site  *origin.Origin
	Doubt bool
}

// Abort is an exception that ends the program.
type Abort struct {
	Text string
	Site *origin.Origin
	Sure bool // it follows from command, configuration, launch and code alone
}

// Exit is a place where the program ends itself, by an option or a key that
// says so.
type Exit struct {
	Site *origin.Origin
	Sure bool // as of an Abort
}

// Interp follows one program.
type Interp struct {
	root    *source.Root
	program Program
	budget  Budget

	modules  map[string]*Module
	pending  []*Module      // imported, not yet run
	searched map[string]int // how many of pending were searched for a word
	loading  int            // modules that are running
	unparsed int            // files without a tree
	paths    []string       // where modules are looked for
	parsed   map[string]*node
	looking  map[lookup]bool
	folders  map[string]string // of packages that are installed from folders of other names; nil until asked for

	state
	steps int

	guess   guess
	active  map[*node]int
	seq     int
	groups  map[*Call]Value  // parameter groups of optimizers
	marked  map[string]Value // definitions under decorators of other packages
	saw     *Observations
	sysArgv Value
	environ *Dict
	absl    *abslFlags
	workers int           // of ray, with devices of their own
	worked  map[any]Value // what the first worker gave, by the method
	confState
}

// state is where the program is: what an exception takes back to where it is
// caught.
type state struct {
	depth    int
	doubt    int // > 0: behind an unknown condition
	weakFrom int // containers born before it are only weakly updated; 0: all strongly
	loop     *Loop
	trying   int
	tries    []*node // the try statements around it that go on after an exception
	handling *raised // the exception that an except clause works on
	funcName string
	frame    *scope // locals of the function that runs
	under    *branch
	line     *origin.Origin
	every    *Value            // in so many rounds of a loop once; nil: in each
	counted  []map[string]bool // names that the loops around it count, the innermost last
}

// stop ends a run from within.
type stop struct{ why string }

// raised is a Python exception on its way up.
type raised struct {
	class string // its name
	text  string
	value Value
	site  *origin.Origin
	sure  bool // nothing that was guessed led to it
}

// Run follows a program and returns what it saw. It never fails: what could
// not be followed is noted.
func Run(root *source.Root, p Program, b Budget) *Observations {
	b = b.withDefaults()
	in := &Interp{root: root, program: p, budget: b, modules: map[string]*Module{}, parsed: map[string]*node{}, looking: map[lookup]bool{}, active: map[*node]int{}, saw: &Observations{}, seq: 1}
	in.environ = newDict()
	in.environ.Open = true
	for _, name := range sortedKeys(p.Environ) {
		in.environ.set(str(name), p.Environ[name])
	}
	in.start()
	in.saw.Steps = in.steps
	return in.saw
}

func (b Budget) withDefaults() Budget {
	if b.Steps == 0 {
		b.Steps = DefaultBudget.Steps
	}
	if b.Depth == 0 {
		b.Depth = DefaultBudget.Depth
	}
	if b.Calls == 0 {
		b.Calls = DefaultBudget.Calls
	}
	return b
}

// start runs the entry to its end, and the functions that libraries would call
// back.
func (in *Interp) start() {
	in.guarded(func() {
		entry := in.entryModule()
		if entry == nil {
			return
		}
		in.saw.Entry = entry
		in.runModule(entry)
		if in.program.Func != "" {
			in.call(in.moduleAttr(entry, in.program.Func), &Call{Name: in.program.Func}, nil)
		}
	})
}

// guarded runs f and turns an exception that nothing caught into an abort.
func (in *Interp) guarded(f func()) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stop:
			in.saw.Stopped = e.why
		case raised:
			if e.class != "SystemExit" {
				in.abort(e)
			} else if e.site != nil {
				in.note("the program ends itself at %s:%d", e.site.File, e.site.Line)
				in.saw.Exit = &Exit{Site: e.site, Sure: e.sure}
			}
		case runtime.Error: // a part of the program that we read wrongly
			in.saw.Broken++
			in.saw.Stopped = "a part of the program could not be followed"
		default:
			panic(e)
		}
	}()
	f()
}

// abort keeps an exception that nothing catches.
func (in *Interp) abort(e raised) {
	for _, a := range in.saw.Aborts {
		if a.Site != nil && e.site != nil && e.site.File != "" && a.Site.File == e.site.File && a.Site.Line == e.site.Line {
			return
		}
	}
	if len(in.saw.Aborts) < 100 {
		in.saw.Aborts = append(in.saw.Aborts, Abort{Text: e.class + ": " + e.text, Site: e.site, Sure: e.sure})
	}
}

// step counts one evaluated node.
func (in *Interp) step() {
	in.steps++
	if in.guess.end > 0 && in.steps > in.guess.end && in.loading <= in.guess.loading {
		panic(tooFar{})
	}
	if in.steps > in.budget.Steps {
		panic(stop{fmt.Sprintf("more than %d steps", in.budget.Steps)})
	}
	if in.steps&0xfff == 0 && !in.budget.Deadline.IsZero() && time.Now().After(in.budget.Deadline) {
		panic(stop{"out of time"})
	}
}

// work counts what a step does beyond its node: copies of large containers.
func (in *Interp) work(n int) {
	in.steps += n
	if in.steps > in.budget.Steps {
		in.steps = in.budget.Steps
		in.step()
	}
}

// raise throws a Python exception.
func (in *Interp) raise(class, format string, args ...any) {
	panic(raised{class: class, text: fmt.Sprintf(format, args...), site: in.line})
}

// refuse throws the exception of a library that was asked for what is not
// there: a configuration, a choice.
func (in *Interp) refuse(class, format string, args ...any) {
	panic(raised{class: class, text: fmt.Sprintf(format, args...), site: in.line, sure: in.doubt == 0})
}

// fail throws an exception where the program would catch it, and otherwise
// gives an unknown value: our own picture of the program may be what is wrong.
func (in *Interp) fail(class, format string, args ...any) Value {
	if in.trying > 0 && in.doubt == 0 && in.wouldCatch(class) {
		in.raise(class, format, args...)
	}
	return unknown(format, args...)
}

func (in *Interp) note(format string, args ...any) {
	if len(in.saw.Notes) < 200 {
		in.saw.Notes = append(in.saw.Notes, fmt.Sprintf(format, args...))
	}
}

func (in *Interp) born() int {
	in.seq++
	return in.seq
}

// observe keeps a call.
func (in *Interp) observe(c *Call) *Call {
	in.shared(c)
	c.Site, c.Loops, c.Doubt, c.Func, c.Seq, c.Every = in.line, in.loop, in.doubt > 0, in.funcName, len(in.saw.Calls), in.every
	if len(in.saw.Calls) < in.budget.Calls {
		in.saw.Calls = append(in.saw.Calls, c)
	}
	return c
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sortStrings(keys)
	return keys
}
