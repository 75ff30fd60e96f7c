package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"schedmate"
)

// record is a job as Slurm's tools and its REST service write it in JSON. The
// reader of squeue's columns fills in the same, so that there is one place where
// the words get their meaning.
type record struct {
	Account    text   `json:"account"`
	ArrayJob   number `json:"array_job_id"`
	ArrayTask  task   `json:"array_task_id"`
	ArrayTasks text   `json:"array_task_string"`
	Batch      bool   `json:"batch_flag"`
	BatchHost  text   `json:"batch_host"`
	Cluster    text   `json:"cluster"`
	Command    text   `json:"command"`
	Comment    text   `json:"comment"`
	Deadline   number `json:"deadline"`
	Dependency text   `json:"dependency"`
	DerivedEC  exit   `json:"derived_exit_code"`
	Eligible   number `json:"eligible_time"`
	End        number `json:"end_time"`
	Exclusive  text   `json:"exclusive"` // from 26.05 on
	Excluded   text   `json:"excluded_nodes"`
	Exit       exit   `json:"exit_code"`
	FailedNode text   `json:"failed_node"`
	Features   text   `json:"features"`
	GRES       words  `json:"gres_detail"`
	HetJob     number `json:"het_job_id"`
	HetOffset  number `json:"het_job_offset"`
	JobID      number `json:"job_id"`
	State      words  `json:"job_state"`
	Licences   text   `json:"licenses"`
	MaxNodes   number `json:"max_nodes"`
	Name       text   `json:"name"`
	NodeList   text   `json:"nodes"`
	Nodes      number `json:"node_count"`
	CPUs       number `json:"cpus"`
	Tasks      number `json:"tasks"`
	TasksNode  number `json:"tasks_per_node"`
	CPUsTask   number `json:"cpus_per_task"`
	MemoryCPU  number `json:"memory_per_cpu"`
	MemoryNode number `json:"memory_per_node"`
	MinCPUs    number `json:"minimum_cpus_per_node"`
	Partition  text   `json:"partition"`
	Priority   number `json:"priority"`
	QOS        text   `json:"qos"`
	Required   text   `json:"required_nodes"`
	Restarts   number `json:"restart_cnt"`
	Reserved   text   `json:"resv_name"`
	Resources  holds  `json:"job_resources"`
	Shared     words  `json:"shared"`
	Start      number `json:"start_time"`
	StateText  text   `json:"state_description"`
	Reason     text   `json:"state_reason"`
	Stdout     text   `json:"standard_output"`
	Stderr     text   `json:"standard_error"`
	StdoutFull text   `json:"stdout_expanded"` // from 26.05 on
	StderrFull text   `json:"stderr_expanded"`
	Submit     number `json:"submit_time"`
	TimeLimit  number `json:"time_limit"` // minutes
	PerJob     text   `json:"tres_per_job"`
	PerNode    text   `json:"tres_per_node"`
	PerTask    text   `json:"tres_per_task"`
	Asked      text   `json:"tres_req_str"`
	Allocated  text   `json:"tres_alloc_str"`
	User       text   `json:"user_name"`
	UserID     number `json:"user_id"`
	WorkDir    text   `json:"current_working_directory"`
}

// errNoID says that a record names no job.
var errNoID = errors.New("has no job id")

// job gives the record its meaning.
func (r *record) job() (schedmate.ObservedJob, error) {
	if r.JobID <= 0 {
		return schedmate.ObservedJob{}, errNoID
	}
	j := schedmate.ObservedJob{
		Number: int64(r.JobID), Name: clean(r.Name), User: cmp.Or(clean(r.User), userNumber(r.UserID)), Account: clean(r.Account), QOS: clean(r.QOS),
		Reason: reason(r.Reason), Description: clean(r.StateText), Priority: int64(r.Priority), Restarts: r.Restarts.count(),
		Submit: r.Submit.seconds(), Eligible: r.Eligible.seconds(), Start: r.Start.seconds(), End: r.End.seconds(), Deadline: r.Deadline.seconds(),
		TimeLimit: (r.TimeLimit * 60).seconds(), Reservation: clean(r.Reserved), Licences: clean(r.Licences), Dependency: clean(r.Dependency),
		WorkDir: clean(r.WorkDir), Command: clean(r.Command), Comment: clean(r.Comment),
	}
	if err := r.identify(&j); err != nil {
		return j, err
	}
	if len(r.State) == 0 {
		return j, errors.New("has no state")
	}
	j.State = strings.ToUpper(string(clean(text(r.State[0]))))
	for _, flag := range r.State[1:] {
		j.Flags = append(j.Flags, strings.ToUpper(flag))
	}
	if p := clean(r.Partition); p != "" {
		j.Partitions = strings.Split(p, ",")
	}
	nodes, err := Hosts(string(r.NodeList))
	if err != nil {
		return j, err
	}
	j.Nodes = nodes
	if err := r.request(&j.Request); err != nil {
		return j, err
	}
	if j.Runs() {
		if j.Allocation, err = r.holding(&j); err != nil {
			return j, err
		}
	}
	if j.Waits() {
		j.End = 0
	}
	r.logs(&j)
	if j.Over() {
		j.Ending = &schedmate.Ending{
			ExitCode: r.Exit.code, Signal: r.Exit.signal, StepExit: r.DerivedEC.code, FailedNode: clean(r.FailedNode),
		}
	}
	return j, nil
}

