package facts

import (
	"math"

	"schedmate"
	"schedmate/scheduler/sim"
)

// uses returns what an advisor says of the use of GPUs, of each kind that the
// trace itself knows: the truth of the job whose runs it remembers, all of it off
// by the same factor. Nobody has measured how far memory and scores are off; they
// are taken to be as far as utilisation. A score that is off goes to the nearest.
func uses(of *sim.Job, ratio float64, at schedmate.Seconds) []schedmate.Fact {
	var said []schedmate.Fact
	for _, f := range of.Facts {
		switch f.Kind {
		case schedmate.GPUUtilisation, schedmate.GPUMemoryUtilisation, schedmate.GPUMemoryMiB, schedmate.ShareScore:
			v := int64(math.Round(min(float64(f.Value)*ratio, float64(schedmate.MaxSeconds))))
			v = min(v, f.Kind.Largest())
			said = append(said, schedmate.Fact{
				Kind: f.Kind, Value: v, Low: v, High: v, ConfidenceMilli: 900, Source: schedmate.FromNeighbours, ObservedAt: at,
			})
		}
	}
	return said
}
