package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"schedmate"
	"schedmate/adapters/store/bolt"
	"schedmate/advisor"
	"schedmate/advisor/history"
	"schedmate/advisor/neighbours"
	"schedmate/advisor/workload"
)

// estimated is what the history says about a job that has not run.
type estimated struct {
	Rung       neighbours.Rung `json:"rung"`
	Seconds    *float64        `json:"duration_s"`
	Low        *float64        `json:"low_s"`
	High       *float64        `json:"high_s"`
	Coverage   float64         `json:"coverage"` // of the interval
	Observed   int             `json:"observed"` // past estimates of this rung with their outcomes; below enoughObserved the interval is a rule of thumb
	SMUtil     *float64        `json:"sm_util"`
	Confidence float64         `json:"confidence"`
	Records    int             `json:"records"` // runs in the history
	Basis      []neighbour     `json:"basis"`
	LeftOut    []string        `json:"left_out,omitempty"` // past runs of the same user and name that say nothing, and why
	Fallbacks  []string        `json:"fallbacks,omitempty"`
}

// enoughObserved is how many outcomes the intervals of the estimator need; before,
// they follow a rule of thumb.
const enoughObserved = 20

// neighbour is one past run that an estimate is made from.
type neighbour struct {
	ID         string  `json:"id"`
	State      string  `json:"state"`
	GPUType    string  `json:"gpu_type,omitempty"`
	Similarity float64 `json:"similarity"`
	Seconds    float64 `json:"duration_s"` // what it says about this job
	Factor     float64 `json:"factor"`     // this over what it took
	Why        string  `json:"why,omitempty"`
}

// historyFile is where the history is kept.
func (a *app) historyFile() (string, error) {
	state, err := a.config.StateFolder()
	if err != nil {
		return "", usage(err)
	}
	return filepath.Join(state, "history.db"), nil
}

// openHistory opens the history; nil if there is none yet and it is not to be
// written. Close must be called in the end.
func (a *app) openHistory(ctx context.Context, write bool) (h *history.History, closer func() error, err error) {
	path, err := a.historyFile()
	if err != nil {
		return nil, nil, err
	}
	nothing := func() error { return nil }
	open := bolt.Open
	if !write { // who reads needs no right to write
		if info, err := os.Stat(path); missingFile(err) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			return nil, nothing, nil
		}
		open = bolt.OpenToRead
	}
	store, err := open(path)
	if err != nil {
		return nil, nil, asFailure(err)
	}
	tables := history.Over[*bolt.Tx](store)
	if write {
		h, err = history.Open(ctx, tables, nil, history.Retention{})
	} else {
		h, err = history.OpenToRead(ctx, tables, nil)
	}
	if err == nil {
		err = a.tellUnreadable(h)
	}
	if err != nil {
		return nil, nil, asFailure(errors.Join(err, store.Close()))
	}
	return h, store.Close, nil
}

// mostUnreadable bounds what is told of entries that cannot be read.
const mostUnreadable = 20

func (a *app) tellUnreadable(h *history.History) error {
	broken, err := h.Unreadable(mostUnreadable)
	for _, bad := range broken {
		fmt.Fprintf(a.streams.Err, "note: history: %s\n", printable(bad.Error()))
	}
	if n, _ := h.Len(); !h.Indexed() && n >= manyRecords { // its error is that of the questions to come
		fmt.Fprintln(a.streams.Err, "note: the history has no index, so all of it was read: 'schedmate history index' makes one")
	}
	return err
}

const manyRecords = 10000 // whose reading is noticed

// past is a history that answers.
type past struct {
	history   *history.History
	estimator *neighbours.Estimator
	options   neighbours.Options
}

// openPast opens the history for questions; nil if there is none, or none that
// can be opened now. Close must be called in the end.
func (a *app) openPast(ctx context.Context) (p *past, closer func() error, err error) {
	nothing := func() error { return nil }
	if _, err := a.config.StateFolder(); err != nil {
		return nil, nothing, nil
	}
	h, closer, err := a.openHistory(ctx, false)
	if err != nil && ctx.Err() == nil { // busy, damaged, not ours: a question needs no history
		fmt.Fprintf(a.streams.Err, "note: %s; this answer goes without it\n", printable(err.Error()))
		return nil, nothing, nil
	}
	if closer == nil {
		closer = nothing
	}
	if err != nil || h == nil {
		return nil, closer, err
	}
	options := neighbours.Default()
	records, err := h.Len()
	var estimator *neighbours.Estimator
	if err == nil {
		estimator, err = neighbours.New(h, options)
	}
	if err != nil || records == 0 {
		return nil, closer, asFailure(err)
	}
	return &past{h, estimator, options}, closer, nil
}

