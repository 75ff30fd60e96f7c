package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

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
	Looked     number `json:"last_sched_evaluation"`
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
	Scheduled  text   `json:"scheduled_nodes"`
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
	PerSocket  text   `json:"tres_per_socket"`
	Sockets    number `json:"sockets_per_node"` // where they are asked for
	Asked      text   `json:"tres_req_str"`
	Allocated  text   `json:"tres_alloc_str"`
	User       text   `json:"user_name"`
	UserID     number `json:"user_id"`
	WorkDir    text   `json:"current_working_directory"`

	cutShort bool // the list of array tasks that wait is not whole
}

// errNoID says that a record names no job.
var errNoID = errors.New("has no job id")

// job gives the record its meaning.
func (r *record) job() (schedmate.ObservedJob, error) {
	if r.JobID <= 0 {
		return schedmate.ObservedJob{}, errNoID
	}
	if err := r.check(); err != nil {
		return schedmate.ObservedJob{}, err
	}
	j := schedmate.ObservedJob{
		Number: int64(r.JobID), Name: valid(r.Name), User: cmp.Or(clean(r.User), userNumber(r.UserID)), Account: clean(r.Account), QOS: clean(r.QOS),
		Reason: reason(r.Reason), Description: clean(r.StateText), Priority: int64(r.Priority), Restarts: r.Restarts.count(),
		Submit: r.Submit.seconds(), Eligible: r.Eligible.seconds(), Start: r.Start.seconds(), End: r.End.seconds(), Deadline: r.Deadline.seconds(),
		TimeLimit: r.TimeLimit.minutes(), Reservation: clean(r.Reserved), Licences: clean(r.Licences), Dependency: clean(r.Dependency),
		WorkDir: clean(r.WorkDir), Command: clean(r.Command), Comment: valid(r.Comment),
	}
	if err := r.identify(&j); err != nil {
		return j, err
	}
	if j.State, j.Flags = jobState(r.State); j.State == "" {
		return j, errors.New("has no state")
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
		j.End, j.Looked = 0, r.Looked.seconds()
		if j.PlannedNodes, err = Hosts(clean(r.Scheduled)); err != nil {
			return j, err
		}
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
		tasks, err := schedmate.ReadArrayTasks(list)
		if err != nil {
			return err
		}
		j.Tasks, r.cutShort = tasks.Count(), tasks.CutShort
	case r.HetJob > 0:
		j.Het = strconv.FormatInt(int64(r.HetJob), 10)
		j.ID = j.Het + "+" + strconv.FormatInt(int64(r.HetOffset), 10)
	default:
		j.ID = number
	}
	return nil
}

// clean makes a text valid, and nothing of what Slurm writes for nothing.
func clean(t text) string { return valid(text(none(string(t)))) }

// valid makes a text of a user valid: it may be anything, also a word that Slurm
// writes for nothing.
func valid(t text) string { return strings.ToValidUTF8(string(t), "\uFFFD") }

// reason is Slurm's word for why a job is as it is.
func reason(t text) string {
	if s := clean(t); s != "None" {
		return strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
	}
	return ""
}

func userNumber(n number) string { return strconv.FormatInt(int64(n), 10) }

// check refuses a record with numbers that cannot be: who believes one of them
// would plan with nonsense.
func (r *record) check() error {
	for _, c := range []struct {
		name string
		n    number
	}{
		{"cpus", r.CPUs}, {"node_count", r.Nodes}, {"tasks", r.Tasks}, {"max_nodes", r.MaxNodes}, {"cpus_per_task", r.CPUsTask}, {"tasks_per_node", r.TasksNode},
		{"minimum_cpus_per_node", r.MinCPUs}, {"restart_cnt", r.Restarts}, {"het_job_offset", r.HetOffset}, {"memory_per_cpu", r.MemoryCPU}, {"memory_per_node", r.MemoryNode},
	} {
		if c.n < 0 || c.n > mostCount {
			return fmt.Errorf("%s is out of range: %d", c.name, c.n)
		}
	}
	for _, c := range []struct {
		name string
		n    number
	}{
		{"submit_time", r.Submit}, {"eligible_time", r.Eligible}, {"start_time", r.Start}, {"end_time", r.End}, {"deadline", r.Deadline}, {"last_sched_evaluation", r.Looked}, {"time_limit", r.TimeLimit * 60},
	} {
		if c.n < 0 || schedmate.Seconds(c.n) > schedmate.MaxSeconds {
			return fmt.Errorf("%s is out of range: %d", c.name, c.n)
		}
	}
	if r.Priority < 0 || r.ArrayJob < 0 || r.HetJob < 0 || r.ArrayTask.number < 0 {
		return errors.New("has a negative number where none can be")
	}
	return nil
}
