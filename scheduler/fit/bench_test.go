package fit_test

import (
	"fmt"
	"testing"

	"schedmate"
	"schedmate/scheduler/fit"
)

// crowd is a cluster of a thousand nodes of 8 GPUs, full but for a fragment here and
// there, with that many jobs waiting of a hundred users.
func crowd(waiting int) *schedmate.Observation {
	o := &schedmate.Observation{APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, Now: now, System: schedmate.System{Name: "slurm"}}
	var all []string
	for i := range 1000 {
		name := fmt.Sprintf("n%04d", i)
		all = append(all, name)
		o.Nodes = append(o.Nodes, schedmate.ObservedNode{Name: name, States: []string{"MIXED"}, CPUs: 64, MemoryMiB: 512000, GPUs: []schedmate.Device{{Type: "a100", Count: 8}}})
	}
	o.Partitions = []schedmate.Partition{{Name: "batch", State: "UP", Nodes: all}, {Name: "urgent", State: "UP", Nodes: all[:500], Tier: 10}}
	id := 0
	for i := range 1000 {
		for k := range 2 {
			gpus := 4 - (i*7+k)%13/12
			id++
			o.Jobs = append(o.Jobs, schedmate.ObservedJob{ID: fmt.Sprint(id), State: "RUNNING", Start: now - 100, End: now + schedmate.Seconds(60*(1+(i*31+k*17)%2000)), Partitions: []string{"batch"},
				Allocation: []schedmate.NodeHolding{{Node: all[i], CPUs: 8 * gpus, MemoryMiB: 50000, GPUs: gpus, GPUType: "a100"}}})
		}
	}
	for i := range waiting {
		id++
		gpus := []int{1, 2, 4, 8, 8, 8}[i%6]
		nodes := []int{1, 1, 1, 1, 2, 8}[i%6]
		part := "batch"
		if i%17 == 0 {
			part = "urgent"
		}
		o.Jobs = append(o.Jobs, schedmate.ObservedJob{ID: fmt.Sprint(id), State: "PENDING", User: fmt.Sprintf("u%02d", i%100), Reason: "Priority", Priority: int64(1 + i*7919%5000),
			Submit: now - 1000, TimeLimit: schedmate.Seconds(3600 * (1 + i%24)), Partitions: []string{part},
			Request: schedmate.NodeRequest{MinNodes: nodes, MaxNodes: nodes, Tasks: nodes, CPUsPerTask: 8, GPUsPerNode: gpus, GPUs: gpus * nodes, MinMemoryMiB: 20000}})
	}
	(&story{o: *o}).count()
	return o
}

// A user asks why a hundred jobs wait, of ten thousand in the queue.
func BenchmarkOneUserOfTenThousandJobs(b *testing.B) {
	o := crowd(10_000)
	for b.Loop() {
		c := fit.New(o, nil)
		for i := range o.Jobs {
			if j := &o.Jobs[i]; j.Waits() && j.User == "u07" {
				c.Explain(j)
			}
		}
	}
}

func BenchmarkPrepare(b *testing.B) {
	o := crowd(10_000)
	for b.Loop() {
		fit.New(o, nil)
	}
}
