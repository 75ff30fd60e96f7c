package neighbours

import (
	"math"

	"schedmate"
)

// Facts are the estimate as schedulers read it, observed at an instant: how long
// the job runs, and how busy it keeps its GPUs. A rung without a number makes no
// fact.
func (e *Estimate) Facts(at schedmate.Seconds) []schedmate.Fact {
	var facts []schedmate.Fact
	source := schedmate.FromNeighbours
	if e.Rung == Name || e.Rung == Prior {
		source = schedmate.FromPrior
	}
	var evidence []schedmate.Evidence
	for _, n := range e.Basis {
		evidence = append(evidence, schedmate.Evidence{Ref: n.ID})
	}
	confidence := int(math.Round(1000 * e.Confidence))
	if e.Seconds > 0 {
		facts = append(facts, schedmate.Fact{
			Kind: schedmate.RunSeconds, Value: whole64(e.Seconds, schedmate.MaxSeconds), Low: whole64(e.Low, schedmate.MaxSeconds), High: whole64(e.High, schedmate.MaxSeconds),
			ConfidenceMilli: confidence, Source: source, Evidence: evidence, ObservedAt: at,
		})
	}
	if e.Utilisation != nil {
		u := whole64(10**e.Utilisation, 1000)
		facts = append(facts, schedmate.Fact{
			Kind: schedmate.GPUUtilisation, Value: u, Low: u, High: u, ConfidenceMilli: confidence, Source: schedmate.FromNeighbours, Evidence: evidence, ObservedAt: at,
		})
	}
	return facts
}

func whole64(x float64, most schedmate.Seconds) int64 {
	return int64(math.Round(min(max(x, 0), float64(most))))
}
