package admit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/admit"
	"schedmate/scheduler/verify/calendar"
)

// site is a small cluster whose jobs arrive, work in the leases that the book has
// for them, and end.
type site struct {
	s    schedmate.Snapshot
	o    admit.Options
	book admit.Book
	seq  int64
	int  func(lo, hi int) int // draws
}

func newSite(draw func(lo, hi int) int) *site {
	x := &site{o: admit.Default(), int: draw}
	x.o.Lease = 100
	x.s = schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 100}
	x.o.RoundUp = draw(0, 3) > 0
	for i := range draw(1, 2) {
		sizes := []int{8, 8, 4, 6, 2, 3}
		x.s.Cluster.Nodes = append(x.s.Cluster.Nodes, schedmate.Node{ID: fmt.Sprint(i), GPUs: sizes[draw(0, len(sizes)-1)]})
	}
	if draw(0, 3) == 0 {
		x.s.Cluster.VCs = []schedmate.VC{{Name: "a", QuotaGPUs: draw(1, 8)}, {Name: "b"}}
	}
	return x
}

// arrival invents a job with a deadline a few slots ahead.
func (x *site) arrival() *schedmate.JobStatus {
	x.seq++
	j := &schedmate.JobStatus{Seq: x.seq}
	gangs := []int{1, 1, 2, 3, 4, 6, 8, 12}
	j.Job = schedmate.Job{ID: fmt.Sprint("j", x.seq), GPUs: gangs[x.int(0, len(gangs)-1)], Submit: x.s.Now}
	if len(x.s.Cluster.VCs) > 0 {
		j.Job.VC = []string{"a", "b"}[x.int(0, 1)]
	}
	for _, g := range gangs {
		if g <= j.Job.GPUs && !slices.Contains(j.Job.Sizes, g) {
			j.Job.Sizes = append(j.Job.Sizes, g)
		}
	}
	j.Job.SLO = schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: x.s.Now + schedmate.Seconds(x.int(0, 5)*100+x.int(0, 99)), Reward: 100}}}
	if x.int(0, 4) == 0 {
		j.Job.SLO.Class = schedmate.Soft
		j.Job.SLO.Tiers = append(j.Job.SLO.Tiers, schedmate.Tier{Deadline: j.Job.SLO.Tiers[0].Deadline + 150, Reward: 50})
	}
	run := int64(x.int(1, 350))
	j.Facts = []schedmate.Fact{{Kind: schedmate.RunSeconds, Low: run, Value: run, High: run + int64(x.int(0, 1)*x.int(0, 100)), ConfidenceMilli: 900, Source: schedmate.FromUser}}
	x.s.Waiting = append(x.s.Waiting, j)
	return j
}

// pass lets one slot go by: whoever has a lease in it works, and those who are done
// end.
func (x *site) pass() {
	works := make(map[string]bool)
	for _, p := range x.book.Promises() {
		if slices.Contains(p.Leases, x.s.Now) {
			works[p.Job] = true
		}
	}
	var stay []*schedmate.JobStatus
	for _, j := range x.s.Waiting {
		if works[j.Job.ID] {
			done := *j
			done.Done += x.o.Lease
			j = &done
		}
		if int64(j.Done) < j.Facts[0].High {
			stay = append(stay, j)
		}
	}
	x.s.Waiting = stay
	x.s.Now += x.o.Lease
}

func drawn(t *rapid.T) func(lo, hi int) int {
	return func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
}

// seeded draws without rapid, for counts over a fixed set of instances.
func seeded(seed uint64) func(lo, hi int) int {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
}

