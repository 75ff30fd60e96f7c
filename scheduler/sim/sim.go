package sim

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/adaptive"
	"schedmate/scheduler/verify"
)

// Config is one run: a cluster, a policy and the world around it.
type Config struct {
	Cluster schedmate.Cluster
	Policy  scheduler.Policy
	World   scheduler.World
	Budget  scheduler.Budget

	// Interrupt, if set, is asked at every instant; an error ends the run with it.
	Interrupt func() error

	// Tracker, if set, reads the step times of jobs that leave room on their GPUs.
	Tracker Tracker

	// Observe, if set, is told everything that happens, in order. It must not
	// keep the slices of an Event.
	Observe func(Event)
}

// Result is what came out of a run.
type Result struct {
	Jobs             []JobResult // in the order of the workload
	First            schedmate.Seconds
	Last             schedmate.Seconds // the last end that is reported
	GPUs             int               // of the whole cluster
	HeldGPUSeconds   int64             // GPU time held by jobs; a GPU that several share counts once
	DownGPUSeconds   int64             // GPU time of nodes that took no work, until the last job left
	Plans            int               // calls of the policy
	Steps            []int64           // of its optimiser, in the order of the plans that it has taken part in
	Preemptions      int
	Packs            []Pack     // jobs that shared GPUs, in the order in which they began to
	RedoneGPUSeconds int64      // GPU time of work that failures have undone
	NoEstimate       int        // jobs without a run-time fact, where the World tells run times
	Unfinished       int        // jobs that still wait when nothing can happen any more
	Profiling        *Profiling // of a World with it, or a policy that measures; else nil
	Hash             string     // over every event of the run, in order
}

// Makespan is the time from the first submission to the last end.
func (r *Result) Makespan() schedmate.Seconds { return max(0, r.Last-r.First) }

// Run simulates the workload to its end. It is deterministic: equal inputs give
// equal results, hash included. An error means bad input, or a policy whose
// plan the checker refused.
func Run(cfg Config, w Workload) (*Result, error) {
	if err := cfg.Cluster.Validate("cluster"); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	if err := cfg.World.Validate(); err != nil {
		return nil, fmt.Errorf("simulate: world: %w", err)
	}
	if err := w.Validate(&cfg.Cluster); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	if i := slices.IndexFunc(w.Jobs, func(j Job) bool { return len(j.Stops) > 0 }); i >= 0 && cfg.World.Rounds != nil {
		return nil, fmt.Errorf("simulate: job %s stops on its way, which a host in rounds does not know: leave out failures or rounds", w.Jobs[i].ID)
	}
	var res *Result
	var err error
	if cfg.World.Profiler != nil {
		res, err = profiled(cfg, w)
	} else {
		res, err = newEngine(cfg, &w).whole()
	}
	if err != nil {
		return nil, fmt.Errorf("simulate: policy %s: %w", cfg.Policy.Name(), err)
	}
	return res, nil
}

// whole simulates from the first instant to the last.
func (e *engine) whole() (*Result, error) {
	if err := e.measure(); err != nil {
		return nil, fmt.Errorf("world: profiling: %w", err)
	}
	run := e.run
	if e.cfg.World.Rounds != nil {
		run = newRounds(e).run
	}
	if err := run(); err != nil {
		return nil, err
	}
	return e.finish(), nil
}

type engine struct {
	cfg      Config
	load     *Workload
	now      schedmate.Seconds
	parts    []*part
	places   []schedmate.Cluster // what PartOf needs
	live     map[string]*record
	ends     endQueue
	returns  comebacks // of jobs that have failed
	advice   []advice  // that is still to be given
	next     int       // index of the next arrival, in the order of arrivals
	stage    *stage
	events   int // index of the next node event
	seq      int64
	fits     map[shape]*schedmate.Reason // nil value: it fits
	times    *adaptive.Times             // of adaptive jobs
	memories memories

	logging []*record        // jobs that log beside others, and whose steps anybody waits for
	tenants map[gpu]*tenants // of GPUs that have room for others, and no job that wants them whole
	ledger  *verify.Ledger
	digest  *digest
	down    downtime
	res     Result
}

