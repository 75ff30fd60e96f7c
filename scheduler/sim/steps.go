package sim

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// Tracker reads the logs of jobs that run, with the errors that it makes.
type Tracker interface {
	// Every is how often the job logs a step while it runs alone; 0: its log tells
	// no steps.
	Every(j *Job) schedmate.Seconds
	// Read returns what is read of the n-th step that the job logs, from 0, if that
	// took so many microseconds; false: nothing. Equal questions have equal answers.
	Read(j *Job, n int64, us int64) (read int64, ok bool)
}

// steps is what a job has logged, and when it logs next. Only ratios of its step
// times mean anything: alone, a step takes stepAlone.
type steps struct {
	count int64             // logged so far
	since schedmate.Seconds // when the period of equal speed began
	every schedmate.Seconds // in this period; 0: it logs nothing
	speed int               // in this period, in thousandths
	next  schedmate.Seconds // the next logged step, where it shares its GPUs
	mates int
}

const (
	stepAlone = 1_000_000 // microseconds
	keepAlone = 32        // step times from before that are kept
)

// speak begins a period in which the job works at the speed that it has now.
func (e *engine) speak(r *record) {
	if e.cfg.Tracker == nil || r.count == nil {
		return
	}
	l := &r.log
	l.since, l.speed, l.mates = e.now, r.count.speed, len(e.mates(r))
	if l.every = e.cfg.Tracker.Every(r.job); l.every == 0 {
		return
	}
	l.every = max(1, (l.every*scheduler.AloneSpeed+schedmate.Seconds(l.speed)-1)/schedmate.Seconds(l.speed))
	s := &r.status
	if s.Steps == nil {
		s.Steps = &schedmate.StepTimes{}
	} else if len(s.Steps.Shared) > 0 {
		s.Steps = &schedmate.StepTimes{Alone: s.Steps.Alone} // nobody else's to change
	}
	if l.mates > 0 && len(s.Steps.Alone) > 0 {
		l.next = e.now + l.every
		i, _ := slices.BinarySearchFunc(e.logging, r, bySeq)
		e.logging = slices.Insert(e.logging, i, r)
	}
}

func bySeq(a, b *record) int { return int(a.status.Seq - b.status.Seq) }

// hush ends the period. What a job has logged alone is read now, as nobody has
// asked for it before.
func (e *engine) hush(r *record) {
	if e.cfg.Tracker == nil || r.count == nil || r.log.every == 0 {
		return
	}
	l := &r.log
	e.quiet(r)
	if l.mates == 0 {
		n := int64((e.now - l.since) / l.every)
		alone := slices.Clone(r.status.Steps.Alone)
		for k := max(0, n-keepAlone); k < n; k++ {
			if us, ok := e.cfg.Tracker.Read(r.job, l.count+k, stepAlone); ok {
				alone = append(alone, us)
			}
		}
		l.count += n
		r.status.Steps = &schedmate.StepTimes{Alone: alone[max(0, len(alone)-keepAlone):]}
	}
	l.every = 0
}

// quiet stops waiting for the job's next step.
func (e *engine) quiet(r *record) {
	if i := slices.Index(e.logging, r); i >= 0 {
		e.logging = slices.Delete(e.logging, i, i+1)
	}
}

// nextStep is when the next step is logged that anybody waits for.
func (e *engine) nextStep() schedmate.Seconds {
	at := schedmate.Forever
	for _, r := range e.logging {
		at = min(at, r.log.next)
	}
	return at
}

// logSteps reads the steps that are logged now, and lets the policy look at them.
// After the first MaxStepTimes it is told no more of a period.
func (e *engine) logSteps() {
	for _, r := range slices.Clone(e.logging) {
		l := &r.log
		if l.next > e.now {
			continue
		}
		us, ok := e.cfg.Tracker.Read(r.job, l.count, stepAlone*scheduler.AloneSpeed/int64(l.speed))
		l.count++
		l.next += l.every
		if !ok {
			continue
		}
		old := r.status.Steps
		r.status.Steps = &schedmate.StepTimes{Alone: old.Alone, Shared: append(slices.Clone(old.Shared), us)}
		if len(r.status.Steps.Shared) == schedmate.MaxStepTimes {
			e.quiet(r)
		}
		r.part.wake = min(r.part.wake, e.tick(e.now))
		r.part.planAt = min(r.part.planAt, r.part.wake)
	}
}

// expects notes what the policy expects of a start beside another job.
func (e *engine) expects(r *record, a *schedmate.Action) {
	if a.Packed == nil {
		return
	}
	for _, k := range r.packs {
		if p := &e.res.Packs[k]; p.Host == a.Packed.Beside {
			p.Expected = a.Packed
		}
	}
}

// undo takes a job's GPUs away. One that is taken out of a pair leaves at once: it
// falls back to its last periodic checkpoint, as if its node had gone down.
func (e *engine) undo(r *record, a *schedmate.Action) {
	if a.Undo == nil || r.count == nil {
		e.leave(r)
		return
	}
	begun, packs := r.count.done, r.packs
	e.leave(r)
	s := &r.status
	safe := begun
	if every := e.cfg.World.Checkpoint; every > 0 {
		safe = max(safe, s.Done-s.Done%every)
	}
	for _, k := range packs {
		if p := &e.res.Packs[k]; p.Host == a.Undo.Beside && p.Guest == r.job.ID {
			p.Undo, p.Lost = a.Undo, s.Done-safe
		}
	}
	s.Done = safe
}
