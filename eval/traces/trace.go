package traces

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Trace is the jobs of one trace, ready for the simulator.
//
// Invariant: Jobs are sorted by Submit, jobs of one second in the order of the
// file; every job passes its Validate, has a unique ID and an Outcome that ran
// for at least one second. VCs are sorted and are those that occur in Jobs.
type Trace struct {
	Name    string // base name of the file
	Format  Format
	SHA256  string // of the bytes as read, before decompression, in hex
	Jobs    []sim.Job
	VCs     []string
	Dropped []Drop // first what the loader left out, then what filters did
	Capped  int    // jobs whose run a filter has cut short

	Pairs sim.Pairs // speeds of configurations that share GPUs, where they were read

	Synthetic string // how a synthetic trace was made; empty: it was recorded

	Accounting *Accounting // what only an accounting database knows; nil for other formats
}

// Drop counts the rows that were left out for one reason.
type Drop struct {
	Reason    string `json:"reason" yaml:"reason"`
	Count     int    `json:"count" yaml:"count"`
	FirstLine int    `json:"first_line,omitempty" yaml:"first_line,omitempty"` // in the file; 0: dropped by a filter
}

// Open reads the trace in the file at path. The file may be plain text or
// gzip; its first bytes decide, not its name.
func Open(path string, f Format) (*Trace, error) { return OpenWith(path, f, Options{}) }

// OpenWith is Open with the reader's choices.
func OpenWith(path string, f Format, o Options) (*Trace, error) {
	if path == "-" {
		return nil, fmt.Errorf("open trace: standard input is not supported; give the path of a file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open trace: %w; check the path", err)
	}
	defer file.Close()
	return ReadWith(file, path, f, o)
}

// Read reads a trace from r to its end. The name is what errors call the
// input; its last element becomes the Trace's Name.
func Read(r io.Reader, name string, f Format) (*Trace, error) {
	return ReadWith(r, name, f, Options{})
}

// ReadWith is Read with the reader's choices.
func ReadWith(r io.Reader, name string, f Format, o Options) (*Trace, error) {
	return read(r, name, f, o, usualLimits)
}

var usualLimits = limits{textBytes: 4 << 30, lines: 10_000_000, lineBytes: 1 << 20}

func read(r io.Reader, name string, f Format, o Options, max limits) (*Trace, error) {
	def, err := f.definition()
	if err == nil {
		err = o.Validate(f)
	}
	if err != nil {
		return nil, fmt.Errorf("read trace %s: %w", name, err)
	}
	src, err := newSource(r, name, max)
	if err != nil {
		return nil, err
	}
	t := &Trace{Name: filepath.Base(name), Format: f}
	l := loader{trace: t, file: name, options: o, seen: make(map[string]int)}
	load := def.load
	if load == nil {
		load = def.table
	}
	if err := load(&l, src); err != nil {
		return nil, err
	}
	if err := l.finish(); err != nil {
		return nil, err
	}
	t.SHA256 = src.sum()
	return t, nil
}

// table loads a format that is a table of commas.
func (f *format) table(l *loader, src *source) error {
	if f.labelled {
		if err := f.label(l, src); err != nil {
			return err
		}
	}
	header, err := src.header()
	if err != nil {
		return err
	}
	if l.layout, err = f.choose(l.file, src.line, header); err != nil {
		return err
	}
	if f.prepare != nil {
		if err := f.prepare(l); err != nil {
			return err
		}
	}
	return l.load(src, header)
}

// loader turns rows into the jobs of a trace.
type loader struct {
	trace     *Trace
	file      string
	layout    *layout // nil for a format with a load of its own
	options   Options
	sia       *siaProfiles                 // of format sia
	scores    map[schedmate.Workload]int64 // of format lucid: how much of a GPU a configuration takes
	fromFirst bool                         // times count from the first submission, whatever the clock
	clock     clock
	lines     []int          // line of each job, parallel to trace.Jobs
	seen      map[string]int // job id -> its line
}

// load reads every row, in one pass.
func (l *loader) load(src *source, header []string) error {
	rw := newRow(l.file, l.trace.Name, header, &l.clock)
	rw.options, rw.sia, rw.scores = l.options, l.sia, l.scores
	for {
		line, cells, err := src.row(rw.cells[:0])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		rw.set(line, cells)
		job, dropped := l.layout.job(rw)
		if rw.err != nil {
			return rw.err
		}
		if err := l.take(job, dropped, line); err != nil {
			return err
		}
	}
}

