package fit

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
)

// Hundreds of partitions of the same thousand nodes, all of them busy, and jobs that
// may run in each of them: to try everything would take minutes.
func TestAnAnswerLooksAtSoMuchAndSaysWhatItLeftOut(t *testing.T) {
	o := &schedmate.Observation{APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, Now: 1000, System: schedmate.System{Name: "slurm"}}
	var nodes, partitions []string
	for i := range 1000 {
		nodes = append(nodes, fmt.Sprintf("n%04d", i))
		o.Nodes = append(o.Nodes, schedmate.ObservedNode{Name: nodes[i], States: []string{"MIXED"}, CPUs: 4 + i%60, CPUsUsed: 3, MemoryMiB: 1000})
		o.Jobs = append(o.Jobs, schedmate.ObservedJob{ID: fmt.Sprint(i + 1), State: "RUNNING", Start: 1, End: schedmate.Seconds(2000 + 61*i), Partitions: []string{"p000"},
			Allocation: []schedmate.NodeHolding{{Node: nodes[i], CPUs: 3}}})
	}
	for i := range 200 {
		partitions = append(partitions, fmt.Sprintf("p%03d", i))
		o.Partitions = append(o.Partitions, schedmate.Partition{Name: partitions[i], State: "UP", Nodes: nodes})
	}
	for i := range 4 {
		o.Jobs = append(o.Jobs, schedmate.ObservedJob{ID: fmt.Sprint(5000 + i), State: "PENDING", Submit: 1, TimeLimit: 3600, Partitions: partitions,
			Request: schedmate.NodeRequest{MinNodes: 700, Tasks: 30000 + i}})
	}
	c := New(o, nil)
	said := 0
	for i := range o.Jobs {
		j := &o.Jobs[i]
		if !j.Waits() {
			continue
		}
		before := c.work.done - c.work.plans
		a := c.Explain(j)
		if done := c.work.done - c.work.plans - before; done > 2*workOfAnswer {
			t.Errorf("job %s: %d nodes were looked at", j.ID, done)
		}
		if strings.Contains(strings.Join(a.Notes, " "), "Not all was reckoned") {
			said++
		}
	}
	if c.work.plans > 2*workOfPlans {
		t.Errorf("for the plans %d nodes were looked at", c.work.plans)
	}
	if said == 0 {
		t.Error("no answer says that it left something out")
	}
}

// Where weighted sums decide whether nodes are enough, trying every sum of GPUs
// decides the same.
func TestWeightedSumsSayWhatEverySumSays(t *testing.T) {
	yes, no := 0, 0
	for range 20 {
		rapid.Check(t, func(t *rapid.T) {
			n := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
			var offers []offer
			for i := range n(2, 9) {
				offers = append(offers, offer{node: i, tasks: n(1, 9), gpus: n(1, 8), named: n(1, 8) == 1})
			}
			o := order(offers)
			o.work = &work{}
			count, tasks, gpus := n(1, len(offers)), n(1, 40), n(1, 30)
			if named := o.byTasks[:count]; len(o.byTasks) > count && o.byTasks[count].named && named[count-1].named {
				return // more are named than are taken
			}
			chosen, ok, sure := o.weighed(offers, count, tasks, gpus)
			if !sure {
				return
			}
			if _, want := bySum(offers, count, tasks, gpus); ok != want {
				t.Fatalf("%d of %v have %d tasks and %d GPUs: %t, by every sum: %t", count, offers, tasks, gpus, ok, want)
			}
			if !ok {
				no++
				return
			}
			yes++
			sumTasks, sumGPUs := 0, 0
			for _, c := range chosen {
				sumTasks, sumGPUs = sumTasks+c.tasks, sumGPUs+c.gpus
			}
			if len(chosen) != count || sumTasks < tasks || sumGPUs < gpus {
				t.Fatalf("%v were chosen for %d tasks and %d GPUs", chosen, tasks, gpus)
			}
		})
	}
	if yes < 100 || no < 100 {
		t.Errorf("the choices were too easy: %d times enough, %d times not", yes, no)
	}
}
