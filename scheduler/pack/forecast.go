package pack

import (
	"fmt"

	"schedmate"
)

// Forecast is how fast each of a pair is expected to be, in thousandths of its
// speed alone. The zero value says nothing.
//
// Invariant: both speeds are positive, or all is zero.
type Forecast struct {
	Newcomer, Mate int
	Source         Source
	Seen           int // sightings of one of the two workloads beside the other
}

// Source says where a forecast comes from.
type Source string

const (
	Measured Source = "measured" // a table of pairs that somebody has measured
	Learned  Source = "learned"  // pairs of these workloads have run here, drawn towards the mean of their class
	OfClass  Source = "class"    // pairs of jobs with the same scores have run here
)

// Forecaster knows how fast pairs are. It returns false when it knows nothing.
type Forecaster interface {
	Forecast(newcomer, mate Member) (Forecast, bool)
}

// Speeds are measured speeds of pairs, in thousandths, by what they train.
type Speeds interface {
	Beside(newcomer, mate schedmate.Workload) (n, m int, ok bool)
}

// Interference is the forecast of what sharing costs: the measured table first,
// then what has been learned here. Either may be nil.
type Interference struct {
	Table Speeds
	Book  *Book
	Prior Prior
}

// Prior says how much has to be seen before it counts.
//
// Invariant: Weight >= 0; LeastClass >= 1.
type Prior struct {
	// Weight is how many sightings the mean of the class counts for: with n
	// sightings of one workload beside another, of mean speed v, and a class of mean
	// c, the forecast is (n v + Weight c) / (n + Weight), the mean under a normal
	// prior whose variance is that of a sighting over Weight.
	Weight int `json:"weight"`
	// LeastClass is how many sightings of a class there must be before its mean is a
	// forecast for workloads that have not been seen together.
	LeastClass int `json:"least_class"`
}

// Validate checks the invariant of Prior.
func (p *Prior) Validate() error {
	if p.Weight < 0 || p.Weight > 1000 || p.LeastClass < 1 {
		return fmt.Errorf("weight must lie in [0, 1000] and least_class be positive, got %d and %d", p.Weight, p.LeastClass)
	}
	return nil
}

// Forecast returns the expected speeds. It says nothing unless it knows something
// about both.
func (f *Interference) Forecast(newcomer, mate Member) (Forecast, bool) {
	n, m := newcomer.Job.Job.Workload, mate.Job.Job.Workload
	if f.Table != nil {
		if a, b, ok := f.Table.Beside(n, m); ok {
			return Forecast{Newcomer: a, Mate: b, Source: Measured}, true
		}
	}
	if f.Book == nil {
		return Forecast{}, false
	}
	a, seenA, okA := f.beside(newcomer, mate)
	b, seenB, okB := f.beside(mate, newcomer)
	if !okA || !okB {
		return Forecast{}, false
	}
	out := Forecast{Newcomer: a, Mate: b, Source: Learned, Seen: seenA + seenB}
	if out.Seen == 0 {
		out.Source = OfClass
	}
	return out, true
}

// beside is how fast a job is beside another, by what has been seen here.
func (f *Interference) beside(job, other Member) (speed, seen int, ok bool) {
	class := f.Book.ofClass(job.Score, other.Score)
	pair := f.Book.ofPair(job.key, other.key)
	switch {
	case pair.seen == 0 && class.seen < int64(f.Prior.LeastClass):
		return 0, 0, false
	case pair.seen == 0:
		return class.mean(), 0, true
	}
	weight := int64(f.Prior.Weight)
	n := pair.seen + weight
	return max(1, int((pair.sum+weight*int64(class.mean())+n/2)/n)), int(pair.seen), true
}

// tally sums sightings of a speed, in thousandths.
type tally struct{ seen, sum int64 }

func (t tally) mean() int {
	if t.seen == 0 {
		return 0
	}
	return int((t.sum + t.seen/2) / t.seen)
}