// take keeps a job, or counts why it is left out.
func (l *loader) take(job sim.Job, dropped string, line int) error {
	if err := l.unique(job.ID, line); err != nil {
		return err
	}
	if dropped == "" && job.Outcome.Run == 0 {
		dropped = "ran 0 seconds"
	}
	if dropped != "" {
		l.trace.drop(dropped, 1, line)
		return nil
	}
	if jobs := l.trace.Jobs; len(jobs) == cap(jobs) {
		l.trace.Jobs = slices.Grow(jobs, len(jobs)+64) // jobs are large: move them seldom
	}
	l.trace.Jobs = append(l.trace.Jobs, job)
	l.lines = append(l.lines, line)
	return nil
}

func (l *loader) unique(id string, line int) error {
	if l.layout != nil && l.layout.numbered {
		return nil
	}
	if first, ok := l.seen[id]; ok {
		return &InputError{File: l.file, Line: line, Column: l.idColumn(),
			Problem: fmt.Sprintf("job %.40q was already on line %d", id, first),
			Next:    "give every job an id of its own"}
	}
	l.seen[id] = line
	return nil
}

// idColumn is the column that tells jobs apart.
func (l *loader) idColumn() string {
	if l.layout == nil {
		return swfFields[0]
	}
	return cmp.Or(l.layout.id, "job_id")
}

// finish puts the jobs in order and checks what can only be checked then.
func (l *loader) finish() error {
	t := l.trace
	if len(t.Jobs) == 0 {
		problem, next := "has a header but no jobs", "check that the file is complete"
		if len(t.Dropped) > 0 {
			problem = "has no job left: " + describe(t.Dropped)
			next = "check that the columns hold what the format says"
		}
		return &InputError{File: l.file, Problem: problem, Next: next}
	}
	if l.fromFirst || l.clock.calendar() {
		zero := t.Jobs[0].Submit
		for i := range t.Jobs {
			zero = min(zero, t.Jobs[i].Submit)
		}
		for i := range t.Jobs {
			shift(&t.Jobs[i], -zero)
		}
	}
	l.sort()
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if l.layout != nil && l.layout.numbered {
			j.ID = fmt.Sprintf("p%05d", i)
		}
		if err := validate(j); err != nil {
			return &InputError{File: l.file, Line: l.lines[i], Problem: err.Error(), Next: "correct the row or remove it", Err: err}
		}
	}
	t.VCs = occurring(t.Jobs)
	return nil
}

// sort sorts the jobs by (Submit, file order). It sorts indices and moves each
// job once, because a job is large.
func (l *loader) sort() {
	jobs := l.trace.Jobs
	bySubmit := func(a, b sim.Job) int { return compareSubmit(&a, &b) }
	if slices.IsSortedFunc(jobs, bySubmit) {
		return
	}
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareSubmit(&jobs[a], &jobs[b]) })
	sorted, lines := make([]sim.Job, len(jobs)), make([]int, len(jobs))
	for to, from := range order {
		sorted[to], lines[to] = jobs[from], l.lines[from]
	}
	l.trace.Jobs, l.lines = sorted, lines
}

func compareSubmit(a, b *sim.Job) int { return cmp.Compare(a.Submit, b.Submit) }

// shift moves a job in time, with everything that is an instant in it. It
// writes to the job's tiers and facts, so the job must own them.
func shift(j *sim.Job, by schedmate.Seconds) {
	j.Submit += by
	for i := range j.SLO.Tiers {
		j.SLO.Tiers[i].Deadline += by
	}
	for i := range j.Facts {
		f := &j.Facts[i]
		f.ObservedAt += by
		if f.ExpiresAt != 0 {
			f.ExpiresAt += by
		}
	}
}

// validate checks a job and its facts. Paths cost an allocation each, so they
// are only made for a job that is wrong.
func validate(j *sim.Job) error {
	if j.Job.Validate("") != nil {
		return j.Job.Validate("job")
	}
	for i := range j.Facts {
		if j.Facts[i].Validate("") != nil {
			return j.Facts[i].Validate(fmt.Sprintf("job.facts[%d]", i))
		}
	}
	return nil
}

func occurring(jobs []sim.Job) []string {
	set := make(map[string]bool)
	for i := range jobs {
		if vc := jobs[i].VC; vc != "" {
			set[vc] = true
		}
	}
	vcs := make([]string, 0, len(set))
	for vc := range set {
		vcs = append(vcs, vc)
	}
	slices.Sort(vcs)
	return vcs
}

// drop counts rows that were left out.
func (t *Trace) drop(reason string, count, line int) {
	if count == 0 {
		return
	}
	i := slices.IndexFunc(t.Dropped, func(d Drop) bool { return d.Reason == reason })
	if i < 0 {
		t.Dropped = append(t.Dropped, Drop{Reason: reason, FirstLine: line})
		i = len(t.Dropped) - 1
	}
	t.Dropped[i].Count += count
}

func describe(drops []Drop) string {
	parts := make([]string, len(drops))
	for i, d := range drops {
		parts[i] = fmt.Sprintf("%d dropped (%s)", d.Count, d.Reason)
	}
	return strings.Join(parts, ", ")
}
