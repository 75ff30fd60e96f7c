package recovery

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"

	"schedmate"
)

// Gate holds back the jobs that need one service while it is out, so that they
// do not fail again and again, and do not all come back in one moment.
//
//	closed --GoodProbes in a row--> open --the next outage--> closed
//
// Invariant: Opened is 0 (closed) or at least Since; an open gate holds nobody;
// Held is sorted by job, Probes by time.
type Gate struct {
	Service  string            `json:"service" yaml:"service"`
	Since    schedmate.Seconds `json:"since_s" yaml:"since_s"`
	Incident string            `json:"incident" yaml:"incident"` // that closed it
	Opened   schedmate.Seconds `json:"opened_s,omitempty" yaml:"opened_s,omitempty"`
	Held     []HeldJob         `json:"held,omitempty" yaml:"held,omitempty"`
	Probes   []Probe           `json:"probes,omitempty" yaml:"probes,omitempty"`
}

// HeldJob waits for a gate.
type HeldJob struct {
	Job      string `json:"job" yaml:"job"`
	Incident string `json:"incident" yaml:"incident"`
}

// Probe is one look at a service, from a healthy node.
type Probe struct {
	At   schedmate.Seconds `json:"at_s" yaml:"at_s"`
	Good bool              `json:"good" yaml:"good"`
}

func (g *Gate) closed() bool { return g.Opened == 0 }

func (g *Gate) validate(path string) error {
	if err := first(checkTime(path+".since_s", g.Since), checkTime(path+".opened_s", g.Opened)); err != nil {
		return err
	}
	switch {
	case g.Service == "":
		return fieldErr(path+".service", "must not be empty")
	case g.Incident == "":
		return fieldErr(path+".incident", "must name the incident that closed the gate")
	case g.Opened != 0 && g.Opened < g.Since:
		return fieldErr(path+".opened_s", "must not lie before since_s %d, got %d", g.Since, g.Opened)
	case !g.closed() && len(g.Held) > 0:
		return fieldErr(path+".held", "must be empty when the gate is open")
	}
	for i, h := range g.Held {
		at := fmt.Sprintf("%s.held[%d]", path, i)
		switch {
		case h.Job == "" || h.Incident == "":
			return fieldErr(at, "must name job and incident")
		case i > 0 && g.Held[i-1].Job >= h.Job:
			return fieldErr(at+".job", "jobs must be sorted without duplicates: %q follows %q", h.Job, g.Held[i-1].Job)
		}
	}
	for i, p := range g.Probes {
		at := fmt.Sprintf("%s.probes[%d]", path, i)
		if err := checkTime(at+".at_s", p.At); err != nil {
			return err
		}
		if i > 0 && g.Probes[i-1].At > p.At {
			return fieldErr(at+".at_s", "probes must be in the order of time")
		}
	}
	return nil
}

// streak is how many of the last probes since the gate closed are all good, or
// all bad.
func (g *Gate) streak(now schedmate.Seconds) (n int, good bool, last schedmate.Seconds) {
	last = g.Since
	for i := len(g.Probes) - 1; i >= 0; i-- {
		p := g.Probes[i]
		if p.At > now {
			continue
		}
		if p.At < g.Since || n > 0 && p.Good != good {
			break
		}
		if n == 0 {
			good, last = p.Good, p.At
		}
		n++
	}
	return n, good, last
}

// nextProbe is when to look again: soon after a good probe, and after bad ones
// twice as late each time.
func (g *Gate) nextProbe(now schedmate.Seconds, l *GateLimits) schedmate.Seconds {
	n, good, last := g.streak(now)
	if good {
		n = 0
	}
	return last + doubled(l.ProbeEvery, n, l.MaxProbe)
}

// doubled is a delay that doubles with each of n failures, up to a limit.
func doubled(delay schedmate.Seconds, n int, limit schedmate.Seconds) schedmate.Seconds {
	for ; n > 0 && delay < limit; n-- {
		delay *= 2
	}
	return min(delay, limit)
}

// jitter spreads the restarts after an outage: by a hash of job and outage, so
// that every machine computes the same.
func jitter(service string, since schedmate.Seconds, job string, spread schedmate.Seconds) schedmate.Seconds {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %d %q", service, since, job)
	return schedmate.Seconds(h.Sum64() % uint64(spread+1))
}

// moveGate enters a hold or an opening.
func (w *World) moveGate(p *Proposal, s *Step) {
	i, found := slices.BinarySearchFunc(w.Gates, s.Gate, func(g Gate, service string) int { return cmp.Compare(g.Service, service) })
	if s.Kind == StepOpen {
		if found && w.Gates[i].closed() {
			w.Gates[i].Opened, w.Gates[i].Held = p.Now, nil
		}
		return
	}
	if !found {
		w.Gates = slices.Insert(w.Gates, i, Gate{Service: s.Gate, Since: p.Now, Incident: p.Incident})
	}
	g := &w.Gates[i]
	if !g.closed() {
		*g = Gate{Service: s.Gate, Since: p.Now, Incident: p.Incident}
	}
	k, held := slices.BinarySearchFunc(g.Held, s.Job, func(h HeldJob, job string) int { return cmp.Compare(h.Job, job) })
	if !held {
		g.Held = slices.Insert(slices.Clone(g.Held), k, HeldJob{Job: s.Job, Incident: p.Incident})
	}
}
