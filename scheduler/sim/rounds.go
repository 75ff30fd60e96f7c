package sim

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
)

// rounds is a host that works in rounds; scheduler.Rounds has the rules. Within
// a round: work up to now, ends, node events, arrivals, one plan a part,
// charges.
type rounds struct {
	*engine
	rules scheduler.Rounds
	last  schedmate.Seconds // the last round; NoTime before the first
	wake  schedmate.Seconds // when the policies want one
	count int               // rounds before this one
}

func newRounds(e *engine) *rounds {
	return &rounds{engine: e, rules: *e.cfg.World.Rounds, last: NoTime, wake: schedmate.Forever}
}

func (h *rounds) run() error {
	idle := 0
	for {
		at := h.instant()
		if at == schedmate.Forever {
			break
		}
		h.now = at
		if h.cfg.Interrupt != nil {
			if err := h.cfg.Interrupt(); err != nil {
				return err
			}
		}
		if err := h.round(); err != nil {
			return err
		}
		if idle++; h.busy() || h.next < len(h.load.Jobs) || h.events < len(h.load.Nodes) {
			idle = 0
		}
		if idle > maxIdleWakes {
			return fmt.Errorf("asked %d times to be woken at %d s although nothing can happen any more", idle, h.now)
		}
		h.last = h.now
		h.count++
	}
	h.res.Unfinished = len(h.live)
	if open := h.ledger.Open(); open != h.res.Unfinished {
		return fmt.Errorf("BUG: the ledger knows %d open jobs, the simulator %d", open, h.res.Unfinished)
	}
	return nil
}

func (h *rounds) busy() bool {
	return slices.ContainsFunc(h.parts, func(p *part) bool { return len(p.running) > 0 })
}

// instant returns when the next round is.
func (h *rounds) instant() schedmate.Seconds {
	at := schedmate.Forever
	if h.next < len(h.load.Jobs) {
		at = h.load.Jobs[h.next].Submit
	} else if h.rules.EndsWait && h.busy() {
		at = h.last + h.rules.Slot
	}
	if h.events < len(h.load.Nodes) {
		at = min(at, h.load.Nodes[h.events].At)
	}
	if !h.rules.EndsWait {
		for _, p := range h.parts {
			for _, s := range p.running {
				at = min(at, h.live[s.Job.ID].pace.end)
			}
		}
	}
	if h.rules.Clock && h.busy() {
		at = min(at, h.last+h.rules.Slot)
	}
	at = min(at, h.wake)
	if h.last != NoTime && at != schedmate.Forever {
		at = max(at, h.last+h.rules.Slot)
	}
	if late := at % h.rules.Slot; h.rules.Clock && at != schedmate.Forever && late > 0 {
		at += h.rules.Slot - late
	}
	return at
}

func (h *rounds) round() error {
	if err := h.work(); err != nil {
		return err
	}
	if err := h.changeNodes(); err != nil {
		return err
	}
	if err := h.arrive(); err != nil {
		return err
	}
	h.advise()
	h.wake = schedmate.Forever
	for _, p := range h.parts {
		if len(p.waiting)+len(p.running) == 0 {
			continue
		}
		if err := h.plan(p); err != nil {
			return err
		}
	}
	return h.charge()
}

// work lets everybody who runs work up to now, and ends who is through.
func (h *rounds) work() error {
	var over []*record
	for _, p := range h.parts {
		for _, s := range p.running {
			r := h.live[s.Job.ID]
			worked, err := r.pace.advance(h.last, h.now)
			if err != nil {
				return fmt.Errorf("job %s: %w", s.Job.ID, err)
			}
			h.res.HeldGPUSeconds += int64(worked) * int64(len(s.Attempt.Allocations))
			r.pace.tell(r, h.now)
			if r.pace.end <= h.now {
				over = append(over, r)
			}
		}
	}
	slices.SortFunc(over, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.pace.end, b.pace.end), cmp.Compare(a.status.Seq, b.status.Seq))
	})
	for _, r := range over {
		id := r.status.Job.ID
		if err := h.ledger.End(id); err != nil {
			return err
		}
		h.leave(r)
		r.out.End = r.pace.end
		r.out.State = r.endState()
		h.res.Last = max(h.res.Last, r.pace.end)
		h.res.DownGPUSeconds = h.down.until(h.now)
		delete(h.live, id)
		h.emit(Event{At: h.now, Kind: Ended, Job: id, State: r.out.State})
	}
	return nil
}