// record is a job that has been submitted and has not ended.
type record struct {
	status   schedmate.JobStatus
	job      *Job
	out      *JobResult
	part     *part
	work     schedmate.Seconds // to do in sum, without restarts
	pace     *pace             // in rounds; else nil
	attempts int
	stops    int               // of the job's stops that are over
	stop     *Stop             // a failure that ends the attempt; nil: it runs to its end
	since    schedmate.Seconds // when it entered the state it is in
	turn     int               // which of its ends is the one expected
	count    *count            // of an attempt that leaves room for others; else nil
	due      schedmate.Seconds // of an attempt with a count
	packs    []int             // in Result.Packs, of its attempt
	log      steps             // what it has logged
}

func newEngine(cfg Config, w *Workload) *engine {
	e := &engine{
		cfg:    cfg,
		load:   w,
		live:   make(map[string]*record),
		fits:   make(map[shape]*schedmate.Reason),
		ledger: verify.NewLedger(&cfg.Cluster),
		digest: newDigest(),

		tenants: make(map[gpu]*tenants),
	}
	e.res.GPUs = cfg.Cluster.GPUs()
	e.res.Jobs = make([]JobResult, len(w.Jobs))
	e.places = scheduler.Parts(&cfg.Cluster)
	for _, c := range e.places {
		c.Nodes = slices.Clone(c.Nodes) // their health changes
		e.parts = append(e.parts, newPart(c, cfg.Policy))
	}
	if len(w.Jobs) > 0 {
		e.res.First = w.Jobs[0].Submit
		e.now = e.res.First
	}
	e.down.open(&cfg.Cluster, e.now)
	e.schedule()
	return e
}

// run advances from instant to instant. Within one: ends, node events,
// arrivals, plans.
func (e *engine) run() error {
	idle := 0
	for {
		at := e.instant()
		if at == schedmate.Forever {
			break
		}
		e.now = at
		if e.cfg.Interrupt != nil {
			if err := e.cfg.Interrupt(); err != nil {
				return err
			}
		}
		if err := e.endJobs(); err != nil {
			return err
		}
		if err := e.changeNodes(); err != nil {
			return err
		}
		if err := e.profilers(); err != nil {
			return err
		}
		e.logSteps()
		if err := e.arrive(); err != nil {
			return err
		}
		e.resubmit()
		e.advise()
		acted, err := e.plan()
		if err != nil {
			return err
		}
		if idle++; acted || len(e.ends) > 0 || len(e.returns) > 0 || e.next < len(e.load.Jobs) || e.events < len(e.load.Nodes) {
			idle = 0
		}
		if idle > maxIdleWakes {
			return fmt.Errorf("asked %d times to be woken at %d s although nothing can happen any more", idle, e.now)
		}
	}
	e.res.Unfinished = len(e.live)
	if open := e.ledger.Open(); open != e.res.Unfinished {
		return fmt.Errorf("BUG: the ledger knows %d open jobs, the simulator %d", open, e.res.Unfinished)
	}
	return nil
}

// maxIdleWakes bounds how often a policy may be woken in a row when nothing
// runs and nothing will happen.
const maxIdleWakes = 10_000

// instant returns when something happens next.
func (e *engine) instant() schedmate.Seconds {
	at := schedmate.Forever
	if end, ok := e.ends.peek(); ok {
		at = min(at, end.at)
	}
	if e.next < len(e.load.Jobs) {
		_, seen := e.arrival()
		at = min(at, seen)
	}
	at = min(at, e.stage.instant())
	if e.events < len(e.load.Nodes) {
		at = min(at, max(e.now, e.load.Nodes[e.events].At))
	}
	if len(e.returns) > 0 {
		at = min(at, e.returns[0].at)
	}
	if len(e.advice) > 0 {
		at = min(at, e.advice[0].at)
	}
	for _, p := range e.parts {
		at = min(at, p.planAt)
	}
	return min(at, e.nextStep())
}

