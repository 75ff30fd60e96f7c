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

// threshold calibrates the cosine from which works are called similar on the
// works that are visible at an instant, without labels: it lies between the
// cosines of distinct works and those of a work and its perturbed copies.
func threshold(ctx context.Context, c catalogue, embedder fingerprint.Embedder, here space, at schedmate.Seconds) (Threshold, error) {
	var seen []int
	for n := range c.count() {
		if ended, err := c.visible(n, at); err != nil {
			return Threshold{}, err
		} else if ended {
			seen = append(seen, n)
		}
	}
	t := Threshold{Cosine: carefully}
	if _, hashed := embedder.(fingerprint.Hashed); hashed {
		t.Cosine = startCosine
	}
	if len(seen) < fewWorks {
		return t, nil
	}
	known := make(map[int]sample)
	pick := func(chance *rand.Rand) (s sample, err error) {
		n := seen[chance.IntN(len(seen))]
		s, drawn := known[n]
		if !drawn {
			s, err = drawSample(c, n)
			known[n] = s
		}
		return s, err
	}
	chance := rand.New(rand.NewPCG(1, uint64(len(seen)))) // the same history, the same threshold
	var apart []float64
	for range background {
		a, err := pick(chance)
		if err != nil {
			return t, err
		}
		b, err := pick(chance)
		if err != nil {
			return t, err
		}
		if a.print.Workload != b.print.Workload {
			apart = append(apart, fingerprint.Cosine(a.vector, b.vector))
		}
	}
	var of []fingerprint.Vector
	var texts []string
	for range retold {
		s, err := pick(chance)
		if err != nil {
			return t, err
		}
		for range 4 {
			of, texts = append(of, s.vector), append(texts, retell(s.print.Fields, chance).Text())
		}
	}
	vectors, from, err := embed(ctx, embedder, texts)
	if err == nil {
		err = here.admits(from)
	}
	if err != nil {
		return t, err
	}
	var same []float64
	for i, v := range vectors {
		same = append(same, fingerprint.Cosine(of[i], v))
	}
	t.Background, t.Self = quantile(apart, 0.995), quantile(same, 0.05)
	if len(apart) > 0 && t.Self > t.Background {
		t.Cosine, t.Calibrated = (t.Self+t.Background)/2, true
	}
	return t, nil
}

// sample is a work that a threshold is calibrated on.
type sample struct {
	print  fingerprint.Print
	vector fingerprint.Vector
}

func drawSample(c catalogue, n int) (sample, error) {
	w, err := c.work(n)
	if err != nil {
		return sample{}, err
	}
	b, norm, err := c.vector(n)
	if err != nil {
		return sample{}, err
	}
	v := fingerprint.Vector{Bytes: make([]int8, len(b)), Norm: norm}
	for i, x := range b {
		v.Bytes[i] = int8(x)
	}
	return sample{w.Print, v}, nil
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
