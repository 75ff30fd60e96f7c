package calendar

import (
	"fmt"
	"strings"
)

// Round is what a calendar is for.
type Round struct {
	Capacity  []int   // GPUs that can be promised, by slot
	Sub       int     // best-effort leases in slot 1
	FreeCells *[4]int // free aligned cells of 1, 2, 4 and 8 GPUs in slot 1; nil: any will do
	Jobs      []Job
}

// Job is one job of a round. Rewards are whole numbers of any one unit.
type Job struct {
	ID       string
	Spot     bool  // best effort or profiler: sub-slots of slot 1 instead of slots
	Late     int64 // what a job with steps earns when it meets none
	Steps    []Step
	Policies []Policy
	Must     bool // the first step is promised already
}

// Step earns Reward when the job ends by the end of slot By.
type Step struct {
	By     int
	Reward int64
}

// Policy is one way to run a job.
type Policy struct {
	GPUs   int
	Cells  [4]int // of 1, 2, 4 and 8 GPUs
	Leases int    // to the end of the job
	Each   int64  // what each lease of a spot job earns
}

// Entry is a lease: job and policy by index, slot and sub-slot from 1. Sub is 0
// for a lease of a whole slot.
type Entry struct{ Job, Slot, Policy, Sub int }

// Violations are what is wrong with a calendar.
type Violations []string

func (v Violations) Error() string {
	const most = 5
	text := strings.Join(v[:min(len(v), most)], "; ")
	if len(v) > most {
		text += fmt.Sprintf("; and %d more", len(v)-most)
	}
	return "calendar refused: " + text
}

// Check returns Violations unless the calendar can be carried out and earns
// exactly value.
func Check(r *Round, entries []Entry, value int64) error {
	b := &book{round: r, held: make([]map[[2]int]bool, len(r.Jobs)), policy: make([]int, len(r.Jobs))}
	for _, e := range entries {
		b.enter(e)
	}
	if len(b.wrong) == 0 {
		b.slots(entries)
		b.earned(value)
	}
	if len(b.wrong) > 0 {
		return b.wrong
	}
	return nil
}

type book struct {
	round  *Round
	held   []map[[2]int]bool // by job: the slots and sub-slots it holds
	policy []int
	wrong  Violations
}

func (b *book) refuse(format string, args ...any) {
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

// enter books one entry, if it means something.
func (b *book) enter(e Entry) {
	r := b.round
	if e.Job < 0 || e.Job >= len(r.Jobs) {
		b.refuse("there is no job %d", e.Job)
		return
	}
	j := &r.Jobs[e.Job]
	switch {
	case e.Policy < 0 || e.Policy >= len(j.Policies):
		b.refuse("job %s has no policy %d", j.ID, e.Policy)
	case e.Slot < 1 || e.Slot > len(r.Capacity):
		b.refuse("job %s: there is no slot %d", j.ID, e.Slot)
	case j.Spot && (e.Slot != 1 || e.Sub < 1 || e.Sub > r.Sub):
		b.refuse("job %s: a spot lease takes a sub-slot of slot 1, not %d.%d", j.ID, e.Slot, e.Sub)
	case !j.Spot && e.Sub != 0:
		b.refuse("job %s: a lease takes a whole slot", j.ID)
	case b.held[e.Job][[2]int{e.Slot, e.Sub}]:
		b.refuse("job %s holds two leases in slot %d.%d", j.ID, e.Slot, e.Sub)
	case len(b.held[e.Job]) > 0 && b.policy[e.Job] != e.Policy:
		b.refuse("job %s runs under two policies", j.ID)
	default:
		if b.held[e.Job] == nil {
			b.held[e.Job] = make(map[[2]int]bool)
		}
		b.held[e.Job][[2]int{e.Slot, e.Sub}], b.policy[e.Job] = true, e.Policy
	}
}

// slots adds up what each slot, and each sub-slot of the first, holds.
func (b *book) slots(entries []Entry) {
	r := b.round
	for k := range r.Capacity {
		subs := 1
		if k == 0 {
			subs = max(1, r.Sub)
		}
		for q := 1; q <= subs; q++ {
			gpus := 0
			var cells [4]int
			for _, e := range entries {
				if e.Slot == k+1 && (e.Sub == 0 || e.Sub == q) {
					p := &r.Jobs[e.Job].Policies[e.Policy]
					gpus += p.GPUs
					for size, n := range p.Cells {
						cells[size] += n
					}
				}
			}
			if gpus > r.Capacity[k] {
				b.refuse("slot %d.%d holds %d GPUs of %d", k+1, q, gpus, r.Capacity[k])
			}
			if k == 0 && r.FreeCells != nil {
				b.cells(q, cells)
			}
		}
	}
}

// cells tests the cells of one sub-slot: at each size, the wanted cells of that
// size and larger must not be more than the free ones.
func (b *book) cells(sub int, want [4]int) {
	for size := range want {
		n := 0
		for larger := size; larger < len(want); larger++ {
			n += want[larger] << (larger - size)
		}
		if free := b.round.FreeCells[size]; n > free {
			b.refuse("sub-slot %d wants %d aligned cells of %d GPUs, %d are free", sub, n, 1<<size, free)
		}
	}
}

// earned adds up the rewards.
func (b *book) earned(value int64) {
	r := b.round
	sum := int64(0)
	for i := range r.Jobs {
		j, n := &r.Jobs[i], len(b.held[i])
		if j.Spot {
			if n > 0 {
				p := &j.Policies[b.policy[i]]
				if n > p.Leases {
					b.refuse("job %s holds %d leases and needs %d", j.ID, n, p.Leases)
				}
				sum += int64(n) * p.Each
			}
			continue
		}
		s := b.step(i)
		if s < 0 {
			sum += j.Late
		} else {
			sum += j.Steps[s].Reward
		}
		if j.Must && s != 0 {
			b.refuse("job %s: its promise is broken", j.ID)
		}
	}
	if sum != value {
		b.refuse("the calendar earns %d, not %d", sum, value)
	}
}

// step returns the first step that the job meets, or -1. Behind the last slot
// it may hold one lease a slot.
func (b *book) step(i int) int {
	j, slots := &b.round.Jobs[i], len(b.round.Capacity)
	for s, step := range j.Steps {
		n := max(0, step.By-slots)
		for k := 1; k <= min(step.By, slots); k++ {
			if b.held[i][[2]int{k, 0}] {
				n++
			}
		}
		for p := range j.Policies {
			if (len(b.held[i]) == 0 || p == b.policy[i]) && n >= j.Policies[p].Leases {
				return s
			}
		}
	}
	return -1
}
