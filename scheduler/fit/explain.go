package fit

import (
	"fmt"
	"strings"

	"schedmate"
)

// Explain says why a waiting job of an observation waits. Better ends of running
// jobs than their limits may be given by job id. For several jobs of one
// observation use [New] once.
func Explain(o *schedmate.Observation, job *schedmate.ObservedJob, ends map[string]schedmate.Seconds) Answer {
	return New(o, ends).Explain(job)
}

// question is one job and what is being found out about it.
type question struct {
	c      *Cluster
	j      *schedmate.ObservedJob
	q      request
	fields []field // in partitions that take it
	rank   int
	self   int
	told   word
	fresh  bool // the scheduler has not looked at it yet
	a      Answer

	forever bool   // what is short is so for ever, not for now
	bounds  string // of partitions, that keep it from fitting
}

func (c *Cluster) ask(j *schedmate.ObservedJob) *question {
	a := &question{c: c, j: j, q: readRequest(c.o, j)}
	a.fields = c.usable(j, &a.q)
	c.settle(&a.q, a.fields)
	a.rank, a.self = c.before(j)
	a.told, _ = toldBy(j)
	a.fresh = a.unseen()
	return a
}

// usable returns the job's fields in partitions that are up and whose limits it keeps.
func (c *Cluster) usable(j *schedmate.ObservedJob, q *request) []field {
	var fields []field
	for _, f := range c.fieldsOf(j, q) {
		if p := &c.o.Partitions[f.partition]; p.Up() && refusal(p, j, q) == "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// checks are what may be the reason, in the order of precedence. Each says whether
// it is, and writes the answer.
var checks, onNodes []func(*question) bool

func init() { // together asks for parts by the checks on nodes
	onNodes = []func(*question) bool{
		(*question).licences, (*question).constraint, (*question).exceeds, (*question).unavailable, (*question).reserved,
		(*question).shortage, (*question).inLine,
	}
	checks = append([]func(*question) bool{
		(*question).held, (*question).begins, (*question).depends,
		(*question).partitionDown, (*question).partitionLimit, (*question).policyLimit, (*question).ownReservation,
		(*question).unread, (*question).together,
	}, onNodes...)
}

// Explain says why a waiting job waits. The job is one of the observation, or one
// that might be.
func (c *Cluster) Explain(j *schedmate.ObservedJob) Answer {
	c.work.begin()
	a := c.ask(j)
	w, known := toldBy(j)
	a.a = Answer{Job: j.ID, Told: Told{Word: j.Reason, Text: j.Description, Meaning: w.meaning}}
	if j.Start > c.o.Now {
		a.a.Told.Start = j.Start
	}
	if known {
		a.a.Told.Kind = w.kind
	}
	if !j.Waits() {
		a.a.Agreement = Unchecked
		a.say(Unknown, "It does not wait: it is %s.", j.State)
		return a.a
	}
	for _, check := range checks {
		if check(a) {
			break
		}
	}
	if k := a.a.Kind; a.q.unsure && k >= NodeConstraint && k <= NotLooked {
		a.a.Notes = append(a.a.Notes, fmt.Sprintf("It is not told whether its %d GPUs may lie on several nodes; %s.", a.q.gpus, a.lie()))
	}
	a.a.Agreement = a.agreement()
	a.a.Fresh = a.fresh
	switch k := a.a.Kind; {
	case k == PartitionDown, k == PartitionLimit, k >= OwnReservation && k < NotLooked:
		a.a.Changes = a.changes()
	}
	a.a.Notes = append(a.a.Notes, c.work.notes()...)
	return a.a
}

// lie says how GPUs are taken to lie of which that is not told; see settle.
func (a *question) lie() string {
	if a.q.spread {
		return "no smaller number could hold them, so they are taken to"
	}
	return "they are taken to lie on " + count(a.q.minNodes, "node")
}

func (a *question) say(k Kind, format string, args ...any) bool {
	a.a.Kind, a.a.Text = k, fmt.Sprintf(format, args...)
	return true
}

func (a *question) held() bool {
	switch a.told.kind {
	case HeldByUser, HeldByAdmin:
		a.a.Told.Start = 0 // whatever it once planned: nothing starts it while it is held
		return a.say(a.told.kind, "%s", a.told.meaning)
	}
	return false
}

func (a *question) begins() bool {
	if a.j.Eligible <= a.c.now {
		return false
	}
	a.a.Until.At = a.j.Eligible
	return a.say(BeginTime, "It may not start for another %s.", span(a.j.Eligible-a.c.now))
}

func (a *question) partitionDown() bool {
	var down []string
	for _, p := range a.c.partitionsOf(a.j) {
		if p.Up() {
			return false
		}
		down = append(down, p.Name+" is "+p.State)
	}
	if len(down) == 0 { // its partitions are not listed
		return a.told.kind == PartitionDown && a.say(PartitionDown, "%s", a.told.meaning)
	}
	return a.say(PartitionDown, "No partition of the job starts jobs: %s.", names(down))
}

func (a *question) partitionLimit() bool {
	var why []string
	for _, p := range a.c.partitionsOf(a.j) {
		if !p.Up() {
			continue
		}
		no := refusal(p, a.j, &a.q)
		if no == "" {
			return false
		}
		why = append(why, p.Name+" "+no)
	}
	return len(why) > 0 && a.say(PartitionLimit, "Its partition does not take it: %s.", strings.Join(why, "; "))
}

// refusal says why a partition does not take a job, or nothing.
func refusal(p *schedmate.Partition, j *schedmate.ObservedJob, q *request) string {
	switch {
	case p.MaxTime > 0 && q.limit > p.MaxTime:
		if q.limit >= schedmate.Forever {
			return fmt.Sprintf("allows %s, and the job has no limit", span(p.MaxTime))
		}
		return fmt.Sprintf("allows %s, and the job asks for %s", span(p.MaxTime), span(q.limit))
	case p.MaxNodes > 0 && q.minNodes > p.MaxNodes:
		return fmt.Sprintf("allows %s, and the job asks for %d", count(p.MaxNodes, "node"), q.minNodes)
	case p.MinNodes > 0 && q.maxNodes < p.MinNodes:
		return fmt.Sprintf("wants %s at least, and the job asks for %d at most", count(p.MinNodes, "node"), q.maxNodes)
	case !allows(p.AllowAccounts, j.Account):
		return fmt.Sprintf("does not allow the account %s", j.Account)
	case !allows(p.AllowQOS, j.QOS):
		return fmt.Sprintf("does not allow the QOS %s", j.QOS)
	}
	return ""
}

// allows reports whether a list of names lets one in. What is not told is let in.
func allows(list []string, name string) bool {
	if len(list) == 0 || name == "" {
		return true
	}
	for _, allowed := range list {
		if strings.EqualFold(allowed, name) || strings.EqualFold(allowed, "ALL") {
			return true
		}
	}
	return false
}

func (a *question) ownReservation() bool {
	if a.j.Reservation == "" {
		return a.told.kind == OwnReservation && a.say(OwnReservation, "%s", a.told.meaning)
	}
	a.a.Reservations = []string{a.j.Reservation}
	soonest := schedmate.Forever
	found := false
	for _, k := range a.c.reservationsFor(a.j) {
		r := &a.c.o.Reservations[k]
		found = true
		switch {
		case has(r.Flags, "FLEX"), r.Start <= a.c.now && (r.End == 0 || a.c.now < r.End):
			a.a.Reservations = nil
			return false
		case r.Start > a.c.now:
			soonest = min(soonest, r.Start)
		}
	}
	switch {
	case !found:
		return a.say(OwnReservation, "Its reservation %s does not exist, or not any more.", a.j.Reservation)
	case soonest == schedmate.Forever:
		return a.say(OwnReservation, "Its reservation %s is over.", a.j.Reservation)
	}
	a.a.Until.At = soonest
	return a.say(OwnReservation, "Its reservation %s begins in %s.", a.j.Reservation, span(soonest-a.c.now))
}

// unread keeps from any claim about a job that is not understood.
func (a *question) unread() bool {
	if len(a.q.unread) == 0 && len(a.c.partitionsOf(a.j)) > 0 {
		return false
	}
	for _, part := range a.q.unread {
		a.a.Notes = append(a.a.Notes, "Not understood, so that nothing is claimed: "+part+".")
	}
	if len(a.c.partitionsOf(a.j)) == 0 {
		a.a.Notes = append(a.a.Notes, "The partitions of the job are not known, so that nothing is claimed.")
	}
	if a.told.meaning == "" || a.told.kind == NotLooked {
		return a.say(Unknown, "%s", a.verbatim())
	}
	return a.say(a.told.kind, "%s", a.told.meaning)
}

func (a *question) verbatim() string {
	if a.j.Reason == "" {
		return "The scheduler gives no reason."
	}
	return fmt.Sprintf("The scheduler says %q.", a.j.Reason)
}

// agreement compares the scheduler's word with what was found.
func (a *question) agreement() Agreement {
	kind, told := a.a.Kind, a.a.Told.Kind
	if told == 0 || told == Unknown || a.j.Het != "" || len(a.a.Notes) > 0 && len(a.q.unread) > 0 {
		return Unchecked
	}
	switch kind {
	case HeldByUser, HeldByAdmin, PolicyLimit: // by its word alone
		return Unchecked
	}
	same := told == kind
	switch told {
	case NotLooked:
		return Unchecked
	case Priority:
		same = a.a.Ahead.Count > 0 || a.follows()
	case Resources:
		same = kind == Resources || kind == Fragmented || kind == NodesReserved
	case NodesUnavailable:
		same = kind == NodesUnavailable || kind == NodesReserved || kind == NodeConstraint
	case NodeConstraint, PartitionLimit:
		same = kind == told || kind == ExceedsCluster || kind == NodeConstraint || kind == NodesUnavailable
	}
	if same {
		return Agrees
	}
	return Differs
}
