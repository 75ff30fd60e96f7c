package handover_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"schedmate/scheduler/handover"
)

// disk is a folder on a disk with a cache: what was written and not flushed may
// be gone, or be there in part, after a loss of power.
type disk struct {
	capacity    int // files
	temporaries map[int]*file
	published   map[int]*file
}

// file holds parts of one checkpoint, which is whole with all of them.
type file struct {
	content   int // who wrote it: every save writes something else
	parts     int // written
	flushed   int // of these, surely on the disk
	durable   bool
	checksums bool // false: the disk spoiled it
}

const wholeParts = 3

func (f *file) valid() bool { return f.parts == wholeParts && f.checksums }

func newDisk(capacity int) *disk {
	return &disk{capacity: capacity, temporaries: map[int]*file{}, published: map[int]*file{}}
}

// losePower keeps of each file what was flushed and some of the rest, and of
// each rename that was not flushed either side.
func (d *disk) losePower(r *rand.Rand) {
	for number, f := range d.temporaries {
		f.parts = f.flushed + r.IntN(f.parts-f.flushed+1)
		f.flushed = f.parts
		if f.parts == 0 && r.IntN(2) == 0 {
			delete(d.temporaries, number)
		}
	}
	for number, f := range d.published {
		f.parts = f.flushed + r.IntN(f.parts-f.flushed+1)
		f.flushed = f.parts
		if !f.durable && r.IntN(2) == 0 {
			delete(d.published, number)
			d.temporaries[number] = f
		}
		f.durable = true
	}
}

func (d *disk) inspect(how careless) handover.Found {
	var found handover.Found
	for number, f := range d.published {
		f.durable = f.durable || !how.noSync // the folder is flushed
		if f.valid() {
			found.Valid = append(found.Valid, number)
		} else {
			found.Spoiled = append(found.Spoiled, number)
		}
	}
	for number := range d.temporaries {
		found.Temporaries = append(found.Temporaries, number)
	}
	slices.Sort(found.Valid)
	slices.Sort(found.Spoiled)
	slices.Sort(found.Temporaries)
	return found
}

// careless are ways to carry out commands wrongly. Each must be found out.
type careless struct {
	noFlush     bool // save answers before the data is on the disk
	noVerify    bool // verify says yes without reading
	inPlace     bool // publish always takes the same name
	earlyAnswer bool // published is said before the folder is flushed
	noSync      bool // an inspection reports renames that are not on the disk
}

// worker carries out one command in small steps, between which anything may
// happen. step returns the answer when there is one.
type worker struct {
	command handover.Command
	at      int
}

func (w *worker) step(d *disk, id int, how careless, tornByCache bool) (handover.Event, bool) {
	number := w.command.Number
	answer := func(kind handover.EventKind) (handover.Event, bool) {
		return handover.Event{Kind: kind, Number: number}, true
	}
	w.at++
	switch w.command.Kind {
	case handover.Save:
		f := d.temporaries[number]
		switch {
		case w.at == 1:
			if len(d.temporaries)+len(d.published) >= d.capacity {
				return answer(handover.Failed)
			}
			d.temporaries[number] = &file{content: id, checksums: true}
			return handover.Event{}, false
		case f == nil:
			return answer(handover.Failed) // discarded under its hands
		case f.parts < wholeParts:
			f.parts++
			f.checksums = f.checksums && !tornByCache
			return handover.Event{}, false
		}
		if !how.noFlush {
			f.flushed = f.parts
		}
		return answer(handover.Saved)
	case handover.Verify:
		if f := d.temporaries[number]; !how.noVerify && (f == nil || !f.valid()) {
			return answer(handover.Torn)
		}
		return answer(handover.Sound)
	case handover.Publish:
		name := number
		if how.inPlace {
			name = 1
		}
		if w.at == 1 {
			f := d.temporaries[number]
			if f == nil || d.published[name] != nil && !how.inPlace {
				return answer(handover.Failed)
			}
			delete(d.temporaries, number)
			d.published[name] = f
			if how.earlyAnswer {
				return answer(handover.Published)
			}
			return handover.Event{}, false
		}
		if f := d.published[name]; f != nil {
			f.durable = true
		}
		return answer(handover.Published)
	}
	panic(fmt.Sprintf("BUG: a worker cannot %s", w.command.Kind))
}

// valid returns what could be resumed from, also if power failed now.
func (d *disk) valid() []int {
	var numbers []int
	for number, f := range d.published {
		if f.valid() && f.durable {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers
}
