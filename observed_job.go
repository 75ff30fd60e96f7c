package schedmate

// ObservedJob is a job as the scheduler knows it. One that was requeued keeps its
// ID; the runs that ended before are past jobs.
//
// Invariant: ID is not empty; State is upper case; times and counts are not
// negative; the Allocation names nodes once each, sorted.
type ObservedJob struct {
	ID      string `json:"id" yaml:"id"`                             // 7, task 7_3, tasks that wait 7_[4-9%2], part 7+1
	Number  int64  `json:"number,omitempty" yaml:"number,omitempty"` // that the scheduler gave this task or part
	Array   string `json:"array,omitempty" yaml:"array,omitempty"`   // the array's id
	Tasks   int    `json:"tasks,omitempty" yaml:"tasks,omitempty"`   // tasks that this one record stands for, if more than one
	Het     string `json:"het,omitempty" yaml:"het,omitempty"`       // the heterogeneous job it is part of
	Name    string `json:"name,omitempty" yaml:"name,omitempty"`
	User    string `json:"user,omitempty" yaml:"user,omitempty"`
	Account string `json:"account,omitempty" yaml:"account,omitempty"`
	QOS     string `json:"qos,omitempty" yaml:"qos,omitempty"`

	State       string   `json:"state" yaml:"state"`                                 // as the scheduler names it: PENDING
	Flags       []string `json:"flags,omitempty" yaml:"flags,omitempty"`             // of the state: REQUEUED
	Reason      string   `json:"reason,omitempty" yaml:"reason,omitempty"`           // its own word for why, such as Priority; empty: none
	Description string   `json:"description,omitempty" yaml:"description,omitempty"` // its own sentence, where it has one
	Priority    int64    `json:"priority,omitempty" yaml:"priority,omitempty"`
	Restarts    int      `json:"restarts,omitempty" yaml:"restarts,omitempty"`

	Submit    Seconds `json:"submit_s" yaml:"submit_s"`
	Eligible  Seconds `json:"eligible_s,omitempty" yaml:"eligible_s,omitempty"`
	Looked    Seconds `json:"looked_s,omitempty" yaml:"looked_s,omitempty"` // of a waiting job: when the scheduler last tried to start it
	Start     Seconds `json:"start_s,omitempty" yaml:"start_s,omitempty"`   // of a waiting job: when the scheduler expects it
	End       Seconds `json:"end_s,omitempty" yaml:"end_s,omitempty"`       // of a running job: its limit
	TimeLimit Seconds `json:"time_limit_s,omitempty" yaml:"time_limit_s,omitempty"`
	Deadline  Seconds `json:"deadline_s,omitempty" yaml:"deadline_s,omitempty"` // the scheduler removes the job then

	Partitions   []string      `json:"partitions,omitempty" yaml:"partitions,omitempty"` // that it may run in, or runs in
	Request      NodeRequest   `json:"request" yaml:"request"`
	Reservation  string        `json:"reservation,omitempty" yaml:"reservation,omitempty"`
	Licences     string        `json:"licences,omitempty" yaml:"licences,omitempty"`     // as written: matlab:2,ansys
	Dependency   string        `json:"dependency,omitempty" yaml:"dependency,omitempty"` // as written: afterok:12(unfulfilled)
	Allocation   []NodeHolding `json:"allocation,omitempty" yaml:"allocation,omitempty"`
	PlannedNodes []string      `json:"planned_nodes,omitempty" yaml:"planned_nodes,omitempty"` // of a waiting job: on which the scheduler expects to start it
	Nodes        []string      `json:"nodes,omitempty" yaml:"nodes,omitempty"`                 // it runs or ran on

	WorkDir string `json:"workdir,omitempty" yaml:"workdir,omitempty"`
	Command string `json:"command,omitempty" yaml:"command,omitempty"` // the script, or the program
	Stdout  string `json:"stdout,omitempty" yaml:"stdout,omitempty"`   // absolute, patterns filled in; empty: not known
	Stderr  string `json:"stderr,omitempty" yaml:"stderr,omitempty"`   // empty: with stdout, or not known
	Comment string `json:"comment,omitempty" yaml:"comment,omitempty"`

	Ending *Ending `json:"ending,omitempty" yaml:"ending,omitempty"` // of a job that is over
}

