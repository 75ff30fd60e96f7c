package cli

import (
	"schedmate"
	"schedmate/scheduler/admit"
)

// answerHead begins every answer of admit.
type answerHead struct {
	APIVersion string            `json:"apiVersion" yaml:"apiVersion"`
	Kind       string            `json:"kind" yaml:"kind"`
	Snapshot   string            `json:"snapshot" yaml:"snapshot"`
	Now        schedmate.Seconds `json:"now_s" yaml:"now_s"`
}

// answerTail ends it: what stands, on which terms, and what broke.
type answerTail struct {
	Recorded   bool             `json:"recorded" yaml:"recorded"`
	Promises   []promiseEntry   `json:"promises" yaml:"promises"`
	Broken     []brokenEntry    `json:"broken" yaml:"broken"`
	Lapsed     []brokenEntry    `json:"lapsed" yaml:"lapsed"`
	Postponed  []displacedEntry `json:"postponed" yaml:"postponed"`
	Refused    []refusedEntry   `json:"refused" yaml:"refused"`
	Load       []loadEntry      `json:"load" yaml:"load"`
	Terms      admit.Options    `json:"terms" yaml:"terms"`
	BudgetUsed int64            `json:"budget_used" yaml:"budget_used"`
	Memory     []schedmate.Note `json:"memory" yaml:"memory"`
}

// promisesDocument is what admit answers about a snapshot alone.
type promisesDocument struct {
	answerHead `yaml:",inline"`
	answerTail `yaml:",inline"`
}

// admissionDocument is what admit answers to a job.
type admissionDocument struct {
	answerHead `yaml:",inline"`

	Job         string             `json:"job" yaml:"job"`
	Class       schedmate.SLOClass `json:"class" yaml:"class"`
	Admitted    bool               `json:"admitted" yaml:"admitted"`
	Reason      admit.Code         `json:"reason" yaml:"reason"`
	Proven      bool               `json:"proven" yaml:"proven"`
	Deadline    *schedmate.Seconds `json:"deadline_s" yaml:"deadline_s"`
	AskedGPUs   int                `json:"asked_gpus" yaml:"asked_gpus"`
	GPUs        int                `json:"gpus" yaml:"gpus"`
	Work        *schedmate.Seconds `json:"work_s" yaml:"work_s"`
	Basis       admit.Basis        `json:"basis" yaml:"basis"`
	Leases      *int               `json:"leases" yaml:"leases"`
	Slots       *int               `json:"slots" yaml:"slots"`
	BindingSlot *int               `json:"binding_slot" yaml:"binding_slot"`
	BindingAt   *schedmate.Seconds `json:"binding_at_s" yaml:"binding_at_s"`
	ShortBy     *int               `json:"short_by" yaml:"short_by"`
	Needed      *int               `json:"needed" yaml:"needed"`
	Offers      []offerEntry       `json:"offers" yaml:"offers"`
	Displaced   []displacedEntry   `json:"displaced" yaml:"displaced"`
	Calendar    []calendarEntry    `json:"calendar" yaml:"calendar"`

	answerTail `yaml:",inline"`
}

type promiseEntry struct {
	Job      string              `json:"job" yaml:"job"`
	Class    schedmate.SLOClass  `json:"class" yaml:"class"`
	Given    schedmate.Seconds   `json:"given_s" yaml:"given_s"`
	Deadline schedmate.Seconds   `json:"deadline_s" yaml:"deadline_s"`
	GPUs     int                 `json:"gpus" yaml:"gpus"`
	Work     schedmate.Seconds   `json:"work_s" yaml:"work_s"`
	Leases   []schedmate.Seconds `json:"leases_s" yaml:"leases_s"`
}

type brokenEntry struct {
	Job         string             `json:"job" yaml:"job"`
	Reason      admit.Code         `json:"reason" yaml:"reason"`
	Deadline    schedmate.Seconds  `json:"deadline_s" yaml:"deadline_s"`
	GPUs        int                `json:"gpus" yaml:"gpus"`
	Planned     int                `json:"planned" yaml:"planned"`
	Leases      int                `json:"leases" yaml:"leases"`
	Slots       int                `json:"slots" yaml:"slots"`
	BindingSlot *int               `json:"binding_slot" yaml:"binding_slot"`
	BindingAt   *schedmate.Seconds `json:"binding_at_s" yaml:"binding_at_s"`
	ShortBy     *int               `json:"short_by" yaml:"short_by"`

	Lost []schedmate.Seconds `json:"lost_s" yaml:"lost_s"`
}

type refusedEntry struct {
	Job    string     `json:"job" yaml:"job"`
	Reason admit.Code `json:"reason" yaml:"reason"`
}