// identify works out what people call the job.
func (r *record) identify(j *schedmate.ObservedJob) error {
	number := strconv.FormatInt(int64(r.JobID), 10)
	switch {
	case r.ArrayJob > 0 && r.ArrayTask.told:
		j.Array = strconv.FormatInt(int64(r.ArrayJob), 10)
		j.ID = j.Array + "_" + strconv.FormatInt(r.ArrayTask.number, 10)
	case r.ArrayJob > 0 && r.ArrayTasks != "":
		j.Array = strconv.FormatInt(int64(r.ArrayJob), 10)
		list := strings.Trim(clean(r.ArrayTasks), "[]")
		j.ID = j.Array + "_[" + list + "]"
		n, err := tasksOf(list)
		if err != nil {
			return err
		}
		j.Tasks = n
	case r.HetJob > 0:
		j.Het = strconv.FormatInt(int64(r.HetJob), 10)
		j.ID = j.Het + "+" + strconv.FormatInt(int64(r.HetOffset), 10)
	default:
		j.ID = number
	}
	return nil
}

// tasksOf counts the tasks of a list such as 1-5,9,20-30:2%4. One that was cut
// short, as Slurm does with long ones, counts what it shows.
func tasksOf(list string) (int, error) {
	list, _, _ = strings.Cut(list, "%")
	total := 0
	for _, part := range strings.Split(list, ",") {
		if part = strings.TrimSpace(part); part == "" || part == "..." {
			continue
		}
		span, step, stepped := strings.Cut(part, ":")
		low, high, dash := strings.Cut(span, "-")
		from, err := strconv.Atoi(low)
		to, by := from, 1
		if err == nil && dash {
			to, err = strconv.Atoi(high)
		}
		if err == nil && stepped {
			by, err = strconv.Atoi(step)
		}
		if err != nil || from < 0 || to < from || by < 1 || to > 1<<26 {
			return 0, fmt.Errorf("is no list of array tasks: %.60q", list)
		}
		total += (to-from)/by + 1
	}
	return total, nil
}

// request works out what the job asks for. Totals are told by one list; without a
// database Slurm leaves GPUs out of it, and they follow from the other fields.
func (r *record) request(q *schedmate.NodeRequest) error {
	asked, err := readTRES(string(r.Asked))
	if err != nil {
		return err
	}
	q.MinNodes = max(cmp.Or(asked.nodes, r.Nodes.count()), 1)
	q.MaxNodes = r.MaxNodes.count()
	q.Tasks, q.TasksPerNode, q.CPUsPerTask = r.Tasks.count(), r.TasksNode.short(), r.CPUsTask.short()
	q.CPUs, q.MinCPUs = cmp.Or(asked.cpus, r.CPUs.count()), r.MinCPUs.count()
	q.MemoryMiB = asked.memoryMiB
	q.MemoryPerCPU, q.MinMemoryMiB = int64(r.MemoryCPU.count()), int64(r.MemoryNode.count())
	q.Features = clean(r.Features)
	if q.Nodes, err = Hosts(string(r.Required)); err != nil {
		return err
	}
	if q.Exclude, err = Hosts(string(r.Excluded)); err != nil {
		return err
	}
	q.Exclusive = slices.Contains(r.Shared, "none") || slices.Contains(r.Shared, "exclusive") || string(r.Exclusive) == "YES"
	totals := []struct {
		list  text
		times int
		gpus  *int // where the amount itself is kept
		share *int
	}{
		{r.PerNode, q.MinNodes, &q.GPUsPerNode, &q.ShardsPerNode},
		{r.PerTask, max(q.Tasks, 1), &q.GPUsPerTask, nil},
		{r.PerJob, 1, nil, nil},
	}
	for _, t := range totals {
		list, err := readGRES(string(t.list))
		if err != nil {
			return err
		}
		for _, g := range list {
			switch {
			case g.name == "gpu":
				q.GPUs, q.GPUType = max(q.GPUs, g.count*t.times), cmp.Or(q.GPUType, g.kind)
				if t.gpus != nil {
					*t.gpus += g.count
				}
			case g.name == "shard":
				q.Shards = max(q.Shards, g.count*t.times)
				if t.share != nil {
					*t.share += g.count
				}
			}
		}
	}
	q.GPUs, q.Shards = max(q.GPUs, asked.gpus), max(q.Shards, asked.shards)
	q.GPUType = cmp.Or(q.GPUType, asked.gpuType)
	return nil
}

