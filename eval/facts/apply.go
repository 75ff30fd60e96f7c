package facts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"schedmate"
	"schedmate/scheduler/sim"
)

// World is what is assumed of the jobs themselves: no model can measure it.
//
// Invariant: shares lie in [0, 1], times in [0, MaxSeconds].
type World struct {
	// Repeated is the share of the jobs whose work has run before.
	Repeated float64 `json:"repeated" yaml:"repeated"`
	// Again says of each job whether its work has run before, where that is known;
	// nil: it is drawn with Repeated.
	Again []bool `json:"-" yaml:"-"`
	// Known says of each job what past runs of its work say of it, where they are
	// known: an advisor that recognises the work says that, and nothing is drawn.
	// Run 0: it says nothing; nil: all is drawn.
	Known []Known `json:"-" yaml:"-"`
	// Forget drops the estimates of run times that a trace has stored: what is
	// believed is drawn for every job.
	Forget bool `json:"forget_estimates,omitempty" yaml:"forget_estimates,omitempty"`
	// Failed and Cancelled are the shares of the jobs that end so, for traces that
	// say of every job that it completed. Both 0: jobs end as the trace says.
	Failed    float64 `json:"failed,omitempty" yaml:"failed,omitempty"`
	Cancelled float64 `json:"cancelled,omitempty" yaml:"cancelled,omitempty"`
	// Infrastructure is the share of the failed jobs that hardware failed. They
	// go on from their last checkpoint and complete; all other failures are final.
	Infrastructure float64 `json:"infrastructure,omitempty" yaml:"infrastructure,omitempty"`
	// Checkpoint is how often a job saves its work.
	Checkpoint schedmate.Seconds `json:"checkpoint_s,omitempty" yaml:"checkpoint_s,omitempty"`
	// Unattended is the median time until somebody who was not told resubmits a
	// job, and its spread: the sigma of a log-normal.
	Unattended      schedmate.Seconds `json:"unattended_s,omitempty" yaml:"unattended_s,omitempty"`
	UnattendedSigma float64           `json:"unattended_sigma,omitempty" yaml:"unattended_sigma,omitempty"`
	// Diagnosis is how long tests of a suspected node take before a job runs again.
	Diagnosis schedmate.Seconds `json:"diagnosis_s,omitempty" yaml:"diagnosis_s,omitempty"`
}

// Known is what past runs say of a job, in seconds.
//
// Invariant: Run is 0, or 1 <= Low <= Run <= High and 1 <= Held <= High.
type Known struct {
	Run, Low, High int64
	Held           int64 // how long it is expected to hold its GPUs
}

// Validate checks the invariant of World.
func (w *World) Validate() error {
	fail := func(path, format string, args ...any) error {
		return &schedmate.FieldError{Path: path, Problem: fmt.Sprintf(format, args...)}
	}
	switch {
	case !(w.Repeated >= 0 && w.Repeated <= 1):
		return fail("repeated", "is a share and must lie in [0, 1], got %g", w.Repeated)
	case !(w.Infrastructure >= 0 && w.Infrastructure <= 1):
		return fail("infrastructure", "is a share and must lie in [0, 1], got %g", w.Infrastructure)
	case !(w.Failed >= 0 && w.Cancelled >= 0 && w.Failed+w.Cancelled <= 1):
		return fail("failed", "and cancelled are shares of the jobs, together at most 1, got %g and %g", w.Failed, w.Cancelled)
	case !(w.UnattendedSigma >= 0 && w.UnattendedSigma <= 5):
		return fail("unattended_sigma", "must lie in [0, 5], got %g", w.UnattendedSigma)
	}
	for _, t := range []struct {
		path  string
		value schedmate.Seconds
	}{{"checkpoint_s", w.Checkpoint}, {"unattended_s", w.Unattended}, {"diagnosis_s", w.Diagnosis}} {
		if t.value < 0 || t.value > schedmate.MaxSeconds {
			return fail(t.path, "must lie in [0, %d] seconds, got %d", schedmate.MaxSeconds, t.value)
		}
	}
	return nil
}

