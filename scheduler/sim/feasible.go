package sim

import (
	"schedmate"
	"schedmate/scheduler/explain"
)

// shape is all that decides whether a job could ever run.
type shape struct {
	vc, gpuType string
	gpus, least int // least: the smallest gang of an elastic job
}

// infeasible returns why the job can never run, or nil. It asks the policy
// itself, with the whole cluster empty and healthy.
func (e *engine) infeasible(r *record) *schedmate.Reason {
	key := shape{r.status.Job.VC, r.status.Job.GPUType, r.status.Job.GPUs, 0}
	if sizes := r.status.Job.Sizes; len(sizes) > 0 {
		key.least = sizes[0]
	}
	reason, known := e.fits[key]
	if !known {
		reason = explain.Infeasible(e.cfg.Policy, e.cfg.Budget, e.cfg.Cluster, r.status, e.now)
		e.fits[key] = reason
	}
	if reason == nil {
		return nil
	}
	mine := *reason
	mine.Job = r.status.Job.ID
	return &mine
}
