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
	latest       = 200 // runs of each work, and of a name, that are looked at
)

// run is a past run with how its work relates to the query's.
type run struct {
	*history.Record
	similarity float64
	scale      float64 // duration of the query over that of the run, by work
	why        string
}

// relation is how a past work relates to the query's.
type relation int

const (
	sameWork relation = iota
	nearWork
	relatedWork
	relations
)

// found is what the past holds for a query. The runs of its works are read when
// they are asked for: better works mostly answer first.
type found struct {
	q     Query
	works [relations][]relatedTo
	read  [relations]bool
	list  [relations][]run
}

// relatedTo is a work with what it says about the query's.
type relatedTo struct {
	work *history.Work
	run  run // without its record
	sure bool
}

// relate fetches similar works and sorts them by comparing fields.
func (e *Estimator) relate(ctx context.Context, q Query) (*found, error) {
	f := &found{q: q}
	if q.Print.Form == 0 {
		return f, nil
	}
	hits, err := e.past.Search(ctx, q.Print, fetched, history.Related, q.At)
	if err != nil {
		return nil, err
	}
	for _, hit := range hits {
		c := fingerprint.Compare(hit.Work.Print, q.Print)
		why := strings.Join(c.Why, "; ")
		near := relatedTo{hit.Work, run{nil, c.Score * c.Gate, c.Scale, why}, true}
		switch {
		case c.Decision == fingerprint.Same:
			f.works[sameWork] = append(f.works[sameWork], relatedTo{hit.Work, run{nil, c.Score, 1, ""}, c.Sure})
			if !c.Sure {
				near.sure = false
				f.works[nearWork] = append(f.works[nearWork], near)
			}
		case c.Decision == fingerprint.Near:
			f.works[nearWork] = append(f.works[nearWork], near)
		case c.Score >= relatedScore:
			scale, _ := fingerprint.Ratio(hit.Work.Print.Fields, q.Print.Fields)
			f.works[relatedWork] = append(f.works[relatedWork], relatedTo{hit.Work, run{nil, c.Score * c.Gate, scale, "related: " + why}, true})
		}
	}
	return f, nil
}

// runs are the latest runs of the works with a relation. Where it is not sure that
// a work is the same, its runs of the user's name count as such, others as near.
func (f *found) runs(how relation) ([]run, error) {
	if f.read[how] {
		return f.list[how], nil
	}
	for _, w := range f.works[how] {
		records, err := w.work.Latest(f.q.At, latest)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if w.sure || byName(f.q, r) == (how == sameWork) {
				x := w.run
				x.Record = r
				f.list[how] = append(f.list[how], x)
			}
		}
	}
	f.read[how] = true
	return f.list[how], nil
}

func (f *found) runsOf(how relation) func() ([]run, error) {
	return func() ([]run, error) { return f.runs(how) }
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

// named returns the latest runs of the user's jobs of this name.
func (e *Estimator) named(q Query) ([]run, error) {
	records, err := e.past.Named(q.User, q.JobName, q.GPUs, q.At, latest)
	var runs []run
	for _, r := range records {
		runs = append(runs, run{r, 0, 1, "same user and name"})
	}
	return runs, err
}
