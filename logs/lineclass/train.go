package lineclass

import (
	"math"
	"math/rand/v2"
)

// Settings of the training, chosen on the mean of ten five-fold
// cross-validations by framework; none of them is sharp.
const (
	epochs       = 3
	firstRate    = 16.0 // step size; in epoch n, from 0: firstRate / (1 + rateDecay n)
	rateDecay    = 0.5
	shrinkage    = 0.01 // share of the weights that is lost after each epoch
	certain      = 0.05 // lines are passed over whose class misses less than this to probability 1
	leastSources = 2    // frameworks in which a feature must occur
)

// Train returns the model of labelled lines, each with a class, as ReadExamples
// gives them. Lines of one framework must stand together. The same lines in the
// same order give bit-equal weights.
//
// The model is a multinomial logistic regression, trained by stochastic
// gradient descent. A feature that occurs in n lines has the value n^(-1/4),
// which lets rare ones learn faster and common ones slower; one that occurs in a
// single framework is left out, since it is more likely to be the framework's
// habit than a sign of the class.
func Train(examples []Example) *Model {
	m := pack(fit(examples))
	m.extractors.New = newRowExtractor
	return m
}

// fit returns the weights of each row.
func fit(examples []Example) *[rowCount]weights {
	x := newRowExtractor().(*rowExtractor)
	rows := make([][]uint16, len(examples))
	for i := range examples {
		rows[i] = append([]uint16(nil), x.rowsOf([]byte(examples[i].Line))...)
	}
	values := valuesOf(rows, examples)
	lines := make([]sparse, len(examples))
	for i := range rows {
		lines[i] = newSparse(rows[i], values)
	}
	w := new([rowCount]weights)
	descend(w, examples, lines)
	for r := range w {
		for c := range w[r] {
			w[r][c] *= values[r] // so that it need not be done line by line
		}
	}
	return w
}

// valuesOf returns the value of each row, 0 for those of too few frameworks.
func valuesOf(rows [][]uint16, examples []Example) *[rowCount]float32 {
	var occurrences [rowCount]struct{ lines, sources, last uint16 }
	source := uint16(0)
	for i, e := range examples {
		if i == 0 || e.Framework != examples[i-1].Framework {
			source++
		}
		for _, r := range rows[i] {
			o := &occurrences[r]
			o.lines = min(o.lines, math.MaxUint16-1) + 1
			if o.last != source {
				o.last = source
				o.sources++
			}
		}
	}
	values := new([rowCount]float32)
	for r := range values {
		if o := &occurrences[r]; o.sources >= leastSources {
			values[r] = float32(1 / math.Sqrt(math.Sqrt(float64(o.lines))))
		}
	}
	return values
}

// pack rounds weights to bytes.
func pack(w *[rowCount]weights) *Model {
	most := float32(0)
	for r := range w {
		for c := range w[r] {
			most = max(most, w[r][c], -w[r][c])
		}
	}
	if most == 0 {
		most = 1 // nothing was learned
	}
	m := &Model{packed: new([rowCount]uint64), unit: most / (half - 1)}
	for r := range w {
		for c, v := range w[r] {
			m.packed[r] |= uint64(half+int(math.Round(float64(v/m.unit)))) << (8 * c)
		}
	}
	return m
}

// sparse is what a line has of the rows that count.
type sparse struct {
	rows   []uint16
	values []float32
}

func newSparse(rows []uint16, values *[rowCount]float32) sparse {
	s := sparse{make([]uint16, 0, len(rows)), make([]float32, 0, len(rows))}
	scale := 1 / float32(math.Sqrt(float64(len(rows))))
	for _, r := range rows {
		if values[r] > 0 {
			s.rows = append(s.rows, r)
			s.values = append(s.values, values[r]*scale)
		}
	}
	return s
}

// descend fits the weights. Products are rounded before they are added, so that
// processors with a fused multiply-add get the same weights as others.
func descend(w *[rowCount]weights, examples []Example, lines []sparse) {
	random := rand.New(rand.NewPCG(1, 2))
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	rest := make([]bool, len(lines)) // lines that were passed over are left out of the next epoch
	for epoch := range epochs {
		rate := float32(firstRate / (1 + rateDecay*float64(epoch)))
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			if rest[i] {
				rest[i] = false
				continue
			}
			s := &lines[i]
			step := probabilities(w, s)
			class := examples[i].Class - 1
			step[class]--
			if step[class] > -certain {
				rest[i] = true
				continue
			}
			for c := range step {
				step[c] *= rate
			}
			for k, r := range s.rows {
				row, v := &w[r], s.values[k]
				for c := range row {
					row[c] -= float32(step[c] * v)
				}
			}
		}
		for r := range w {
			for c := range w[r] {
				w[r][c] *= 1 - shrinkage
			}
		}
	}
}

// probabilities of the classes of a line in training.
func probabilities(all *[rowCount]weights, s *sparse) [classCount]float32 {
	var a, b, c, d, e, f, g, h float32 // kept in registers, which arrays are not
	for k, r := range s.rows {
		w, v := &all[r], s.values[k]
		a += float32(w[0] * v)
		b += float32(w[1] * v)
		c += float32(w[2] * v)
		d += float32(w[3] * v)
		e += float32(w[4] * v)
		f += float32(w[5] * v)
		g += float32(w[6] * v)
		h += float32(w[7] * v)
	}
	return softmax(weights{a, b, c, d, e, f, g, h})
}
