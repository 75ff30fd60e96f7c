package slurm

import (
	"cmp"
	"fmt"
	"strconv"

	"schedmate"
)

// logs works out where the job's output goes. A job that was not started by a
// script has none of its own; the parts of a heterogeneous job have one script
// between them, which writes where the first part says.
//
// %N is the host that slurmd runs on. Where a node goes by another name
// (NodeHostName in slurm.conf), the path is not the one that is written.
func (r *record) logs(j *schedmate.ObservedJob) {
	if !r.Batch || j.Tasks > 0 { // tasks that wait: each will have its own
		return
	}
	names := logNames{job: j.Number, array: j.Number, name: j.Name, user: j.User, node: string(r.BatchHost), workDir: j.WorkDir}
	if names.node == "" && len(j.Nodes) > 0 {
		names.node = j.Nodes[0]
	}
	follows := r.HetJob > 0 && r.HetOffset > 0
	if follows {
		names.job, names.array, names.node = int64(r.HetJob), int64(r.HetJob), ""
	}
	pattern := defaultLog
	if j.Array != "" {
		names.array, pattern = int64(r.ArrayJob), defaultTaskLog
		if r.ArrayTask.told {
			names.task = strconv.FormatInt(r.ArrayTask.number, 10)
		}
	}
	// 22.05 tells this name for tasks and parts, which is not theirs.
	own := names.absolute(fmt.Sprintf("slurm-%d.out", j.Number))
	notOwn := func(path string) bool { return (j.Array != "" || follows) && names.absolute(path) == own }
	out := clean(r.Stdout)
	if out == "" || notOwn(out) {
		out = pattern
	}
	j.Stdout = names.expand(out)
	if full := names.absolute(clean(r.StdoutFull)); full != "" && !follows {
		j.Stdout = full
	}
	if err := clean(r.Stderr); err != "" && !notOwn(err) {
		j.Stderr = cmp.Or(names.absolute(clean(r.StderrFull)), names.expand(err))
	}
	if j.Stderr == j.Stdout {
		j.Stderr = ""
	}
}
