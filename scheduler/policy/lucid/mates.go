package lucid

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/pack"
)

// known reports whether enough is known about a job to pack it. What a trace has
// stored was measured by a profile, and is not believed of a job that has not had
// one; what neighbours, source or user say is.
func (p *policy) known(j *schedmate.JobStatus, now schedmate.Seconds, m *memory) bool {
	if _, measuring := m.until[j.Job.ID]; measuring || !p.told(j, now) {
		return false
	}
	return p.Profiler.Nodes == 0 || m.profiled[j.Job.ID] || !hearsay(j, now)
}

// told reports whether anybody says what the rules ask about a job.
func (p *policy) told(j *schedmate.JobStatus, now schedmate.Seconds) bool {
	m := pack.MemberOf(j, now)
	return m.Scored && (m.Weighed || p.Rules.MemoryMiB == 0)
}

// hearsay reports whether what is said about the job's use of a GPU is known only
// because a trace has it.
func hearsay(j *schedmate.JobStatus, now schedmate.Seconds) bool {
	for _, kind := range []schedmate.FactKind{schedmate.ShareScore, schedmate.GPUUtilisation, schedmate.GPUMemoryUtilisation, schedmate.GPUMemoryMiB} {
		if f := j.Fact(kind, now); f != nil && (f.Source == schedmate.FromTrace || f.Source == schedmate.FromTruth) {
			return true
		}
	}
	return false
}

// beside finds a running job that the newcomer may join, and the GPUs that it
// gets.
func (p *policy) beside(s *schedmate.Snapshot, d *desk, j *schedmate.JobStatus) (*pack.Mate, []schedmate.Allocation) {
	if !p.known(j, s.Now, d.memory) {
		return nil, nil
	}
	mine := p.Rank(j, s.Now)
	allow := func(mate *schedmate.JobStatus) bool {
		if p.GuestsStay && d.guest[mate.Job.ID] || !d.starts[mate.Job.ID] && !p.known(mate, s.Now, d.memory) {
			return false
		}
		if p.Longer > 0 {
			theirs := p.Rank(mate, s.Now)
			if !estimated(mine) || !estimated(theirs) || mine.Key > int64(p.Longer)*theirs.Key {
				return false
			}
		}
		return admits(d.occupancy, &j.Job, mate.Attempt.Allocations)
	}
	var forecast pack.Forecaster
	if p.Rules.LeastSpeed > 0 || p.Rules.LeastSum > 0 || p.Rules.Choose == pack.FastestPair {
		forecast = &pack.Interference{Book: d.book, Prior: p.Prior}
	}
	mate, found := d.board.Mate(&p.Rules, j, d.book, forecast, allow)
	if !found {
		return nil, nil
	}
	return &mate, p.partly(mate.Job.Attempt.Allocations)
}

// admits reports whether the nodes of the GPUs take the job now, and its VC's
// quota lets it have them.
func admits(o *schedmate.Occupancy, j *schedmate.Job, as []schedmate.Allocation) bool {
	shared := 0
	for i := range o.Len() {
		node := o.Node(i)
		n := 0
		for _, a := range as {
			if a.Node == node.ID {
				n++
			}
		}
		if n > 0 && !o.Admits(i, j) {
			return false
		}
		if node.VC == "" {
			shared += n
		}
	}
	return shared == 0 || o.QuotaLeft(j.VC) >= shared
}

// partly returns the GPUs with the share of them that a job takes which leaves
// room for others.
func (p *policy) partly(as []schedmate.Allocation) []schedmate.Allocation {
	out := slices.Clone(as)
	for i := range out {
		out[i].Share = p.Rules.Share()
	}
	return out
}
