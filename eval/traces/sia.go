package traces

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler/sim"
)

// sia is the format of the workloads of the Sia artifact (SOSP 2023). All times
// are seconds.
//
//	name          the job
//	time          the submission, from an epoch of the workload's own
//	application   what it trains; there are five
//	num_replicas  the gang; an adaptive policy may choose another one
//	batch_size    samples a step over the whole gang; for an adaptive policy the most
//	workload      several workloads in one file are told apart by it
//	set           the same, for files of several sets of workloads
//
// The workloads do not say how long a job runs: in Sia's simulator that follows
// from what the policy gives it. Outcome.Run is the run time of the job as it
// asks, without adaption, on Sia's T4 nodes of four GPUs, computed from the
// artifact's profiles in the data folder, see siaProfiles. A combination of
// application, batch size and replicas that was not measured is an error: no run
// time is guessed.
//
// With Options.Adaptive jobs also carry what the profiles say about every gang,
// type of GPU and batch size, so that a host that can adapts them.
//
// Workloads are separate runs that use the same names and the same hours, so a
// file of several needs Options.Workload; the others' jobs are dropped.
var sia = format{
	name:    "sia",
	summary: "Sia artifact: adaptive jobs with application, batch size and replicas, in seconds; run times are those of T4 nodes without adaption",
	layouts: []layout{{
		required: []string{"name", "time", "application", "num_replicas", "batch_size"},
		optional: []string{"workload", "set"},
		id:       "name",
		job:      siaJob,
	}},
	choices: []string{"workload", "adaptive"},
	prepare: func(l *loader) (err error) {
		if l.options.Beside == nil {
			return &InputError{File: l.file, Problem: "needs the profiles of the Sia artifact, which the product does not carry", Next: "name the folder of traces with --data or $SCHEDMATE_DATA"}
		}
		if l.sia, err = readSiaProfiles(l.options.Beside); err == nil && l.options.Adaptive {
			l.sia.applications, err = readSiaApplications(l.options.Beside)
		}
		return err
	},
}

func siaJob(r *row) (sim.Job, string) {
	j := sim.Job{Job: schedmate.Job{
		ID:       r.id("name"),
		GPUs:     r.gpus("num_replicas"),
		Submit:   r.seconds("time"),
		Workload: schedmate.Workload{Model: r.text("application"), BatchSize: int(r.whole("batch_size", 1<<30))},
		Outcome:  &schedmate.Outcome{State: schedmate.Completed},
	}}
	if j.GPUs > 0 && r.err == nil {
		var column, problem string
		if j.Outcome.Run, j.Iterations, column, problem = r.sia.run(j.Workload.Model, j.Workload.BatchSize, j.GPUs); problem != "" {
			r.fail(column, problem, correctCell)
		}
		r.train(&j)
	}
	if other := r.otherWorkload(); other != "" {
		j.ID = other + "/" + j.ID // names are unique within a workload
		return j, "of another workload than " + r.options.Workload
	}
	if j.GPUs == 0 {
		return j, noGPUs
	}
	return j, ""
}

// otherWorkload returns the row's workload if it is not the one to read. Without
// a choice the file may hold one only.
func (r *row) otherWorkload() string {
	mine := r.text("workload")
	if set := r.text("set"); set != "" {
		mine = set + "/" + mine
	}
	switch {
	case r.options.Workload != "":
		if mine == r.options.Workload {
			return ""
		}
		return mine + " " // never the name of a chosen one
	case r.line > 2 && mine != r.workload:
		r.fail("workload", fmt.Sprintf("is %.40s, those above are %.40s: the file holds several workloads, which are separate runs", mine, r.workload),
			"choose one of them, with --workload "+r.workload+" for example")
	}
	r.workload = mine
	return ""
}
