package admit

// Code says what came of a request, or of a promise. It is one of a closed list.
type Code string

// What a request that is admitted gets.
const (
	Guaranteed Code = "guaranteed"  // strict: a promise with a calendar
	Expected   Code = "expected"    // soft: a calendar that later promises may overrule
	NoDeadline Code = "best_effort" // it will run, nothing is promised
)

// Why a request is refused. Where several hold, the first of this list is told.
const (
	NoEstimate Code = "no_estimate" // nobody knows how long it runs, and it has no time limit
	Crashed    Code = "crashes"     // it has crashed more often than the retry budget allows
	TooWide    Code = "too_wide"    // its gang is larger than all that can ever be promised to it
	TooLong    Code = "too_long"    // even alone it would not end in time
	OverQuota  Code = "quota"       // its tenant's promises claim too much already
	Short      Code = "short"       // the sums do not fit: proven
	NoCalendar Code = "no_calendar" // the sums fit and whole gangs do not: proven
	Unproven   Code = "unproven"    // no calendar was found within the budget
)

// Why a promise broke. A crash too many is Crashed.
const (
	EstimateGrew Code = "estimate"  // the work is more than was believed
	FellBehind   Code = "progress"  // it has done less than its calendar had for it
	LostCapacity Code = "capacity"  // GPUs are gone
	Changed      Code = "changed"   // it asks for more GPUs or iterations than it was promised
	Overruled    Code = "overruled" // an expectation: promises have taken its room
)
