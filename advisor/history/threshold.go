package history

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/workload"
)

// Threshold separates cosines of unlike works from those of one work told
// twice.
type Threshold struct {
	Cosine     float64
	Background float64 // 99.5 % of the pairs of distinct works are below
	Self       float64 // 95 % of the retold works are above
	Calibrated bool    // false: too few works, or the embedder cannot separate them
}

const (
	fewWorks    = 50
	startCosine = 0.60 // of the hashed embedder
	carefully   = 0.90 // of any other, while nothing is known of it
	background  = 2000 // pairs
	retold      = 200  // works, in four copies each
)

// Threshold calibrates the cosine from which works are called similar on the
// works that are visible at an instant, without labels: it lies between the
// cosines of distinct works and those of a work and its perturbed copies.
func (x *Index) Threshold(ctx context.Context, at schedmate.Seconds) (Threshold, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var seen []*Work
	for _, w := range x.works {
		if len(endedBy(w.records, at)) > 0 {
			seen = append(seen, w)
		}
	}
	t := Threshold{Cosine: carefully}
	if _, hashed := x.embedder.(fingerprint.Hashed); hashed {
		t.Cosine = startCosine
	}
	if len(seen) < fewWorks {
		return t, nil
	}
	chance := rand.New(rand.NewPCG(1, uint64(len(seen)))) // the same history, the same threshold
	var apart []float64
	for range background {
		a, b := seen[chance.IntN(len(seen))], seen[chance.IntN(len(seen))]
		if a.Print.Workload != b.Print.Workload {
			apart = append(apart, fingerprint.Cosine(x.vector(a), x.vector(b)))
		}
	}
	var of []*Work
	var texts []string
	for range retold {
		w := seen[chance.IntN(len(seen))]
		for range 4 {
			of, texts = append(of, w), append(texts, retell(w.Print.Fields, chance).Text())
		}
	}
	vectors, err := x.embed(ctx, texts)
	if err != nil {
		return t, err
	}
	var same []float64
	for i, v := range vectors {
		same = append(same, fingerprint.Cosine(x.vector(of[i]), v))
	}
	t.Background, t.Self = quantile(apart, 0.995), quantile(same, 0.05)
	if len(apart) > 0 && t.Self > t.Background {
		t.Cosine, t.Calibrated = (t.Self+t.Background)/2, true
	}
	return t, nil
}

func (x *Index) vector(w *Work) fingerprint.Vector {
	return fingerprint.Vector{Bytes: x.vectors[w.number*x.dim : (w.number+1)*x.dim], Norm: x.norms[w.number]}
}

// retell drops one or two fields that do not name the work, and writes a name
// with other borders between its words.
func retell(c fingerprint.Canonical, chance *rand.Rand) fingerprint.Canonical {
	var optional []workload.Field
	copied := make(fingerprint.Canonical, len(c))
	for f, v := range c {
		copied[f] = v
		if f != workload.ModelName && f != workload.Dataset && f != workload.Task {
			optional = append(optional, f)
		}
	}
	slices.Sort(optional)
	for range min(1+chance.IntN(2), len(optional)) {
		i := chance.IntN(len(optional))
		delete(copied, optional[i])
		optional = slices.Delete(optional, i, i+1)
	}
	if v, ok := copied[workload.ModelName]; ok && chance.IntN(2) == 0 {
		copied[workload.ModelName] = fingerprint.Words("org-" + strings.Replace(v.Text, "-", "", 1))
	}
	return copied
}

// quantile of a list in any order; 0 of none.
func quantile(list []float64, q float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(q*float64(len(list))), len(list)-1)]
}
