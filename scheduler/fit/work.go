package fit

// What may be looked at is bounded, in nodes looked at: some ten millions take a
// second. It is not a clock, so that the same question has the same answer.
const (
	workOfAnswer = 10_000_000  // one answer at most
	workOfAll    = 200_000_000 // all answers of a cluster; each gets a part of what is left
	leastWork    = 300_000     // but this much always
	workOfPlans  = 20_000_000  // the plans of the jobs ahead, once for all
)

// work counts what was looked at.
type work struct {
	done, limit int
	cut         bool // something was left out to keep the limit
	unsettled   bool // a choice of nodes was too large to be decided
	plans       int  // done for plans

	counts []int // used again and again
}

// begin opens the account of one answer.
func (w *work) begin() {
	w.limit = w.done + min(workOfAnswer, max(leastWork, (workOfAll-w.done)/8))
	w.cut, w.unsettled = false, false
}

// spent reports whether the limit is reached, so that the rest is left out.
func (w *work) spent() bool {
	if w.done < w.limit {
		return false
	}
	w.cut = true
	return true
}

// apart does something with a limit of its own, which does not count for the answer.
func (w *work) apart(limit int, do func()) {
	answer := *w
	w.limit = w.done + limit
	do()
	w.limit, w.cut, w.unsettled = answer.limit+w.done-answer.done, answer.cut, answer.unsettled
}

// notes say what the limit left out.
func (w *work) notes() []string {
	var list []string
	if w.cut {
		list = append(list, "Not all was reckoned, because it would take too long: when it could start, or some changes, may be missing.")
	}
	if w.unsettled {
		list = append(list, "So many nodes, tasks and GPUs were not tried in every way: it may fit where it is said not to.")
	}
	return list
}
