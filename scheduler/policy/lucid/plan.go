package lucid

import (
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/pack"
)

// desk is what one plan works on.
type desk struct {
	*memory
	occupancy *schedmate.Occupancy
	board     *pack.Board
	lab       []int // nodes of the profiler
	queue     []*schedmate.JobStatus
	holds     map[shape]bool  // whether the nodes outside of the profiler hold the gang if they are empty
	held      map[string]bool // jobs that wait for their profile
	starts    map[string]bool // jobs that start in this plan
	packing   bool
	wake      schedmate.Seconds // when the next profile is over, or too late
	actions   []schedmate.Action
}

func (p *policy) Plan(s schedmate.Snapshot, _ scheduler.Budget) schedmate.Plan {
	o := s.Occupancy()
	mark := o.Mark()
	defer o.Rollback(mark)
	d := &desk{
		memory: recall(&s), occupancy: o, board: pack.NewBoard(&s), lab: p.lab(o), queue: scheduler.Queue(&s, p.Rank),
		starts: make(map[string]bool), holds: make(map[shape]bool), packing: p.Pack, actions: []schedmate.Action{},
	}
	if p.Forecast.Least > 0 {
		d.arrivals.count(&s)
		d.packing = d.packing && d.arrivals.busy(p.Forecast.Least)
	}
	back := append(p.finish(&s, d), p.undo(&s, d)...)
	if len(back) > 0 {
		d.queue = scheduler.Sorted(append(slices.Clone(d.queue), back...), s.Now, p.Rank)
	}
	p.profile(&s, d)
	p.walk(&s, d)
	for _, until := range d.until { //schedmate:ordered the earliest has no order
		d.wakeAt(until)
	}
	return schedmate.Plan{
		Policy: p.Name(), Engine: schedmate.RuleEngine, Actions: d.actions,
		Memory: d.notes(&s, p.Forecast.Least > 0), Wake: d.wake,
	}
}

// undo takes pairs apart that have turned out to be slower than is tolerated.
func (p *policy) undo(s *schedmate.Snapshot, d *desk) []*schedmate.JobStatus {
	if p.Undo.Rule == pack.NoUndo {
		return nil
	}
	var back []*schedmate.JobStatus
	// A newcomer that leaves has room if free GPUs are left over by all who wait.
	room := func(j *schedmate.JobStatus) bool { return len(s.Waiting) == 0 && p.free(s, d, &j.Job) != nil }
	for _, e := range p.Undo.Verdicts(d.board, d.book, room) {
		d.actions = append(d.actions, e.Action())
		d.occupancy.Release(&e.Newcomer.Job, e.Newcomer.Attempt.Allocations)
		back = append(back, e.Newcomer)
	}
	return back
}

// walk starts the jobs of the queue, beside others or on free GPUs. While packing
// is on, one that fits nowhere is passed over; otherwise it blocks those behind it.
func (p *policy) walk(s *schedmate.Snapshot, d *desk) {
	for _, j := range d.queue {
		if d.held[j.Job.ID] {
			continue
		}
		if !p.start(s, d, j) && !d.packing && d.occupancy.Capacity(&j.Job) >= j.Job.GPUs {
			return
		}
	}
}

// start gives the job its GPUs, if it can.
func (p *policy) start(s *schedmate.Snapshot, d *desk, j *schedmate.JobStatus) bool {
	if d.packing && p.PackFirst && p.join(s, d, j) {
		return true
	}
	if as := p.free(s, d, &j.Job); as != nil {
		if p.shares(s, d, j) {
			as = p.partly(as)
			d.board.Start(j, as)
		}
		d.begin(j, as, nil)
		return true
	}
	return d.packing && !p.PackFirst && p.join(s, d, j)
}

// free finds free GPUs outside of the profiler. A gang that would not find any there
// if nothing ran may have the profiler's, too.
func (p *policy) free(s *schedmate.Snapshot, d *desk, j *schedmate.Job) []schedmate.Allocation {
	unlock := lock(d.occupancy, d.inLab)
	as := p.find(d.occupancy, j)
	unlock()
	if as != nil || len(d.lab) == 0 {
		return as
	}
	key := shape{j.VC, j.GPUType, j.GPUs}
	holds, asked := d.holds[key]
	if !asked {
		empty := schedmate.NewOccupancy(s.Cluster)
		lock(empty, d.inLab)
		holds = p.find(empty, j) != nil
		d.holds[key] = holds
	}
	if holds {
		return nil
	}
	return p.find(d.occupancy, j)
}

// shape is all of a request that decides which nodes hold it.
type shape struct {
	vc, gpuType string
	gpus        int
}

func (d *desk) inLab(i int) bool { return slices.Contains(d.lab, i) }

// shares reports whether others may join the job while it runs.
func (p *policy) shares(s *schedmate.Snapshot, d *desk, j *schedmate.JobStatus) bool {
	return p.Pack && (p.Rules.MostGPUs == 0 || j.Job.GPUs <= p.Rules.MostGPUs) && p.known(j, s.Now, d.memory)
}

func (p *policy) join(s *schedmate.Snapshot, d *desk, j *schedmate.JobStatus) bool {
	mate, as := p.beside(s, d, j)
	if mate == nil {
		return false
	}
	d.board.Join(j, mate.Job)
	d.guest[j.Job.ID] = true
	d.begin(j, as, mate.Packed())
	return true
}

func (d *desk) begin(j *schedmate.JobStatus, as []schedmate.Allocation, packed *schedmate.Packed) {
	d.occupancy.Take(&j.Job, as)
	d.starts[j.Job.ID] = true
	d.actions = append(d.actions, schedmate.Action{Kind: schedmate.Start, Job: j.Job.ID, Allocations: as, Packed: packed})
}

// wakeAt asks for a plan at an instant, unless there is one before.
func (d *desk) wakeAt(at schedmate.Seconds) {
	if d.wake == 0 || at < d.wake {
		d.wake = at
	}
}