// loadEntry is a run of slots of one area that are alike.
type loadEntry struct {
	Node     string            `json:"node" yaml:"node"`
	VC       string            `json:"vc" yaml:"vc"`
	GPUType  string            `json:"gpu_type" yaml:"gpu_type"`
	Start    schedmate.Seconds `json:"start_s" yaml:"start_s"`
	End      schedmate.Seconds `json:"end_s" yaml:"end_s"`
	GPUs     int               `json:"gpus" yaml:"gpus"`
	Promised int               `json:"promised" yaml:"promised"`
}

type calendarEntry struct {
	Job   string            `json:"job" yaml:"job"`
	Slot  int               `json:"slot" yaml:"slot"`
	Start schedmate.Seconds `json:"start_s" yaml:"start_s"`
	End   schedmate.Seconds `json:"end_s" yaml:"end_s"`
	GPUs  int               `json:"gpus" yaml:"gpus"`
}

type offerEntry struct {
	Deadline *schedmate.Seconds `json:"deadline_s" yaml:"deadline_s"`
	GPUs     int                `json:"gpus" yaml:"gpus"`
	Kind     admit.OfferKind    `json:"kind" yaml:"kind"`

	Leases []schedmate.Seconds `json:"leases_s" yaml:"leases_s"`
	Moves  []string            `json:"moves" yaml:"moves"`
}

type displacedEntry struct {
	Job      string             `json:"job" yaml:"job"`
	Deadline *schedmate.Seconds `json:"deadline_s" yaml:"deadline_s"`
}

func headOf(s *schedmate.Snapshot, kind string) answerHead {
	return answerHead{APIVersion: schedmate.APIVersion, Kind: kind, Snapshot: schedmate.Hash(s), Now: s.Now}
}

func tailOf(o admit.Options, r *admit.Review, recorded bool, book admit.Book) answerTail {
	d := answerTail{
		Recorded: recorded, Terms: o, Promises: []promiseEntry{}, Broken: brokenList(r.Broken), Lapsed: brokenList(r.Lapsed), Postponed: displacedList(r.Postponed),
		BudgetUsed: r.Steps, Memory: book.Notes(), Refused: []refusedEntry{},
	}
	for _, p := range book.Promises() {
		d.Promises = append(d.Promises, promiseEntry{p.Job, p.Class, p.Given, p.Deadline, p.GPUs, p.Work, append([]schedmate.Seconds{}, p.Leases...)})
	}
	for _, c := range book.Refused() {
		d.Refused = append(d.Refused, refusedEntry{c.Job, c.Code})
	}
	return d
}

func brokenList(list []admit.Broken) []brokenEntry {
	out := []brokenEntry{}
	for _, x := range list {
		e := brokenEntry{Job: x.Job, Reason: x.Why, Deadline: x.Deadline, GPUs: x.GPUs, Planned: x.Planned, Leases: x.Leases, Slots: x.By, Lost: append([]schedmate.Seconds{}, x.Lost...)}
		if x.ShortBy > 0 {
			e.BindingSlot, e.BindingAt, e.ShortBy = &x.Binding, &x.Until, &x.ShortBy
		}
		out = append(out, e)
	}
	return out
}

func displacedList(list []admit.Displaced) []displacedEntry {
	out := []displacedEntry{}
	for _, x := range list {
		out = append(out, displacedEntry{x.Job, unlessZero(x.Deadline)})
	}
	return out
}

func unlessZero[T comparable](x T) *T {
	var zero T
	if x == zero {
		return nil
	}
	return &x
}

func admission(s *schedmate.Snapshot, o admit.Options, r *admit.Review, recorded bool, a *admit.Answer) *admissionDocument {
	d := &admissionDocument{
		answerHead: headOf(s, "Admission"), answerTail: tailOf(o, r, recorded, a.Book),
		Job: a.Job, Class: a.Class, Admitted: a.Admitted, Reason: a.Code, Proven: a.Proven(),
		Deadline: unlessZero(a.Deadline), AskedGPUs: a.Asked, GPUs: a.GPUs, Basis: a.Basis,
		Calendar: []calendarEntry{}, Offers: []offerEntry{}, Displaced: displacedList(a.Displaced),
	}
	d.BudgetUsed += a.Steps
	if d.Class == "" {
		d.Class = schedmate.BestEffort
	}
	if a.Leases > 0 {
		d.Work, d.Leases, d.Slots = &a.Work, &a.Leases, &a.By
	}
	if a.ShortBy > 0 {
		d.BindingSlot, d.BindingAt, d.ShortBy, d.Needed = &a.Binding, &a.Until, &a.ShortBy, &a.Needed
	}
	if a.Calendar != nil {
		for _, l := range a.Calendar.Leases() {
			d.Calendar = append(d.Calendar, calendarEntry{l.Job, l.Slot, l.Start, l.End, l.GPUs})
		}
	}
	for _, x := range a.Offers {
		d.Offers = append(d.Offers, offered(&x, a.Job, d.Promises))
	}
	d.Load = loads(s, o, a.Book, a.Job, d.until())
	return d
}
