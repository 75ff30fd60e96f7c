package advisor

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"schedmate/advisor/fingerprint"
	"schedmate/advisor/launch"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/resolve"
	"schedmate/advisor/source"
	"schedmate/advisor/table"
)

// Submission is a repository and what is to run in it.
type Submission struct {
	ID      string
	Folder  string // of the repository
	Request launch.Request
}

// Budget bounds the work on one submission. The zero value of a field means
// its default.
type Budget struct {
	Limits source.Limits
	Python pyeval.Budget
	Time   time.Duration // after it reading ends, and the answer says so
}

// DefaultBudget is far above what real submissions need: the median takes a
// tenth of a second.
var DefaultBudget = Budget{Limits: source.DefaultLimits, Python: pyeval.DefaultBudget, Time: 25 * time.Second}

func (b Budget) withDefaults() Budget {
	if b.Limits == (source.Limits{}) {
		b.Limits = DefaultBudget.Limits
	}
	if b.Time == 0 {
		b.Time = DefaultBudget.Time
	}
	return b
}

// Names is how fingerprints spell names.
var Names fingerprint.Canonicaliser = fingerprint.CanonicaliserFunc(table.Canonical)

// Analyse answers what a submission is about, from its source and its launch
// request alone. Nothing of it is executed. It fails when the folder or the
// request cannot be read; what the repository does not tell stays unanswered.
func Analyse(ctx context.Context, s Submission, b Budget) (*Analysis, error) {
	a, _, err := analyse(ctx, s, b.withDefaults())
	return a, err
}

// analyse also tells what the answer stands on, nil if it may not be kept.
func analyse(ctx context.Context, s Submission, b Budget) (a *Analysis, seen *source.Seen, err error) {
	start := time.Now()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	deadline := start.Add(b.Time)
	if end, ok := ctx.Deadline(); ok && end.Before(deadline) {
		deadline = end
	}
	root, err := source.Open(s.Folder, b.Limits, deadline)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	defer func() { // a repository must not bring down whoever serves others, too
		if bug := recover(); bug != nil {
			a, seen, err = nil, nil, fmt.Errorf("analyse %s: BUG: %v; report this with the repository\n%s", s.Folder, bug, debug.Stack())
		}
	}()
	r, err := resolve.Submission(root, s.Request, resolve.Budget{Python: b.Python, Deadline: deadline})
	if err != nil {
		return nil, nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	secrets := secretsOf(s.Request, r, root)
	secrets.cleanse(r.Metadata)
	a = &Analysis{BytesRead: root.BytesRead(), FilesRead: root.FilesRead()}
	code := ""
	if r.Program != nil {
		a.Program = secrets.hide(r.Program.Name)
	}
	if r.Observed != nil {
		a.Stopped = secrets.hide(r.Observed.Stopped)
		code = r.Observed.Slice()
	}
	a.fill(r.Metadata, r.Launch)
	a.turns(r)
	secrets.hideAll(a)
	fields := fingerprint.Canonicalise(r.Metadata, Names)
	if idle := r.Metadata.TrainsNothing; idle || evaluates(r) {
		fields[fingerprint.Purpose] = fingerprint.Words("evaluation")
		if !idle { // where an idle run ends is said already
			a.Warnings = append(a.Warnings, "this run only evaluates: its fields are those of the training that it leaves out")
		}
	}
	a.Print = fingerprint.New(fields, code).With(recipe(root, r, deadline), settings(root, r))
	seen, whole := root.Seen()
	if !whole || secrets.names(seen) { // what is kept outlives the job, and holds all paths
		seen = nil
	}
	if !whole {
		a.Warnings = append(a.Warnings, "the time for reading was used up: the answer may lack what was not reached")
	}
	a.Seconds = time.Since(start).Seconds()
	return a, seen, nil
}
