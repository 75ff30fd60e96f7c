// Package observe reads clusters through one port: a live scheduler, a trace, a
// saved file. Nothing here changes a cluster.
package observe

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"schedmate"
)

// Source is a cluster that can be read.
type Source interface {
	// Observe returns the cluster as it is now, with the jobs that wait or run and
	// those that ended a short time ago, as far as the scheduler still holds them.
	// What cannot be read is a gap; an error means that nothing can.
	Observe(context.Context) (*schedmate.Observation, error)

	// Past returns jobs that ended, each run of a requeued one as a job of its own,
	// in the order of their submission, with what could not be read.
	Past(context.Context, schedmate.Period) ([]schedmate.ObservedJob, []schedmate.Gap, error)
}

// ErrNoPast says that a source has no memory of jobs that ended.
var ErrNoPast = errors.New("no past jobs are kept here")

// Saved is a cluster as it was when its observation was saved.
type Saved struct{ Observation *schedmate.Observation }

// Observe returns what was saved.
func (s Saved) Observe(context.Context) (*schedmate.Observation, error) { return s.Observation, nil }

// Past returns the jobs of the observation that are over.
func (s Saved) Past(_ context.Context, of schedmate.Period) ([]schedmate.ObservedJob, []schedmate.Gap, error) {
	var over []schedmate.ObservedJob
	for i := range s.Observation.Jobs {
		if j := &s.Observation.Jobs[i]; j.Over() && of.Has(j) {
			over = append(over, *j)
		}
	}
	return over, nil, nil
}

// Joined is a cluster whose present and past are read in two ways, such as by a
// service and, as that loses exit codes, by commands where they are installed. A past
// that cannot be read is a gap.
type Joined struct {
	Source
	History Source
}

// Past returns what the history tells.
func (j Joined) Past(ctx context.Context, of schedmate.Period) ([]schedmate.ObservedJob, []schedmate.Gap, error) {
	jobs, gaps, err := j.History.Past(ctx, of)
	if err != nil {
		return nil, append(gaps, schedmate.Gap{What: "past jobs", Why: err.Error()}), nil
	}
	return jobs, gaps, nil
}

// NotFoundError says that the cluster has no such job.
type NotFoundError struct {
	Job, Where string
	Whole      string // the array or heterogeneous job of which other parts are known
}

// Missing makes the error for an id that [Find] has not found.
func Missing(jobs []schedmate.ObservedJob, id, where string) *NotFoundError {
	e := &NotFoundError{Job: id, Where: where}
	if i := strings.IndexAny(id, "_+"); i > 0 && len(Find(jobs, id[:i])) > 0 {
		e.Whole = id[:i]
	}
	return e
}

func (e *NotFoundError) Error() string {
	if e.Whole != "" {
		return fmt.Sprintf("job %s is not known to %s, though other parts of %s are: it may have been cancelled while it waited, which leaves no trace; list them with 'schedmate queue %s'", e.Job, e.Where, e.Whole, e.Whole)
	}
	return fmt.Sprintf("job %s is not known to %s: list the jobs with 'schedmate queue'", e.Job, e.Where)
}

// Find returns the jobs that an id means: a job, a task, a part, or all of an array
// or heterogeneous job. A task that waits is found in the record of its array.
func Find(jobs []schedmate.ObservedJob, id string) []*schedmate.ObservedJob {
	if id == "" {
		return nil
	}
	var found []*schedmate.ObservedJob
	for i := range jobs {
		if j := &jobs[i]; j.ID == id || j.Array == id || j.Het == id {
			found = append(found, j)
		}
	}
	if len(found) > 0 {
		return found
	}
	for i := range jobs {
		if j := &jobs[i]; j.Number > 0 && strconv.FormatInt(j.Number, 10) == id || j.HasTask(id) {
			return []*schedmate.ObservedJob{j}
		}
	}
	return nil
}
