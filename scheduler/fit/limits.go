package fit

import (
	"fmt"
	"strconv"
	"strings"

	"schedmate"
)

// Use is what running jobs hold of what a limit counts, as far as the queue tells.
type Use struct {
	Of   string `json:"of"` // user ann, account ai, QOS high
	Jobs int    `json:"jobs"`
	GPUs int    `json:"gpus"`
	CPUs int    `json:"cpus"`
}

// policyLimit: a limit of the account, the QOS or the array keeps it, by the
// scheduler's word. The limit's number is not told there; who uses it now is seen.
func (a *question) policyLimit() bool {
	if a.told.kind != PolicyLimit {
		return false
	}
	if a.told.word == "JobArrayTaskLimit" {
		return a.arrayLimit()
	}
	text := a.told.meaning
	counts, of := a.limited()
	switch {
	case counts == nil && of != "":
		text += " " + of
	case counts != nil:
		text += a.used(of, counts)
	}
	return a.say(PolicyLimit, "%s", text)
}

// limited says which running jobs the limit of a word counts together with the job,
// and whose they are. A limit of one job, or of time used up, counts no others.
func (a *question) limited() (counts func(*schedmate.ObservedJob) bool, of string) {
	j, word := a.j, strings.TrimSuffix(a.told.word, "Limit")
	inQOS := func(o *schedmate.ObservedJob) bool { return j.QOS != "" && o.QOS == j.QOS }
	inAccount := func(o *schedmate.ObservedJob) bool { return j.Account != "" && o.Account == j.Account }
	ofUser := func(o *schedmate.ObservedJob) bool { return j.User != "" && o.User == j.User }
	both := func(x, y func(*schedmate.ObservedJob) bool) func(*schedmate.ObservedJob) bool {
		return func(o *schedmate.ObservedJob) bool { return x(o) && y(o) }
	}
	counted := func(part string) bool { return strings.Contains(word, part) }
	known := j.QOS != "" && j.Account != "" && j.User != ""
	switch {
	case counted("PerJob"), counted("PerNode"), strings.HasPrefix(word, "QOSMin"), strings.HasPrefix(word, "MaxMem"):
		return nil, "It is this job's own size that counts, not what others use: it starts only if it asks for something else, or the limit is changed."
	case counted("Submit"), counted("NotAllowed"):
		return nil, ""
	case counted("Minutes") && !counted("RunMinutes"), strings.HasSuffix(word, "Wall"), strings.HasSuffix(word, "Time"), counted("Usage"):
		return nil, "What has been used up counts, of jobs that are over as well; it comes back only as the site lets it decay or raises it."
	case !known:
		return nil, ""
	case counted("PerUser"):
		return both(inQOS, ofUser), "user " + j.User + " in QOS " + j.QOS
	case counted("PerAccount"):
		return both(inQOS, inAccount), "account " + j.Account + " in QOS " + j.QOS
	case strings.HasPrefix(word, "QOS"):
		return inQOS, "QOS " + j.QOS
	case strings.HasPrefix(word, "AssocMax"):
		return both(inAccount, ofUser), "user " + j.User + " in account " + j.Account
	case strings.HasPrefix(word, "Assoc"):
		return inAccount, "account " + j.Account
	}
	return nil, ""
}

// used tells of the running jobs that a limit counts.
func (a *question) used(of string, counts func(*schedmate.ObservedJob) bool) string {
	u := Use{Of: of}
	first := -1
	for _, i := range a.c.order { // by their ends
		j := &a.c.o.Jobs[i]
		if !counts(j) {
			continue
		}
		u.Jobs++
		for _, h := range j.Allocation {
			u.GPUs, u.CPUs = u.GPUs+h.GPUs, u.CPUs+h.CPUs
		}
		if first < 0 {
			first = i
		}
		if len(a.a.Jobs) < namesAtMost {
			a.a.Jobs = append(a.a.Jobs, a.c.ref(i))
		}
	}
	a.a.Use = &u
	if u.Jobs == 0 {
		return fmt.Sprintf(" As far as the queue tells no job of %s runs: it asks for more than is allowed at all, or what counts is that of accounts below or of the QOS of the partition.", of)
	}
	verb := "run"
	if u.Jobs == 1 {
		verb = "runs"
	}
	text := fmt.Sprintf(" %s of %s %s now, as far as the queue tells: %s, with %s and %s.", count(u.Jobs, "job"), of, verb, a.list(u.Jobs), count(u.GPUs, "GPU"), count(u.CPUs, "CPU"))
	return text + a.firstToEnd(first)
}

// list names the jobs of the answer, of which there are so many.
func (a *question) list(of int) string {
	text := ids(a.a.Jobs)
	if more := of - len(a.a.Jobs); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// firstToEnd says when the first of some running jobs must end.
func (a *question) firstToEnd(first int) string {
	job, end := &a.c.o.Jobs[first], a.c.ends[first]
	switch end.basis {
	case NoEnd:
		return " None of them has a time limit."
	case Over:
		return fmt.Sprintf(" The first to end is %s, which is past its limit.", job.ID)
	case ByLog:
		return fmt.Sprintf(" The first to end is %s, in about %s by its log.", job.ID, span(end.at-a.c.now))
	}
	return fmt.Sprintf(" The first to end is %s, in %s at the latest.", job.ID, span(end.at-a.c.now))
}

// runs writes 1 job runs, 2 jobs run.
func runs(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " runs"
	}
	return fmt.Sprintf("%d %ss run", n, noun)
}

// arrayLimit: as many tasks run as the array itself lets (%N).
func (a *question) arrayLimit() bool {
	most := throttle(a.j.ID)
	first, running := -1, 0
	for i := range a.c.o.Jobs {
		if o := &a.c.o.Jobs[i]; most == 0 && o.Array == a.j.Array {
			most = throttle(o.ID) // told of the tasks that wait together
		}
	}
	for _, i := range a.c.order {
		if o := &a.c.o.Jobs[i]; o.Array == "" || o.Array != a.j.Array {
			continue
		}
		if running++; first < 0 {
			first = i
		}
		if len(a.a.Jobs) < namesAtMost {
			a.a.Jobs = append(a.a.Jobs, a.c.ref(i))
		}
	}
	text := a.told.meaning
	if most > 0 {
		text = fmt.Sprintf("Its array lets %s run at a time (%%%d), and", count(most, "task"), most)
		if running == 0 {
			return a.say(PolicyLimit, "%s none runs as far as the queue tells: the scheduler has not looked since.", text)
		}
		text += " " + runs(running, "task") + ": " + a.list(running) + "."
	} else if running > 0 {
		text += " " + runs(running, "task") + ": " + a.list(running) + "."
	}
	if running == 0 {
		return a.say(PolicyLimit, "%s", text)
	}
	if running < most {
		return a.say(PolicyLimit, "%s So another may start: the scheduler has not looked since.", text)
	}
	if end := a.c.ends[first]; end.basis != NoEnd && running == max(most, 1) {
		a.a.Until = Until{At: end.at, Releases: []Release{{a.c.o.Jobs[first].ID, end.at, end.basis}}}
	}
	return a.say(PolicyLimit, "%s%s", text, a.firstToEnd(first))
}

// throttle reads how many tasks of an array may run at a time from its id, such as
// 7_[4-9%2]; 0: it is not told.
func throttle(id string) int {
	_, after, _ := strings.Cut(id, "%")
	n, err := strconv.Atoi(strings.TrimSuffix(after, "]"))
	if err != nil {
		return 0
	}
	return max(0, n)
}