// check lets the independent checker of calendars judge what the book has for its
// strict promises. It is told what every job needs by when by this test, not by
// the package, and, where cells or limits of VCs matter, each slot is placed by
// trying everything.
func (x *site) check(t fatal) {
	t.Helper()
	w := worldOf(&x.s, &x.o, &x.book)
	total := 0
	for _, g := range w.nodes {
		total += g
	}
	round := calendar.Round{Sub: 1}
	slots := 1
	for _, c := range w.wants {
		slots = max(slots, c.slot)
	}
	for range slots {
		round.Capacity = append(round.Capacity, total)
	}
	var entries []calendar.Entry
	at := make([][]int, slots+1)
	n := 0
	for _, p := range x.book.Promises() {
		if p.Class != schedmate.Strict || x.s.Find(p.Job) == nil {
			continue
		}
		c := w.wants[n]
		round.Jobs = append(round.Jobs, calendar.Job{
			ID: p.Job, Must: true, Steps: []calendar.Step{{By: c.slot, Reward: 1}},
			Policies: []calendar.Policy{{GPUs: c.gpus, Leases: c.leases}},
		})
		for _, start := range p.Leases {
			if k := int((start-x.s.Now)/x.o.Lease) + 1; start >= x.s.Now && k <= slots {
				entries = append(entries, calendar.Entry{Job: n, Slot: k})
				at[k] = append(at[k], n)
			}
		}
		n++
	}
	if err := calendar.Check(&round, entries, int64(n)); err != nil {
		t.Fatalf("%v\nbook %v", err, x.book.Notes())
	}
	for k, run := range at {
		if !w.placed(run) {
			t.Fatalf("slot %d: the gangs %v have no places on nodes %v with limits %v", k, run, w.nodes, w.limits)
		}
	}
}

type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// An accepted set always has a calendar, as long as predictions hold: after every
// answer, and after every slot in which the calendar was carried out.
func TestAcceptedSetsHaveACalendarProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newSite(drawn(t))
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			if rapid.IntRange(0, 2).Draw(t, "event") > 0 {
				a := x.book.Ask(&x.s, x.arrival(), x.o)
				x.book = a.Book
			} else {
				x.pass()
				r := x.book.Recheck(&x.s, x.o)
				if len(r.Broken) > 0 {
					t.Fatalf("predictions held, and %v broke", r.Broken)
				}
				x.book = r.Book
			}
			if err := x.s.Validate(); err != nil {
				t.Fatal(err)
			}
			x.check(t)
		}
	})
}

// Every offer is admitted when it is asked for; a later deadline is the earliest
// that is.
func TestOffersAreAdmittedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newSite(drawn(t))
		for range rapid.IntRange(1, 8).Draw(t, "jobs") {
			j := x.arrival()
			a := x.book.Ask(&x.s, j, x.o)
			for _, offer := range a.Offers {
				again := offer.Request(j)
				if err := again.Job.Validate("job"); err != nil {
					t.Fatalf("offer %v: %v", offer, err)
				}
				if b := x.book.Ask(&x.s, again, x.o); !b.Admitted {
					t.Fatalf("offer %v of job %v is refused: %v", offer, j.Job, b.Code)
				}
				if offer.Kind != admit.LaterDeadline {
					continue
				}
				for by := (j.Job.SLO.Tiers[len(j.Job.SLO.Tiers)-1].Deadline-x.s.Now)/x.o.Lease + 1; x.s.Now+by*x.o.Lease < offer.Deadline; by++ {
					earlier := admit.Offer{Kind: admit.LaterDeadline, Deadline: x.s.Now + by*x.o.Lease, GPUs: offer.GPUs}
					if x.book.Ask(&x.s, earlier.Request(j), x.o).Admitted {
						t.Fatalf("offer %v, and %d is admitted as well", offer, earlier.Deadline)
					}
				}
			}
			x.book = a.Book
		}
	})
}

// A refusal for want of GPU-leases is a proof: trying everything finds no calendar.
// And nearly everything that can be promised is: where all share one room, all.
func TestRefusalsAgainstTryingEverything(t *testing.T) {
	const sites = 1500
	type count struct{ can, promised int }
	var one, several count
	for seed := range uint64(sites) {
		x := newSite(seeded(seed))
		kind := &one
		if len(x.s.Cluster.VCs) > 0 || slices.ContainsFunc(x.s.Cluster.Nodes, func(n schedmate.Node) bool { return n.GPUs != x.s.Cluster.Nodes[0].GPUs || n.GPUs%4 != 0 }) {
			kind = &several
		}
		for range 10 {
			if x.int(0, 3) == 0 {
				x.pass()
				x.book = x.book.Recheck(&x.s, x.o).Book
			}
			j := x.arrival()
			a := x.book.Ask(&x.s, j, x.o)
			if j.Job.SLO.Class == schedmate.Strict {
				can := worldOf(&x.s, &x.o, &x.book, j).feasible()
				if a.Admitted && !can {
					t.Fatalf("site %d: job %v is promised what is impossible", seed, j.Job)
				}
				if can && a.Code != admit.Unproven && !a.Admitted {
					t.Fatalf("site %d: job %v is refused as %s by a proof, and a calendar exists", seed, j.Job, a.Code)
				}
				if can {
					kind.can++
				}
				if a.Admitted {
					kind.promised++
				}
			}
			x.book = a.Book
		}
	}
	t.Logf("of the arrivals that can be promised %d of %d are where all share one room, %d of %d where several rooms matter",
		one.promised, one.can, several.promised, several.can)
	if one.promised != one.can {
		t.Errorf("in one room the search is exact, and %d of %d are promised", one.promised, one.can)
	}
	if 100*several.promised < 95*several.can {
		t.Errorf("less than 95%% of %d are promised: %d", several.can, several.promised)
	}
}

