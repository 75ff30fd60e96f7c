package fingerprint

import (
	"fmt"
	"math"
	"strings"

	"schedmate/advisor/workload"
)

// Exponents of the ratio model. They are the shape of training on GPUs, not of
// one site: a site's own history corrects what they get wrong.
const (
	batchGain   = 0.08 // a GPU works 2^0.08 times faster per sample with twice the samples
	scalingLoss = 0.05 // of each doubling of GPUs 2^0.05 is lost to communication
	nodeLoss    = 1.15 // gradients that leave the node cost this once
	cappedGrows = 0.2  // a maximum length cuts few samples: most are shorter
	pixelsGrow  = 0.8  // convolutions on more pixels fill a GPU better
	halfGain    = 0.75 // time of 16-bit arithmetic over that of 32-bit
)

// ratioBook multiplies factors and keeps why.
type ratioBook struct {
	scale float64
	why   []string
}

func (b *ratioBook) times(factor float64, why string) {
	if factor > 0 && !math.IsInf(factor, 0) && !alike(factor, 1) {
		b.scale *= factor
		b.why = append(b.why, fmt.Sprintf("%s: x%.3g", why, factor))
	}
}

// change returns the ratio b/a of a field's single number and a text of it; 1
// if a side does not know it.
func change(a, b Canonical, f workload.Field) (float64, string) {
	x, haveX := a.number(f)
	y, haveY := b.number(f)
	if !haveX || !haveY || x <= 0 || y <= 0 {
		return 1, ""
	}
	return y / x, fmt.Sprintf("%s %.6g -> %.6g", f, x, y)
}

// Ratio is the expected duration of b over that of a on equal hardware, from
// the amount of work, and what it is made of.
func Ratio(a, b Canonical) (scale float64, why []string) {
	book := &ratioBook{scale: 1}
	iterations, text := change(a, b, workload.Iterations)
	book.times(iterations, text)
	runs, text := b.numberOr(Runs, 1)/a.numberOr(Runs, 1), "runs of a submission"
	book.times(runs, text)

	micro, text := change(a, b, workload.PerDeviceBatchSize)
	gpus, gpuText := change(a, b, workload.GPUsTotal)
	if a[workload.IterationType].Text == "step" { // a step takes as long as its micro steps
		accum := b.numberOr(workload.GradAccum, 1) / a.numberOr(workload.GradAccum, 1)
		book.times(accum, "micro steps a step")
		book.times(math.Pow(micro, 1-batchGain), text)
		book.times(math.Pow(gpus, scalingLoss), gpuText)
	} else { // a pass over the data is shared by the GPUs
		book.times(math.Pow(micro, -batchGain), text)
		book.times(math.Pow(gpus, scalingLoss-1), gpuText)
	}
	book.times(crossing(b)/crossing(a), "nodes")

	length, text := change(a, b, workload.SeqLen)
	book.times(math.Pow(length, lengthGrows(a)), text)
	side, text := change(a, b, workload.ImageSize)
	book.times(math.Pow(side*side, pixelsGrow), text)
	if x, y := bits(a), bits(b); x != 0 && y != 0 && x != y {
		book.times(map[bool]float64{true: halfGain, false: 1 / halfGain}[y < x], "precision "+a[workload.Precision].Text+" -> "+b[workload.Precision].Text)
	}
	return book.scale, book.why
}

// lengthGrows is the exponent of the sequence length: a step of pre-training is
// full of tokens, samples of tuning are padded to less than the maximum, and a
// budget of tokens does not care.
func lengthGrows(c Canonical) float64 {
	_, tuned := c[workload.Tuning]
	switch c[workload.IterationType].Text {
	case "token":
		return 0
	case "step":
		if !tuned {
			return 1
		}
	}
	return cappedGrows
}

func crossing(c Canonical) float64 {
	if c.numberOr(workload.Nodes, 1) > 1 {
		return nodeLoss
	}
	return 1
}

// bits is the width of the arithmetic, 0 if it is not known.
func bits(c Canonical) int {
	switch p := squeeze(c[workload.Precision].Text); {
	case p == "fp32" || p == "float32" || p == "32":
		return 32
	case strings.HasSuffix(p, "fp16") || strings.HasSuffix(p, "bf16"):
		return 16
	}
	return 0
}
