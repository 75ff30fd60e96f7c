package traces

import (
	"fmt"

	"schedmate"
	"schedmate/scheduler/sim"
)

// lucid is the format of the Lucid simulator's input (ASPLOS 2023) and of the
// Helios cluster logs that it grew from (SC 2021). All times are seconds.
//
//	gpu_num      the gang; a row that asks 0 is a CPU job and is dropped
//	duration     seconds from start to end
//	submit_s     seconds from an epoch of the file's own
//	submit_time  the same, or a time like 2020-04-01 00:00:00
//	state        how the job ended, see lucidStates; no column: completed
//	estimate_s   what the publisher's model predicted for duration
//	gpu_util     mean GPU utilisation alone, in percent
//	gmem         peak device memory, in what the publisher calls MB
//
// The last three become facts, known from the submission on; an empty cell
// makes none. A trace gives a point and no interval, so Low = Value = High. The
// confidence is full, because it speaks of the statement being in the trace and
// not of the job: the artifact's policies use these numbers without a
// threshold, and one here must not switch them off behind its reader's back.
// The source, trace, says that nothing else vouches for them.
//
// gmem is MiB: Lucid's profiler copies what nvidia-smi prints, which is MiB, and
// its packing rule takes 24,576 (24 x 1,024) for the memory of a 24 GiB GPU.
//
// The columns cpu_num, node_num, start_time, end_time, queue, speed and
// gmem_util are known and not used: a simulation makes its own start and end.
var lucid = format{
	name:    "lucid",
	summary: "Lucid simulator and Helios cluster logs: jobs with users, VCs, states, estimates and profiles, in seconds",
	layouts: []layout{
		{required: []string{"job_id", "gpu_num", "duration", "submit_s"}, optional: lucidOptional, job: lucidJob},
		{required: []string{"job_id", "gpu_num", "duration", "submit_time"}, optional: lucidOptional, job: lucidJob},
	},
	choices: []string{"tables"},
	prepare: readLucid,
}

var lucidOptional = []string{"user", "vc", "jobname", "cpu_num", "node_num", "state", "start_time", "end_time", "queue",
	"estimate_s", "model", "dataset", "batchsize", "amp", "speed", "gpu_util", "gmem_util", "gmem"}

type lucidState struct {
	state   schedmate.State
	failure schedmate.FailureClass
}

// lucidStates are the end states of the Helios logs, which are Slurm's, and of
// the Philly log, which the same simulator reads.
var lucidStates = map[string]lucidState{
	"COMPLETED": {state: schedmate.Completed},
	"CANCELLED": {state: schedmate.Cancelled},
	"FAILED":    {state: schedmate.Failed}, // Helios does not say whose fault it was
	"TIMEOUT":   {state: schedmate.TimedOut},
	"NODE_FAIL": {state: schedmate.Failed, failure: schedmate.InfrastructureFailure},
	"Pass":      {state: schedmate.Completed},
	"Killed":    {state: schedmate.Cancelled},
	"Failed":    {state: schedmate.Failed},
}

func lucidJob(r *row) (sim.Job, string) {
	submit := "submit_s"
	if _, ok := r.column[submit]; !ok {
		submit = "submit_time"
	}
	j := sim.Job{Job: schedmate.Job{
		ID:     r.id("job_id"),
		Name:   r.text("jobname"),
		User:   r.text("user"),
		VC:     r.text("vc"),
		GPUs:   r.gpus("gpu_num"),
		Submit: r.instant(submit),
		Workload: schedmate.Workload{
			Model:   r.text("model"),
			Dataset: r.text("dataset"),
			AMP:     r.has("amp") && r.flag("amp"),
		},
		Outcome: &schedmate.Outcome{Run: r.seconds("duration"), State: schedmate.Completed},
	}}
	if r.has("batchsize") {
		j.Workload.BatchSize = int(r.whole("batchsize", 1<<30))
	}
	if j.GPUs == 0 {
		return j, noGPUs
	}
	if _, ok := r.column["state"]; ok {
		cell := r.cell("state")
		if cell == "SUSPENDED" { // occurs once in Helios
			return j, "state SUSPENDED is not an end"
		}
		end, known := lucidStates[cell]
		if !known {
			r.fail("state", fmt.Sprintf("unknown state %.40q", cell), "use COMPLETED, CANCELLED, FAILED, TIMEOUT or NODE_FAIL")
		}
		j.Outcome.State, j.Outcome.Failure = end.state, end.failure
	}
	j.Facts = lucidFacts(r, j.Submit)
	if score, ok := r.scores[j.Workload]; ok {
		j.Facts = append(j.Facts, schedmate.Fact{
			Kind: schedmate.ShareScore, Value: score, Low: score, High: score, ConfidenceMilli: 1000, Source: schedmate.FromTrace,
			Evidence: []schedmate.Evidence{{Ref: r.options.Profiles}}, ObservedAt: j.Submit,
		})
	}
	return j, ""
}

// lucidFactColumns are the columns that state something about a job, with the
// factor to the unit of the fact and its largest value.
var lucidFactColumns = []struct {
	column string
	kind   schedmate.FactKind
	scale  float64
	max    int64
}{
	{"estimate_s", schedmate.RunSeconds, 1, int64(schedmate.MaxSeconds)},
	{"gpu_util", schedmate.GPUUtilisation, 10, 1000}, // percent -> thousandths
	{"gmem", schedmate.GPUMemoryMiB, 1, 1 << 24},
}

func lucidFacts(r *row, submit schedmate.Seconds) (facts []schedmate.Fact) {
	var evidence []schedmate.Evidence // one row, one place
	for _, c := range lucidFactColumns {
		if !r.has(c.column) {
			continue
		}
		if facts == nil {
			facts = make([]schedmate.Fact, 0, len(lucidFactColumns))
			evidence = []schedmate.Evidence{{Ref: r.name, Line: r.line}}
		}
		value := r.scaled(c.column, c.scale, c.max)
		facts = append(facts, schedmate.Fact{
			Kind: c.kind, Value: value, Low: value, High: value,
			ConfidenceMilli: 1000,
			Source:          schedmate.FromTrace,
			Evidence:        evidence,
			ObservedAt:      submit,
		})
	}
	return facts
}
