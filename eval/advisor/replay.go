package advisor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/history"
	"schedmate/advisor/neighbours"
	"schedmate/eval/jsonl"
)

// Ref names the submission of a run.
type Ref struct {
	Job  string `json:"job"`
	Pair string `json:"pair"`
}

// ID is the id of the submission.
func (r Ref) ID() string { return cmp.Or(r.Job, r.Pair) }

// Run is a run of a history. As a query it is its Ref, user, name, request,
// software and time of submission; all else is known when it has ended.
type Run struct {
	Seq     int    `json:"seq"`
	ID      string `json:"id"`
	Ref     Ref    `json:"ref"`
	User    string `json:"user"`
	JobName string `json:"job_name"`
	history.Request
	Software string            `json:"software"`
	SubmitS  schedmate.Seconds `json:"submit_s"`

	StartS         schedmate.Seconds             `json:"start_s"`
	EndS           schedmate.Seconds             `json:"end_s"`
	EndState       string                        `json:"end_state"`
	Progress       float64                       `json:"progress"`
	SMUtilMean     *float64                      `json:"sm_util_mean"` // percent
	Throughput     *float64                      `json:"throughput"`
	ThroughputUnit string                        `json:"throughput_unit"`
	Perf           map[string]map[string]float64 `json:"perf_model"`
}

// ReadRuns reads one run a line. An error names the line.
func ReadRuns(name string, r io.Reader) ([]Run, error) {
	return jsonl.Read(name, r, func(r *Run) error {
		_, err := r.record(fingerprint.Print{}, nil)
		return err
	})
}

func (r *Run) record(print fingerprint.Print, estimated *history.Estimated) (*history.Record, error) {
	state, err := history.ParseState(r.EndState)
	if err != nil {
		return nil, fmt.Errorf("run %.40q: %w", r.ID, err)
	}
	record := &history.Record{
		ID: r.ID, User: r.User, JobName: r.JobName, Print: print, Request: r.Request, SubmitS: r.SubmitS, StartS: r.StartS, EndS: r.EndS,
		State: state, Progress: r.Progress, Software: r.Software, Perf: r.Perf, ThroughputUnit: r.ThroughputUnit, Estimated: estimated,
	}
	if r.Throughput != nil {
		record.Throughput = *r.Throughput
	}
	if r.SMUtilMean != nil {
		record.Utilisation = &history.Utilisation{Mean: *r.SMUtilMean}
	}
	return record, record.Validate()
}

// Answer is what is said about one run when it is submitted.
type Answer struct {
	Seq         int             `json:"seq"`
	Top         []string        `json:"top"`
	Seconds     *float64        `json:"duration_s"`
	Low         *float64        `json:"low_s"`
	High        *float64        `json:"high_s"`
	Occupancy   float64         `json:"occupancy_s,omitempty"` // expected, as runs are cancelled and fail
	Utilisation *float64        `json:"sm_util"`
	Rung        neighbours.Rung `json:"rung"`
	Basis       []string        `json:"basis,omitempty"` // runs that the duration is made from
	Error       string          `json:"error,omitempty"` // why the submission could not be read
}

// Submissions tells the print of a submission. An error makes the query one
// without a print: the estimator may still know the user's jobs.
type Submissions func(ctx context.Context, ref Ref) (fingerprint.Print, error)

// Replay asks an estimator about each run, in order of submission, and hands
// the answers to say as they are made. Its first error ends the replay.
func Replay(ctx context.Context, runs []Run, prints Submissions, options neighbours.Options, say func(Answer) error) error {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Or(cmp.Compare(a.SubmitS, b.SubmitS), cmp.Compare(a.Seq, b.Seq)) })
	index := history.NewIndex(nil)
	estimator, err := neighbours.New(index, options)
	if err != nil {
		return err
	}
	var running []*history.Record // by end
	for _, r := range runs {
		ended, _ := slices.BinarySearchFunc(running, r.SubmitS, func(x *history.Record, at schedmate.Seconds) int {
			return cmp.Or(cmp.Compare(x.EndS, at), -1) // behind all that end at the instant
		})
		for _, x := range running[:ended] {
			estimator.Observe(x)
		}
		if err := index.Add(ctx, running[:ended]...); err != nil {
			return err
		}
		running = slices.Delete(running, 0, ended)

		print, unread := prints(ctx, r.Ref)
		estimate, err := estimator.Estimate(ctx, neighbours.Query{
			Print: print, User: r.User, JobName: r.JobName, Request: r.Request, Software: r.Software, At: r.SubmitS,
		})
		if err != nil {
			return fmt.Errorf("run %.40q: %w", r.ID, err)
		}
		if err := say(answer(r.Seq, estimate, unread)); err != nil {
			return err
		}
		record, err := r.record(print, estimate.Estimated())
		if err != nil {
			return err
		}
		at, _ := slices.BinarySearchFunc(running, record, func(a, b *history.Record) int { return cmp.Or(cmp.Compare(a.EndS, b.EndS), cmp.Compare(a.ID, b.ID)) })
		running = slices.Insert(running, at, record)
	}
	return nil
}

func answer(seq int, e *neighbours.Estimate, unread error) Answer {
	a := Answer{Seq: seq, Top: e.Top, Rung: e.Rung, Utilisation: e.Utilisation}
	if a.Top == nil {
		a.Top = []string{}
	}
	if e.Seconds > 0 {
		a.Seconds, a.Low, a.High, a.Occupancy = &e.Seconds, &e.Low, &e.High, e.Occupancy
	}
	for _, n := range e.Basis {
		a.Basis = append(a.Basis, n.ID)
	}
	if unread != nil {
		a.Error = unread.Error()
	}
	return a
}
