package sim

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// advice is what an advisor will say about a job, and when.
type advice struct {
	at  schedmate.Seconds
	job int // index in the workload
}

// validateAdvised checks what an advisor says of a job: it is said when the job
// is submitted or later, all at once.
func (j *Job) validateAdvised(at string) error {
	if err := schedmate.ValidateFacts(at, j.ID, j.Advised); err != nil {
		return err
	}
	for i := range j.Advised {
		f := &j.Advised[i]
		switch {
		case f.ObservedAt < j.Submit || f.ExpiresAt != 0:
			return fmt.Errorf("%s[%d]: advice about job %s must be given when it is submitted, at %d s, or later, and must not expire", at, i, j.ID, j.Submit)
		case f.ObservedAt != j.Advised[0].ObservedAt:
			return fmt.Errorf("%s[%d].observed_at_s: advice about job %s must be given at one instant", at, i, j.ID)
		}
	}
	return nil
}

// schedule sorts what will be said by time. What is said at the submission of a
// job is known at its arrival.
func (e *engine) schedule() {
	if e.cfg.World.Advice == scheduler.NoAdvice {
		return
	}
	for i := range e.load.Jobs {
		if j := &e.load.Jobs[i]; len(j.Advised) > 0 && j.Advised[0].ObservedAt > j.Submit {
			e.advice = append(e.advice, advice{j.Advised[0].ObservedAt, i})
		}
	}
	slices.SortFunc(e.advice, func(a, b advice) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job)) })
}

// facts are what the World tells a policy about a job.
func (e *engine) facts(r *record) []schedmate.Fact {
	var facts []schedmate.Fact
	for _, f := range r.job.Facts {
		if f.Kind != schedmate.RunSeconds || e.cfg.World.Estimates == scheduler.TraceEstimate {
			facts = append(facts, f)
		}
	}
	if e.cfg.World.Estimates == scheduler.TrueRunTime {
		run := int64(r.work)
		facts = append(facts, schedmate.Fact{
			Kind: schedmate.RunSeconds, Value: run, Low: run, High: run,
			ConfidenceMilli: 1000, Source: schedmate.FromTruth,
		})
	}
	if said := r.job.Advised; e.cfg.World.Advice != scheduler.NoAdvice && len(said) > 0 && said[0].ObservedAt <= e.now {
		facts = e.told(facts, said)
	}
	return facts
}

// advise tells what the advisor has found out by now. Nobody has waited for it:
// a job that waits changes its place in the queue, one that runs goes on.
func (e *engine) advise() {
	for len(e.advice) > 0 && e.advice[0].at <= e.now {
		j := &e.load.Jobs[e.advice[0].job]
		e.advice = e.advice[1:]
		r := e.live[j.ID]
		if r == nil {
			continue // too late
		}
		s := &r.status
		queued := r.part.waits(s, e.now)
		if queued {
			r.part.dequeue(s, e.now)
		}
		s.Facts = e.told(s.Facts, j.Advised)
		e.remind(r)
		if queued {
			r.part.enqueue(s, e.now)
			e.touch(r.part)
		}
	}
}

// told returns what a policy is told: facts in which those of an advisor stand
// for others of their kind, if the World lets them.
func (e *engine) told(facts, advised []schedmate.Fact) []schedmate.Fact {
	out := slices.Clone(advised)
	if e.cfg.World.Advice == scheduler.AdviceIfSurer && !surer(advised, facts) {
		out = slices.DeleteFunc(out, func(f schedmate.Fact) bool {
			return f.Kind == schedmate.RunSeconds || f.Kind == schedmate.OccupancySeconds
		})
	}
	for _, f := range facts {
		if !slices.ContainsFunc(out, func(a schedmate.Fact) bool { return a.Kind == f.Kind }) {
			out = append(out, f)
		}
	}
	return out
}

// surer reports whether the first facts state the run time within a narrower
// interval than the others do, by the ratio of its ends.
func surer(facts, than []schedmate.Fact) bool {
	of := func(fs []schedmate.Fact) *schedmate.Fact {
		if i := slices.IndexFunc(fs, func(f schedmate.Fact) bool { return f.Kind == schedmate.RunSeconds }); i >= 0 {
			return &fs[i]
		}
		return nil
	}
	a, b := of(facts), of(than)
	if a == nil || b == nil {
		return a != nil
	}
	return float64(a.High)*float64(max(1, b.Low)) < float64(b.High)*float64(max(1, a.Low))
}

// remind gives an adaptive job the steps of the application that the advisor takes
// it for.
func (e *engine) remind(r *record) {
	said := r.job.Advised
	if r.pace == nil || r.pace.train == nil {
		return
	}
	if r.job.Remembered != nil && e.cfg.World.Advice != scheduler.NoAdvice && len(said) > 0 && said[0].ObservedAt <= e.now {
		r.pace.train.remember(r.job.Remembered, e.memories)
	}
}
