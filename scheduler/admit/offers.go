package admit

import (
	"slices"

	"schedmate"
)

// OfferKind says what an offer changes of a request that is refused.
type OfferKind string

const (
	LaterDeadline OfferKind = "later_deadline" // the earliest deadline that can be promised
	FewerGPUs     OfferKind = "fewer_gpus"     // the same deadline on the largest smaller gang that the job runs on
	RunsSometime  OfferKind = "best_effort"    // no deadline
)

// Offer is what could be promised instead. It has been asked for: it would be
// admitted by the same book, against the same snapshot and on the same terms.
type Offer struct {
	Kind     OfferKind
	Deadline schedmate.Seconds // soft: of the last tier; 0: none
	GPUs     int
	Calendar *Calendar // of the area, as it was when this was asked for; nil for best effort
}

// Request returns the job as it would have to ask for the offer. The deadlines of
// a soft job all move by as much as the last one. A job on fewer GPUs is believed
// to take longer in proportion: no gang is slower than that, for more GPUs at most
// speed a job up in proportion.
func (o *Offer) Request(j *schedmate.JobStatus) *schedmate.JobStatus {
	out := *j
	switch o.Kind {
	case RunsSometime:
		out.Job.SLO = schedmate.SLO{}
	case LaterDeadline:
		out.Job.SLO.Tiers = slices.Clone(j.Job.SLO.Tiers)
		tiers := out.Job.SLO.Tiers
		by := o.Deadline - tiers[len(tiers)-1].Deadline
		for i := range tiers {
			tiers[i].Deadline += by
		}
	case FewerGPUs:
		out = *onFewer(j, o.GPUs)
	}
	return &out
}

// onFewer is the job on a smaller gang, with its work and all that is known of it
// in proportion.
func onFewer(j *schedmate.JobStatus, gpus int) *schedmate.JobStatus {
	more := func(t int64) int64 { // rounded up
		return min((t*int64(j.Job.GPUs)+int64(gpus)-1)/int64(gpus), int64(schedmate.MaxSeconds))
	}
	out := *j
	out.Job.GPUs = gpus
	out.Done = schedmate.Seconds(int64(j.Done) * int64(j.Job.GPUs) / int64(gpus))
	out.Facts = slices.Clone(j.Facts)
	for i := range out.Facts {
		if f := &out.Facts[i]; f.Kind == schedmate.RunSeconds {
			f.Low, f.Value, f.High = more(f.Low), more(f.Value), more(f.High)
		}
	}
	return &out
}

// offers lists what would be admitted instead of a request that was refused.
func (q *question) offers(j *schedmate.JobStatus, a *Answer) []Offer {
	var out []Offer
	try := func(o Offer) bool {
		a := q.answer(o.Request(j))
		if !a.Admitted {
			return false
		}
		if a.grant != nil {
			o.Calendar = q.calendar(a.grant)
		}
		out = append(out, o)
		return true
	}
	if a.Basis != "" && a.Code != Crashed {
		if a.Code != TooWide {
			if by, ok := q.earliest(j, a); ok {
				try(Offer{Kind: LaterDeadline, Deadline: q.from + schedmate.Seconds(by)*q.o.Lease, GPUs: j.Job.GPUs})
			}
		}
		for i := len(j.Job.Sizes) - 1; i >= 0; i-- {
			if n := j.Job.Sizes[i]; n < j.Job.GPUs && q.mayShrink(j, a, n) && try(Offer{Kind: FewerGPUs, Deadline: lastDeadline(j), GPUs: n}) {
				break
			}
		}
	}
	if j.Job.SLO.HasDeadline() {
		try(Offer{Kind: RunsSometime, GPUs: j.Job.GPUs})
	}
	return out
}

func lastDeadline(j *schedmate.JobStatus) schedmate.Seconds {
	tiers := j.Job.SLO.Tiers
	return tiers[len(tiers)-1].Deadline
}

// mayShrink reports whether a smaller gang makes sense: how long the job takes there
// is known, and its time limit does not end it before. A job of which nothing but
// the limit is known would be ended by it. One that runs would have to start anew.
func (q *question) mayShrink(j *schedmate.JobStatus, a *Answer, gpus int) bool {
	if a.Basis == Limit || j.Attempt != nil || q.o.gang(gpus) == a.GPUs {
		return false
	}
	whole, _, _ := believed(onFewer(j, gpus), a.Class, q.s.Now, q.o)
	return j.Job.TimeLimit == 0 || whole <= j.Job.TimeLimit
}

// earliest is the first slot by which the request could be admitted. Whatever holds
// a claim by one slot holds it by any later one, so the search is binary; where
// the budget ended a search for a calendar it may miss the first.
func (q *question) earliest(j *schedmate.JobStatus, a *Answer) (int, bool) {
	admitted := func(by int) bool {
		o := Offer{Kind: LaterDeadline, Deadline: q.from + schedmate.Seconds(by)*q.o.Lease, GPUs: j.Job.GPUs}
		return q.answer(o.Request(j)).Admitted
	}
	no := max(q.o.slots(q.from, lastDeadline(j)), a.Leases-1)
	last := int(min(mostSlots, (schedmate.MaxSeconds-q.from)/q.o.Lease))
	yes := min(no+1, last)
	for step := 1; !admitted(yes); step *= 2 {
		if yes >= last {
			return 0, false
		}
		no, yes = yes, min(yes+step, last)
	}
	for no+1 < yes {
		if mid := (no + yes) / 2; admitted(mid) {
			yes = mid
		} else {
			no = mid
		}
	}
	return yes, true
}
