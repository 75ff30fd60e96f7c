package sim

import (
	"fmt"
	"slices"

	"schedmate"
)

// pace is how far a job of a host in rounds is, exact at every round. A job
// without speeds does one unit of work a second.
type pace struct {
	work, did int64
	before    int64 // did when the attempt began
	rate      int64 // of the attempt, a second
	charge    schedmate.Seconds
	end       schedmate.Seconds // of the attempt, if nothing interrupts it
	parked    bool              // has started once, or been parked
	begun     bool              // by a start of this round
	train     *trainee          // of an adaptive job: it works by this instead
}

// scale gives a job that arrives its pace, and the policy the sizes to choose
// from.
func (e *engine) scale(r *record) error {
	r.status.Job.Sizes = nil
	if e.cfg.World.Rounds == nil {
		return nil
	}
	r.pace = &pace{work: int64(r.work), rate: 1}
	if e.cfg.World.Elastic && r.job.Training != nil {
		return e.train(r)
	}
	if !e.cfg.World.Elastic || r.job.Speeds == nil {
		return nil
	}
	types := []string{r.job.GPUType}
	if r.job.GPUType == "" {
		types = nil
	}
	for i := range e.cfg.Cluster.Nodes {
		if t := e.cfg.Cluster.Nodes[i].GPUType; r.job.GPUType == "" && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	sizes := r.job.Speeds.Sizes(types...)
	if len(sizes) == 0 {
		return fmt.Errorf("the speed of job %s is known for no gang on every GPU type that it may get (%q): name the type of the nodes, or the job's", r.job.ID, types)
	}
	r.status.Job.Sizes = sizes
	r.pace.work = r.job.Speeds.Cut(r.work, r.job.Outcome.Run).Work // a time limit cuts it
	return nil
}

func (p *pace) begin(r *record) {
	p.before, p.parked = p.did, true
}

// speed sets the rate of the attempt that has begun.
func (e *engine) speed(r *record) error {
	if len(r.status.Job.Sizes) == 0 {
		return nil
	}
	as := r.status.Attempt.Allocations
	nodes := 0
	for i := range as {
		if i == 0 || as[i-1].Node != as[i].Node {
			nodes++
		}
	}
	gpuType := e.cfg.Cluster.Node(as[0].Node).GPUType
	if r.pace.rate = r.job.Speeds.On(len(as), nodes, gpuType); r.pace.rate == 0 {
		return fmt.Errorf("the speed of job %s on %d GPUs of type %q is not known", r.job.ID, len(as), gpuType)
	}
	return nil
}

// left is how long the job still works, not counting what it has to pay.
func (p *pace) left() schedmate.Seconds {
	return schedmate.Seconds((p.work - p.did + p.rate - 1) / p.rate)
}

// advance lets a running job work from one round to the next, and reports for
// how long it has.
func (p *pace) advance(last, now schedmate.Seconds) (worked schedmate.Seconds, err error) {
	if p.train != nil {
		if p.end, err = p.train.advance(last, now); err != nil {
			return 0, err
		}
		p.did = min(p.work, int64(float64(p.work)*p.train.share()))
		return min(now, p.end) - last, nil
	}
	if p.end <= now {
		p.did, p.charge = p.work, 0
		return max(0, p.end-last), nil
	}
	paid := min(now-last, p.charge)
	p.charge = 0
	p.did = min(p.work, p.did+int64(now-last-paid)*p.rate)
	return now - last, nil
}

// stop takes the GPUs of an adaptive job away; others are given a speed anew.
func (p *pace) stop() {
	if p.train != nil {
		p.train.stop()
	}
}

// tell writes the work that is done into the status that policies see. Speeds
// change within an attempt's time and costs are forgiven, so all its time so
// far is booked as owed, and the work as done: their sum is right at now. What an
// adaptive job still has to pay for its start is owed on top.
func (p *pace) tell(r *record, now schedmate.Seconds) {
	r.status.Done = 0
	if p.work > 0 {
		r.status.Done = schedmate.Seconds(scaled(p.did, int64(r.work), p.work))
	}
	r.status.Owed = r.status.Elapsed(now)
	if p.train != nil && p.train.on != nil {
		r.status.Owed += p.train.delay // still to pay
	}
}

// leave takes the GPUs away.
func (p *pace) leave(r *record, now schedmate.Seconds) {
	s := &r.status
	s.Held += s.Elapsed(now)
	r.part.stop(s)
	s.Attempt = nil
	p.charge = 0
	p.tell(r, now)
}

// lose takes back the work of the attempt, as its node goes down.
func (p *pace) lose(r *record) schedmate.Seconds {
	p.did = p.before
	if p.train != nil {
		p.train.lose()
		p.train.stop()
	}
	p.tell(r, r.status.Attempt.Start)
	return r.status.Done
}
