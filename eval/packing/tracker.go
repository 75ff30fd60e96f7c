package packing

import (
	"bytes"
	_ "embed"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"schedmate"
	"schedmate/internal/docfile"
	"schedmate/scheduler/sim"
)

//go:embed tracker.yaml
var measured []byte

// Errors is how a tracker errs.
//
// Invariant: 1 <= ReadMilli <= 1000; Errors begin at 0 and end at a million, At does
// not fall, no error is -100 % or less; 0 <= JitterMilli <= 1000.
type Errors struct {
	Source      string  `yaml:"source"`
	ReadMilli   int     `yaml:"read_milli"`
	Errors      []Point `yaml:"errors"`
	JitterMilli int     `yaml:"jitter_milli"`
}

// Point is a relative error at a share of the answers, both in millionths.
type Point struct {
	At    int `yaml:"at"`
	Error int `yaml:"error"`
}

const million = 1_000_000

// Measured returns the errors that come with the program.
func Measured() *Errors {
	e, err := readErrors("tracker.yaml", measured)
	if err != nil {
		panic("BUG: the embedded errors of the tracker: " + err.Error())
	}
	return e
}

// readErrors reads how a tracker errs. Errors name file, line and field.
func readErrors(name string, text []byte) (*Errors, error) {
	var e Errors
	if err := docfile.Read(name, bytes.NewReader(text), &e); err != nil {
		return nil, err
	}
	return &e, nil
}

// Validate checks the invariant of Errors.
func (e *Errors) Validate() error {
	refuse := func(path, format string, args ...any) error {
		return &schedmate.FieldError{Path: path, Problem: fmt.Sprintf(format, args...)}
	}
	n := len(e.Errors)
	switch {
	case e.ReadMilli < 1 || e.ReadMilli > 1000:
		return refuse("read_milli", "must lie in [1, 1000], got %d", e.ReadMilli)
	case e.JitterMilli < 0 || e.JitterMilli > 1000:
		return refuse("jitter_milli", "must lie in [0, 1000], got %d", e.JitterMilli)
	case n < 2 || e.Errors[0].At != 0 || e.Errors[n-1].At != million:
		return refuse("errors", "must begin at 0 and end at %d", million)
	}
	for i, p := range e.Errors {
		at := fmt.Sprintf("errors[%d]", i)
		if i > 0 && p.At < e.Errors[i-1].At {
			return refuse(at+".at", "must not fall, got %d after %d", p.At, e.Errors[i-1].At)
		}
		if p.Error <= -million || p.Error > 1000*million {
			return refuse(at+".error", "must lie in (%d, %d], got %d", -million, 1000*million, p.Error)
		}
	}
	return nil
}

// RMSRE is the root mean square of the relative errors.
func (e *Errors) RMSRE() float64 {
	sum := 0.0
	for i := 1; i < len(e.Errors); i++ {
		a, b := float64(e.Errors[i-1].Error)/million, float64(e.Errors[i].Error)/million
		sum += float64(e.Errors[i].At-e.Errors[i-1].At) / million * (a*a + a*b + b*b) / 3
	}
	return math.Sqrt(sum)
}

// Drawn returns errors of which each reading has one of the ratios, of what is read
// to the truth, in place of these. Every step of a log that can be read is.
func (e *Errors) Drawn(ratios []float64) *Errors {
	ratios = slices.Clone(ratios)
	slices.Sort(ratios)
	if len(ratios) == 1 {
		ratios = append(ratios, ratios[0])
	}
	out := &Errors{Source: "drawn", ReadMilli: 1000, JitterMilli: e.JitterMilli}
	for i, r := range ratios {
		off := min(max(math.Round((r-1)*million), 1-million), 1000*million)
		out.Errors = append(out.Errors, Point{At: i * million / (len(ratios) - 1), Error: int(off)})
	}
	return out
}

// Read draws what is read of a step of so many microseconds, or false: nothing.
func (e *Errors) Read(rng *rand.Rand, us int64) (int64, bool) {
	read, at, z := rng.IntN(1000), rng.IntN(million), rng.NormFloat64()
	if read >= e.ReadMilli {
		return 0, false
	}
	i := 1
	for i < len(e.Errors)-1 && e.Errors[i].At <= at {
		i++
	}
	a, b := e.Errors[i-1], e.Errors[i]
	relative := float64(b.Error)
	if b.At > a.At {
		relative = float64(a.Error) + float64(b.Error-a.Error)*float64(at-a.At)/float64(b.At-a.At)
	}
	v := float64(us) * (1 + relative/million) * math.Max(0.05, 1+z*float64(e.JitterMilli)/1000)
	return max(1, int64(math.Round(v))), true
}

// Logs reads the logs of simulated jobs. It is a sim.Tracker.
type Logs struct {
	Errors *Errors
	Step   schedmate.Seconds // how often a job that runs alone logs a step
	Silent int               // of a thousand jobs so many log no steps
	Seed   int64
}

// Every returns how often the job logs a step.
func (l *Logs) Every(j *sim.Job) schedmate.Seconds {
	if l.stream(j.ID, -1).IntN(1000) < l.Silent {
		return 0
	}
	return l.Step
}

// Read returns what is read of the job's n-th step.
func (l *Logs) Read(j *sim.Job, n, us int64) (int64, bool) {
	return l.Errors.Read(l.stream(j.ID, n), us)
}

// stream returns the random numbers of one step of one job, whoever asks when.
func (l *Logs) stream(job string, n int64) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s", n, job)
	return rand.New(rand.NewPCG(uint64(l.Seed), h.Sum64()))
}