// A wrong prediction never breaks the promise of somebody else, and what is kept
// has a calendar.
func TestOnlyThoseWhoNeedMoreLoseProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newSite(drawn(t))
		for range rapid.IntRange(2, 8).Draw(t, "jobs") {
			x.book = x.book.Ask(&x.s, x.arrival(), x.o).Book
		}
		grown := make(map[string]bool)
		for i, j := range x.s.Waiting {
			if rapid.IntRange(0, 2).Draw(t, "grows") == 0 {
				more := *j
				more.Facts = slices.Clone(j.Facts)
				more.Facts[0].High += int64(rapid.IntRange(1, 300).Draw(t, "by"))
				x.s.Waiting[i], grown[j.Job.ID] = &more, true
			}
		}
		r := x.book.Recheck(&x.s, x.o)
		for _, b := range r.Broken {
			if !grown[b.Job] || b.Why != admit.EstimateGrew {
				t.Fatalf("%v broke; estimates grew of %v", b, grown)
			}
		}
		x.book = r.Book
		x.check(t)
	})
}

// Whatever a tenant declares, the leases that its promises must have until any slot
// stay within its share.
func TestQuotaBoundsATenantProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newSite(drawn(t))
		x.s.Cluster.VCs = nil
		x.o.QuotaMilli = rapid.IntRange(1, 1000).Draw(t, "quota")
		for range rapid.IntRange(1, 10).Draw(t, "jobs") {
			j := x.arrival()
			j.Job.User = rapid.SampledFrom([]string{"greedy", "modest"}).Draw(t, "user")
			x.book = x.book.Ask(&x.s, j, x.o).Book
		}
		total := 0
		for _, n := range x.s.Cluster.Nodes {
			total += n.GPUs
		}
		for _, user := range []string{"greedy", "modest"} {
			for slot := 1; slot <= 6; slot++ {
				need := 0
				w := worldOf(&x.s, &x.o, &x.book)
				n := 0
				for _, p := range x.book.Promises() {
					if p.Class != schedmate.Strict {
						continue
					}
					c := w.wants[n]
					n++
					if x.s.Find(p.Job).Job.User == user {
						need += c.gpus * max(0, c.leases-max(0, c.slot-slot))
					}
				}
				if 1000*need > slot*total*x.o.QuotaMilli {
					t.Fatalf("%s claims %d GPU-leases until slot %d of %d, quota %d", user, need, slot, slot*total, x.o.QuotaMilli)
				}
			}
		}
	})
}

// A book comes back from its notes as it was, and answers do not depend on when
// they are asked for: the same question has the same answer, and neither book nor
// snapshot is changed by it.
func TestBooksTravelProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newSite(drawn(t))
		for range rapid.IntRange(0, 6).Draw(t, "jobs") {
			x.book = x.book.Ask(&x.s, x.arrival(), x.o).Book
		}
		s := x.s
		s.Memory = append([]schedmate.Note{{Kind: "admission_promise", Job: "nobody"}}, x.book.Notes()...)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		again := admit.Open(&s, x.o)
		same := cmp.Options{cmp.AllowUnexported(admit.Book{}), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(x.book, again, same); diff != "" {
			t.Fatal(diff)
		}
		j := x.arrival()
		before, notes := schedmate.Hash(&x.s), x.book.Notes()
		first, second := x.book.Ask(&x.s, j, x.o), again.Ask(&x.s, j, x.o)
		if diff := cmp.Diff(first, second, same, cmpopts.IgnoreUnexported(admit.Answer{}, admit.Claim{})); diff != "" {
			t.Fatal(diff)
		}
		if schedmate.Hash(&x.s) != before || cmp.Diff(notes, x.book.Notes()) != "" {
			t.Fatal("asking has changed what was asked")
		}
	})
}
