package traces

import (
	"schedmate"
	"schedmate/scheduler/sim"
)

// elasticflow is the format of the traces in the ElasticFlow artifact (ASPLOS
// 2023). All times are seconds.
//
//	submit_time  seconds from an epoch of the file's own
//	num_gpu      the gang that the user asked for; a row that asks 0 is dropped
//	duration     seconds of work on that gang
//	iteration    the same work in iterations
//	ddl          the one deadline, an instant of the same clock
//	model_name   with batch_size what is trained
//	batch_size   samples an iteration, over the whole gang
//
// The columns real_iteration and real_duration of some files are not used: they
// hold what the two columns without "real_" were made of.
//
// A job's speed on other gangs is that of its model and batch size in the
// artifact's table of throughputs, which comes with the program (tables); a job
// that is not in it has no speeds and keeps its gang. duration and iteration
// were not made with that table, so a job takes another time by its iterations
// than by its duration; which of the two counts is the World's choice (Elastic).
var elasticflow = format{
	name:    "elasticflow",
	summary: "ElasticFlow artifact: jobs with one deadline, and with speeds on 1 to 64 GPUs, in seconds",
	layouts: []layout{{
		required: []string{"job_id", "submit_time", "iteration", "model_name", "ddl", "batch_size", "num_gpu", "duration"},
		optional: []string{"real_iteration", "real_duration"},
		job:      elasticflowJob,
	}},
}

func elasticflowJob(r *row) (sim.Job, string) {
	submit := r.seconds("submit_time")
	j := sim.Job{Job: schedmate.Job{
		ID:         r.id("job_id"),
		GPUs:       r.gpus("num_gpu"),
		Submit:     submit,
		Iterations: r.whole("iteration", maxIterations),
		Workload:   schedmate.Workload{Model: r.text("model_name"), BatchSize: int(r.whole("batch_size", 1<<30))},
		Outcome:    &schedmate.Outcome{Run: r.seconds("duration"), State: schedmate.Completed},
	}}
	deadline := r.seconds("ddl")
	if deadline < submit {
		r.fail("ddl", "lies before the submission", correctCell)
	}
	j.SLO = schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: deadline, Reward: schedmate.FullReward}}}
	if j.GPUs == 0 {
		return j, noGPUs
	}
	if j.Iterations == 0 {
		return j, "trains 0 iterations"
	}
	j.Speeds = elasticflowSpeeds(&j.Job)
	return j, ""
}
