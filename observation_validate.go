package schedmate

import (
	"cmp"
	"strings"
)

// Validate checks the invariant of Observation.
func (o *Observation) Validate() error {
	if o.APIVersion != APIVersion {
		return fieldErr("apiVersion", "must be %q, got %q", APIVersion, o.APIVersion)
	}
	if o.Kind != ObservationKind {
		return fieldErr("kind", "must be %q, got %q", ObservationKind, o.Kind)
	}
	if o.System.Name == "" {
		return fieldErr("system.name", "must not be empty")
	}
	return first(
		checkTime("now_s", "", o.Now, 0),
		checkText("system", ".version", o.System.Version),
		checkText("system", ".cluster", o.System.Cluster),
		validateAll("nodes", o.Nodes, func(n *ObservedNode) string { return n.Name }, cmp.Compare[string], (*ObservedNode).validate),
		validateAll("partitions", o.Partitions, func(p *Partition) string { return p.Name }, cmp.Compare[string], (*Partition).validate),
		validateAll("reservations", o.Reservations, func(r *Reservation) string { return r.Name }, cmp.Compare[string], (*Reservation).validate),
		validateAll("licences", o.Licences, func(l *Licence) string { return l.Name }, cmp.Compare[string], (*Licence).validate),
		validateAll("jobs", o.Jobs, func(j *ObservedJob) string { return j.ID }, CompareJobIDs, (*ObservedJob).Validate),
	)
}

// validateAll checks that the parts of a list are valid, and sorted by a name that
// is not empty, without duplicates.
func validateAll[T any](path string, list []T, name func(*T) string, compare func(a, b string) int, validate func(*T, string) error) error {
	for i := range list {
		at := index(path, i)
		own := name(&list[i])
		if own == "" {
			return fieldErr(at, "must have a name or an id")
		}
		if err := checkText(at, "", own); err != nil {
			return err
		}
		if i > 0 {
			if before := name(&list[i-1]); compare(before, own) >= 0 {
				return fieldErr(at, "must be sorted without duplicates: %q follows %q", own, before)
			}
		}
		if err := validate(&list[i], at); err != nil {
			return err
		}
	}
	return nil
}

func (p *Partition) validate(path string) error {
	return first(
		checkTime(path, ".max_time_s", p.MaxTime, 0),
		checkTime(path, ".default_time_s", p.DefaultTime, 0),
		checkCounts(path, count{".max_nodes", int64(p.MaxNodes)}, count{".min_nodes", int64(p.MinNodes)}),
	)
}

func (r *Reservation) validate(path string) error {
	if r.End != 0 && r.End < r.Start {
		return fieldErr(path+".end_s", "must not lie before start_s %d, got %d", r.Start, r.End)
	}
	return first(checkTime(path, ".start_s", r.Start, 0), checkTime(path, ".end_s", r.End, 0))
}

func (l *Licence) validate(path string) error {
	return checkCounts(path, count{".total", int64(l.Total)}, count{".used", int64(l.Used)}, count{".reserved", int64(l.Reserved)})
}

func (n *ObservedNode) validate(path string) error {
	for _, state := range n.States {
		if state == "" || state != strings.ToUpper(state) {
			return fieldErr(path+".states", "must be in upper case, got %q", state)
		}
	}
	for i, d := range n.GPUs {
		if d.Count < 1 || d.Count > MaxGangGPUs || d.Used < 0 || d.Used > d.Count {
			return fieldErr(index(path+".gpus", i), "must have a count in [1, %d], and a use not above it, got %d and %d", MaxGangGPUs, d.Count, d.Used)
		}
	}
	return first(
		checkText(path, ".reason", n.Reason),
		checkTime(path, ".reason_s", n.ReasonAt, 0),
		checkTime(path, ".booted_s", n.BootedAt, 0),
		checkCounts(path, count{".cpus", int64(n.CPUs)}, count{".cpus_used", int64(n.CPUsUsed)}, count{".memory_mib", n.MemoryMiB},
			count{".memory_used_mib", n.MemoryUsedMiB}, count{".shards", int64(n.Shards)}, count{".shards_used", int64(n.ShardsUsed)}),
	)
}

// Validate checks the invariant of ObservedJob.
func (j *ObservedJob) Validate(path string) error {
	if j.State == "" || j.State != strings.ToUpper(j.State) {
		return fieldErr(path+".state", "must be in upper case, got %q", j.State)
	}
	for i := range j.Allocation {
		h, at := &j.Allocation[i], index(path+".allocation", i)
		if h.Node == "" {
			return fieldErr(at+".node", "must not be empty")
		}
		if i > 0 && j.Allocation[i-1].Node >= h.Node {
			return fieldErr(at+".node", "must be sorted without duplicates: %q follows %q", h.Node, j.Allocation[i-1].Node)
		}
		if err := checkCounts(at, count{".cpus", int64(h.CPUs)}, count{".memory_mib", h.MemoryMiB}, count{".gpus", int64(h.GPUs)}, count{".shards", int64(h.Shards)}); err != nil {
			return err
		}
	}
	r := &j.Request
	return first(
		checkText(path, ".name", j.Name),
		checkText(path, ".user", j.User),
		checkText(path, ".comment", j.Comment),
		checkText(path, ".stdout", j.Stdout),
		checkText(path, ".stderr", j.Stderr),
		checkText(path, ".workdir", j.WorkDir),
		checkText(path, ".command", j.Command),
		checkTime(path, ".submit_s", j.Submit, 0),
		checkTime(path, ".eligible_s", j.Eligible, 0),
		checkTime(path, ".looked_s", j.Looked, 0),
		checkTime(path, ".start_s", j.Start, 0),
		checkTime(path, ".end_s", j.End, 0),
		checkTime(path, ".time_limit_s", j.TimeLimit, 0),
		checkTime(path, ".deadline_s", j.Deadline, 0),
		checkCounts(path, count{".tasks", int64(j.Tasks)}, count{".restarts", int64(j.Restarts)}),
		checkCounts(path+".request", count{".min_nodes", int64(r.MinNodes)}, count{".max_nodes", int64(r.MaxNodes)}, count{".tasks", int64(r.Tasks)},
			count{".cpus", int64(r.CPUs)}, count{".memory_mib", r.MemoryMiB}, count{".gpus", int64(r.GPUs)}, count{".shards", int64(r.Shards)},
			count{".gpus_per_node", int64(r.GPUsPerNode)}, count{".shards_per_node", int64(r.ShardsPerNode)}, count{".gpus_per_task", int64(r.GPUsPerTask)},
			count{".tasks_per_node", int64(r.TasksPerNode)}, count{".cpus_per_task", int64(r.CPUsPerTask)}, count{".min_cpus_per_node", int64(r.MinCPUs)},
			count{".min_memory_mib", r.MinMemoryMiB}, count{".memory_per_cpu_mib", r.MemoryPerCPU}),
	)
}

// count is a field that must not be negative.
type count struct {
	field string
	value int64
}

func checkCounts(path string, counts ...count) error {
	for _, c := range counts {
		if c.value < 0 {
			return fieldErr(path+c.field, "must not be negative, got %d", c.value)
		}
	}
	return nil
}
