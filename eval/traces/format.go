package traces

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"schedmate/scheduler/sim"
)

// Format names the layout and the units of a published trace.
type Format string

// format is what the loader knows about a Format. A new one is a file beside
// this one and an entry in formats.
type format struct {
	name    Format
	summary string
	layouts []layout // the one that fits the header best is taken

	// load reads a format that is no table of commas with one job a line; it has
	// no layouts then.
	load func(*loader, *source) error

	prepare func(*loader) error // before the first row; nil: nothing

	choices  []string // of Options, those that the format leaves
	labelled bool     // the first line is a label, the second the header
}

// Options are choices that some formats leave to the reader. The zero value is
// the default of each.
type Options struct {
	// VC says what becomes of a job's VC: VCNone, VCPartition or VCAccount.
	VC string `json:"vc,omitempty" yaml:"vc,omitempty"`

	// Arrival says when a job begins to wait: ArrivalEligible or ArrivalSubmit.
	Arrival string `json:"arrival,omitempty" yaml:"arrival,omitempty"`

	// Workload names the one to read of a file that holds several.
	Workload string `json:"workload,omitempty" yaml:"workload,omitempty"`

	// Profiles and Pairs name tables of the data folder, in the layout of the Lucid
	// artifact's: how much of a GPU each configuration takes from others, and how
	// fast two are on one GPU.
	Profiles string `json:"profiles,omitempty" yaml:"profiles,omitempty"`
	Pairs    string `json:"pairs,omitempty" yaml:"pairs,omitempty"`
	// Adaptive reads what jobs do on other gangs and types of GPU, and with other
	// batch sizes, than they ask for.
	Adaptive bool `json:"adaptive,omitempty" yaml:"adaptive,omitempty"`

	// Beside opens a file of the data folder, for formats that need more than
	// the trace itself. Nil: there is no such folder.
	Beside func(name string) (io.ReadCloser, error) `json:"-" yaml:"-"`
}

// Values of Options.VC and Options.Arrival; the first of each is the default.
const (
	VCNone      = "none"
	VCPartition = "partition"
	VCAccount   = "account"

	ArrivalEligible = "eligible" // when Slurm might have started it: dependencies, begin times and holds are over
	ArrivalSubmit   = "submit"   // when the user submitted it
)

// Validate checks the options against the format that they are for.
func (o Options) Validate(f Format) error {
	def, err := f.definition()
	if err != nil {
		return err
	}
	vcs := []string{"", VCNone, VCPartition, VCAccount}
	if f == swf.name {
		vcs = vcs[:3] // it has groups, which are no accounts
	}
	switch {
	case o.VC != "" && !slices.Contains(def.choices, "vc"), o.Arrival != "" && !slices.Contains(def.choices, "arrival"):
		return fmt.Errorf("format %s leaves no choice of vc and arrival; they belong to format %s", string(f), Sacct)
	case o.Workload != "" && !slices.Contains(def.choices, "workload"):
		return fmt.Errorf("format %s has no workloads to choose from; they belong to format %s", string(f), sia.name)
	case (o.Profiles != "" || o.Pairs != "") && !slices.Contains(def.choices, "tables"):
		return fmt.Errorf("format %s has no profiles and pairs of configurations; they belong to format %s", string(f), lucid.name)
	case o.Adaptive && !slices.Contains(def.choices, "adaptive"):
		return fmt.Errorf("format %s has no adaptive jobs; they belong to format %s", string(f), sia.name)
	case !slices.Contains(vcs, o.VC):
		return fmt.Errorf("vc %q: use %s", o.VC, strings.Replace(strings.Join(vcs[1:], ", "), ", "+vcs[len(vcs)-1], " or "+vcs[len(vcs)-1], 1))
	case !slices.Contains([]string{"", ArrivalEligible, ArrivalSubmit}, o.Arrival):
		return fmt.Errorf("arrival %q: use eligible or submit", o.Arrival)
	}
	return nil
}