func (e *engine) endJobs() error {
	for {
		end, ok := e.ends.peek()
		if !ok || end.at > e.now {
			return nil
		}
		e.ends.pop()
		r := end.record
		if r.status.Attempt == nil || r.turn != end.turn {
			continue // preempted meanwhile, or of another speed
		}
		if end.stop != nil {
			if err := e.fail(r, end.stop); err != nil {
				return err
			}
			continue
		}
		id := r.status.Job.ID
		if err := e.ledger.End(id); err != nil {
			return err
		}
		e.leave(r)
		r.out.End = end.due
		if e.cfg.World.OmitRestarts {
			r.out.End = r.status.Job.Submit + r.out.Queue + r.work
		}
		r.out.State = r.endState()
		if p := r.out.Profile; p != nil {
			p.Finished = p.End == e.now && r.out.Restarts == 0
		}
		e.res.Last = max(e.res.Last, r.out.End)
		e.res.DownGPUSeconds = e.down.until(e.now)
		delete(e.live, id)
		e.touch(r.part)
		e.emit(Event{At: e.now, Kind: Ended, Job: id, State: r.out.State})
	}
}

func (r *record) endState() schedmate.State {
	if r.work < r.job.Outcome.Run {
		return schedmate.TimedOut
	}
	return r.job.Outcome.State
}

// leave takes a running job's GPUs away and accounts for what it did.
func (e *engine) leave(r *record) {
	s := &r.status
	if r.pace != nil {
		r.pace.leave(r, e.now)
		return
	}
	held := s.Elapsed(e.now)
	if r.count != nil {
		r.count.settle(e.now)
		s.Done, s.Owed = r.count.book()
		e.hush(r)
		e.part(r)
		r.count = nil
	} else {
		e.res.HeldGPUSeconds += int64(e.now-r.since) * int64(s.Job.GPUs)
		paid := min(held, s.Owed)
		s.Owed -= paid
		s.Done += min(held-paid, r.work-s.Done)
	}
	s.Held += held
	if p := r.out.Profile; p != nil && p.End == NoTime {
		p.End = e.now
	}
	r.part.stop(s)
	s.Attempt = nil
}

func (e *engine) arrive() error {
	for e.next < len(e.load.Jobs) {
		k, seen := e.arrival()
		if seen > e.now {
			break
		}
		j := &e.load.Jobs[k]
		out := &e.res.Jobs[k]
		*out = JobResult{Job: j, Start: NoTime, End: NoTime, State: schedmate.Waiting}
		e.next++
		e.emit(Event{At: e.now, Kind: Submitted, Job: j.ID})
		if e.ended(k) {
			continue
		}
		p := e.parts[scheduler.PartOf(e.places, j.VC)]
		r := &record{job: j, out: out, part: p, work: work(j), since: e.now}
		r.status = schedmate.JobStatus{Job: j.Job, Facts: e.facts(r)}
		r.status.Job.Outcome = nil
		if err := e.scale(r); err != nil {
			return err
		}
		if e.cfg.World.Estimates != scheduler.NoEstimates && r.status.Fact(schedmate.RunSeconds, e.now) == nil {
			e.res.NoEstimate++
		}
		if reason := e.infeasible(r); reason != nil {
			out.State, out.Reason = schedmate.Infeasible, reason
			e.emit(Event{At: e.now, Kind: Rejected, Job: j.ID, State: schedmate.Infeasible})
			continue
		}
		if err := e.ledger.Submit(&r.status.Job); err != nil {
			return err
		}
		e.live[j.ID] = r
		e.enqueue(r)
		r.since = j.Submit + e.stage.held(k) // a host that works in rounds or measures sees it later
	}
	return nil
}

// work is what the job does in all, its time limit included.
func work(j *Job) schedmate.Seconds {
	if j.TimeLimit > 0 {
		return min(j.Outcome.Run, j.TimeLimit)
	}
	return j.Outcome.Run
}

