package fingerprint

import (
	"math"
	"slices"

	"schedmate/advisor/workload"
)

// weights of the fields in the structured score; a field that is not listed
// counts 0.3. They were measured on jobs whose relation is known.
var weights = map[workload.Field]float64{
	workload.ModelName: 4, workload.Dataset: 3, workload.Iterations: 2.5, workload.Task: 2, workload.GlobalBatchSize: 1, workload.PerDeviceBatchSize: 1,
	workload.GPUsTotal: 2, workload.SeqLen: 1.5, workload.ImageSize: 1.5, workload.NLayers: 1, workload.DModel: 1, workload.Precision: 0.7,
	workload.ParallelStrategy: 0.7, workload.IterationType: 0.7, workload.Tuning: 0.7, workload.Optimizer: 0.5, workload.LearningRate: 0.5, Runs: 2.5,
}

const (
	otherWeight   = 0.3
	missingWeight = 0.3 // share of its weight that a field counts which only one side knows
	missingScore  = 0.5
)

// Score is the structured similarity of two works, 0 to 1: the weighted mean of
// the fields' similarities. Two works of which nothing is known score 0.
func Score(a, b Canonical) float64 {
	sum, all := 0.0, 0.0
	for _, f := range union(a, b) {
		w, ok := weights[f]
		if !ok {
			w = otherWeight
		}
		x, haveX := a[f]
		y, haveY := b[f]
		if !haveX || !haveY {
			all += w * missingWeight
			sum += w * missingWeight * missingScore
			continue
		}
		all += w
		sum += w * similarity(x, y)
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// Gate is how alike two works are in amount, 0 to 1: the least of the
// likenesses of iterations, batch and GPUs.
func Gate(a, b Canonical) float64 {
	gate := 1.0
	for _, f := range []workload.Field{workload.Iterations, workload.GlobalBatchSize, workload.GPUsTotal} {
		x, haveX := a.number(f)
		y, haveY := b.number(f)
		if haveX && haveY {
			d := octaves(x, y)
			gate = min(gate, math.Exp(-d*d/2))
		}
	}
	return gate
}

func union(a, b Canonical) []workload.Field {
	all := append(a.fields(), b.fields()...)
	slices.Sort(all)
	return slices.Compact(all)
}

func similarity(x, y Value) float64 {
	switch {
	case x.equal(y):
		return 1
	case len(x.Numbers) == 1 && len(y.Numbers) == 1:
		d := octaves(x.Numbers[0], y.Numbers[0])
		return math.Exp(-d * d / 0.5)
	case x.Numbers != nil || y.Numbers != nil:
		return 0
	case squeeze(x.Text) == squeeze(y.Text):
		return 1
	}
	s := dice(squeeze(x.Text), squeeze(y.Text))
	if !sameSizes(x.Text, y.Text) {
		s /= 2
	}
	return s
}

// octaves is the distance of two amounts in doublings; an amount of 0 is far
// from any other.
func octaves(x, y float64) float64 {
	switch {
	case x == y:
		return 0
	case x <= 0 || y <= 0:
		return 32
	}
	return math.Abs(math.Log2(x / y))
}

// dice is the share of common three-letter pieces.
func dice(a, b string) float64 {
	x, y := trigrams(a), trigrams(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			common, i, j = common+1, i+1, j+1
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

func trigrams(s string) []string {
	var list []string
	for i := 0; i+3 <= len(s); i++ {
		list = append(list, s[i:i+3])
	}
	slices.Sort(list)
	return list
}

// sameSizes tells whether two names hold the same numbers and words of size.
func sameSizes(a, b string) bool { return slices.Equal(sizes(a), sizes(b)) }

func sizes(name string) []string {
	var list []string
	for _, w := range words(name) {
		if sizeWords[w] || w[0] >= '0' && w[0] <= '9' {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}