func (h *rounds) plan(p *part) error {
	plan := h.cfg.Policy.Plan(p.snapshot(h.now), h.cfg.Budget)
	h.res.Plans++
	if plan.Wake != 0 {
		if plan.Wake <= h.now || plan.Wake > schedmate.MaxSeconds {
			return fmt.Errorf("asked at %d s to be woken at %d s, which is over or beyond all times", h.now, plan.Wake)
		}
		h.wake = min(h.wake, plan.Wake)
	}
	if err := h.ledger.Apply(&plan); err != nil {
		return fmt.Errorf("at %d s: %w", h.now, err)
	}
	if err := h.refuseShares(&plan); err != nil {
		return err
	}
	h.tell(&plan)
	h.release(&plan)
	for i := range plan.Actions {
		if err := h.act(&plan.Actions[i]); err != nil {
			return err
		}
	}
	p.memory = plan.Memory
	return nil
}

func (h *rounds) act(a *schedmate.Action) error {
	r := h.live[a.Job]
	switch a.Kind {
	case schedmate.Start:
		h.start(r, a)
		r.pace.begun = true
		if r.pace.train != nil {
			return h.retrain(r, false)
		}
		return h.speed(r)
	case schedmate.Move:
		h.begin(r, a.Allocations, h.now)
		h.emit(Event{At: h.now, Kind: Moved, Job: a.Job, Allocations: a.Allocations, Lease: a.Lease})
		if r.pace.train != nil {
			return h.retrain(r, true)
		}
		return h.speed(r)
	case schedmate.Preempt:
		h.leave(r)
		r.pace.stop()
		r.status.Preemptions++
		r.out.Preemptions++
		h.res.Preemptions++
		h.enqueue(r)
		h.emit(Event{At: h.now, Kind: Preempted, Job: a.Job})
	case schedmate.Park:
		r.pace.parked = true
		h.park(r)
	}
	return nil
}

// charge makes the jobs pay for this round, and reckons the ends of those that
// run.
func (h *rounds) charge() error {
	regular := h.rules.RegularEvery > 0 && h.count > 0 && h.count%h.rules.RegularEvery == 0
	cost := func(s *schedmate.JobStatus) schedmate.Seconds {
		gang := s.Job.GPUs
		if s.Attempt != nil {
			gang = len(s.Attempt.Allocations)
		}
		if c := h.cfg.World.Restart(gang); !regular {
			return c
		} else {
			return c + h.rules.RegularCost
		}
	}
	everybody := h.rules.Charge == scheduler.ChargeRounds && h.next < len(h.load.Jobs)
	for _, p := range h.parts {
		for _, s := range p.waiting {
			if r := h.live[s.Job.ID]; everybody && r.pace.parked {
				r.pace.charge = cost(s)
			}
		}
		for _, s := range p.running {
			pc := h.live[s.Job.ID].pace
			if everybody || h.rules.Charge == scheduler.ChargeStarts && (regular || pc.begun) {
				pc.charge = cost(s)
			}
			pc.begun = false
			if pc.train != nil {
				pc.end = schedmate.Forever
				continue
			}
			pc.end = h.now + pc.left()
			if h.rules.Charge == scheduler.ChargeRounds || regular {
				pc.end += pc.charge
			}
		}
	}
	return nil
}
