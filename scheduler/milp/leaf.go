package milp

import (
	"cmp"
	"math"
	"slices"

	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

// deadlines is a search over a round of jobs with steps: a whole choice is a
// demand for a calendar, which is found or proven impossible.
type deadlines struct {
	*search
	rows     *families
	gate     *lease.Gate
	patience int // steps that the search for one calendar may take

	demands []lease.Demand
	owner   []int // job of each demand
	best    []int // options of the best choice, by job
	slots   [][]int
}

// leafSteps is how long a calendar of one choice is searched for, coreSteps how
// long it is tried to prove that fewer demands have none either.
const (
	leafSteps = 2000
	coreSteps = 600

	quickly       = 8 // at first so many times less
	patienceGrows = 8
)

func newDeadlines(b *board, above reward.Points, spend func() bool) *deadlines {
	d := &deadlines{search: newSearch(b, above, spend), rows: newFamilies(b), gate: b.m.Gate, patience: leafSteps}
	d.separate, d.whole, d.settled = d.rows.broken, d.calendar, d.rows.settle
	for i := range b.options {
		if len(d.rows.late[i]) < b.options[i].inside() {
			d.shut = append(d.shut, i) // not even alone
		}
	}
	d.begin()
	return d
}

// run is that of the search, again with more patience for calendars that were not
// found, as long as there are steps. What an earlier search has proven stays true
// when a later one is not finished.
func (d *deadlines) run() reward.Points {
	limit := reward.Points(math.MaxInt64)
	for {
		limit = min(limit, d.search.run())
		if d.ended || d.given < d.target || d.patience > math.MaxInt/patienceGrows {
			return limit
		}
		d.patience *= patienceGrows
		d.again()
	}
}

// calendar asks for the calendar of a choice.
func (d *deadlines) calendar(pick []int, _ reward.Points) (verdict, *row) {
	d.demand(pick)
	all := make([]int, len(d.demands))
	for n := range all {
		all[n] = n
	}
	cal, found := d.find(all, d.patience/quickly)
	if found != lease.Found {
		claims, start := d.claims()
		if q := d.weighed(claims, start, firstRows); q != nil {
			return cutOff, q
		}
		if found == lease.Unknown {
			cal, found = d.mend(d.patience / quickly)
		}
		if found == lease.Unknown {
			if q := d.weighed(claims, start, mostRows); q != nil {
				return cutOff, q
			}
			cal, found = d.mend(d.patience)
		}
		if found == lease.Unknown {
			cal, found = d.find(all, d.patience)
		}
	}
	switch found {
	case lease.Impossible:
		return cutOff, d.without(d.core(all))
	case lease.Unknown:
		return givenUp, d.without(all)
	}
	d.best, d.slots = pick, d.byJob(cal)
	return carried, nil
}

// demand writes down what a choice demands of a calendar.
func (d *deadlines) demand(pick []int) {
	d.demands, d.owner = d.demands[:0], d.owner[:0]
	for job, i := range pick {
		if i >= 0 && d.b.options[i].inside() > 0 {
			d.demands, d.owner = append(d.demands, d.b.options[i].demand(d.b.m)), append(d.owner, job)
		}
	}
}

// byJob lists the slots of a calendar of the demands by job.
func (d *deadlines) byJob(cal lease.Calendar) [][]int {
	slots := make([][]int, len(d.b.m.Jobs))
	for n := range cal {
		slots[d.owner[n]] = cal[n]
	}
	return slots
}

// find looks for a calendar of some of the demands. A step of that search looks
// at all demands and slots, so it counts for more.
func (d *deadlines) find(which []int, steps int) (lease.Calendar, lease.Verdict) {
	demands := make([]lease.Demand, len(which))
	for n, i := range which {
		demands[n] = d.demands[i]
	}
	d.working(d.dispatch(len(which)))
	each := 1 + (len(demands)+d.b.slots)/20
	return lease.Find(d.b.m.Capacity, d.gate, demands, func() bool {
		steps -= each
		for range each {
			d.spend()
		}
		return steps >= 0 && d.spend()
	})
}

// mend looks for a calendar of all demands that may well exist. A move looks at all
// leases that are held.
func (d *deadlines) mend(moves int) (lease.Calendar, lease.Verdict) {
	d.working(d.dispatch(len(d.demands)))
	leases := 0
	for n := range d.demands {
		leases += d.demands[n].Inside(d.b.slots)
	}
	cal := lease.Mend(d.b.m.Capacity, d.gate, d.demands, nil, func() bool {
		moves--
		return moves >= 0 && d.working(1000+2*leases)
	})
	if cal == nil {
		return nil, lease.Unknown
	}
	return cal, lease.Found
}

// claims are the demands, latest window first, and two calendars of nearly all.
func (d *deadlines) claims() ([]claim, []lease.Calendar) {
	order := make([]int, len(d.demands))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(d.demands[y].Window(d.b.slots), d.demands[x].Window(d.b.slots))
	})
	d.working(d.dispatch(len(d.demands)))
	laxity, _ := lease.LeastLaxity(d.b.m.Capacity, nil, d.demands)
	latest, _ := lease.Latest(d.b.m.Capacity, nil, d.demands)
	var claims []claim
	start := make([]lease.Calendar, 2)
	for _, n := range order {
		t := &d.demands[n]
		claims = append(claims, claim{d.owner[n], t.GPUs, t.Window(d.b.slots), float64(t.Inside(d.b.slots))})
		start[0], start[1] = append(start[0], laxity[n]), append(start[1], latest[n])
	}
	return claims, start
}

// dispatch is what two simple calendars of so many demands take, in additions.
func (d *deadlines) dispatch(demands int) int { return 20 * demands * d.b.slots }

// core takes demands away while the rest is still proven impossible: larger
// groups first, the late and small ones first, which are most often innocent.
func (d *deadlines) core(keep []int) []int {
	slices.SortStableFunc(keep, func(x, y int) int {
		return cmp.Or(cmp.Compare(d.demands[y].By, d.demands[x].By), cmp.Compare(d.demands[x].GPUs, d.demands[y].GPUs))
	})
	for size := (len(keep) + 1) / 2; size >= 1; size /= 2 {
		for n := 0; n < len(keep); {
			rest := append(slices.Clone(keep[:n]), keep[min(n+size, len(keep)):]...)
			if _, found := d.find(rest, coreSteps); found == lease.Impossible {
				keep = rest
			} else {
				n += size
			}
		}
	}
	return keep
}

// without is the row that not all of these demands, or harder ones of the same
// jobs, are chosen together.
func (d *deadlines) without(which []int) *row {
	q := &row{need: make([]float64, len(d.b.options)), most: float64(len(which) - 1)}
	for _, n := range which {
		demand := &d.demands[n]
		levels := demand.Cells.Levels()
		from, to := d.b.of(d.owner[n])
		for i := from; i < to; i++ {
			o := &d.b.options[i]
			if o.gpus >= demand.GPUs && o.leases >= demand.Leases && o.by <= demand.By && (d.gate == nil || o.levels.Holds(levels)) {
				q.need[i] = 1
			}
		}
	}
	return q.list()
}
