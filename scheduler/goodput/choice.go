package goodput

import "math"

// Learner is what a job is by itself.
type Learner struct {
	Batch      int     // the initial one, samples of the whole gang
	LeastLocal int     // the fewest samples of one GPU in one pass
	Noise      float64 // of the gradient, see Gain
}

// Gang is what a job could run on.
type Gang struct {
	Nodes, GPUs int
	MostLocal   int // samples that fit on one of its GPUs in one pass
}

// Choice is a batch size and how it is done: Local samples a GPU and pass, Extra
// passes before the one with the exchange.
type Choice struct {
	Local, Extra int
	Goodput      float64 // samples at the initial batch size a second; 0: the gang cannot run the job
}

// steps is how many batch sizes are tried between the smallest and the largest.
const steps = 50

// Best tunes the batch size for a gang, up to a limit, by the model of its type
// of GPU. Of equal choices it takes the one with the smallest batch.
func Best(t Learner, m *Model, g Gang, limit int) Choice {
	var best Choice
	gpus := float64(g.GPUs)
	network := Network(m, g.Nodes, g.GPUs)
	network = math.Pow(network, m.Gamma)
	first, last := max(float64(t.Batch), float64(t.LeastLocal)*gpus), float64(limit)
	ratio := math.Log(last/first) / (steps - 1)
	tried := Choice{}
	for i := range steps {
		batch := first * math.Exp(ratio*float64(i))
		if i == steps-1 {
			batch = last
		}
		local, extra := split(t, g, batch)
		if local == tried.Local && extra == tried.Extra {
			continue
		}
		tried = Choice{Local: local, Extra: extra}
		if local < t.LeastLocal || local > g.MostLocal {
			continue
		}
		c := Compute(m, float64(local))
		step := math.Pow(math.Pow(c, m.Gamma)+network, 1/m.Gamma)
		whole := gpus * float64(local) * float64(extra+1)
		x := whole / float64(t.Batch)
		if v := whole / (step + float64(extra)*c) * Gain(t.Noise, x) / x; v > best.Goodput {
			best = Choice{local, extra, v}
		}
	}
	return best
}

// split says how a gang does a batch: as few passes as its memory allows, but
// on one GPU at least two above the initial batch size, where the variance of the
// gradient is measured between passes.
func split(t Learner, g Gang, batch float64) (local, extra int) {
	share := batch / float64(g.GPUs)
	extra = max(0, Ceil(share/float64(g.MostLocal))-1)
	if g.GPUs == 1 && share > float64(t.Batch)+tiny {
		extra = max(1, extra)
	}
	return Ceil(share / float64(extra+1)), extra
}

// Ceil rounds up what is not whole but for rounding.
func Ceil(x float64) int { return int(math.Ceil(x - tiny)) }
