package lineclass

import (
	"math"
	"sync"
)

// Model gives a line one of the eight classes, by the text of the line alone.
// It is safe for concurrent use.
type Model struct {
	packed *[rowCount]uint64 // by row: the weights of a feature, as bytes with half of a byte's range added
	unit   float32           // what 1 means in a byte

	extractors sync.Pool
}

// weights are what a feature adds to the score of each class.
type weights [classCount]float32

// The row of a feature is what the high bits of its hash say. Some features
// share a row; telling them apart brings nothing.
const (
	rowBits  = 15
	rowCount = 1 << rowBits
)

// Default returns the model that is trained from the lines the program carries.
// The first call trains it, which takes about 60 ms of CPU.
var Default = sync.OnceValue(func() *Model { return Train(Examples()) })

// Classify returns the class of a line and the probability that the model gives
// to it, rounded to thousandths. A line with nothing to see is routine. It
// allocates nothing.
func (m *Model) Classify(text []byte) (Class, Confidence) {
	x := m.extractors.Get().(*rowExtractor)
	rows := x.rowsOf(text)
	p := m.probabilities(rows)
	blank := len(x.tokens) == 0
	m.extractors.Put(x)
	if blank {
		return BenignInfo, 1
	}
	best := 0
	for c := range p {
		if p[c] > p[best] {
			best = c
		}
	}
	return Class(best + 1), rounded(p[best])
}

func rounded(p float32) Confidence {
	return Confidence(math.Round(float64(p)*1000)) / 1000
}

// rowExtractor is an extractor with the room to find the rows of features.
type rowExtractor struct {
	extractor
	room [maxFeatures + 1]uint16
	seen [rowCount / 64]uint64 // a bit a row
}

func newRowExtractor() any {
	x := new(rowExtractor)
	x.lexicon = theLexicon()
	return x
}

// rowsOf returns the rows of the line's features, each once. Its loop has no
// branches, since none could be foreseen.
func (x *rowExtractor) rowsOf(text []byte) []uint16 {
	n := 0
	for _, f := range x.extract(text) {
		r := f >> (32 - rowBits)
		seen := &x.seen[r/64]
		x.room[n] = uint16(r)
		n += int(^*seen >> (r % 64) & 1)
		*seen |= 1 << (r % 64)
	}
	rows := x.room[:n]
	for _, r := range rows {
		x.seen[r/64] = 0
	}
	return rows
}

// probabilities of the classes: softmax of the features' weights.
func (m *Model) probabilities(rows []uint16) [classCount]float32 {
	sums := m.sum(rows)
	var scores weights
	scale := m.unit / float32(math.Sqrt(float64(len(rows))))
	for c := range scores {
		scores[c] = float32(sums[c]-half*len(rows)) * scale
	}
	return softmax(scores)
}

const half = 128

// sum adds up packed weights, four at a time in the lanes of a word. A lane has
// room for 256 bytes.
func (m *Model) sum(rows []uint16) (sums [classCount]int) {
	const lanes = 0x00FF00FF00FF00FF
	for len(rows) > 0 {
		n := min(256, len(rows))
		var even, odd uint64
		for _, r := range rows[:n] {
			p := m.packed[r]
			even += p & lanes
			odd += p >> 8 & lanes
		}
		for c := 0; c < classCount; c += 2 {
			sums[c] += int(even >> (8 * c) & 0xFFFF)
			sums[c+1] += int(odd >> (8 * c) & 0xFFFF)
		}
		rows = rows[n:]
	}
	return sums
}

// softmax turns scores into probabilities.
func softmax(scores weights) [classCount]float32 {
	most := scores[0]
	for _, s := range scores[1:] {
		most = max(most, s)
	}
	var sum float32
	for c := range scores {
		scores[c] = exp(scores[c] - most)
		sum += scores[c]
	}
	for c := range scores {
		scores[c] /= sum
	}
	return scores
}

// exp is e to a power of at most 0. The standard library's differs in the last
// bits between processors, and weights must not.
func exp(x float32) float32 {
	if x < -30 {
		return 0
	}
	// e^x = (e^(x/64))^64; the series for a value under 1/2 is exact enough.
	y := float64(x) / 64
	e := 1.0
	for n := 8.0; n > 0; n-- {
		e = 1 + float64(e*y)/n
	}
	for range 6 {
		e *= e
	}
	return float32(e)
}
