package handover_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"schedmate/scheduler/handover"
)

// world runs hand-overs of one job on a disk, with faults between any two small
// steps, and watches what must never happen.
type world struct {
	disk    *disk
	machine handover.Machine
	limits  handover.Limits
	how     careless
	random  *rand.Rand

	workers   []*worker // carry out commands; given-up ones go on writing
	stopping  bool      // processes are being stopped
	processes bool      // some process of the job is left
	inspect   bool

	ids      int          // of saves
	promised []int        // reported as published, ascending
	contents map[int]int  // of these
	spoiled  map[int]bool // published ones that the disk spoiled afterwards
	events   []string
	err      error
}

func newWorld(seed uint64, how careless) *world {
	w := &world{disk: newDisk(3), limits: handover.Limits{Extensions: 1, Keep: 2}, how: how,
		random: rand.New(rand.NewPCG(seed, 1)), contents: map[int]int{}, spoiled: map[int]bool{}}
	w.begin()
	return w
}

// begin gives the job a lease.
func (w *world) begin() {
	machine, err := handover.New(w.limits, w.machine.Number, w.disk.inspect(w.how))
	if err != nil {
		w.fail("%v", err)
		return
	}
	w.machine, w.processes, w.stopping, w.inspect = machine, true, false, false
}

func (w *world) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// tell lets the machine know of an event and begins what it asks for.
func (w *world) tell(e handover.Event) {
	w.events = append(w.events, fmt.Sprintf("%s %d", e.Kind, e.Number))
	if e.Kind == handover.Published {
		w.promised = append(w.promised, e.Number)
		if f := w.disk.published[e.Number]; f != nil {
			w.contents[e.Number] = f.content
		}
	}
	next, commands, err := w.machine.Next(e)
	if err != nil {
		w.fail("%v", err)
		return
	}
	w.machine = next
	for _, c := range commands {
		w.events = append(w.events, fmt.Sprintf("  %s %d", c.Kind, c.Number))
		w.carryOut(c)
	}
}

func (w *world) carryOut(c handover.Command) {
	switch c.Kind {
	case handover.Save, handover.Verify, handover.Publish:
		if !w.processes {
			w.fail("%s of checkpoint %d is asked of a job that is gone", c.Kind, c.Number)
		}
		w.workers = append(w.workers, &worker{command: c})
	case handover.Discard:
		delete(w.disk.temporaries, c.Number)
	case handover.Remove:
		delete(w.disk.published, c.Number)
	case handover.Stop:
		w.stopping = true
	case handover.Free:
		if w.processes {
			w.fail("GPUs are handed over while processes of the job are left")
		}
	case handover.Inspect:
		w.inspect = true
	case handover.Extend, handover.Drain:
	}
}

// step lets one small thing happen: a worker goes on, processes end, an
// inspection comes back.
func (w *world) step(tornByCache bool) {
	switch {
	case w.stopping && w.processes:
		w.processes, w.workers = false, nil
		w.tell(handover.Event{Kind: handover.Stopped, Number: w.machine.Number})
	case w.inspect:
		w.inspect = false
		w.tell(handover.Event{Kind: handover.Inspected, Found: w.disk.inspect(w.how)})
	case len(w.workers) > 0:
		i := w.random.IntN(len(w.workers))
		working := w.workers[i]
		w.ids++
		if e, answered := working.step(w.disk, w.ids, w.how, tornByCache); answered {
			w.workers = slices.Delete(w.workers, i, i+1)
			w.tell(e)
		}
	}
	w.watch()
}

// watch checks what must hold at every moment: also if power fails now, the job
// can go on from what was promised last, and nothing published is other than it
// was.
func (w *world) watch() {
	for number, content := range w.contents {
		if f := w.disk.published[number]; f != nil && f.content != content {
			w.fail("published checkpoint %d was overwritten", number)
		}
	}
	for number, f := range w.disk.published {
		if f.flushed < wholeParts || !f.checksums && !w.spoiled[number] {
			w.fail("published checkpoint %d is torn, or would be if power failed now", number)
		}
	}
	survives := 0
	if valid := w.disk.valid(); len(valid) > 0 {
		survives = valid[len(valid)-1]
	}
	for _, number := range slices.Backward(w.promised) {
		if w.spoiled[number] {
			continue
		}
		if survives < number {
			w.fail("checkpoint %d was promised and is lost, as is everything newer", number)
		}
		return
	}
}
