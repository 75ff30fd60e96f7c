package traces

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"schedmate"
	"schedmate/scheduler/sim"
)

// sia is the format of the workloads of the Sia artifact (SOSP 2023). All times
// are seconds.
//
//	name          the job
//	time          the submission, from an epoch of the workload's own
//	application   what it trains; there are five, see data/sia-run.csv
//	num_replicas  the gang; an adaptive policy may choose another one
//	batch_size    samples a step over the whole gang; for an adaptive policy the most
//	workload      several workloads in one file are told apart by it
//	set           the same, for files of several sets of workloads
//
// The workloads do not say how long a job runs: in Sia's simulator that follows
// from what the policy gives it. Outcome.Run is the run time of the job as it
// asks, without adaption, on Sia's T4 nodes of four GPUs. siaRuns has it from
// the published profiles, data/README.md says how. A combination of
// application, batch size and replicas that is not there is an error: no run
// time is guessed.
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
	choices: []string{"workload"},
}

func siaJob(r *row) (sim.Job, string) {
	j := sim.Job{Job: schedmate.Job{
		ID:       r.id("name"),
		GPUs:     r.gpus("num_replicas"),
		Submit:   r.seconds("time"),
		Workload: schedmate.Workload{Model: r.text("application"), BatchSize: int(r.whole("batch_size", 1<<30))},
		Outcome:  &schedmate.Outcome{State: schedmate.Completed},
	}}
	key := siaKey{j.Workload.Model, j.Workload.BatchSize, j.GPUs}
	run, known := siaRuns()[key]
	if !known && j.GPUs > 0 {
		r.fail(siaUnknown(key))
	}
	j.Iterations, j.Outcome.Run = run.iterations, run.seconds
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

//go:embed data/sia-run.csv
var siaRunData string

type siaKey struct {
	application         string
	batchSize, replicas int
}

type siaRun struct {
	iterations int64
	seconds    schedmate.Seconds
}

// siaRuns is the run time of each combination that has been profiled.
var siaRuns = sync.OnceValue(func() map[siaKey]siaRun {
	rows, err := csv.NewReader(strings.NewReader(siaRunData)).ReadAll()
	if err != nil {
		panic("BUG: data/sia-run.csv: " + err.Error())
	}
	runs := make(map[siaKey]siaRun, len(rows))
	for _, cells := range rows[1:] {
		var n [4]int
		for i := range n {
			if n[i], err = strconv.Atoi(cells[i+1]); err != nil {
				panic("BUG: data/sia-run.csv: " + err.Error())
			}
		}
		runs[siaKey{cells[0], n[0], n[1]}] = siaRun{int64(n[2]), schedmate.Seconds(n[3])}
	}
	return runs
})

// siaUnknown names the cell that no profile is for.
func siaUnknown(key siaKey) (column, problem, next string) {
	var apps, sizes bool
	for k := range siaRuns() {
		apps = apps || k.application == key.application
		sizes = sizes || k.application == key.application && k.batchSize == key.batchSize
	}
	const columns = "correct the cell or remove the row; data/sia-run.csv of the format lists what is known"
	switch {
	case !apps:
		return "application", fmt.Sprintf("no run time is known of %.40q", key.application), columns
	case !sizes:
		return "batch_size", fmt.Sprintf("no run time is known of %s with %d samples a step", key.application, key.batchSize), columns
	}
	return "num_replicas", fmt.Sprintf("no run time is known of %s with %d samples a step on %d GPUs", key.application, key.batchSize, key.replicas), columns
}
