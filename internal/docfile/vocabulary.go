package docfile

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"schedmate"
)

// SnapshotSchema returns the JSON Schema of a snapshot document. It states
// what one field alone must satisfy; Validate checks the rest.
func SnapshotSchema() *jsonschema.Schema {
	s := Schema[schedmate.Snapshot]("SchedMate snapshot", Vocabulary)
	Never(s.Properties["waiting"].Items.Properties["attempt"])
	running := s.Properties["running"].Items
	running.Required = append(running.Required, "attempt")
	return s
}

// JobSchema returns the JSON Schema of a job document.
func JobSchema() *jsonschema.Schema { return Schema[JobDocument]("SchedMate job", Vocabulary) }

var (
	anyTime     = Between(0, int64(schedmate.MaxSeconds))
	notNegative = AtLeast(0)
)

// headed puts the two fields that every document begins with before the rest.
func headed(kind string, rest ...Note) []Note {
	return append([]Note{
		{"apiVersion", "Version of the format.", []Rule{Exactly(schedmate.APIVersion)}},
		{"kind", "Kind of the document.", []Rule{Exactly(kind)}},
	}, rest...)
}

// Vocabulary notes the types of the root package that occur in documents.
var Vocabulary = Notes{
	reflect.TypeFor[schedmate.Snapshot](): headed(schedmate.SnapshotKind,
		Note{"now_s", "The instant of the snapshot, in seconds from the epoch of its source. All other instants of the document count from the same epoch.", []Rule{anyTime}},
		Note{"cluster", "The machine park.", nil},
		Note{"waiting", "Jobs that wait, sorted by `seq`.", nil},
		Note{"running", "Jobs that run, sorted by `seq`.", nil},
		Note{"memory", "Notes of the policy's last plan, given back to it. Left out: it plans as for a cluster that it has not seen before.", nil},
	),
	reflect.TypeFor[schedmate.Note](): {
		{"kind", "What the note is about: 1 to 32 lower-case letters or underscores, the policy's own word.", []Rule{NotEmpty}},
		{"job", "A job it names; it may have ended.", nil},
		{"node", "A node it names.", nil},
		{"numbers", "Numbers, in an order that the policy knows.", nil},
	},
	reflect.TypeFor[JobDocument](): headed(JobKind,
		Note{"job", "The job that is asked for.", nil},
		Note{"facts", "What is known about the job beyond the request; each `kind` at most once.", nil},
	),
	reflect.TypeFor[schedmate.Cluster](): {
		{"name", "Name of the cluster, for people.", nil},
		{"nodes", "The machines, sorted by `id` without duplicates; at least one.", []Rule{SomeItems}},
		{"vcs", "Virtual clusters (tenants), sorted by `name` without duplicates.", nil},
		{"spread", "Gangs may be placed on more nodes than they need, as it is the same to them where they run. Otherwise a gang gets the fewest nodes that could hold it.", nil},
	},
	reflect.TypeFor[schedmate.Node](): {
		{"id", "Name of the node, unique in the cluster.", []Rule{NotEmpty}},
		{"gpu_type", "Type of all its GPUs, for example `V100`.", nil},
		{"gpus", "Number of GPUs.", []Rule{Between(1, schedmate.MaxGangGPUs)}},
		{"memory_mib", "Memory of one GPU, in MiB.", []Rule{notNegative}},
		{"vc", "The virtual cluster that owns the node; it must be declared in `vcs`. Without it the node is shared by all.", nil},
		{"switch", "Failure and network domain.", nil},
		{"health", "Whether the node takes work. `healthy` (also when left out): yes. `draining`, `suspect`: it keeps what runs and takes nothing new. `down`: it runs nothing.",
			[]Rule{OneOf(schedmate.Healthy, schedmate.Draining, schedmate.Suspect, schedmate.Down)}},
	},
	reflect.TypeFor[schedmate.VC](): {
		{"name", "Name of the virtual cluster.", []Rule{NotEmpty}},
		{"quota_gpus", "Most GPUs of shared nodes that its jobs may hold together; 0 or left out: no quota.", []Rule{notNegative}},
	},
	reflect.TypeFor[schedmate.JobStatus](): {
		{"job", "What the user asked for.", nil},
		{"seq", "Number of the moment at which the job entered its present state, counted over the whole cluster: the arrival order of the queue and the last tie-break of every policy. No two jobs of one list share it.", []Rule{notNegative}},
		{"done_s", "Work finished before the current attempt, in seconds on the requested gang.", []Rule{anyTime}},
		{"owed_s", "Restart work at the start of the attempt, in seconds.", []Rule{anyTime}},
		{"held_s", "Wall time on GPUs before the current attempt, in seconds.", []Rule{anyTime}},
		{"waited_s", "Time in the queue so far, in seconds.", []Rule{anyTime}},
		{"preemptions", "How often the job has been preempted.", []Rule{notNegative}},
		{"crashes", "How many of its attempts ended by a failure of its own code or framework before the work was done. A node that fails is not counted.", []Rule{notNegative}},
		{"facts", "What is known about the job beyond the request; each `kind` at most once.", nil},
		{"tuning", "What the training library of an adaptive job reports: one whose batch size and number of GPUs are tuned while it runs.", nil},
		{"attempt", "The run in progress. A running job has one, a waiting job has none.", nil},
		{"steps", "Step times that were read from the log of a running job; what could not be read is left out.", nil},
	},
	reflect.TypeFor[schedmate.StepTimes](): {
		{"alone_us", "The last ones logged while nobody shared its GPUs, in microseconds, the oldest first; at most 64.", nil},
		{"shared_us", "The first ones since it has shared its GPUs with those with whom it shares them now, in microseconds, the oldest first; at most 64.", nil},
	},
	reflect.TypeFor[schedmate.Tuning](): {
		{"batch", "Samples a step over the whole gang, as the user wrote it.", []Rule{AtLeast(1)}},
		{"limit_batch", "The largest batch that the user asks for.", []Rule{AtLeast(1)}},
		{"most_batch", "The largest batch at which the library still trains well.", []Rule{AtLeast(1)}},
		{"least_local", "The fewest samples of one GPU in one pass.", []Rule{AtLeast(1)}},
		{"restart_s", "What a start costs, in seconds: checkpoint, restore, warm-up.", []Rule{anyTime}},
		{"noise_billionths", "Variance of the gradient at the initial batch size over its squared norm, in billionths, as last measured. The larger it is, the more a larger batch teaches.", []Rule{notNegative}},
		{"types", "The types of GPU that the job can use, sorted by `gpu_type` without duplicates.", nil},
	},
	reflect.TypeFor[schedmate.TunedType](): {
		{"gpu_type", "Type of GPU, as nodes name it.", nil},
		{"most_local", "Samples that fit on one GPU in one pass.", []Rule{AtLeast(1)}},
		{"one_gpu_micro", "Speed on one GPU in the short run that profiles a newcomer, in millionths of a sample a second.", []Rule{AtLeast(1)}},
		{"most_gpus", "The largest gang that the job has been measured on. Left out: it has not run on this type, and has no `model`.", []Rule{notNegative}},
		{"model", "Step times, fitted to what has been measured.", nil},
	},
	reflect.TypeFor[schedmate.StepModel](): {
		{"compute_fs", "Part of the time to compute that does not depend on the samples, in femtoseconds.", []Rule{AtLeast(1)}},
		{"compute_sample_fs", "Time to compute a sample of one GPU.", []Rule{AtLeast(1)}},
		{"across_fs", "Time of the exchange on several nodes, with two GPUs.", []Rule{AtLeast(1)}},
		{"across_gpu_fs", "What each further GPU adds to it.", []Rule{AtLeast(1)}},
		{"within_fs", "Time of the exchange within a node, with two GPUs.", []Rule{AtLeast(1)}},
		{"within_gpu_fs", "What each further GPU adds to it.", []Rule{AtLeast(1)}},
		{"gamma_billionths", "Overlap of the two, in billionths: step = (compute^gamma + exchange^gamma)^(1/gamma).", []Rule{Between(1_000_000_000, 10_000_000_000)}},
	},
	reflect.TypeFor[schedmate.Job](): {
		{"id", "Name of the job, unique in the document.", []Rule{NotEmpty}},
		{"name", "Name the user gave it.", nil},
		{"user", "Who submitted it.", nil},
		{"group", "Account or project.", nil},
		{"vc", "Virtual cluster it runs in; in a snapshot it must be declared in `cluster.vcs`.", nil},
		{"gpus", "GPUs it needs, all at once (a gang).", []Rule{Between(1, schedmate.MaxGangGPUs)}},
		{"sizes", "Numbers of GPUs that an elastic job can run on, increasing; left out: on `gpus` alone.", nil},
		{"gpu_type", "GPU type it needs; left out: any.", nil},
		{"submit_s", "Instant of the submission, in seconds; in a snapshot not after `now_s`.", []Rule{anyTime}},
		{"time_limit_s", "Wall time after which it is killed, in seconds: a limit, never an estimate. 0 or left out: none.", []Rule{anyTime}},
		{"iterations", "Training iterations it will do; 0 or left out: unknown.", []Rule{notNegative}},
		{"workload", "What it trains, as far as it is known.", nil},
		{"slo", "Its service-level objective; left out: best effort.", []Rule{sloTiers}},
		{"outcome", "How the job ended. Only traces and histories have it, these documents never: a policy must not see the future.", []Rule{Never}},
	},
	reflect.TypeFor[schedmate.Workload](): {
		{"model", "Name of the model.", nil},
		{"dataset", "Name of the data set.", nil},
		{"batch_size", "Samples an iteration, over the whole gang.", []Rule{notNegative}},
		{"amp", "Whether it trains with automatic mixed precision.", nil},
	},
	reflect.TypeFor[schedmate.Outcome](): {
		{"run_s", "Work on the requested gang, without restarts, in seconds.", []Rule{anyTime}},
		{"state", "End state.", []Rule{OneOf(schedmate.Completed, schedmate.Failed, schedmate.Cancelled, schedmate.TimedOut, schedmate.Infeasible)}},
		{"failure", "Who must act on a failure.", []Rule{OneOf(schedmate.InfrastructureFailure, schedmate.FrameworkFailure, schedmate.UserFailure)}},
	},
	reflect.TypeFor[schedmate.SLO](): {
		{"class", "`best_effort`: no deadline. `strict`: worthless after its one deadline. `soft`: worth less after each deadline.",
			[]Rule{OneOf(schedmate.BestEffort, schedmate.Strict, schedmate.Soft)}},
		{"tiers", "Steps of the reward. Deadlines strictly increase, rewards strictly decrease. A strict job has exactly one, a soft job at least one, a best-effort job none.", nil},
	},
	reflect.TypeFor[schedmate.Tier](): {
		{"deadline_s", "Instant by which the job must end, in seconds; not before `submit_s`.", []Rule{anyTime}},
		{"reward", "What ending by then is worth.", []Rule{Between(0, schedmate.FullReward)}},
	},
	reflect.TypeFor[schedmate.Fact](): {
		{"kind", "What the fact is about, which fixes unit and range. `run_seconds`: work the job needs on the gang it asked for, in seconds. `occupancy_seconds`: how long it is expected to hold that gang, as some jobs like it fail or are cancelled. `gpu_utilisation_milli`: mean SM utilisation alone, in thousandths (0 to 1000). `gpu_memory_mib`: peak memory on one GPU, in MiB. `share_score`: how much of a GPU it takes from others that share it, 0 little, 1 some, 2 much. `gpu_memory_utilisation_milli`: mean share of the time in which it alone reads or writes device memory, in thousandths.",
			[]Rule{OneOf(schedmate.RunSeconds, schedmate.OccupancySeconds, schedmate.GPUUtilisation, schedmate.GPUMemoryMiB, schedmate.ShareScore, schedmate.GPUMemoryUtilisation)}},
		{"value", "The estimate: 0 <= `low` <= `value` <= `high`.", []Rule{notNegative}},
		{"low", "Lower end of its interval.", []Rule{notNegative}},
		{"high", "Upper end of its interval.", []Rule{notNegative}},
		{"confidence_milli", "Confidence in the interval, in thousandths.", []Rule{Between(0, 1000)}},
		{"source", "How the fact came to be. `truth`: the trace itself, simulation only. `trace`: an estimate stored in a trace. `user`: declared at submission. `source`: resolved from code and command. `neighbours`: similar past jobs. `prior`: an average. `log`: read from the job's log. `telemetry`: measured on the device.",
			[]Rule{OneOf(schedmate.FromTruth, schedmate.FromTrace, schedmate.FromUser, schedmate.FromSource, schedmate.FromNeighbours, schedmate.FromPrior, schedmate.FromLog, schedmate.FromTelemetry)}},
		{"evidence", "What the fact was read from.", nil},
		{"observed_at_s", "Instant from which it holds, in seconds.", []Rule{anyTime}},
		{"expires_at_s", "Instant from which it no longer holds, in seconds, after `observed_at_s`; 0 or left out: never.", []Rule{anyTime}},
	},
	reflect.TypeFor[schedmate.Evidence](): {
		{"ref", "A file, a log or the id of a past job.", nil},
		{"line", "Line in it, from 1; 0 or left out: the whole.", nil},
		{"byte", "Offset of the span in it, in bytes.", nil},
	},
	reflect.TypeFor[schedmate.Attempt](): {
		{"number", "Count of the job's runs, from 1.", []Rule{AtLeast(1)}},
		{"start_s", "Instant at which this run began, in seconds; not before `submit_s`, not after `now_s`.", []Rule{anyTime}},
		{"allocations", "The GPUs of the gang, sorted by node and GPU without duplicates; as many as `job.gpus`, or as one of `job.sizes`.", []Rule{SomeItems}},
	},
	reflect.TypeFor[schedmate.Allocation](): {
		{"node", "The node; it must be in `cluster.nodes`.", []Rule{NotEmpty}},
		{"gpu", "Index of the GPU in the node, from 0.", []Rule{notNegative}},
		{"share", "Part of that GPU, in thousandths; the shares of all jobs on one GPU add up to 1000 at most.", []Rule{Between(1, int64(schedmate.WholeGPU))}},
	},
}

// sloTiers states how many tiers each class of objective has.
func sloTiers(s *jsonschema.Schema) {
	tiers := func(least int, most *int) *jsonschema.Schema {
		then := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"tiers": {MaxItems: most}}}
		if least > 0 {
			then.Required = []string{"tiers"}
			then.Properties["tiers"].Type = "array"
			then.Properties["tiers"].MinItems = &least
		}
		return then
	}
	class := func(c schedmate.SLOClass) *jsonschema.Schema {
		return &jsonschema.Schema{
			Required:   []string{"class"},
			Properties: map[string]*jsonschema.Schema{"class": {Const: jsonschema.Ptr[any](string(c))}},
		}
	}
	s.If, s.Then = class(schedmate.Strict), tiers(1, jsonschema.Ptr(1))
	s.Else = &jsonschema.Schema{If: class(schedmate.Soft), Then: tiers(1, nil), Else: tiers(0, jsonschema.Ptr(0))}
}
