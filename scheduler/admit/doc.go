// Package admit answers "can this finish by Friday 18:00?" with a promise that
// has a calendar behind it, or with a refusal that says why and what could be
// promised instead.
//
// A [Book] holds the promises that stand. [Book.Ask] tests one more request
// against them; [Book.Recheck] tests those that stand against what is known now,
// and says which one broke and why. Both are pure functions of book, snapshot and
// options. A book travels as notes ([Book.Notes], [Open]) from one snapshot to
// the next.
//
// # What a promise is
//
// Time is cut into slots of one lease. A request becomes a claim: P leases of g
// GPUs by slot D, where
//
//	P = ceil(work left / (lease - resume))   strict: the upper end of the estimate's
//	                                         interval; soft: its median; no estimate:
//	                                         the time limit, which is an upper bound
//	g = GPUs, rounded up to 1, 2, 4 or a multiple of 8
//	D = floor((deadline - begin of slot 1) / lease)
//
// A strict request is admitted if and only if a calendar is found that holds all
// strict claims and this one. First the prefix sums ([lease.Short]): a no is a
// proof and names the slot. Then the calendar: beside the one that stands, or a
// new one ([milp.Certify]), which is searched until there is one or there is
// proven to be none. A search that its budget ends refuses: a promise needs a
// certificate. The calendar reaches to the last deadline, so nothing is left to a
// time in which nobody has looked who else is there.
//
// A soft request gets an expectation, not a guarantee: a calendar beside all
// promises and the expectations before it. Strict requests pass over
// expectations; those that have no room any more lapse, the latest first, and the
// answer names them. A request without a deadline is always taken, if the cluster
// can ever hold it, and is promised nothing.
//
// # Where a promise rests
//
// A promise rests on nodes of one owner and one GPU type. Rounded gangs are cut
// into aligned cells (scheduler/cells), and in each slot they have places, whatever
// stood where in the slot before, if and only if those that need cells of 8, 4, 2
// and 1 GPUs fit in the GPUs that make whole cells of that size. Where all nodes have
// a multiple of 8 GPUs that is one sum; else, and where a VC may hold only so many
// GPUs, the claims share several rooms ([Room]), and a calendar keeps to all of them.
//
// # When predictions fail
//
// Claims are made anew from what is known. If they cannot all be kept, whoever
// needs no more than his calendar has for him keeps his promise: a wrong
// prediction never breaks the promise of somebody else. Of the others as many are
// kept as a plan can ([milp.Solve]). Only when GPUs are lost may everybody lose.
//
// Sources: CHRONUS, sections 4 and 5 (admission, round-up, leases); the prefix
// test, its proof and the hand examples are those of scheduler/milp. Quota,
// retry budget, offers and the order in which promises break are ours.
package admit