// logs works out where the job's output goes. A job that was not started by a
// script has none of its own.
func (r *record) logs(j *schedmate.ObservedJob) {
	if !r.Batch {
		return
	}
	names := logNames{job: j.Number, array: j.Number, name: j.Name, user: j.User, node: string(r.BatchHost), workDir: j.WorkDir}
	if names.node == "" && len(j.Nodes) > 0 {
		names.node = j.Nodes[0]
	}
	pattern := defaultLog
	if j.Array != "" {
		names.array, pattern = int64(r.ArrayJob), defaultTaskLog
		if r.ArrayTask.told {
			names.task = strconv.FormatInt(r.ArrayTask.number, 10)
		}
	}
	if j.Tasks > 0 { // tasks that wait: each will have its own
		return
	}
	out := clean(r.Stdout)
	own := names.absolute(fmt.Sprintf("slurm-%d.out", j.Number))
	if out == "" || j.Array != "" && names.absolute(out) == own { // 22.05 tells this name for tasks, which is not theirs
		out = pattern
	}
	j.Stdout = cmp.Or(names.absolute(clean(r.StdoutFull)), names.expand(out))
	err := clean(r.Stderr)
	if err != "" {
		j.Stderr = cmp.Or(names.absolute(clean(r.StderrFull)), names.expand(err))
	}
	if j.Stderr == j.Stdout || err != "" && j.Array != "" && names.absolute(err) == own {
		j.Stderr = ""
	}
}

// holding is what a running job holds of each of its nodes. Slurm lists GPUs in the
// order of the nodes. Where it does not, and a job has several nodes, what it holds
// of each follows only from what it asked of each; the rest is left out.
func (r *record) holding(j *schedmate.ObservedJob) ([]schedmate.NodeHolding, error) {
	if len(j.Nodes) == 0 {
		return nil, nil
	}
	total, err := readTRES(string(r.Allocated))
	if err != nil {
		return nil, err
	}
	out := make([]schedmate.NodeHolding, len(j.Nodes))
	at := make(map[string]*schedmate.NodeHolding, len(out))
	for i, node := range j.Nodes {
		out[i].Node = node
		at[node] = &out[i]
		if len(j.Nodes) == 1 {
			out[i].CPUs, out[i].MemoryMiB = total.cpus, total.memoryMiB
		}
	}
	for _, n := range r.Resources.nodes {
		h := at[n.name]
		if h == nil {
			continue
		}
		h.MemoryMiB = cmp.Or(n.memoryMiB, h.MemoryMiB)
		h.CPUs = cmp.Or(n.cpus, h.CPUs)
	}
	if len(r.GRES) == len(out) {
		order := r.order(j.Nodes)
		for i, detail := range r.GRES {
			list, err := readGRES(detail)
			if err != nil {
				return nil, err
			}
			h := at[order[i]]
			for _, g := range list {
				switch g.name {
				case "gpu":
					h.GPUs += g.count
					h.GPUType = cmp.Or(h.GPUType, g.kind)
					h.GPUIndices = append(h.GPUIndices, g.indices...)
				case "shard":
					h.Shards += g.count
				}
			}
		}
		return out, nil
	}
	for i := range out {
		switch {
		case j.Request.GPUsPerNode > 0:
			out[i].GPUs = j.Request.GPUsPerNode
		case len(out) == 1:
			out[i].GPUs = total.gpus
		}
		if out[i].Shards = j.Request.ShardsPerNode; len(out) == 1 {
			out[i].Shards = total.shards
		}
		if out[i].GPUs > 0 {
			out[i].GPUType = cmp.Or(j.Request.GPUType, total.gpuType)
		}
	}
	return out, nil
}

// order is the job's nodes as Slurm lists them, which may differ from the order of
// their names.
func (r *record) order(sorted []string) []string {
	if len(r.Resources.nodes) != len(sorted) {
		return sorted
	}
	order := make([]string, len(sorted))
	for i, n := range r.Resources.nodes {
		if !slices.Contains(sorted, n.name) {
			return sorted
		}
		order[i] = n.name
	}
	return order
}

// clean makes a text of a user valid, and nothing of what Slurm writes for it.
func clean(t text) string {
	s := none(string(t))
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}

// reason is Slurm's word for why a job is as it is.
func reason(t text) string {
	if s := clean(t); s != "None" {
		return strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
	}
	return ""
}

func userNumber(n number) string { return strconv.FormatInt(int64(n), 10) }
