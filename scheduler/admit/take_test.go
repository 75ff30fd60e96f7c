package admit_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedmate"
	"schedmate/scheduler/admit"
)

// Whatever Take says yes to keeps all promises that stand: an independent checker
// adds up the calendar, and each slot is placed by trying everything. Who is let in
// without a new calendar moves nobody. And a no is never said but by the full search:
// the answer is that of Ask, and where that is a proof, trying everything finds
// nothing.
func TestTakeAgainstTryingEverything(t *testing.T) {
	const sites = 1500
	var quick, searched, refused, unproven, can, promised int
	for seed := range uint64(sites) {
		x := newSite(seeded(seed + 50000))
		if seed%8 == 7 {
			x.o.QuotaMilli = x.int(200, 900)
		}
		for range 4 {
			if x.int(0, 2) == 0 {
				x.pass()
				x.book = x.book.Recheck(&x.s, x.o).Book
			}
			var jobs []*schedmate.JobStatus
			for range x.int(1, 4) {
				jobs = append(jobs, x.arrival())
			}
			before := x.book
			book, answers := before.Take(&x.s, jobs, x.o)
			for i := range answers {
				a, j := &answers[i], jobs[i]
				full := before.Ask(&x.s, j, x.o)
				if a.Admitted != full.Admitted || a.Code != full.Code || a.Tier != full.Tier || a.Binding != full.Binding || a.ShortBy != full.ShortBy {
					t.Fatalf("site %d: job %v is told %s by Take and %s by Ask", seed, j.Job, a.Code, full.Code)
				}
				switch {
				case a.Admitted && a.Calendar == nil:
					quick++
					stays := a.Book.Promises()
					if n := len(stays) - 1; n != len(before.Promises()) || !cmp.Equal(stays[:n], before.Promises(), cmpopts.EquateEmpty()) {
						t.Fatalf("site %d: job %v moves others without a new calendar: %v became %v", seed, j.Job, before.Promises(), stays)
					}
				case a.Admitted:
					searched++
				case a.Code == admit.Unproven:
					unproven++
				default:
					refused++
				}
				if j.Job.SLO.Class == schedmate.Strict && x.o.QuotaMilli == 0 {
					possible := worldOf(&x.s, &x.o, &before, j).feasible()
					if a.Admitted && !possible || possible && !a.Admitted && a.Code != admit.Unproven {
						t.Fatalf("site %d: job %v is told %s, and whether a calendar exists is %v", seed, j.Job, a.Code, possible)
					}
					if possible {
						can++
					}
					if a.Admitted {
						promised++
					}
				}
				x.book = a.Book
				x.check(t)
				before = a.Book
			}
			x.book = book
			x.check(t)
		}
	}
	t.Logf("%d sites: %d let in beside the calendar that stands, %d by a new one, %d refused by a proof, %d unproven; of the strict arrivals that can be promised %d of %d (%.2f %%) are",
		sites, quick, searched, refused, unproven, promised, can, 100*float64(promised)/float64(can))
	if quick == 0 || searched == 0 || refused == 0 {
		t.Error("one of the ways was never gone: the test shows little")
	}
	if 100*promised < 95*can {
		t.Errorf("less than 95%% of %d are promised: %d", can, promised)
	}
}

// Books that Take has left on its way stay what they are, whatever happens to a
// later one: they share a list.
func TestBooksOnTheWayStay(t *testing.T) {
	x := newSite(seeded(3))
	x.s.Cluster.Nodes = []schedmate.Node{{ID: "0", GPUs: 8}, {ID: "1", GPUs: 8}}
	x.s.Cluster.VCs = nil
	var jobs []*schedmate.JobStatus
	for range 6 {
		j := x.arrival()
		j.Job.GPUs, j.Job.VC, j.Job.Sizes, j.Job.SLO.Class = 1, "", nil, schedmate.Strict
		j.Job.SLO.Tiers = []schedmate.Tier{{Deadline: x.s.Now + 1000, Reward: 100}}
		jobs = append(jobs, j)
	}
	_, answers := admit.Book{}.Take(&x.s, jobs[:4], x.o)
	var before [][]schedmate.Note
	for i := range answers {
		before = append(before, answers[i].Book.Notes())
	}
	for i := range answers { // each goes its own way
		one, _ := answers[i].Book.Take(&x.s, jobs[4:], x.o)
		two, _ := answers[i].Book.Take(&x.s, jobs[5:], x.o)
		if len(one.Promises()) != i+3 || len(two.Promises()) != i+2 || two.Promises()[i+1].Job != jobs[5].Job.ID || one.Promises()[i+1].Job != jobs[4].Job.ID {
			t.Errorf("after %d: %v and %v", i, one.Notes(), two.Notes())
		}
	}
	for i := range answers {
		if diff := cmp.Diff(before[i], answers[i].Book.Notes()); diff != "" {
			t.Errorf("book %d has changed: %s", i, diff)
		}
	}
}

