package gandiva

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler"
)

// Options configures the policy.
type Options struct {
	// Slice is how long a job keeps its GPUs while others of its group wait for
	// their turn.
	Slice schedmate.Seconds `json:"slice_s"`
	// Slips follows the ElasticFlow artifact where it does not do what it means
	// to; see its page in the documentation.
	Slips bool `json:"slips"`
}

// Descriptor describes the policy to hosts.
func Descriptor() scheduler.Descriptor {
	return scheduler.Describe("gandiva", "time slicing: jobs of one gang size take turns on nodes of their own", build,
		scheduler.TypedPreset[Options]{
			Name:    scheduler.DefaultPreset,
			Options: Options{Slice: 60},
			World:   scheduler.World{Estimates: scheduler.NoEstimates, RestartCost: []scheduler.CostStep{{Cost: 1}}},
		},
		scheduler.TypedPreset[Options]{
			Name:    "elasticflow",
			Options: Options{Slice: 60, Slips: true},
			World:   World(),
		},
	)
}

// World is what the ElasticFlow artifact's simulator does around Gandiva: it
// looks at arrivals alone, and in each such round all jobs pay.
func World() scheduler.World {
	return scheduler.World{
		Estimates:   scheduler.NoEstimates,
		RestartCost: scheduler.DoublingCost(4, 2),
		Rounds:      &scheduler.Rounds{Slot: 60, EndsWait: true, Charge: scheduler.ChargeRounds, RegularEvery: 60, RegularCost: 27},
	}
}

type policy struct{ Options }

func build(o Options) (scheduler.Policy, error) {
	if o.Slice < 1 || o.Slice > schedmate.MaxSeconds {
		return nil, fmt.Errorf("slice_s must lie in [1, %d], got %d", schedmate.MaxSeconds, o.Slice)
	}
	return &policy{o}, nil
}

func (p *policy) Name() string { return "gandiva" }

// Rank is the submission time. It orders newcomers; whose turn it is, the
// groups know.
func (p *policy) Rank(j *schedmate.JobStatus, _ schedmate.Seconds) scheduler.Rank {
	return scheduler.Rank{Key: int64(j.Job.Submit)}
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	plan := schedmate.Plan{Policy: p.Name(), Engine: schedmate.RuleEngine}
	f := recall(&s)
	for _, g := range f.groups() {
		p.turn(g, s.Now)
	}
	released := f.sweep(p.Slips)
	placed := p.admit(f, scheduler.Queue(&s, p.Rank), released)
	if p.Slips {
		f.rebalance()
	} else {
		f.spread(s.Now)
	}
	plan.Actions = f.actions(&s, placed)
	plan.Memory = f.notes()
	if !p.Slips {
		plan.Wake = p.wake(f, s.Now)
	}
	return plan
}

// turn lets the jobs that have had their turn step behind the others.
func (p *policy) turn(g *group, now schedmate.Seconds) {
	if len(g.jobs) <= g.slots {
		g.since = now
		return
	}
	if p.Slips && now%p.Slice != 0 || !p.Slips && now-g.since < p.Slice {
		return
	}
	g.jobs = append(append([]string{}, g.jobs[g.slots:]...), g.jobs[:g.slots]...)
	g.since = now
}

// admit finds a group for everybody who has none: newcomers first, then those
// who have waited for a place.
func (p *policy) admit(f *floor, queue []*schedmate.JobStatus, released bool) map[string]bool {
	placed := make(map[string]bool)
	waited := f.waits
	f.waits = nil
	for _, j := range queue {
		switch id := j.Job.ID; {
		case f.member[id] != nil || contains(waited, id):
		case p.join(f, j):
			placed[id] = true
		default:
			f.waits = append(f.waits, id)
		}
	}
	f.waits = append(waited, f.waits...)
	if p.Slips && !released {
		return placed
	}
	for i := 0; i < len(f.waits); i++ {
		id := f.waits[i]
		if !p.join(f, f.status[id]) {
			continue
		}
		placed[id] = true
		f.waits = append(f.waits[:i:i], f.waits[i+1:]...)
		if !p.Slips { // the artifact passes over the next one
			i--
		}
	}
	return placed
}

// join puts a job into a group of its size: one with a free slot, else a new
// one on free nodes, else one where it has to take turns.
func (p *policy) join(f *floor, j *schedmate.JobStatus) bool {
	c := f.class(j.Job.GPUs)
	g := c.first(f, &j.Job)
	if g != nil {
		c.toBack(g)
		room := g.slots
		if p.Slips {
			room-- // the artifact compares with "less than"
		}
		if g.used < room {
			f.put(g, j.Job.ID)
			c.sort()
			return true
		}
	}
	if made := f.open(c, &j.Job); made != nil {
		f.put(made, j.Job.ID)
		c.sort()
		return true
	}
	if g = c.first(f, &j.Job); g != nil {
		f.put(g, j.Job.ID)
		c.toBack(g)
		c.sort()
		return true
	}
	return false
}

// wake is the end of the next slice after which somebody else has his turn.
func (p *policy) wake(f *floor, now schedmate.Seconds) schedmate.Seconds {
	var next schedmate.Seconds
	for _, g := range f.groups() {
		if len(g.jobs) <= g.slots {
			continue
		}
		if at := max(now+1, g.since+p.Slice); at <= schedmate.MaxSeconds && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}

func contains(ids []string, id string) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}
