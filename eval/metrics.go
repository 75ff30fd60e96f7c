package eval

import (
	"math"
	"slices"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Metrics are the figures of one run, named as the machine-facing report names
// them. Times are seconds, shares fractions of 1. A nil pointer means that the
// figure does not apply (no job with a deadline, no admission).
//
// Means and percentiles are over the jobs that ended; percentiles interpolate
// linearly between closest ranks, as numpy does.
type Metrics struct {
	Jobs       int `json:"jobs"`
	Ended      int `json:"ended"`
	Infeasible int `json:"infeasible"`
	Unfinished int `json:"unfinished"`
	NoEstimate int `json:"no_estimate"` // jobs whose run time the policy was to be told, but nobody knew

	Delays
	// The mean JCT of the jobs with a deadline and of the others, and what 99 of 100
	// others stay below, where there are both.
	MeanJCTSLO        *float64 `json:"mean_jct_slo_s,omitempty"`
	MeanJCTBestEffort *float64 `json:"mean_jct_best_effort_s,omitempty"`
	P99JCTBestEffort  *float64 `json:"p99_jct_best_effort_s,omitempty"`

	Makespan int64 `json:"makespan_s"`

	// Utilisation is the GPU time held by jobs over the GPU time of the whole
	// cluster during the makespan; nodes that took no work count as capacity.
	Utilisation float64 `json:"utilisation"`
	// HeldBack is the share of the GPU time that could take no work.
	HeldBack    float64 `json:"held_back"`
	Preemptions int     `json:"preemptions"`
	Restarts    int     `json:"restarts"`

	// How often a job was packed onto the GPUs of another one, how many jobs were
	// profiled, and how many of these ended in their profile.
	Packed         int `json:"packed,omitempty"`
	Profiled       int `json:"profiled,omitempty"`
	EndedInProfile int `json:"ended_in_profile,omitempty"`

	// WDMR is the mean, over all jobs with a deadline, of the share of the
	// reward that the job's end has lost: 0 by the first deadline, 1 after the
	// last or never.
	WDMR       *float64 `json:"wdmr"`
	DMR        *float64 `json:"dmr"` // share of jobs with a deadline that end after their first
	StrictMiss *float64 `json:"strict_miss"`
	SoftMiss   *float64 `json:"soft_miss"`

	// Of policies that promise: the share of the strict jobs that were promised
	// their deadline, and of the soft ones that were told to expect one of theirs.
	// Of these, the share that ended after the deadline that they were first told,
	// or never, whatever they were told later; and that of the strict ones alone.
	AcceptanceStrict    *float64 `json:"acceptance_strict"`
	AcceptanceSoft      *float64 `json:"acceptance_soft"`
	BrokenAmongAccepted *float64 `json:"broken_among_accepted"`
	BrokenAmongPromised *float64 `json:"broken_among_promised"`

	*Solving

	// MaxSlowdown is the largest JCT over run time of any job; VCFairness is
	// Jain's index of the VCs' mean slowdowns (1: all alike).
	MaxSlowdown float64   `json:"max_slowdown"`
	VCFairness  *float64  `json:"vc_fairness"`
	VCs         []VCShare `json:"vcs,omitempty"`

	Sizes []SizeShare `json:"sizes,omitempty"`

	*Profiling
}

// VCShare is what one virtual cluster got.
type VCShare struct {
	VC           string  `json:"vc"`
	Jobs         int     `json:"jobs"`
	GPUTimeShare float64 `json:"gpu_time_share"` // of all run GPU time
	MeanJCT      float64 `json:"mean_jct_s"`
	MeanQueue    float64 `json:"mean_queue_s"`
	MeanSlowdown float64 `json:"mean_slowdown"`
}

// Measure computes the figures of a run.
func Measure(r *sim.Result) Metrics {
	m := Metrics{Jobs: len(r.Jobs), Unfinished: r.Unfinished, NoEstimate: r.NoEstimate, Makespan: int64(r.Makespan()), Preemptions: r.Preemptions, Packed: len(r.Packs)}
	var jct, queue, slo, bestEffort []float64
	var deadlines deadlines
	vcs, sizes := newVCTable(), newSizeTable()
	for i := range r.Jobs {
		j := &r.Jobs[i]
		m.Restarts += j.Restarts
		if j.State == schedmate.Infeasible {
			m.Infeasible++
		}
		if p := j.Profile; p != nil {
			m.Profiled++
			if p.Finished {
				m.EndedInProfile++
			}
		}
		deadlines.add(j)
		if !j.Ran() {
			continue
		}
		m.Ended++
		jct = append(jct, float64(j.JCT()))
		if j.Job.SLO.HasDeadline() {
			slo = append(slo, float64(j.JCT()))
		} else {
			bestEffort = append(bestEffort, float64(j.JCT()))
		}
		queue = append(queue, float64(j.Queue))
		m.MaxSlowdown = max(m.MaxSlowdown, slowdown(j))
		vcs.add(j)
		sizes.add(j)
	}
	if len(slo) > 0 && len(bestEffort) > 0 {
		slices.Sort(bestEffort)
		a, b, c := mean(slo), mean(bestEffort), quantile(bestEffort, .99)
		m.MeanJCTSLO, m.MeanJCTBestEffort, m.P99JCTBestEffort = &a, &b, &c
	}
	m.Delays = delays(jct, queue)
	if capacity := float64(r.GPUs) * float64(r.Makespan()); capacity > 0 {
		m.Utilisation = float64(r.HeldGPUSeconds) / capacity
		m.HeldBack = float64(r.DownGPUSeconds) / capacity
	}
	deadlines.into(&m)
	if m.Profiling = profiling(r); m.Profiling != nil {
		m.Profiled = r.Profiling.Jobs
	}
	m.Solving = solving(r.Steps)
	m.VCs, m.VCFairness = vcs.shares()
	m.Sizes = sizes.shares()
	return m
}

func slowdown(j *sim.JobResult) float64 {
	return float64(j.JCT()) / math.Max(1, float64(j.Job.Outcome.Run))
}

func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// quantile of a sorted list, by linear interpolation between closest ranks.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + (at-float64(lo))*(sorted[hi]-sorted[lo])
}

