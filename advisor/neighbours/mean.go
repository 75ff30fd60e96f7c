package neighbours

import (
	"context"

	"schedmate"
	"schedmate/advisor/history"
)

// mean is the estimate of the paper: the mean over the most similar completed
// runs whose cosine reaches the threshold.
func (e *Estimator) mean(ctx context.Context, q Query) (*Estimate, error) {
	answer := &Estimate{Rung: None}
	if q.Print.Form == 0 {
		return answer, nil
	}
	threshold, err := e.cosine(ctx, q.At)
	if err != nil {
		return nil, err
	}
	hits, err := e.past.Search(ctx, q.Print, fetched, history.Every, q.At)
	if err != nil {
		return nil, err
	}
	var busy, measured float64
	for _, hit := range hits {
		if len(answer.Top) >= e.options.TopK || hit.Cosine < threshold {
			continue
		}
		runs, err := hit.Work.Latest(q.At, latest)
		if err != nil {
			return nil, err
		}
		for i := len(runs) - 1; i >= 0 && len(answer.Top) < e.options.TopK; i-- {
			r := runs[i]
			if r.State != history.Completed || r.Duration() <= 0 {
				continue
			}
			answer.Rung = Neighbours
			answer.Top = append(answer.Top, r.ID)
			answer.Seconds += float64(r.Duration())
			answer.Basis = append(answer.Basis, Neighbour{
				ID: r.ID, Similarity: hit.Cosine, Seconds: float64(r.Duration()), Factor: 1, State: r.State, GPUType: r.GPUType, Software: r.Software,
			})
			if r.Utilisation != nil {
				busy, measured = busy+r.Utilisation.Mean, measured+1
			}
		}
	}
	if n := float64(len(answer.Basis)); n > 0 {
		answer.Seconds /= n
		answer.Occupancy = answer.Seconds
	}
	if measured > 0 {
		busy /= measured
		answer.Utilisation = &busy
	}
	e.bound(answer)
	return answer, nil
}

// cosine returns the threshold of the options, else the one that the history
// calibrates; this is done again when its works have doubled.
func (e *Estimator) cosine(ctx context.Context, at schedmate.Seconds) (float64, error) {
	if e.options.Threshold > 0 {
		return e.options.Threshold, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	works, err := e.past.WorkCount()
	if err != nil {
		return 0, err
	}
	if e.threshold > 0 && works < 2*e.tunedAt {
		return e.threshold, nil
	}
	t, err := e.past.Threshold(ctx, at)
	if err != nil {
		return 0, err
	}
	e.threshold, e.tunedAt = t.Cosine, max(works, 1)
	return e.threshold, nil
}
