package traces

import (
	"schedmate"
	"schedmate/scheduler/sim"
)

// philly is the format of two extracts of Microsoft's Philly log (ATC 2019)
// that are in use. All times are seconds. Neither has states, so every job
// counts as completed, also those that were killed or failed in truth.
//
// From the Pollux and Sia artifacts, in no order and without ids:
//
//	timestamp  the submission, like 2017-10-09 07:01:55
//	duration   seconds, written as a decimal
//	num_gpus   the gang
//	vc         the virtual cluster; the column may be missing
//
// Its jobs are named p00000, p00001 ... by submission, ties in file order.
//
// From the RFold artifact, sorted and without VCs:
//
//	job_id
//	arrival_s   seconds from the first job of the log
//	num_gpus
//	duration_s
var philly = format{
	name:    "philly",
	summary: "Microsoft Philly: arrivals, gang sizes and durations, as extracted by Pollux/Sia or by RFold, in seconds",
	layouts: []layout{
		{
			required: []string{"timestamp", "duration", "num_gpus"},
			optional: []string{"vc"},
			numbered: true,
			job: func(r *row) (sim.Job, string) {
				return phillyJob(r, "", r.stamp("timestamp"), r.seconds("duration"))
			},
		},
		{
			required: []string{"job_id", "arrival_s", "num_gpus", "duration_s"},
			job: func(r *row) (sim.Job, string) {
				return phillyJob(r, r.id("job_id"), r.seconds("arrival_s"), r.seconds("duration_s"))
			},
		},
	},
}

func phillyJob(r *row, id string, submit, run schedmate.Seconds) (sim.Job, string) {
	j := sim.Job{Job: schedmate.Job{
		ID:      id,
		VC:      r.text("vc"),
		GPUs:    r.gpus("num_gpus"),
		Submit:  submit,
		Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed},
	}}
	if j.GPUs == 0 {
		return j, noGPUs
	}
	return j, ""
}
