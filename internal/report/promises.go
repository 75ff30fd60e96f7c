package report

import (
	"errors"
	"fmt"

	"schedmate"
)

// Promises is the page of an admission: who has been promised GPUs until when, what
// a job that asks is told, and what broke.
//
// Invariant: Lease >= 1; of a Promise GPUs >= 1 and the Leases ascend; the Steps of a
// Load follow each other. At most one Promise is Asked.
type Promises struct {
	Title   string
	Lead    string   // the answer in one sentence
	Told    []string // what else there is to say of it
	Command string   // the command line that makes the page again
	Facts   []Pair   // provenance: terms, hash of the snapshot, version

	Now   schedmate.Seconds
	Lease schedmate.Seconds // length of a slot
	Clock bool              // instants are Unix time, and are written as such

	Rows     []Promise // in any order: the page shows the most urgent first
	Loads    []Load
	Shortage *Shortage // of a job that is refused for want of GPU-leases
	Refused  []Pair    // a job, and why it is promised nothing
}

// PromiseKind says what a row of the calendar is. The page shows them in this order,
// and those of one kind by their deadlines.
type PromiseKind int

const (
	Asked    PromiseKind = iota // the job that asks and is refused
	Offered                     // what it would be promised instead
	Broken                      // a promise or expectation that cannot be kept
	Promised                    // strict: a guarantee
	Expected                    // soft: a calendar that promises may overrule
)

// Promise is one row of the calendar.
type Promise struct {
	Kind     PromiseKind
	Job      string
	New      bool // the job that asks, with what it has just been promised
	GPUs     int
	Deadline schedmate.Seconds   // 0: none
	Leases   []schedmate.Seconds // when they begin; of a Broken one those that it loses
	Remark   string              // why it broke; what the offer changes
}

// Shortage is by when how much is missing.
type Shortage struct {
	Slot     int // that binds, from 1
	Until    schedmate.Seconds
	GPULease int    // how many GPU-leases are missing
	Text     string // the same for people
}

// Load is what nodes of one owner and type can promise, and what is promised.
type Load struct {
	Name  string
	Steps []LoadStep
}

// LoadStep is a stretch of time in which a load stays as it is.
type LoadStep struct {
	Start, End     schedmate.Seconds
	GPUs, Promised int
}

// validate checks the invariant of Promises.
func (p *Promises) validate() error {
	if p.Lease < 1 {
		return fmt.Errorf("a slot must last at least 1 second, got %d", p.Lease)
	}
	asked := 0
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Kind == Asked {
			asked++
		}
		if r.Kind < Asked || r.Kind > Expected {
			return fmt.Errorf("row %d (job %q): there is no kind %d", i, r.Job, r.Kind)
		}
		if r.GPUs < 1 {
			return fmt.Errorf("row %d (job %q): GPUs must be at least 1, got %d", i, r.Job, r.GPUs)
		}
		for k, at := range r.Leases {
			if k > 0 && at < r.Leases[k-1]+p.Lease {
				return fmt.Errorf("row %d (job %q): lease %d begins at %d, before the one before it ends: give each once, in their order", i, r.Job, k, at)
			}
		}
	}
	if asked > 1 {
		return errors.New("more than one job asks: give one")
	}
	for i := range p.Loads {
		for k, s := range p.Loads[i].Steps {
			if s.End <= s.Start || k > 0 && s.Start < p.Loads[i].Steps[k-1].End {
				return fmt.Errorf("load %d (%s): step %d from %d to %d does not follow the one before it", i, p.Loads[i].Name, k, s.Start, s.End)
			}
			if s.GPUs < 0 || s.Promised < 0 {
				return fmt.Errorf("load %d (%s): step %d has a negative number of GPUs", i, p.Loads[i].Name, k)
			}
		}
	}
	return nil
}

// cleanedPromises does for Promises what cleaned does for a Page.
func cleanedPromises(p Promises) Promises {
	clean(&p.Title, &p.Lead, &p.Command)
	p.Told = append([]string(nil), p.Told...)
	for i := range p.Told {
		clean(&p.Told[i])
	}
	p.Facts, p.Refused = cleanedPairs(p.Facts), cleanedPairs(p.Refused)
	p.Rows = append([]Promise(nil), p.Rows...)
	for i := range p.Rows {
		clean(&p.Rows[i].Job, &p.Rows[i].Remark)
	}
	p.Loads = append([]Load(nil), p.Loads...)
	for i := range p.Loads {
		clean(&p.Loads[i].Name)
	}
	if p.Shortage != nil {
		s := *p.Shortage
		clean(&s.Text)
		p.Shortage = &s
	}
	return p
}

func cleanedPairs(pairs []Pair) []Pair {
	out := append([]Pair(nil), pairs...)
	for i := range out {
		clean(&out[i].Name, &out[i].Value)
	}
	return out
}