// answer asks the history; nil if there is none.
func (p *past) answer(ctx context.Context, q neighbours.Query) (*estimated, error) {
	if p == nil {
		return nil, nil
	}
	e, err := p.estimator.Estimate(ctx, q)
	if err != nil {
		return nil, asFailure(err)
	}
	records, err := p.history.Len()
	if err != nil {
		return nil, asFailure(err)
	}
	out := &estimated{
		Rung: e.Rung, Coverage: p.options.Coverage, Observed: p.estimator.Observed(e.Rung), SMUtil: e.Utilisation, Confidence: e.Confidence,
		Records: records, Fallbacks: e.Fallbacks, Basis: []neighbour{},
	}
	if e.Seconds > 0 {
		out.Seconds, out.Low, out.High = &e.Seconds, &e.Low, &e.High
	}
	for _, n := range e.Basis {
		out.Basis = append(out.Basis, neighbour{n.ID, string(n.State), n.GPUType, n.Similarity, n.Seconds, n.Factor, n.Why})
	}
	return out, asFailure(out.tellNamed(p.history, q))
}

// tellNamed says which runs of the same user and name do not serve, and that
// there can be none where no name is given.
func (e *estimated) tellNamed(h *history.History, q neighbours.Query) error {
	const name = "name: "
	told := func(text string) {
		for i, why := range e.Fallbacks {
			if strings.HasPrefix(why, name) {
				e.Fallbacks[i] = name + text
			}
		}
	}
	if q.JobName == "" {
		told("neither the request nor --job-name names the job")
		return nil
	}
	if e.Seconds != nil && e.Rung != neighbours.Name {
		return nil
	}
	unused := map[history.State][]string{}
	named, err := h.Named(q.User, q.JobName, -1, history.Ever, mostNamed)
	if err != nil {
		return err
	}
	for _, r := range named {
		if r.User == q.User && r.JobName == q.JobName && r.State != history.Completed && !slices.ContainsFunc(e.Basis, func(n neighbour) bool { return n.ID == r.ID }) {
			unused[r.State] = append(unused[r.State], r.ID)
		}
	}
	for _, state := range slices.Sorted(maps.Keys(unused)) {
		e.LeftOut = append(e.LeftOut, fmt.Sprintf("%s (%s): how long the whole work takes is not known of them", some(unused[state], 3), strings.ReplaceAll(string(state), "_", " ")))
	}
	if len(unused) > 0 {
		told("this user has completed nothing of this name that serves")
	}
	return nil
}

const mostNamed = 200 // runs of a name, the latest, that are told about

// limitWarning compares the time limit with the estimate; "" if it is enough,
// or one of them is not known.
func limitWarning(limit int, e *estimated) string {
	if limit <= 0 || e == nil || e.Seconds == nil {
		return ""
	}
	asked := humanSeconds(float64(limit))
	switch {
	case float64(limit) < *e.Seconds:
		return fmt.Sprintf("the time limit of %s is below the estimate of %s: the job would probably be ended before it is done; ask for %s", asked, humanSeconds(*e.Seconds), humanSeconds(*e.High))
	case float64(limit) < *e.High:
		return fmt.Sprintf("the time limit of %s may be too short: such jobs take up to %s", asked, humanSeconds(*e.High))
	}
	return ""
}

// whoAmI is the name of who runs this program, if it is known.
func whoAmI() string {
	me, err := user.Current()
	if err != nil {
		return ""
	}
	return me.Username
}

// queryOf is what is asked about a job of somebody that is submitted now.
func queryOf(x *advisor.Analysis, user, software string) neighbours.Query {
	q := neighbours.Query{Print: x.Print, User: user, JobName: x.JobName, Software: software, At: schedmate.Seconds(time.Now().Unix())}
	if n, ok := x.Number(workload.GPUsTotal); ok {
		q.GPUs = int(n)
	}
	if n, ok := x.Number(workload.Nodes); ok {
		q.Nodes = int(n)
	}
	q.GPUType = x.GPUType
	return q
}
