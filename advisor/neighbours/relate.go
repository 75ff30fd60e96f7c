package neighbours

import (
	"context"
	"strings"

	"schedmate/advisor/fingerprint"
	"schedmate/advisor/history"
)

// Works that are fetched by their vectors and then compared by their fields,
// and what the fields of a related work must score.
const (
	fetched      = 50
	relatedScore = 0.76
	latest       = 200 // runs of each work that are looked at
)

// run is a past run with how its work relates to the query's.
type run struct {
	*history.Record
	similarity float64
	scale      float64 // duration of the query over that of the run, by work
	why        string
}

// found is what the index holds for a query, sorted by relation.
type found struct {
	same, near, related []run
	top                 []string
}

// relate fetches similar works and sorts them by comparing fields.
func (e *Estimator) relate(ctx context.Context, q Query) (*found, error) {
	f := &found{}
	if q.Print.Form == 0 {
		return f, nil
	}
	hits, err := e.index.Search(ctx, q.Print, fetched, history.Related, q.At)
	if err != nil {
		return nil, err
	}
	for _, hit := range hits {
		c := fingerprint.Compare(hit.Work.Print, q.Print)
		why := strings.Join(c.Why, "; ")
		runs := hit.Work.Visible(q.At)
		for _, r := range runs[max(0, len(runs)-latest):] {
			switch {
			case c.Decision == fingerprint.Same && (c.Sure || byName(q, r)):
				f.same = append(f.same, run{r, c.Score, 1, ""})
			case c.Decision == fingerprint.Near || c.Decision == fingerprint.Same:
				f.near = append(f.near, run{r, c.Score * c.Gate, c.Scale, why})
			case c.Score >= relatedScore:
				scale, _ := fingerprint.Ratio(hit.Work.Print.Fields, q.Print.Fields)
				f.related = append(f.related, run{r, c.Score * c.Gate, scale, "related: " + why})
			}
		}
	}
	f.top = completed(f.same, e.options.TopK)
	return f, nil
}

// byName tells whether a run was the same user's of the same name: evidence
// where too little is known of the work.
func byName(q Query, r *history.Record) bool {
	return q.User != "" && q.User == r.User && history.SameName(q.JobName, r.JobName)
}

// completed returns the ids of runs to the end, of the most similar work first
// and of it the latest.
func completed(runs []run, most int) []string {
	list := make([]run, 0, len(runs))
	for _, r := range runs {
		if r.State == history.Completed {
			list = append(list, r)
		}
	}
	sortRuns(list, func(a, b run) int { return compareDown(a.similarity, b.similarity) })
	var ids []string
	for _, r := range list[:min(most, len(list))] {
		ids = append(ids, r.ID)
	}
	return ids
}

// named returns the runs of the user's jobs of this name.
func (e *Estimator) named(q Query) []run {
	var runs []run
	for _, r := range e.index.Named(q.User, q.JobName, q.GPUs, q.At) {
		runs = append(runs, run{r, 0, 1, "same user and name"})
	}
	return runs
}
