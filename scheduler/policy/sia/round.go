package sia

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/dispatch"
	"schedmate/scheduler/goodput"
	"schedmate/scheduler/place"
)

// round is what the policy knows about a snapshot.
type round struct {
	*policy
	s        *schedmate.Snapshot
	kinds    []kind
	capacity []int // GPUs of each kind that can be given away
	jobs     []*job
}

// kind is the nodes with one type of GPU that take work.
type kind struct {
	gpuType string
	nodes   []int // indices in the cluster
	size    int   // GPUs of the largest
	counts  []int // the gangs that are considered
}

// job is one job of the round and what it could have.
type job struct {
	*schedmate.JobStatus
	at      []schedmate.Allocation // nil: it waits
	present config                 // what it runs on; GPUs 0: nothing
	pinned  bool                   // it is still starting
	configs []config
}

// config is a gang on a kind.
type config struct {
	kind, gpus int
	gain       int64
}

func (p *policy) open(s *schedmate.Snapshot) *round {
	r := &round{policy: p, s: s}
	byType := make(map[string]int)
	for i := range s.Cluster.Nodes {
		n := &s.Cluster.Nodes[i]
		if !n.Takes() {
			continue
		}
		k, known := byType[n.GPUType]
		if !known {
			k = len(r.kinds)
			byType[n.GPUType] = k
			r.kinds = append(r.kinds, kind{gpuType: n.GPUType})
			r.capacity = append(r.capacity, 0)
		}
		r.kinds[k].nodes = append(r.kinds[k].nodes, i)
		r.kinds[k].size = max(r.kinds[k].size, n.GPUs)
		r.capacity[k] += n.GPUs
	}
	for i := range r.kinds { // before anybody takes of it
		k := &r.kinds[i]
		k.counts = goodput.Counts(k.size, len(k.nodes), min(r.capacity[i], goodput.MostGPUs))
	}
	kindOf := func(a schedmate.Allocation) (int, bool) {
		n := s.Cluster.Node(a.Node)
		return byType[n.GPUType], n.Takes()
	}
	for _, j := range s.Running {
		as := j.Attempt.Allocations
		if !dispatch.Movable(s, j) { // it keeps what it has
			for _, a := range as {
				if k, takes := kindOf(a); takes {
					r.capacity[k]--
				}
			}
			continue
		}
		k, _ := kindOf(as[0])
		r.jobs = append(r.jobs, &job{
			JobStatus: j, at: as, present: config{kind: k, gpus: len(as)},
			pinned: j.Tuning != nil && j.Owed > j.Elapsed(s.Now),
		})
	}
	for _, j := range s.Waiting {
		r.jobs = append(r.jobs, &job{JobStatus: j})
	}
	slices.SortStableFunc(r.jobs, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.Job.Submit, b.Job.Submit), cmp.Compare(a.Job.ID, b.Job.ID))
	})
	r.offer()
	return r
}

// fit asks whether a job could have a gang of a kind if nothing else ran.
type fit struct {
	vc, gpuType string
	kind, gpus  int
}

// offer lists for each job the gangs that it could have at all.
func (r *round) offer() {
	o := schedmate.NewOccupancy(r.s.Cluster)
	fits := make(map[fit]bool)
	possible := func(j *job, k, gpus int) bool {
		q := fit{j.Job.VC, j.Job.GPUType, k, gpus}
		ok, known := fits[q]
		if !known {
			ok = r.possible(o, &j.Job, k, gpus)
			fits[q] = ok
		}
		return ok
	}
	for _, j := range r.jobs {
		if j.pinned {
			j.configs = []config{j.present}
			continue
		}
		for k := range r.kinds {
			counts := r.kinds[k].counts
			if j.Tuning == nil {
				counts = []int{rigid(&j.Job)}
			}
			for _, gpus := range counts {
				if j.Job.Runs(gpus) && possible(j, k, gpus) {
					j.configs = append(j.configs, config{kind: k, gpus: gpus})
				}
			}
		}
		r.value(j)
	}
}

// rigid is the gang of a job that does not adapt.
func rigid(j *schedmate.Job) int {
	gpus := j.GPUs
	for _, n := range j.Sizes {
		if n <= j.GPUs || gpus == j.GPUs && !j.Runs(gpus) {
			gpus = n
		}
	}
	return gpus
}

// possible places the gang on the empty cluster, and counts its nodes as whoever
// checks the plan will.
func (r *round) possible(o *schedmate.Occupancy, j *schedmate.Job, k, gpus int) bool {
	sized := *j
	sized.GPUs = gpus
	if sized.GPUType != "" && sized.GPUType != r.kinds[k].gpuType {
		return false
	}
	as := r.on(o, &sized, k)
	if as == nil || o.Spread() {
		return as != nil
	}
	shared := false
	nodes := map[string]bool{}
	for _, a := range as {
		nodes[a.Node] = true
		shared = shared || r.s.Cluster.Node(a.Node).VC == ""
	}
	return len(nodes) <= place.Fewest(o, &sized, shared)
}

// on finds a place for the gang on nodes of the kind.
func (r *round) on(o *schedmate.Occupancy, j *schedmate.Job, k int) []schedmate.Allocation {
	typed := *j
	typed.GPUType = r.kinds[k].gpuType
	as := r.find(o, &typed)
	for _, a := range as { // a type without a name stands for any: keep to it
		if r.s.Cluster.Node(a.Node).GPUType != r.kinds[k].gpuType {
			return nil
		}
	}
	return as
}
