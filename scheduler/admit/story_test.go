package admit_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"schedmate"
	"schedmate/scheduler/admit"
)

// Each file in testdata is a story of a cluster, of what is asked of it and of what
// becomes of the promises. Times are counted from 0: 90s, 20m, 4h. Answers were
// worked out by hand; the first comment of a file says how.
//
//	cluster                     nodes and virtual clusters; starts anew
//	node a gpus=8 vc=nlp type=V100 health=down
//	vc nlp quota=4
//
//	terms quota=500 high        what differs from leases of 20 minutes, round-up, a
//	                            retry budget of 2 crashes
//
//	jobs                        jobs, not yet asked for
//	A strict gpus=1 run=40m by=80m
//	B soft gpus=8 run=40m..60m by=60m/100,80m/80 vc=nlp user=u limit=2h sizes=4,8
//	C gpus=2 run=1h on=a:0-1    it runs there
//
//	set A run=1h done=20m       what is different now
//	end A                       it is not there any more
//	pass 20m A B                time passes, in which A and B do as much work
//	ask A B                     answers, one after the other
//	take A B                    the same as a host that admits on arrival: no offers
//	recheck                     what of the promises stands
//	book                        what stands, as the next snapshot remembers it
//	forget                      the book is lost; it is made anew from the jobs
func TestStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			st := &story{}
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				out, err := st.tell(d)
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return out
			})
		})
	}
}

type story struct {
	s    schedmate.Snapshot
	o    admit.Options
	book admit.Book
}

func (st *story) tell(d *datadriven.TestData) (string, error) {
	var words []string
	for _, a := range d.CmdArgs {
		words = append(words, a.String())
	}
	switch d.Cmd {
	case "cluster":
		*st = story{o: admit.Default(), s: schedmate.Snapshot{APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind}}
		return "", eachLine(d.Input, st.readNode)
	case "terms":
		return "", st.readTerms(words)
	case "jobs":
		return "", eachLine(d.Input, st.readJob)
	case "set":
		return "", st.set(words)
	case "end":
		drop := func(j *schedmate.JobStatus) bool { return slices.Contains(words, j.Job.ID) }
		st.s.Waiting, st.s.Running = slices.DeleteFunc(st.s.Waiting, drop), slices.DeleteFunc(st.s.Running, drop)
		return "", nil
	case "pass":
		return "", st.pass(words)
	}
	if err := st.s.Validate(); err != nil {
		return "", err
	}
	switch d.Cmd {
	case "forget":
		st.s.Memory = nil
		st.book = admit.Open(&st.s, st.o)
		return st.told(), nil
	case "book":
		return st.told(), nil
	case "recheck":
		return st.recheck(), nil
	case "take":
		var b strings.Builder
		for _, id := range words {
			var answers []admit.Answer
			st.book, answers = st.book.Take(&st.s, []*schedmate.JobStatus{st.s.Find(id)}, st.o)
			st.tellAnswer(&b, &answers[0])
		}
		return b.String(), nil
	case "ask":
		var b strings.Builder
		for _, id := range words {
			j := st.s.Find(id)
			if j == nil {
				return "", fmt.Errorf("there is no job %s", id)
			}
			a := st.book.Ask(&st.s, j, st.o)
			st.book = a.Book
			st.tellAnswer(&b, &a)
		}
		return b.String(), nil
	}
	return "", fmt.Errorf("unknown command %q", d.Cmd)
}

func (st *story) tellAnswer(b *strings.Builder, a *admit.Answer) {
	fmt.Fprintf(b, "%s: %s", a.Job, a.Code)
	if a.Leases > 0 {
		fmt.Fprintf(b, ": %d leases of %d GPUs by slot %d (%s, %s)", a.Leases, a.GPUs, a.By, clock(a.Work), a.Basis)
	}
	if a.Class == schedmate.Soft && a.Admitted {
		fmt.Fprintf(b, ", tier %d", a.Tier+1)
	}
	if a.ShortBy > 0 {
		fmt.Fprintf(b, ": %d of %d GPU-leases missing by slot %d, %s", a.ShortBy, a.Needed, a.Binding, clock(a.Until))
	}
	b.WriteString("\n")
	if a.Calendar != nil {
		for i, c := range a.Calendar.Claims {
			fmt.Fprintf(b, "  %s in %s\n", c.Job, slots(a.Calendar.Slots[i]))
		}
	}
	tellDisplaced(b, a.Displaced)
	for _, o := range a.Offers {
		fmt.Fprintf(b, "  offer %s: %d GPUs", o.Kind, o.GPUs)
		if o.Deadline > 0 {
			fmt.Fprintf(b, " by %s", clock(o.Deadline))
		}
		b.WriteString("\n")
	}
}

func (st *story) recheck() string {
	var b strings.Builder
	r := st.book.Recheck(&st.s, st.o)
	st.book = r.Book
	fmt.Fprintf(&b, "kept: %s\n", strings.Join(r.Kept, " "))
	for _, list := range []struct {
		name   string
		broken []admit.Broken
	}{{"broken", r.Broken}, {"lapsed", r.Lapsed}} {
		for _, x := range list.broken {
			fmt.Fprintf(&b, "%s %s: %s: needs %d leases, %d were planned, %d slots are left", list.name, x.Job, x.Why, x.Leases, x.Planned, x.By)
			if x.ShortBy > 0 {
				fmt.Fprintf(&b, "; all together lack %d by slot %d, %s", x.ShortBy, x.Binding, clock(x.Until))
			}
			b.WriteString("\n")
		}
	}
	tellDisplaced(&b, r.Postponed)
	return b.String()
}

func tellDisplaced(b *strings.Builder, list []admit.Displaced) {
	for _, x := range list {
		if x.Deadline > 0 {
			fmt.Fprintf(b, "  %s is expected by %s only\n", x.Job, clock(x.Deadline))
		} else {
			fmt.Fprintf(b, "  %s is not expected any more\n", x.Job)
		}
	}
}

// told writes the book down, reads it again from the notes, and tells it.
func (st *story) told() string {
	st.s.Memory = st.book.Notes()
	st.book = admit.Open(&st.s, st.o)
	var b strings.Builder
	for _, p := range st.book.Promises() {
		var at []string
		for _, t := range p.Leases {
			at = append(at, clock(t))
		}
		fmt.Fprintf(&b, "%s %s by %s: %d GPUs for %s of work, leases at %s\n", p.Job, p.Class, clock(p.Deadline), p.GPUs, clock(p.Work), strings.Join(at, " "))
	}
	for _, list := range [][]*schedmate.JobStatus{st.s.Waiting, st.s.Running} {
		for _, j := range list {
			if code := st.book.Closed(j.Job.ID); code != "" {
				fmt.Fprintf(&b, "%s promised nothing: %s\n", j.Job.ID, code)
			}
		}
	}
	return b.String()
}

// clock writes an instant or a duration as 1h40m, 90s.
func clock(t schedmate.Seconds) string {
	switch {
	case t%60 != 0:
		return fmt.Sprintf("%ds", t)
	case t >= 3600 && t%3600 == 0:
		return fmt.Sprintf("%dh", t/3600)
	case t >= 3600:
		return fmt.Sprintf("%dh%dm", t/3600, t%3600/60)
	}
	return fmt.Sprintf("%dm", t/60)
}

// slots writes 1 2 3 5 as 1-3 5.
func slots(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		from := i
		for i++; i < len(list) && list[i] == list[i-1]+1; i++ {
		}
		part := fmt.Sprint(list[from])
		if i-from > 1 {
			part += fmt.Sprintf("-%d", list[i-1])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}
