package sim

import "schedmate"

// changeNodes applies the node events that are due. A node that goes down ends
// the attempts on it; draining and suspect nodes keep what runs.
func (e *engine) changeNodes() error {
	for e.events < len(e.load.Nodes) && e.load.Nodes[e.events].At <= e.now {
		ev := e.load.Nodes[e.events]
		e.events++
		if err := e.change(ev.Node, ev.Health, false); err != nil {
			return err
		}
	}
	return nil
}

// change gives a node another health. What runs on a node that goes down loses what
// it has done since its last checkpoint, unless it is saved first.
func (e *engine) change(node string, health schedmate.Health, saved bool) error {
	e.emit(Event{At: e.now, Kind: NodeHealth, Node: node, Health: health})
	if err := e.ledger.Health(node, health); err != nil {
		return err
	}
	for _, p := range e.parts {
		n := p.cluster.Node(node)
		if n == nil {
			continue
		}
		e.down.change(n, health, e.now)
		n.Health = health
		if health == schedmate.Down {
			if err := e.evict(p, node, saved); err != nil {
				return err
			}
		}
		e.touch(p)
	}
	return nil
}

// evict requeues what runs on a node, falling back to the last checkpoint, which is
// now where it is saved.
func (e *engine) evict(p *part, node string, saved bool) error {
	var victims []*record
	for _, s := range p.running {
		for _, a := range s.Attempt.Allocations {
			if a.Node == node {
				victims = append(victims, e.live[s.Job.ID])
				break
			}
		}
	}
	for _, r := range victims {
		if err := e.ledger.Requeue(r.status.Job.ID); err != nil {
			return err
		}
		safe := r.status.Done
		switch {
		case r.pace != nil:
			safe = r.pace.lose(r)
		case r.count != nil:
			safe = r.count.done // what policies are told moves on
		}
		e.leave(r)
		if every := e.cfg.World.Checkpoint; every > 0 {
			safe = max(safe, r.status.Done-r.status.Done%every)
		}
		if saved {
			safe = r.status.Done
		}
		r.status.Done = safe
		if e.cfg.World.Cycle == 0 {
			r.status.Owed += e.cfg.World.Restart(r.status.Job.GPUs)
		}
		e.enqueue(r)
		e.emit(Event{At: e.now, Kind: Evicted, Job: r.status.Job.ID, Node: node})
	}
	return nil
}

// downtime integrates the GPUs of nodes that take no work over time.
type downtime struct {
	at    schedmate.Seconds
	gpus  int64
	total int64
}

func (d *downtime) open(c *schedmate.Cluster, now schedmate.Seconds) {
	d.at = now
	for i := range c.Nodes {
		if !c.Nodes[i].Takes() {
			d.gpus += int64(c.Nodes[i].GPUs)
		}
	}
}

func (d *downtime) change(n *schedmate.Node, h schedmate.Health, now schedmate.Seconds) {
	d.total, d.at = d.until(now), now
	if !n.Takes() {
		d.gpus -= int64(n.GPUs)
	}
	if h != schedmate.Healthy {
		d.gpus += int64(n.GPUs)
	}
}

// until returns the sum up to an instant that is not before the last change.
func (d *downtime) until(t schedmate.Seconds) int64 { return d.total + d.gpus*int64(t-d.at) }