// deadlines sums what jobs with a deadline have lost.
type deadlines struct {
	strict, soft         int
	strictLoss, softLoss float64
	late                 int
	told                 int    // jobs that were told anything, a refusal for example
	accepted, broken     [2]int // strict, soft
}

func (d *deadlines) add(r *sim.JobResult) {
	slo := r.Job.SLO
	if !slo.HasDeadline() {
		return
	}
	loss := 1.0
	if r.Ran() {
		loss = 1 - float64(slo.RewardAt(r.End))/schedmate.FullReward
	}
	if missed(r) {
		d.late++
	}
	class := 0
	if slo.Class == schedmate.Soft {
		class = 1
	}
	if r.Told.First != "" {
		d.told++
	}
	if r.Told.Accepted() {
		d.accepted[class]++
		if !r.Ran() || r.End > r.Told.Deadline {
			d.broken[class]++
		}
	}
	if slo.Class == schedmate.Strict {
		d.strict++
		d.strictLoss += loss
	} else {
		d.soft++
		d.softLoss += loss
	}
}

// missed reports whether a job with a deadline ends after its first one, or never.
func missed(r *sim.JobResult) bool {
	return !r.Ran() || r.End > r.Job.SLO.Tiers[0].Deadline
}

func (d *deadlines) into(m *Metrics) {
	ratio := func(sum float64, n int) *float64 {
		if n == 0 {
			return nil
		}
		v := sum / float64(n)
		return &v
	}
	m.WDMR = ratio(d.strictLoss+d.softLoss, d.strict+d.soft)
	m.DMR = ratio(float64(d.late), d.strict+d.soft)
	m.StrictMiss = ratio(d.strictLoss, d.strict)
	m.SoftMiss = ratio(d.softLoss, d.soft)
	if d.told == 0 {
		return
	}
	m.AcceptanceStrict = ratio(float64(d.accepted[0]), d.strict)
	m.AcceptanceSoft = ratio(float64(d.accepted[1]), d.soft)
	m.BrokenAmongAccepted = ratio(float64(d.broken[0]+d.broken[1]), d.accepted[0]+d.accepted[1])
	m.BrokenAmongPromised = ratio(float64(d.broken[0]), d.accepted[0])
}
