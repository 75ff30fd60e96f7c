package traces

import (
	"fmt"
	"slices"
	"strings"

	"schedmate"
	"schedmate/scheduler/sim"
)

// SyntheticLabel begins the first line of a synthetic trace. The rest of the
// line says how it was made.
const SyntheticLabel = "# synthetic trace, no job of it was ever run: "

// SyntheticColumns are the columns of a synthetic trace. All times are seconds.
//
//	job_id      begins with synthetic-, so that every table of jobs says what it is of
//	name        may be empty
//	gpu_num     the gang
//	submit_s    the submission
//	duration_s  the work on that gang
//	state       completed, cancelled, failed or timed_out
//	slo         strict, soft or best_effort
//	deadlines_s seconds from the submission to each deadline, joined by "-"
//	rewards     the reward of each, 100 the full one, joined by "-"
var SyntheticColumns = []string{"job_id", "name", "gpu_num", "submit_s", "duration_s", "state", "slo", "deadlines_s", "rewards"}

// synthetic is the format of traces that are made, not recorded; eval/synthetic
// makes them. The first line is the label, and without it the file is refused:
// a synthetic trace says so wherever it goes.
var synthetic = format{
	name:     "synthetic",
	summary:  "made by 'schedmate trace generate' from published aggregates, labelled as such, in seconds",
	labelled: true,
	layouts:  []layout{{required: SyntheticColumns, job: syntheticJob}},
}

const syntheticID = "synthetic-"

var syntheticStates = []schedmate.State{schedmate.Completed, schedmate.Cancelled, schedmate.Failed, schedmate.TimedOut}

func syntheticJob(r *row) (sim.Job, string) {
	j := sim.Job{Job: schedmate.Job{
		ID:      r.id("job_id"),
		Name:    r.text("name"),
		GPUs:    r.gpus("gpu_num"),
		Submit:  r.seconds("submit_s"),
		Outcome: &schedmate.Outcome{Run: r.seconds("duration_s"), State: schedmate.State(r.text("state"))},
	}}
	if !strings.HasPrefix(j.ID, syntheticID) {
		r.fail("job_id", fmt.Sprintf("must begin with %s, got %.40q", syntheticID, j.ID), "keep the names that the generator gave")
	}
	if !slices.Contains(syntheticStates, j.Outcome.State) {
		r.fail("state", fmt.Sprintf("unknown state %.40q", r.cell("state")), "use "+list(syntheticStates))
	}
	j.SLO = syntheticSLO(r, j.Submit)
	if j.GPUs == 0 {
		return j, noGPUs
	}
	return j, ""
}

func syntheticSLO(r *row, submit schedmate.Seconds) schedmate.SLO {
	slo := schedmate.SLO{Class: schedmate.SLOClass(r.text("slo"))}
	switch slo.Class {
	case schedmate.BestEffort:
		for _, column := range []string{"deadlines_s", "rewards"} {
			if r.has(column) {
				r.fail(column, "a best-effort job has none", "leave the cell empty, or make the job strict or soft")
			}
		}
		return slo
	case schedmate.Strict, schedmate.Soft:
	default:
		r.fail("slo", fmt.Sprintf("unknown class %.40q", r.cell("slo")), "use strict, soft or best_effort")
		return slo
	}
	after, worth := strings.Split(r.cell("deadlines_s"), "-"), strings.Split(r.cell("rewards"), "-")
	if len(after) != len(worth) {
		r.fail("rewards", fmt.Sprintf("has %d entries, deadlines_s has %d", len(worth), len(after)), "give every deadline one reward")
		return slo
	}
	slo.Tiers = make([]schedmate.Tier, 0, len(after))
	for i := range after {
		seconds, problem := whole(after[i], int64(schedmate.MaxSeconds))
		if problem != "" {
			r.fail("deadlines_s", fmt.Sprintf("deadline %d %s", i+1, problem), `write seconds after the submission joined by "-"`)
		}
		reward, problem := whole(worth[i], schedmate.FullReward)
		if problem != "" {
			r.fail("rewards", fmt.Sprintf("reward %d %s", i+1, problem), `write rewards from 0 to 100 joined by "-"`)
		}
		slo.Tiers = append(slo.Tiers, schedmate.Tier{Deadline: submit + schedmate.Seconds(seconds), Reward: int(reward)})
	}
	return slo
}

// label reads the first line of a labelled format.
func (f *format) label(l *loader, src *source) error {
	text, err := src.next()
	rest, ok := strings.CutPrefix(strings.TrimPrefix(text, byteOrderMark), SyntheticLabel)
	if err != nil || !ok || rest == "" {
		return &InputError{File: l.file, Line: 1, Problem: "the label of a synthetic trace is missing",
			Next: "the first line must begin with " + strings.TrimSpace(SyntheticLabel) + " and say how the trace was made; 'schedmate trace generate' writes it"}
	}
	l.trace.Synthetic = rest
	return nil
}
