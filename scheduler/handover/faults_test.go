package handover_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"schedmate/scheduler/handover"
)

// faults are what may happen between any two small steps.
var faults = []struct {
	name string
	do   func(w *world)
}{
	{"a time-out", func(w *world) {
		w.tell(handover.Event{Kind: handover.TimedOut, Number: w.machine.Number})
	}},
	{"a process of the job crashes, others hang", func(w *world) {
		if w.processes {
			w.workers = nil
			w.tell(handover.Event{Kind: handover.Crashed})
		}
	}},
	{"power fails at the disk and the node", func(w *world) {
		w.disk.losePower(w.random)
		w.workers = nil
		if w.processes && w.machine.Phase != handover.HandedOver {
			w.tell(handover.Event{Kind: handover.Crashed})
		}
	}},
	{"the node dies", func(w *world) {
		w.workers, w.processes, w.stopping = nil, false, false
		w.tell(handover.Event{Kind: handover.Stopped})
	}},
	{"the controller is restarted, writers go on", func(w *world) {
		next, commands := w.machine.Restart(w.disk.inspect(w.how))
		w.machine = next
		for _, c := range commands {
			w.carryOut(c)
		}
	}},
	{"others fill the disk", func(w *world) {
		w.disk.capacity = len(w.disk.published) + len(w.disk.temporaries)
	}},
	{"the disk spoils a published checkpoint of two", func(w *world) {
		if valid := w.disk.valid(); len(valid) >= 2 {
			number := valid[w.random.IntN(len(valid))]
			w.disk.published[number].checksums = false
			w.spoiled[number] = true
		}
	}},
	{"a cache tears what is written", func(w *world) { w.step(true) }},
}

// handOver runs one lease end, with the named fault (an index, or none) before
// each small step, to its end or until the steps are over.
func (w *world) handOver(steps int, fault func(step int) (int, bool)) {
	if w.machine.Phase == handover.HandedOver {
		w.begin()
	}
	for step := range steps {
		if w.err != nil || w.machine.Phase == handover.HandedOver && !w.inspect {
			return
		}
		if w.machine.Phase == handover.Running {
			w.tell(handover.Event{Kind: handover.LeaseEnds})
		}
		if which, now := fault(step); now {
			w.events = append(w.events, "-- "+faults[which].name)
			faults[which].do(w)
			w.watch()
		}
		w.step(false)
	}
}

func none(int) (int, bool) { return 0, false }

// randomSchedules runs schedules of five lease ends among faults and two calm
// ones, and returns how many broke a promise, the story of the first, and how many
// checkpoints were published in all.
func randomSchedules(how careless, runs int) (broken int, first string, published int) {
	for seed := range runs {
		w := newWorld(uint64(seed), how)
		chaos := rand.New(rand.NewPCG(uint64(seed), 2))
		for range 5 {
			w.disk.capacity = 3
			w.handOver(80, func(int) (int, bool) { return chaos.IntN(len(faults)), chaos.IntN(6) == 0 })
		}
		w.disk.capacity = 3 + len(w.disk.inspect(w.how).Spoiled)
		w.handOver(200, none) // what a fault has left behind
		before := len(w.promised)
		w.handOver(200, none)
		if w.err == nil && len(w.promised) == before {
			w.fail("without faults the lease ended without a checkpoint: %s", w.machine.Phase)
		}
		published += len(w.promised)
		if w.err != nil {
			broken++
			if first == "" {
				first = fmt.Sprintf("seed %d: %v\n%s", seed, w.err, strings.Join(w.events, "\n"))
			}
		}
	}
	return broken, first, published
}

// On 10,000 random schedules of faults: a promised checkpoint is never lost, a
// published one never overwritten or torn, GPUs never handed over while a process is
// left, and when the faults end, the next lease ends with a checkpoint.
func TestNoCheckpointIsLostOnRandomSchedules(t *testing.T) {
	broken, first, published := randomSchedules(careless{}, 10_000)
	if broken > 0 {
		t.Errorf("%d of 10,000 schedules broke a promise; the first:\n%s", broken, first)
	}
	if published < 20_000 {
		t.Errorf("only %d checkpoints were published: the faults leave too little to test", published)
	}
}

// The same, for every pair of faults before every pair of small steps of the
// second of three lease ends.
func TestNoCheckpointIsLostByAnyTwoFaults(t *testing.T) {
	const steps = 18 // a calm lease end takes fewer
	for a := range faults {
		for b := range faults {
			for first := range steps {
				for second := first; second < steps; second++ {
					w := newWorld(uint64(first*steps+second), careless{})
					w.handOver(steps, none)
					w.handOver(60, func(step int) (int, bool) {
						switch step {
						case first:
							return a, true
						case second:
							return b, true
						}
						return 0, false
					})
					w.disk.capacity = 3
					w.handOver(60, none)
					w.handOver(60, none)
					if w.err != nil {
						t.Fatalf("%s before step %d, %s before step %d: %v\n%s", faults[a].name, first, faults[b].name, second, w.err, strings.Join(w.events, "\n"))
					}
				}
			}
		}
	}
}

// The watch above sees each way to carry out the commands wrongly.
func TestCarelessHandOversAreFoundOut(t *testing.T) {
	for name, how := range map[string]careless{
		"saved is said before the data is on the disk":       {noFlush: true},
		"nobody reads back what was written":                 {noVerify: true},
		"the checkpoint is published in place of the old":    {inPlace: true},
		"published is said before the folder is on the disk": {earlyAnswer: true},
		"an inspection sees what is not on the disk":         {noSync: true},
	} {
		t.Run(name, func(t *testing.T) {
			if broken, _, _ := randomSchedules(how, 1000); broken == 0 {
				t.Error("no promise was broken in 1,000 schedules")
			}
		})
	}
}