// NodeRequest is what a job asks of its nodes. What the scheduler does not tell is 0.
type NodeRequest struct {
	MinNodes  int    `json:"min_nodes,omitempty" yaml:"min_nodes,omitempty"`
	MaxNodes  int    `json:"max_nodes,omitempty" yaml:"max_nodes,omitempty"`
	Tasks     int    `json:"tasks,omitempty" yaml:"tasks,omitempty"`
	CPUs      int    `json:"cpus,omitempty" yaml:"cpus,omitempty"`             // of all nodes
	MemoryMiB int64  `json:"memory_mib,omitempty" yaml:"memory_mib,omitempty"` // of all nodes
	GPUs      int    `json:"gpus,omitempty" yaml:"gpus,omitempty"`             // of all nodes
	GPUType   string `json:"gpu_type,omitempty" yaml:"gpu_type,omitempty"`
	Shards    int    `json:"shards,omitempty" yaml:"shards,omitempty"` // of all nodes

	GPUsPerNode   int   `json:"gpus_per_node,omitempty" yaml:"gpus_per_node,omitempty"` // where it is asked for so
	ShardsPerNode int   `json:"shards_per_node,omitempty" yaml:"shards_per_node,omitempty"`
	GPUsPerTask   int   `json:"gpus_per_task,omitempty" yaml:"gpus_per_task,omitempty"`
	TasksPerNode  int   `json:"tasks_per_node,omitempty" yaml:"tasks_per_node,omitempty"`
	CPUsPerTask   int   `json:"cpus_per_task,omitempty" yaml:"cpus_per_task,omitempty"`
	MinCPUs       int   `json:"min_cpus_per_node,omitempty" yaml:"min_cpus_per_node,omitempty"`
	MinMemoryMiB  int64 `json:"min_memory_mib,omitempty" yaml:"min_memory_mib,omitempty"`         // of a node; 0: not told
	MemoryPerCPU  int64 `json:"memory_per_cpu_mib,omitempty" yaml:"memory_per_cpu_mib,omitempty"` // where it is asked for so

	Features  string   `json:"features,omitempty" yaml:"features,omitempty"` // as written: a100&ib
	Nodes     []string `json:"nodes,omitempty" yaml:"nodes,omitempty"`       // that must be among them
	Exclude   []string `json:"exclude,omitempty" yaml:"exclude,omitempty"`
	Exclusive bool     `json:"exclusive,omitempty" yaml:"exclusive,omitempty"` // whole nodes
}

// NodeHolding is what a job holds of one node.
//
// Invariant: Node is not empty; counts are not negative.
type NodeHolding struct {
	Node       string `json:"node" yaml:"node"`
	CPUs       int    `json:"cpus,omitempty" yaml:"cpus,omitempty"`
	MemoryMiB  int64  `json:"memory_mib,omitempty" yaml:"memory_mib,omitempty"`
	GPUs       int    `json:"gpus,omitempty" yaml:"gpus,omitempty"`
	GPUType    string `json:"gpu_type,omitempty" yaml:"gpu_type,omitempty"`
	GPUIndices []int  `json:"gpu_indices,omitempty" yaml:"gpu_indices,omitempty"` // where the scheduler tells
	Shards     int    `json:"shards,omitempty" yaml:"shards,omitempty"`
}

// Ending is how a job ended.
type Ending struct {
	ExitCode    int    `json:"exit_code" yaml:"exit_code"`
	Signal      int    `json:"signal,omitempty" yaml:"signal,omitempty"`
	StepExit    int    `json:"step_exit_code,omitempty" yaml:"step_exit_code,omitempty"` // the highest of its steps
	FailedNode  string `json:"failed_node,omitempty" yaml:"failed_node,omitempty"`
	CancelledBy string `json:"cancelled_by,omitempty" yaml:"cancelled_by,omitempty"` // a user, or its number
}

// Waits reports whether the job is in the queue.
func (j *ObservedJob) Waits() bool { return j.State == "PENDING" }

// Runs reports whether the job holds its nodes and has not ended.
func (j *ObservedJob) Runs() bool {
	switch j.State {
	case "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STAGE_OUT", "SIGNALING", "STOPPED", "RESIZING":
		return true
	}
	return false
}

// Over reports whether the job has ended, as far as its state is known: a state
// that nobody knows is neither waiting, running nor over.
func (j *ObservedJob) Over() bool {
	switch j.State {
	case "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REQUEUED", "REVOKED", "SPECIAL_EXIT", "LAUNCH_FAILED", "RECONFIG_FAIL":
		return true
	}
	return false
}