// Apply returns the jobs with what the model has an advisor say about them, what
// is believed of them without one, and the failures on their way. A job that has
// a run-time fact keeps it, unless the World forgets them.
func Apply(jobs []sim.Job, m *Model, w World, seed int64) []sim.Job {
	out := slices.Clone(jobs)
	desk := newDesk(&m.Service)
	for i := range out {
		j := &out[i]
		d := newDice(seed, i)
		j.Outcome = w.ending(j.Outcome, d)
		if w.Forget {
			j.Facts = slices.DeleteFunc(slices.Clone(j.Facts), func(f schedmate.Fact) bool { return f.Kind == schedmate.RunSeconds })
		}
		j.Facts = believed(j, m, d)
		again := d.repeated < w.Repeated
		if w.Again != nil {
			again = w.Again[i]
		}
		if j.Advised = advised(j, m, again, d, desk); w.Known != nil && len(j.Advised) > 0 {
			j.Advised = w.Known[i].over(j.Advised)
		}
		if len(j.Advised) > 0 {
			of := j
			if !again {
				of = &jobs[min(int(d.stranger*float64(len(jobs))), len(jobs)-1)]
			}
			if j.Training != nil && of.Training != nil {
				j.Remembered = of.Training.Application
			}
			j.Advised = append(j.Advised, uses(of, pick(m.Advisor.Utilisation, d.utilisation), j.Advised[0].ObservedAt)...)
		}
		j.Stops = stops(j, m, w, d)
		if len(j.Stops) > 0 && j.Stops[0].Unattended != sim.NoTime { // hardware failed it: it completes after all
			outcome := *j.Outcome
			outcome.State, outcome.Failure = schedmate.Completed, schedmate.NoFailure
			j.Outcome = &outcome
		}
	}
	return out
}

// ending returns how a job ends, where the trace does not say it.
func (w *World) ending(o *schedmate.Outcome, d *dice) *schedmate.Outcome {
	state := schedmate.Completed
	switch {
	case d.ends < w.Failed:
		state = schedmate.Failed
	case d.ends < w.Failed+w.Cancelled:
		state = schedmate.Cancelled
	}
	if state == schedmate.Completed || o.State != schedmate.Completed {
		return o
	}
	drawn := *o
	drawn.State = state
	return &drawn
}

// dice are the numbers of one job, each thrown in any case, so that what one of
// them decides changes none of the others.
type dice struct {
	believed                     float64
	repeated, hit, falseHit, run float64
	utilisation, latency         float64
	hardware, strikes, away      float64
	recognised, falseAlarm       float64
	diagnosis                    float64
	shift                        float64 // for who is taken for somebody else
	ends                         float64
	stranger                     float64 // whose use of GPUs is taken for the job's
}

func newDice(seed int64, job int) *dice {
	rng := rand.New(rand.NewPCG(uint64(seed), 0xfac75<<32|uint64(job)))
	d := &dice{}
	for _, x := range []*float64{
		&d.believed, &d.repeated, &d.hit, &d.falseHit, &d.run, &d.utilisation, &d.latency,
		&d.hardware, &d.strikes, &d.recognised, &d.falseAlarm, &d.diagnosis, &d.ends,
	} {
		*x = rng.Float64()
	}
	d.away, d.shift = rng.NormFloat64(), rng.NormFloat64()
	d.stranger = rng.Float64()
	return d
}

// pick draws from a list that is not empty.
func pick[T any](list []T, u float64) T { return list[min(int(u*float64(len(list))), len(list)-1)] }

// believed returns the facts of a job with a run time that nobody had to read
// code for.
func believed(j *sim.Job, m *Model, d *dice) []schedmate.Fact {
	if slices.ContainsFunc(j.Facts, func(f schedmate.Fact) bool { return f.Kind == schedmate.RunSeconds }) {
		return j.Facts
	}
	return append(slices.Clone(j.Facts), runFact(j, pick(m.Prior.Of(j.Outcome.State), d.believed), schedmate.FromPrior, 0))
}

// advised returns what the advisor says; nothing on a miss.
func advised(j *sim.Job, m *Model, again bool, d *dice, desk *desk) []schedmate.Fact {
	served := desk.serve(j.Submit) // it reads what it will not recognise, too
	a := &m.Advisor
	draw := pick(a.Run.Of(j.Outcome.State), d.run)
	if again {
		if d.hit >= a.Hit {
			return nil
		}
	} else {
		if d.falseHit >= a.FalseHit {
			return nil
		}
		draw = draw.times(math.Exp(strangerSigma * d.shift))
	}
	at := served + schedmate.Seconds(math.Ceil(pick(a.Seconds, d.latency)))
	run := runFact(j, draw, schedmate.FromNeighbours, at)
	held := run
	held.Kind, held.Value = schedmate.OccupancySeconds, bounded(draw.Expected*float64(j.Outcome.Run))
	held.Low, held.High = min(held.Low, held.Value), max(held.High, held.Value)
	return []schedmate.Fact{run, held}
}