// A book that is made anew from the jobs of a snapshot makes the strict promises that
// asking for one after the other makes, and has a calendar for them. Expectations may
// differ: what is put into one calendar at once finds room where one by one some had
// to give way.
func TestBooksMadeAnewAreThoseOfAskingOneByOne(t *testing.T) {
	const sites = 4000
	var alike, promised, unproven int
	var expected [2]int // one by one, and together
	for seed := range uint64(sites) {
		x := newSite(seeded(seed + 90000))
		if seed%8 == 7 {
			x.o.QuotaMilli = x.int(200, 900)
		}
		for range x.int(1, 10) {
			x.arrival()
		}
		var one admit.Book
		proven := true
		for _, j := range x.s.Waiting {
			a := one.Ask(&x.s, j, x.o)
			one, proven = a.Book, proven && a.Code != admit.Unproven
		}
		x.book = admit.Open(&x.s, x.o)
		x.check(t)
		firm, soft := told(one)
		firm2, soft2 := told(x.book)
		if diff := cmp.Diff(firm, firm2, cmpopts.EquateEmpty()); diff != "" && proven {
			t.Fatalf("site %d: %s", seed, diff)
		}
		if cmp.Equal(soft, soft2, cmpopts.EquateEmpty()) {
			alike++
		}
		if !proven {
			unproven++
		}
		promised += len(firm2)
		expected[0], expected[1] = expected[0]+len(soft), expected[1]+len(soft2)
	}
	t.Logf("%d books with %d promises; expectations alike in %d, %d of them one by one and %d together; in %d an answer was unproven", sites, promised, alike, expected[0], expected[1], unproven)
	if expected[1] < expected[0] {
		t.Errorf("together %d jobs are told to expect their deadlines, and %d one by one", expected[1], expected[0])
	}
}

// told is what a book tells whom, its promises and its expectations.
func told(b admit.Book) (firm, soft []admit.Promise) {
	for _, p := range b.Promises() {
		p.Leases = nil
		if p.Class == schedmate.Strict {
			firm = append(firm, p)
		} else {
			soft = append(soft, p)
		}
	}
	return firm, soft
}

// Every offer is honoured when it is asked for, on the spot, and all promises are
// kept with it.
func TestOffersAreHonoured(t *testing.T) {
	const sites = 1500
	made, honoured := map[admit.OfferKind]int{}, map[admit.OfferKind]int{}
	for seed := range uint64(sites) {
		x := newSite(seeded(seed + 70000))
		for range 8 {
			if x.int(0, 3) == 0 {
				x.pass()
				x.book = x.book.Recheck(&x.s, x.o).Book
			}
			j := x.arrival()
			a := x.book.Ask(&x.s, j, x.o)
			n := len(x.s.Waiting) - 1
			for _, offer := range a.Offers {
				made[offer.Kind]++
				again := offer.Request(j)
				if b := x.book.Ask(&x.s, again, x.o); b.Admitted {
					honoured[offer.Kind]++
					y := *x
					y.s.Waiting, y.book = append(slices.Clone(x.s.Waiting[:n]), again), b.Book
					y.check(t)
				} else {
					t.Errorf("site %d: offer %v of job %v is refused: %v", seed, offer, j.Job, b.Code)
				}
			}
			x.book = a.Book
		}
	}
	for _, kind := range []admit.OfferKind{admit.LaterDeadline, admit.FewerGPUs, admit.RunsSometime} {
		t.Logf("%s: %d of %d offers honoured", kind, honoured[kind], made[kind])
		if made[kind] == 0 {
			t.Errorf("nobody was offered a %s", kind)
		}
	}
}
