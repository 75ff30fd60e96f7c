package sia

import (
	"cmp"
	"maps"
	"slices"

	"schedmate"
)

// want is a job and what it is to have.
type want struct {
	*job
	config
	place []schedmate.Allocation
}

// wants turns the chosen options into wants, in the order of the jobs.
func (r *round) wants(option []int) []want {
	var wants []want
	for i, j := range r.jobs {
		if o := option[i]; o >= 0 {
			wants = append(wants, want{job: j, config: j.configs[o]})
		}
	}
	return wants
}

// gained is what the chosen options bring over nobody having anything, in parts
// of the objective.
func (r *round) gained(option []int) int64 {
	sum := int64(0)
	for i, j := range r.jobs {
		if o := option[i]; o >= 0 {
			sum += j.configs[o].gain
		}
	}
	return sum
}

// widest orders wants by their gangs.
func widest(wants []*want) {
	slices.SortStableFunc(wants, func(a, b *want) int { return cmp.Compare(b.config.gpus, a.config.gpus) })
}

// keep finds places type by type: who keeps his configuration keeps his GPUs. If
// the others find no place beside them, the type is laid out anew, the widest
// first and those who can stay staying. Who still finds none gets nothing.
func (r *round) keep(wants []want) []schedmate.Action {
	o := r.s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	for _, j := range r.jobs {
		if j.at != nil {
			o.Release(&j.Job, j.at)
		}
	}
	taken := make(map[gpu]bool) // of all types: a gang that does not adapt may run on two
	for k := range r.kinds {
		var staying, coming []*want
		for i := range wants {
			w := &wants[i]
			switch {
			case w.config.kind != k:
			case w.stays():
				staying = append(staying, w)
			default:
				coming = append(coming, w)
			}
		}
		widest(coming)
		before := o.Mark()
		busy := maps.Clone(taken)
		if r.place(o, staying, busy, true) && r.place(o, coming, busy, true) {
			taken = busy
			continue
		}
		o.Rollback(before)
		all := append(staying, coming...)
		for _, w := range all {
			w.place = nil
		}
		widest(all)
		r.place(o, all, taken, false)
	}
	return r.actions(wants)
}

// place finds a place for each. A strict search stops where there is none.
func (r *round) place(o *schedmate.Occupancy, wants []*want, busy map[gpu]bool, strict bool) bool {
	for _, w := range wants {
		if w.stays() && r.vacant(o, w, busy) {
			w.place = w.at
		} else {
			sized := w.Job
			sized.GPUs = w.config.gpus
			w.place = r.on(o, &sized, w.config.kind)
		}
		if w.place == nil && strict {
			return false
		}
		if w.place != nil {
			o.Take(&w.Job, w.place)
		}
		for _, a := range w.place {
			busy[gpu{a.Node, a.GPU}] = true
		}
	}
	return true
}

// vacant reports whether the job can have again what it has.
func (r *round) vacant(o *schedmate.Occupancy, w *want, busy map[gpu]bool) bool {
	shared := 0
	for _, a := range w.at {
		if busy[gpu{a.Node, a.GPU}] {
			return false
		}
		if r.s.Cluster.Node(a.Node).VC == "" {
			shared++
		}
	}
	return shared == 0 || shared <= o.QuotaLeft(w.Job.VC)
}

type gpu struct {
	node  string
	index int
}

// stays reports whether the job is to have what it has.
func (w *want) stays() bool {
	return w.present.gpus == w.config.gpus && w.present.kind == w.config.kind
}

// actions carries the places out.
func (r *round) actions(wants []want) []schedmate.Action {
	places := make(map[*job][]schedmate.Allocation, len(wants))
	for i := range wants {
		places[wants[i].job] = wants[i].place
	}
	actions := []schedmate.Action{}
	var moves, starts []schedmate.Action
	for _, j := range r.jobs {
		as := places[j]
		switch {
		case j.at == nil && as != nil:
			starts = append(starts, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as})
		case j.at == nil:
		case as == nil:
			actions = append(actions, schedmate.Action{Kind: schedmate.Preempt, Job: j.Job.ID})
		case !slices.Equal(as, j.at):
			moves = append(moves, schedmate.Action{Kind: schedmate.Move, Job: j.Job.ID, Allocations: as})
		}
	}
	return append(append(actions, moves...), starts...)
}
