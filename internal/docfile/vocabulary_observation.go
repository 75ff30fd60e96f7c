package docfile

import (
	"maps"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"schedmate"
)

// ObservationSchema returns the JSON Schema of an observation document.
func ObservationSchema() *jsonschema.Schema {
	return Schema[schedmate.Observation]("SchedMate observation", Vocabulary)
}

func init() { maps.Copy(Vocabulary, observationNotes) }

const asWritten = " As the scheduler writes it."

// observationNotes notes the types of an observation.
var observationNotes = Notes{
	reflect.TypeFor[schedmate.Observation](): headed(schedmate.ObservationKind,
		Note{"now_s", "The instant of the observation, in seconds; Unix time on a live cluster, the clock of the trace in a replay.", []Rule{anyTime}},
		Note{"system", "What was observed.", nil},
		Note{"nodes", "The machines, sorted by `name`.", nil},
		Note{"partitions", "Queues with their nodes, sorted by `name`.", nil},
		Note{"reservations", "Sorted by `name`.", nil},
		Note{"licences", "Sorted by `name`; only if a job asks for some.", nil},
		Note{"jobs", "Jobs that wait or run, and those that ended a short time ago, sorted by `id` (by the numbers in it).", nil},
		Note{"gaps", "What could not be read.", nil},
	),
	reflect.TypeFor[schedmate.System](): {
		{"name", "`slurm` or `replay`.", []Rule{NotEmpty}},
		{"version", "Of the scheduler.", nil},
		{"cluster", "Its own name of the cluster.", nil},
	},
	reflect.TypeFor[schedmate.Gap](): {
		{"what", "What is missing.", nil},
		{"why", "Why.", nil},
		{"next", "What a person can do about it.", nil},
	},
	reflect.TypeFor[schedmate.Partition](): {
		{"name", "Its name.", []Rule{NotEmpty}},
		{"state", "`UP` starts jobs; `DOWN`, `DRAIN` and `INACTIVE` do not." + asWritten, nil},
		{"default", "Whether jobs that name none go there.", nil},
		{"nodes", "That it may use.", nil},
		{"max_time_s", "Longest time limit, in seconds; 0 or left out: none.", []Rule{anyTime}},
		{"default_time_s", "Time limit of jobs that name none, in seconds.", []Rule{anyTime}},
		{"max_nodes", "Most nodes of a job; 0 or left out: any.", []Rule{notNegative}},
		{"min_nodes", "Fewest nodes of a job.", []Rule{notNegative}},
		{"priority_tier", "Jobs of a higher one are served first.", nil},
		{"allow_groups", "Unix groups that may use it; left out: all.", nil},
		{"allow_accounts", "Accounts that may use it; left out: all.", nil},
		{"allow_qos", "QOS that may use it; left out: all.", nil},
		{"restrictions", "What else it demands of jobs, or does to them, such as `RootOnly=YES`. `why` sends nobody to a partition that has some." + asWritten, nil},
	},
	reflect.TypeFor[schedmate.Reservation](): {
		{"name", "Its name.", []Rule{NotEmpty}},
		{"start_s", "Instant from which it holds, in seconds.", []Rule{anyTime}},
		{"end_s", "Instant until which it holds, in seconds; 0 or left out: without end.", []Rule{anyTime}},
		{"nodes", "That it keeps.", nil},
		{"users", "Who may use it.", nil},
		{"accounts", "Which accounts may use it.", nil},
		{"flags", "Such as `MAINT`." + asWritten, nil},
		{"state", "`ACTIVE` or `INACTIVE`.", nil},
	},
	reflect.TypeFor[schedmate.Licence](): {
		{"name", "Its name.", []Rule{NotEmpty}},
		{"total", "How many there are.", []Rule{notNegative}},
		{"used", "How many jobs hold.", []Rule{notNegative}},
		{"reserved", "How many are reserved.", []Rule{notNegative}},
	},
	reflect.TypeFor[schedmate.ObservedNode](): {
		{"name", "Its name.", []Rule{NotEmpty}},
		{"states", "In upper case, the base state first: `IDLE`, `DRAIN`. Words that are not known are kept.", nil},
		{"reason", "That a person or a check gave for the state.", nil},
		{"reason_s", "When, in seconds.", []Rule{anyTime}},
		{"reason_by", "Who.", nil},
		{"booted_s", "When it was started, in seconds.", []Rule{anyTime}},
		{"cpus", "CPUs that jobs may use.", []Rule{notNegative}},
		{"cpus_used", "Of them, held by jobs.", []Rule{notNegative}},
		{"memory_mib", "Memory that jobs may use, in MiB.", []Rule{notNegative}},
		{"memory_used_mib", "Of it, asked for by jobs that run.", []Rule{notNegative}},
		{"gpus", "Its GPUs, one entry a type.", nil},
		{"shards", "Shards of all its GPUs together.", []Rule{notNegative}},
		{"shards_used", "Of them, held by jobs.", []Rule{notNegative}},
		{"partitions", "It belongs to.", nil},
		{"features", "It has, for constraints of jobs.", nil},
		{"weight", "Nodes of a lower one are used first.", nil},
		{"version", "Of the scheduler's daemon on it.", nil},
	},
	reflect.TypeFor[schedmate.Device](): {
		{"type", "Such as `a100`; left out: not told.", nil},
		{"count", "How many of them the node has.", []Rule{Between(1, schedmate.MaxGangGPUs)}},
		{"used", "How many jobs hold.", []Rule{notNegative}},
		{"in_use", "Which, by index, where the scheduler tells.", nil},
	},
	reflect.TypeFor[schedmate.ObservedJob](): {
		{"id", "`7`; `7_3` a task of array 7; `7_[4-9%2]` tasks that wait; `7+1` a part of a heterogeneous job.", []Rule{NotEmpty}},
		{"number", "The scheduler's own number of this task or part.", nil},
		{"array", "The array it belongs to.", nil},
		{"tasks", "Tasks that this one record stands for, if more than one.", []Rule{notNegative}},
		{"het", "The heterogeneous job it is part of.", nil},
		{"name", "Name the user gave it.", nil},
		{"user", "Who submitted it.", nil},
		{"account", "Account it is charged to.", nil},
		{"qos", "Quality of service.", nil},
		{"state", "`PENDING`, `RUNNING`, `COMPLETED` ..." + asWritten, nil},
		{"flags", "Of the state, such as `REQUEUED`.", nil},
		{"reason", "The scheduler's word for why, such as `Priority`.", nil},
		{"description", "Its own sentence, where it has one.", nil},
		{"priority", "A higher one is served first.", nil},
		{"restarts", "How often it has been requeued.", []Rule{notNegative}},
		{"submit_s", "Instant of the submission, in seconds.", []Rule{anyTime}},
		{"eligible_s", "Instant from which it may start, in seconds.", []Rule{anyTime}},
		{"start_s", "Instant of its start, in seconds; of a waiting job when the scheduler expects it.", []Rule{anyTime}},
		{"end_s", "Instant of its end, in seconds; of a running job its limit.", []Rule{anyTime}},
		{"time_limit_s", "Wall time after which it is killed, in seconds; 0 or left out: none.", []Rule{anyTime}},
		{"deadline_s", "Instant at which the scheduler gives it up, in seconds.", []Rule{anyTime}},
		{"partitions", "It may run in, or runs in.", nil},
		{"request", "What it asks of nodes.", nil},
		{"reservation", "It asks for.", nil},
		{"licences", "It asks for." + asWritten, nil},
		{"dependency", "What it waits for." + asWritten, nil},
		{"allocation", "What it holds, sorted by node; of a running job.", nil},
		{"nodes", "It runs or ran on.", nil},
		{"workdir", "Folder it was submitted from.", nil},
		{"command", "Its script or program.", nil},
		{"stdout", "Where it logs, absolute, patterns filled in; left out: not known.", nil},
		{"stderr", "Where errors go, if not to `stdout`.", nil},
		{"comment", "The user's.", nil},
		{"ending", "How it ended; of a job that is over.", nil},
	},
	reflect.TypeFor[schedmate.NodeRequest](): {
		{"min_nodes", "Fewest nodes.", []Rule{notNegative}},
		{"max_nodes", "Most nodes; 0 or left out: as `min_nodes`.", []Rule{notNegative}},
		{"tasks", "Processes.", []Rule{notNegative}},
		{"cpus", "CPUs of all nodes.", []Rule{notNegative}},
		{"memory_mib", "Memory of all nodes, in MiB.", []Rule{notNegative}},
		{"gpus", "GPUs of all nodes.", []Rule{notNegative}},
		{"gpu_type", "Left out: any.", nil},
		{"shards", "Shards of all nodes.", []Rule{notNegative}},
		{"gpus_per_node", "Where it is asked for so.", []Rule{notNegative}},
		{"shards_per_node", "Where it is asked for so.", []Rule{notNegative}},
		{"gpus_per_task", "Where it is asked for so.", []Rule{notNegative}},
		{"tasks_per_node", "Where it is asked for so.", []Rule{notNegative}},
		{"cpus_per_task", "Where it is asked for so.", []Rule{notNegative}},
		{"min_cpus_per_node", "Fewest CPUs of a node.", []Rule{notNegative}},
		{"min_memory_mib", "Memory of a node, in MiB, where it is asked for so.", []Rule{notNegative}},
		{"memory_per_cpu_mib", "Memory for each CPU, in MiB, where it is asked for so.", []Rule{notNegative}},
		{"features", "That nodes must have." + asWritten, nil},
		{"nodes", "That must be among them.", nil},
		{"exclude", "That must not.", nil},
		{"exclusive", "Whether it wants whole nodes.", nil},
	},
	reflect.TypeFor[schedmate.NodeHolding](): {
		{"node", "The node.", []Rule{NotEmpty}},
		{"cpus", "CPUs of it.", []Rule{notNegative}},
		{"memory_mib", "Memory of it, in MiB.", []Rule{notNegative}},
		{"gpus", "GPUs of it.", []Rule{notNegative}},
		{"gpu_type", "Their type.", nil},
		{"gpu_indices", "Which, where the scheduler tells.", nil},
		{"shards", "Shards of it.", []Rule{notNegative}},
	},
	reflect.TypeFor[schedmate.Ending](): {
		{"exit_code", "Of the job's script.", nil},
		{"signal", "That ended it; 0 or left out: none.", nil},
		{"step_exit_code", "The highest of its steps.", nil},
		{"failed_node", "The node that failed, where the scheduler tells.", nil},
		{"cancelled_by", "The user who cancelled it, or its number.", nil},
	},
}
