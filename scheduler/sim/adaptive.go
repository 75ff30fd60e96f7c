package sim

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler/adaptive"
	"schedmate/scheduler/goodput"
)

// train makes an arriving job adaptive, and tells the policy which gangs it can
// choose.
func (e *engine) train(r *record) error {
	if e.times == nil {
		e.times = adaptive.NewTimes()
		e.memories = make(memories)
	}
	var types []string
	nodes, largest := make(map[string]int), make(map[string]int)
	for i := range e.cfg.Cluster.Nodes {
		n := &e.cfg.Cluster.Nodes[i]
		if r.job.GPUType != "" && r.job.GPUType != n.GPUType {
			continue
		}
		if nodes[n.GPUType]++; nodes[n.GPUType] == 1 {
			types = append(types, n.GPUType)
		}
		largest[n.GPUType] = max(largest[n.GPUType], n.GPUs)
	}
	slices.Sort(types)
	tr, err := newTrainee(r.job.Training, e.times, types)
	if err != nil {
		return fmt.Errorf("job %s: %w", r.job.ID, err)
	}
	r.pace.train = tr
	r.status.Tuning = &tr.report
	r.status.Job.Sizes = nil
	for _, t := range types {
		r.status.Job.Sizes = append(r.status.Job.Sizes, goodput.Counts(largest[t], nodes[t], goodput.MostGPUs)...)
	}
	e.remind(r)
	slices.Sort(r.status.Job.Sizes)
	r.status.Job.Sizes = slices.Compact(r.status.Job.Sizes)
	return nil
}

// gangOf returns the type and the shape of a gang's GPUs.
func (e *engine) gangOf(r *record, as []schedmate.Allocation) (on string, shape adaptive.Shape, err error) {
	var perNode []int
	for i, a := range as {
		switch t := e.cfg.Cluster.Node(a.Node).GPUType; {
		case i == 0:
			on = t
		case t != on:
			return "", "", fmt.Errorf("adaptive job %s was given GPUs of two types, %q and %q", r.job.ID, on, t)
		}
		if i == 0 || as[i-1].Node != a.Node {
			perNode = append(perNode, 0)
		}
		perNode[len(perNode)-1]++
	}
	return on, adaptive.ShapeOf(perNode), nil
}

// retrain gives an adaptive job that has just begun its GPUs. Where the host does
// not mind, the same shape elsewhere is no other attempt.
func (h *rounds) retrain(r *record, moved bool) error {
	on, shape, err := h.gangOf(r, r.status.Attempt.Allocations)
	if err != nil {
		return err
	}
	tr := r.pace.train
	if moved && h.rules.SameShapeFree && tr.has(on, shape) {
		r.attempts--
		r.out.Restarts = r.attempts - 1
		r.status.Attempt.Number = r.attempts
		return nil
	}
	tr.save()
	tr.place(on, shape)
	return nil
}
