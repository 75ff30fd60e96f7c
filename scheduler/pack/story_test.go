package pack

import (
	"slices"

	"schedmate"
)

// fact is one that nobody doubts.
func fact(kind schedmate.FactKind, value int64) schedmate.Fact {
	return schedmate.Fact{Kind: kind, Value: value, Low: value, High: value, Source: schedmate.FromNeighbours}
}

// light is a job of one GPU that takes little from others: score 0, 1,000 MiB.
func light(id, model string) *schedmate.JobStatus {
	return &schedmate.JobStatus{
		Job:   schedmate.Job{ID: id, GPUs: 1, Workload: schedmate.Workload{Model: model}},
		Facts: []schedmate.Fact{fact(schedmate.ShareScore, 0), fact(schedmate.GPUMemoryMiB, 1000)},
	}
}

// halves lets the job run with half of these GPUs of node n1, as the seq-th.
func halves(j *schedmate.JobStatus, seq int64, gpus ...int) *schedmate.JobStatus {
	j.Seq, j.Attempt, j.Job.GPUs = seq, &schedmate.Attempt{Number: 1}, len(gpus)
	for _, g := range gpus {
		j.Attempt.Allocations = append(j.Attempt.Allocations, schedmate.Allocation{Node: "n1", GPU: g, Share: 500})
	}
	return j
}

// steps gives the job 32 steps of 100 alone, and since then so many of another length.
func steps(j *schedmate.JobStatus, n int, each int64) *schedmate.JobStatus {
	j.Steps = &schedmate.StepTimes{Alone: slices.Repeat([]int64{100}, 32), Shared: slices.Repeat([]int64{each}, n)}
	return j
}

// left says that so much of the job's work is left.
func left(j *schedmate.JobStatus, s int64) *schedmate.JobStatus {
	j.Facts = append(j.Facts, fact(schedmate.RunSeconds, s))
	return j
}

func running(jobs ...*schedmate.JobStatus) *schedmate.Snapshot {
	return &schedmate.Snapshot{Running: jobs}
}
