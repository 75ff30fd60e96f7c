package traces

import (
	"fmt"
	"strings"

	"schedmate"
	"schedmate/scheduler/sim"
)

// chronus is the format of the workloads in the CHRONUS artifact (SoCC 2021).
// All times are minutes.
//
//	num_gpu            the gang; a row that asks 0 is dropped, as the artifact does
//	submit_time        minutes from an epoch before the first job
//	duration           minutes of work on that gang
//	expect_time_list   minutes from the submission to each deadline, joined by "-"
//	expect_value_list  the reward of each, joined by "-"; 10 is the full one
//	job_type           strict (one deadline), soft (one or more) or best
//	best_effort        1 for best, else 0
//
// Best-effort rows carry a placeholder in the two lists; it is not read. Two
// soft deadlines that fall on the same second are one, with the better reward.
// The column interval is not used. The artifact's own files call the column vc
// user, though it holds the hash of a virtual cluster; both names are read.
var chronus = format{
	name:    "chronus",
	summary: "CHRONUS artifact: strict, soft and best-effort jobs with deadlines, in minutes",
	layouts: []layout{
		{required: append([]string{"vc"}, chronusColumns...), optional: []string{"interval"}, job: chronusJob},
		{required: append([]string{"user"}, chronusColumns...), optional: []string{"interval"}, job: chronusJob},
	},
}

var chronusColumns = []string{"job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration",
	"expect_time_list", "expect_value_list", "best_effort", "job_type"}

// maxIterations is far above any training run and far below an overflow.
const maxIterations = 1 << 53

func chronusJob(r *row) (sim.Job, string) {
	submit := r.minutes("submit_time")
	j := sim.Job{Job: schedmate.Job{
		ID:         r.id("job_id"),
		VC:         r.text("vc") + r.text("user"), // a header has one of the two
		GPUs:       r.gpus("num_gpu"),
		Submit:     submit,
		Iterations: r.whole("iterations", maxIterations),
		Workload:   schedmate.Workload{Model: r.text("model_name")},
		SLO:        chronusSLO(r, submit),
		Outcome:    &schedmate.Outcome{Run: r.minutes("duration"), State: schedmate.Completed},
	}}
	if j.GPUs == 0 {
		return j, noGPUs
	}
	return j, ""
}

func chronusSLO(r *row, submit schedmate.Seconds) schedmate.SLO {
	kind := r.cell("job_type")
	if best := r.flag("best_effort"); best != (kind == "best") {
		r.fail("best_effort", fmt.Sprintf("is %s, but job_type is %.40q", r.cell("best_effort"), kind), "make the two agree")
		return schedmate.SLO{}
	}
	switch kind {
	case "best":
		return schedmate.SLO{Class: schedmate.BestEffort}
	case "strict":
		tiers := chronusTiers(r, submit)
		if len(tiers) > 1 {
			r.fail("expect_time_list", fmt.Sprintf("a strict job has one deadline, got %d", len(tiers)), "make the job soft or leave one deadline")
		}
		return schedmate.SLO{Class: schedmate.Strict, Tiers: tiers}
	case "soft":
		return schedmate.SLO{Class: schedmate.Soft, Tiers: chronusTiers(r, submit)}
	}
	r.fail("job_type", fmt.Sprintf("unknown type %.40q", kind), "use strict, soft or best")
	return schedmate.SLO{}
}

// chronusTiers reads the two lists side by side.
func chronusTiers(r *row, submit schedmate.Seconds) []schedmate.Tier {
	const times, values = "expect_time_list", "expect_value_list"
	after, worth := strings.Split(r.cell(times), "-"), strings.Split(r.cell(values), "-")
	if len(after) != len(worth) {
		r.fail(values, fmt.Sprintf("has %d entries, %s has %d", len(worth), times, len(after)), "give every deadline one value")
		return nil
	}
	tiers := make([]schedmate.Tier, 0, len(after))
	for i := range after {
		minutes, problem := scaled(after[i], 60, int64(schedmate.MaxSeconds))
		if problem != "" {
			r.fail(times, fmt.Sprintf("deadline %d %s", i+1, problem), `write minutes after the submission joined by "-"; a deadline cannot lie before it`)
			return nil
		}
		value, problem := whole(worth[i], schedmate.FullReward/10)
		if problem != "" {
			r.fail(values, fmt.Sprintf("value %d %s", i+1, problem), `write values from 0 to 10 joined by "-"`)
			return nil
		}
		next := schedmate.Tier{Deadline: submit + schedmate.Seconds(minutes), Reward: int(value) * 10}
		if i == 0 {
			tiers = append(tiers, next)
			continue
		}
		switch last := &tiers[len(tiers)-1]; {
		case next.Deadline == last.Deadline:
			last.Reward = max(last.Reward, next.Reward)
		case next.Deadline < last.Deadline:
			r.fail(times, fmt.Sprintf("deadline %d comes before deadline %d", i+1, i), "write the earliest deadline first")
			return nil
		case next.Reward >= last.Reward:
			r.fail(values, fmt.Sprintf("value %d is not smaller than the one before it", i+1), "a later deadline must be worth less; leave out the earlier one")
			return nil
		default:
			tiers = append(tiers, next)
		}
	}
	return tiers
}