// over returns advice with what is known in place of what was drawn.
func (k Known) over(said []schedmate.Fact) []schedmate.Fact {
	if k.Run == 0 {
		return nil
	}
	run, held := said[0], said[1]
	run.Value, run.Low, run.High = k.Run, k.Low, k.High
	held.Value, held.Low, held.High = k.Held, min(k.Low, k.Held), k.High
	return []schedmate.Fact{run, held}
}

// desk is where models read submissions, one after the other each.
type desk struct {
	free []schedmate.Seconds // when each model has time
	each schedmate.Seconds
}

func newDesk(s *Service) *desk {
	if s.GPUs == 0 || s.JobsAnHour == 0 {
		return &desk{}
	}
	return &desk{make([]schedmate.Seconds, s.GPUs), schedmate.Seconds(math.Ceil(3600 / s.JobsAnHour))}
}

// serve returns when somebody begins to read a submission.
func (d *desk) serve(at schedmate.Seconds) schedmate.Seconds {
	if len(d.free) == 0 {
		return at
	}
	i := 0
	for k := range d.free {
		if d.free[k] < d.free[i] {
			i = k
		}
	}
	at = max(at, d.free[i])
	d.free[i] = at + d.each
	return at
}

// strangerSigma is how far the run times of two unrelated jobs lie apart: the
// log-normal spread of run times in Philly.
const strangerSigma = 2.5

func (d Draw) times(x float64) Draw {
	bound := func(v float64) float64 { return min(max(v, smallest), largest) }
	return Draw{Value: bound(d.Value * x), Low: bound(d.Low * x), High: bound(d.High * x), Expected: bound(d.Expected * x)}
}

// bounded rounds a run time to whole seconds that a fact can state.
func bounded(seconds float64) int64 {
	return int64(min(max(math.Round(seconds), 1), float64(schedmate.MaxSeconds)))
}

func runFact(j *sim.Job, d Draw, from schedmate.FactSource, at schedmate.Seconds) schedmate.Fact {
	seconds := func(ratio float64) int64 { return bounded(ratio * float64(j.Outcome.Run)) }
	return schedmate.Fact{
		Kind: schedmate.RunSeconds, Value: seconds(d.Value), Low: seconds(d.Low), High: seconds(d.High),
		ConfidenceMilli: 900, Source: from, ObservedAt: min(at, schedmate.MaxSeconds),
	}
}

// stops returns the failures on the way of a job that failed.
func stops(j *sim.Job, m *Model, w World, d *dice) []sim.Stop {
	run := j.Outcome.Run
	if j.Outcome.State != schedmate.Failed || run < 1 {
		return nil
	}
	lost := func(at schedmate.Seconds) schedmate.Seconds {
		if w.Checkpoint > 0 {
			return at % w.Checkpoint
		}
		return at
	}
	handled := schedmate.Seconds(math.Ceil(pick(m.Handler.Seconds, d.diagnosis))) + w.Diagnosis
	away := min(schedmate.Seconds(float64(w.Unattended)*math.Exp(w.UnattendedSigma*d.away)), month)
	switch {
	case j.Outcome.Failure == schedmate.InfrastructureFailure || j.Outcome.Failure == schedmate.NoFailure && d.hardware < w.Infrastructure:
		at := max(1, schedmate.Seconds(d.strikes*float64(run)))
		if d.recognised >= m.Handler.Recall {
			handled = away // nobody was told
		}
		return []sim.Stop{{At: at, Redo: lost(at), Unattended: away, Handled: min(handled, away)}}
	case d.falseAlarm < m.Handler.FalseAlarm:
		return []sim.Stop{{At: run, Redo: lost(run), Unattended: sim.NoTime, Handled: handled}}
	}
	return nil
}

// month bounds how long a job can be forgotten.
const month schedmate.Seconds = 30 * 86400
