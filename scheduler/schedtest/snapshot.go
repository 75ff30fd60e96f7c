package schedtest

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
)

// Snapshot invents a valid snapshot: some jobs run, some wait, with and without
// a live estimate.
func Snapshot(d Draw, st Style) schedmate.Snapshot {
	s := schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind,
		Now:     schedmate.Seconds(pick(d, 0, 20, 100, 300, 500) + d(0, 50)),
		Cluster: Cluster(d, st),
	}
	var seq int64
	for i := range d(0, 4) + d(0, 4) {
		if j := running(d, &s, st, fmt.Sprintf("r%d", i)); j != nil {
			seq += int64(d(1, 3))
			j.Seq = seq
			s.Running = append(s.Running, j)
		}
	}
	for i := range d(0, 3) + d(0, 4) {
		j := status(d, &s, st, fmt.Sprintf("w%d", i))
		seq += int64(d(1, 3))
		j.Seq = seq
		s.Waiting = append(s.Waiting, j)
	}
	if !st.AllHealthy {
		busy := make(map[string]bool)
		for _, j := range s.Running {
			for _, a := range j.Attempt.Allocations {
				busy[a.Node] = true
			}
		}
		sicken(d, &s.Cluster, busy)
	}
	return s
}

// status invents a job that has waited, and perhaps run, before.
func status(d Draw, s *schedmate.Snapshot, st Style, id string) *schedmate.JobStatus {
	j := &schedmate.JobStatus{Job: request(d, &s.Cluster, st, id)}
	j.Job.Submit = schedmate.Seconds(d(0, int(s.Now)))
	if d.in(3) {
		j.Job.Submit = s.Now
	}
	j.Job.SLO = promise(d, j.Job.Submit)
	if past := int(s.Now - j.Job.Submit); past > 0 && d.in(3) {
		j.Held = schedmate.Seconds(d(0, past))
		j.Done = schedmate.Seconds(d(0, int(j.Held)))
		j.Owed = schedmate.Seconds(pick(d, 0, 40, 62))
		j.Preemptions = d(0, 2)
	}
	if d.in(5) {
		return j // nothing is known about it
	}
	estimate := int64(pick(d, 30, 0, 400, 100, 200) + d(0, 20))
	f := schedmate.Fact{
		Kind: schedmate.RunSeconds, Value: estimate, Low: estimate, High: estimate,
		ConfidenceMilli: 1000, Source: schedmate.FromTrace,
	}
	switch {
	case d.in(8):
		f.ObservedAt = s.Now + 1 // not known yet
	case d.in(8) && s.Now > 0:
		f.ExpiresAt = s.Now // not true any more
	}
	j.Facts = append(j.Facts, f)
	return j
}

// request invents what a user asks for.
func request(d Draw, c *schedmate.Cluster, st Style, id string) schedmate.Job {
	j := schedmate.Job{ID: id, GPUs: pick(d, 1, 1, 2, 2, 3, 4, 4, 6, 8, 12)}
	if st.SameSize && d.in(2) {
		j.GPUs = d(1, 4)
	}
	if len(c.VCs) > 0 && !d.in(6) {
		j.VC = pick(d, c.VCs...).Name
	}
	if !st.OneType && d.in(3) {
		j.GPUType = pick(d, "a100", "v100")
		if d.in(8) {
			j.GPUType = "h100" // nobody has it
		}
	}
	return j
}

// promise invents what a user wants by when: often nothing, else one deadline or
// several, soon or late.
func promise(d Draw, submit schedmate.Seconds) schedmate.SLO {
	if d.in(2) {
		return schedmate.SLO{}
	}
	slo := schedmate.SLO{Class: schedmate.Strict}
	at := submit + schedmate.Seconds(pick(d, 150, 0, 20, 60, 400)+d(0, 20))
	slo.Tiers = append(slo.Tiers, schedmate.Tier{Deadline: at, Reward: schedmate.FullReward})
	for k := range d(0, 2) {
		slo.Class = schedmate.Soft
		at += schedmate.Seconds(d(1, 60))
		slo.Tiers = append(slo.Tiers, schedmate.Tier{Deadline: at, Reward: 50 - 20*k})
	}
	return slo
}

// running invents a job that runs where it may, or nil if it found no place.
func running(d Draw, s *schedmate.Snapshot, st Style, id string) *schedmate.JobStatus {
	j := status(d, s, st, id)
	at := j.Job.Submit + j.Held
	j.Attempt = &schedmate.Attempt{
		Number: 1 + j.Preemptions,
		Start:  schedmate.Seconds(d(int(min(at, s.Now)), int(s.Now))),
	}
	used := make(map[string][]bool, len(s.Cluster.Nodes))
	shared := 0 // GPUs of nobody's nodes that the VC holds
	for _, n := range s.Cluster.Nodes {
		used[n.ID] = make([]bool, n.GPUs)
	}
	for _, r := range s.Running {
		for _, a := range r.Attempt.Allocations {
			used[a.Node][a.GPU] = true
			if s.Cluster.Node(a.Node).VC == "" && r.Job.VC == j.Job.VC {
				shared++
			}
		}
	}
	room := 1 << 30
	if v := s.Cluster.VC(j.Job.VC); v != nil && v.QuotaGPUs > 0 {
		room = v.QuotaGPUs - shared
	}
	var as []schedmate.Allocation
	first := d(0, len(s.Cluster.Nodes)-1)
	for k := range s.Cluster.Nodes {
		n := &s.Cluster.Nodes[(first+k)%len(s.Cluster.Nodes)]
		if n.VC != "" && n.VC != j.Job.VC || j.Job.GPUType != "" && j.Job.GPUType != n.GPUType {
			continue
		}
		for gpu := range n.GPUs {
			if len(as) == j.Job.GPUs || used[n.ID][gpu] || n.VC == "" && room == 0 {
				continue
			}
			if n.VC == "" {
				room--
			}
			as = append(as, schedmate.Allocation{Node: n.ID, GPU: gpu, Share: schedmate.WholeGPU})
		}
	}
	if len(as) < j.Job.GPUs {
		return nil
	}
	slices.SortFunc(as, func(a, b schedmate.Allocation) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.GPU, b.GPU))
	})
	j.Attempt.Allocations = as
	return j
}