func (e *engine) enqueue(r *record) {
	r.since = e.now
	r.status.Seq = e.seq
	e.seq++
	r.part.enqueue(&r.status, e.now)
	e.touch(r.part)
}

// touch makes the part plan at the next instant at which decisions are made.
func (e *engine) touch(p *part) { p.planAt = min(p.planAt, e.tick(e.now)) }

// tick rounds an instant up to the next decision.
func (e *engine) tick(t schedmate.Seconds) schedmate.Seconds {
	tick := e.cfg.World.Tick
	if tick == 0 || t%tick == 0 {
		return t
	}
	return t + tick - t%tick
}

func (e *engine) plan() (acted bool, err error) {
	for _, p := range e.parts {
		if p.planAt > e.now {
			continue
		}
		p.planAt = p.wake
		if len(p.waiting) == 0 && p.wake > e.now {
			continue // nobody to start, hence nobody to preempt, and the policy did not ask
		}
		p.wake = schedmate.Forever
		e.tellShared(p)
		plan := e.cfg.Policy.Plan(p.snapshot(e.now), e.cfg.Budget)
		e.res.Plans++
		if plan.BudgetUsed > 0 {
			e.res.Steps = append(e.res.Steps, plan.BudgetUsed)
		}
		if plan.Wake != 0 {
			if plan.Wake <= e.now || plan.Wake > schedmate.MaxSeconds {
				return false, fmt.Errorf("asked at %d s to be woken at %d s, which is over or beyond all times", e.now, plan.Wake)
			}
			p.wake = e.tick(plan.Wake)
		}
		if err := e.ledger.Apply(&plan); err != nil {
			return false, fmt.Errorf("at %d s: %w", e.now, err)
		}
		if err := e.refuseShares(&plan); err != nil {
			return false, err
		}
		e.tell(&plan)
		e.release(&plan)
		for i := range plan.Actions {
			e.act(&plan.Actions[i])
			acted = true
		}
		if err := e.measureBy(&plan); err != nil {
			return false, err
		}
		p.memory = plan.Memory
		p.planAt = p.wake // the plan's own preemptions are no news to it
	}
	return acted, nil
}

func (e *engine) act(a *schedmate.Action) {
	r := e.live[a.Job]
	switch a.Kind {
	case schedmate.Start:
		e.start(r, a)
	case schedmate.Preempt:
		e.undo(r, a)
		if e.cfg.World.ForgiveUnpaid {
			r.status.Owed = 0
		}
		if e.cfg.World.Cycle == 0 {
			r.status.Owed += e.cfg.World.Restart(r.status.Job.GPUs)
		}
		r.status.Preemptions++
		r.out.Preemptions++
		r.out.Queue += e.cfg.World.PreemptionWait
		e.res.Preemptions++
		e.enqueue(r)
		e.emit(Event{At: e.now, Kind: Preempted, Job: a.Job})
	case schedmate.Move:
		r.status.Owed += e.cfg.World.Restart(r.status.Job.GPUs)
		e.begin(r, a.Allocations, e.now)
		e.emit(Event{At: e.now, Kind: Moved, Job: a.Job, Allocations: a.Allocations, Lease: a.Lease})
	case schedmate.Park:
		e.park(r)
	}
}

func (e *engine) start(r *record, a *schedmate.Action) {
	s := &r.status
	since := e.counted(r, a)
	waited := since - r.since
	s.Waited += waited
	r.out.Queue += waited
	r.part.dequeue(s, e.now)
	e.begin(r, a.Allocations, since)
	e.expects(r, a)
	if a.Profile {
		r.out.Profile = &Profile{Start: since, End: NoTime}
	}
	e.emit(Event{At: e.now, Kind: Started, Job: s.Job.ID, Allocations: a.Allocations, Lease: a.Lease, Profile: a.Profile})
}

func (e *engine) emit(ev Event) {
	e.digest.add(&ev)
	if e.cfg.Observe != nil {
		e.cfg.Observe(ev)
	}
}

func (e *engine) finish() *Result {
	e.res.Hash = e.digest.sum()
	return &e.res
}
