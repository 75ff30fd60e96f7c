package fingerprint

import (
	"context"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
)

// Embedder turns texts into vectors. The id names model and version; vectors
// of two ids or dimensions are never compared.
type Embedder interface {
	Embed(ctx context.Context, texts []string) (vectors [][]float32, id string, dim int, err error)
}

// Hashed is the Embedder that needs no weights: each word of a text form falls
// into one of 512 places. It knows no synonyms; that is what a Canonicaliser
// or an encoder is for.
type Hashed struct{}

const (
	hashedID  = "hashed-v1"
	hashedDim = 512
)

// Embed never fails.
func (Hashed) Embed(_ context.Context, texts []string) ([][]float32, string, int, error) {
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = hashText(t)
	}
	return vectors, hashedID, hashedDim, nil
}

// nameWeight repeats the words of what identifies a job.
var nameWeight = map[string]float32{"model_name": 3, "dataset": 3, "task": 3}

func hashText(text string) []float32 {
	v := make([]float32, hashedDim)
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			key, value = "", key
		}
		weight := max(1, nameWeight[key])
		for _, w := range strings.FieldsFunc(value, func(r rune) bool { return border(r) || r == ' ' }) {
			if x, err := strconv.ParseFloat(w, 64); err == nil && weight == 1 {
				w = bucket(x)
			}
			add(v, key+"_"+w, weight)
		}
	}
	normalise(v)
	return v
}

// bucket is the half octave that a number is in.
func bucket(x float64) string {
	if !(x > 0) || math.IsInf(x, 0) {
		return "none"
	}
	return "2^" + strconv.Itoa(int(math.Round(2*math.Log2(x)))) + "/2"
}

func add(v []float32, word string, weight float32) {
	h := fnv.New64a()
	h.Write([]byte(word))
	sum := h.Sum64()
	sum ^= sum >> 32 // FNV leaves the high bits of short words poor
	if sum&(1<<20) != 0 {
		weight = -weight
	}
	v[sum%hashedDim] += weight
}

func normalise(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
}

// Vector is an embedding in one byte a dimension. The cosine of two vectors is
// exact over these bytes, so it is equal on every machine.
type Vector struct {
	Bytes []int8
	Norm  float64 // length of Bytes
}

// Quantise scales the largest component to 127. NaN and infinity count as 0.
func Quantise(v []float32) Vector {
	var top float64
	for _, x := range v {
		if a := math.Abs(float64(x)); a > top && !math.IsInf(a, 0) {
			top = a
		}
	}
	q := Vector{Bytes: make([]int8, len(v))}
	if top == 0 {
		return q
	}
	var sum int64
	for i, x := range v {
		y := math.Round(float64(x) * 127 / top)
		if math.IsNaN(y) || math.IsInf(y, 0) {
			y = 0
		}
		q.Bytes[i] = int8(y)
		sum += int64(q.Bytes[i]) * int64(q.Bytes[i])
	}
	q.Norm = math.Sqrt(float64(sum))
	return q
}

// Cosine is the similarity of two vectors, 0 if one is empty or they differ in
// dimension.
func Cosine(a, b Vector) float64 {
	if len(a.Bytes) != len(b.Bytes) || a.Norm == 0 || b.Norm == 0 {
		return 0
	}
	var dot int64
	for i, x := range a.Bytes {
		dot += int64(x) * int64(b.Bytes[i])
	}
	return float64(dot) / (a.Norm * b.Norm)
}
