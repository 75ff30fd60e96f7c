package explain

import (
	"cmp"
	"slices"

	"schedmate"
)

// Apply returns the snapshot as it would be after the change to the named job.
// The snapshot itself stays as it is. What the policy remembers is in it still: it
// decides with it.
func Apply(s schedmate.Snapshot, job string, c schedmate.Change) schedmate.Snapshot {
	out := schedmate.Snapshot{APIVersion: s.APIVersion, Kind: s.Kind, Now: s.Now, Cluster: s.Cluster, Memory: s.Memory}
	if len(c.Restore) > 0 {
		out.Cluster.Nodes = slices.Clone(s.Cluster.Nodes)
		for _, id := range c.Restore {
			if n := out.Cluster.Node(id); n != nil {
				n.Health = schedmate.Healthy
			}
		}
	}
	out.Running = without(s.Running, c.Release, job)
	if c.Alone {
		if i := slices.IndexFunc(s.Waiting, func(j *schedmate.JobStatus) bool { return j.Job.ID == job }); i >= 0 {
			out.Waiting = []*schedmate.JobStatus{s.Waiting[i]}
		}
	} else {
		out.Waiting = without(s.Waiting, c.Hold, job)
	}
	vc := c.VC
	if i := slices.IndexFunc(out.Waiting, func(j *schedmate.JobStatus) bool { return j.Job.ID == job }); i >= 0 {
		mine := *out.Waiting[i]
		if c.Resize > 0 {
			mine.Job.GPUs = c.Resize
		}
		if c.AnyType {
			mine.Job.GPUType = ""
		}
		if c.VC != "" {
			mine.Job.VC = c.VC
		}
		vc = mine.Job.VC
		out.Waiting[i] = &mine
	} else if j := s.Find(job); j != nil {
		vc = j.Job.VC
	}
	if c.Quota > 0 {
		out.Cluster.VCs = slices.Clone(s.Cluster.VCs)
		if v := out.Cluster.VC(vc); v != nil {
			v.QuotaGPUs = c.Quota
		}
	}
	return out
}

// without returns a copy of jobs without those named, but always with the job
// that is asked about. Names in the order of jobs, the usual case, are found in
// one walk.
func without(jobs []*schedmate.JobStatus, ids []string, job string) []*schedmate.JobStatus {
	out := make([]*schedmate.JobStatus, 0, len(jobs))
	next := 0
	for _, j := range jobs {
		if next < len(ids) && ids[next] == j.Job.ID {
			if next++; j.Job.ID != job {
				continue
			}
		}
		out = append(out, j)
	}
	if next == len(ids) {
		return out
	}
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = id != job
	}
	return slices.DeleteFunc(out, func(j *schedmate.JobStatus) bool { return gone[j.Job.ID] })
}

// shrink returns a part of list that still satisfies ok and from which no
// element can be left out, as far as the probes last: it leaves out halves,
// then quarters, down to single elements. ok(list) must hold.
func shrink(list []string, probes *int, ok func([]string) bool) []string {
	for size := (len(list) + 1) / 2; size > 0; {
		removed := false
		for at := 0; at+size <= len(list) && *probes > 0; {
			shorter := slices.Concat(list[:at], list[at+size:])
			*probes--
			if ok(shorter) {
				list, removed = shorter, true
				continue
			}
			at += size
		}
		if size = min(size, len(list)); size == 1 && removed {
			continue // one more pass: what was needed before may not be now
		}
		size /= 2
	}
	return list
}

// byExpectedEnd orders running jobs by when they are expected to end; those
// without an estimate come last.
func byExpectedEnd(jobs []*schedmate.JobStatus, now schedmate.Seconds) []*schedmate.JobStatus {
	left := func(j *schedmate.JobStatus) schedmate.Seconds {
		if r, ok := j.Remaining(now); ok {
			return r
		}
		return schedmate.Forever
	}
	sorted := slices.Clone(jobs)
	slices.SortStableFunc(sorted, func(a, b *schedmate.JobStatus) int { return cmp.Compare(left(a), left(b)) })
	return sorted
}