// layout is one set of columns of a format.
type layout struct {
	required []string
	optional []string
	id       string // the column that tells jobs apart; empty: job_id
	numbered bool   // the file has no ids: jobs are p00000, p00001 ... in the order of Trace.Jobs

	// job makes a job of a row. Where dropped is not empty it is the reason why
	// the row is left out; the job then needs no more than its ID.
	job func(*row) (j sim.Job, dropped string)
}

var formats = []format{chronus, elasticflow, lucid, philly, sacct, sia, swf, synthetic}

const noGPUs = "asks 0 GPUs"

// Formats lists the formats in alphabetical order.
func Formats() []Format {
	names := make([]Format, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// FormatNames lists the formats for people.
func FormatNames() string {
	names := make([]string, 0, len(Formats()))
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// Summary says in one line where the format comes from and in which unit it
// counts. It is empty for a format that does not exist.
func (f Format) Summary() string {
	def, err := f.definition()
	if err != nil {
		return ""
	}
	return def.summary
}

func (f Format) definition() (*format, error) {
	for i := range formats {
		if formats[i].name == f {
			return &formats[i], nil
		}
	}
	return nil, fmt.Errorf("unknown trace format %q; use one of %s", string(f), list(Formats()))
}

// choose finds the layout that fits the header.
func (f *format) choose(file string, line int, header []string) (*layout, error) {
	for i, name := range header {
		if name == "" {
			return nil, &InputError{File: file, Line: line, Problem: fmt.Sprintf("column %d has no name", i+1),
				Next: "the first line must name the columns; " + f.columns()}
		}
		if slices.Index(header, name) < i {
			return nil, &InputError{File: file, Line: line, Column: name, Problem: "occurs twice", Next: "remove or rename one of them"}
		}
	}
	var best *layout
	var missing, unknown []string
	for i := range f.layouts {
		m, u := f.layouts[i].misfits(header)
		if best == nil || len(m) < len(missing) || len(m) == len(missing) && len(u) < len(unknown) {
			best, missing, unknown = &f.layouts[i], m, u
		}
	}
	switch {
	case len(missing) > 0:
		return nil, &InputError{File: file, Line: line, Column: missing[0], Problem: "is missing", Next: f.advice(header)}
	case len(unknown) > 0:
		return nil, &InputError{File: file, Line: line, Column: unknown[0], Problem: "is unknown", Next: f.advice(header)}
	}
	return best, nil
}

// misfits returns the required columns that the header lacks and the columns
// that the layout does not know.
func (l *layout) misfits(header []string) (missing, unknown []string) {
	for _, name := range l.required {
		if !slices.Contains(header, name) {
			missing = append(missing, name)
		}
	}
	for _, name := range header {
		if !slices.Contains(l.required, name) && !slices.Contains(l.optional, name) {
			unknown = append(unknown, name)
		}
	}
	return missing, unknown
}

// advice names the format that the header belongs to, or the columns of f.
func (f *format) advice(header []string) string {
	for i := range formats {
		for k := range formats[i].layouts {
			if m, u := formats[i].layouts[k].misfits(header); len(m) == 0 && len(u) == 0 {
				return fmt.Sprintf("the header is that of format %s", formats[i].name)
			}
		}
	}
	if len(header) > 0 && strings.HasPrefix(header[0], "JobID") {
		return fmt.Sprintf("the header is that of format %s", Sacct)
	}
	if len(header) > 0 && strings.HasPrefix(header[0], strings.Split(SyntheticLabel, ",")[0]) {
		return fmt.Sprintf("the label is that of format %s", synthetic.name)
	}
	if len(header) > 0 && strings.HasPrefix(header[0], ";") {
		return fmt.Sprintf("a file that begins with a comment is of format %s", swf.name)
	}
	return f.columns()
}

func (f *format) columns() string {
	layouts := make([]string, len(f.layouts))
	for i, l := range f.layouts {
		layouts[i] = list(l.required)
		if len(l.optional) > 0 {
			layouts[i] += " and optionally " + list(l.optional)
		}
	}
	return fmt.Sprintf("format %s has the columns %s", f.name, strings.Join(layouts, "; or "))
}

func list[S ~string](names []S) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = string(n)
	}
	return strings.Join(parts, ", ")
}
