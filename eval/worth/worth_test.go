package worth

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/eval"
	"schedmate/eval/facts"
	"schedmate/eval/traces"
	"schedmate/scheduler/policy"
)

const header = "JobID|User|Account|Partition|QOS|State|ExitCode|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|NodeList|NNodes|JobName\n"

// row is a job of one user that waited 10 s.
func row(id int, state, name string, submit, run int) string {
	return fmt.Sprintf("%d|ann|a|gpu|normal|%s|0:0|%d|%d|%d|%d|%d|UNLIMITED|gres/gpu=1|gres/gpu=1|n1|1|%s\n",
		id, state, submit, submit, submit+10, submit+10+run, run, name)
}

func month(t *testing.T, rows ...string) *traces.Trace {
	t.Helper()
	tr, err := traces.Read(strings.NewReader(header+strings.Join(rows, "")), "jobs.txt", traces.Sacct)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Ann trains twice, 100 and 300 s, and once fails after 50 s. When she submits the
// fourth job all three have ended: she believes in their mean, 150 s. An advisor
// knows the two completed runs: the median of an even number is the longer one,
// 300 s; with two runs the margin is half, so 100/1.5 = 66 to 300*1.5 = 450 s; and
// the GPUs have been held for 150 s on average. The fifth job came before the
// fourth had ended, and has another name: she believes the same, and the advisor
// is silent.
func TestWhatAMonthSays(t *testing.T) {
	m, jobs := read(month(t,
		row(1, "COMPLETED", "train", 1_000_000, 100),
		row(2, "COMPLETED", "train", 1_000_200, 300),
		row(3, "FAILED", "train", 1_000_600, 50),
		row(4, "COMPLETED", "train", 1_001_000, 200),
		row(5, "NODE_FAIL", "other", 1_001_100, 200),
		row(6, "COMPLETED", "other", 1_001_900, 200),
	))
	if !m.Named || m.Jobs != 6 || m.Completed != 4 || m.Failed != 2 || m.Hardware != 1 {
		t.Errorf("the month is %+v", m)
	}
	if diff := cmp.Diff([]bool{false, true, true, true, false, true}, m.again); diff != "" {
		t.Errorf("work that has run before: %s", diff)
	}
	if diff := cmp.Diff(facts.Known{Run: 300, Low: 66, High: 450, Held: 150}, m.known[3]); diff != "" {
		t.Errorf("the advisor says of the fourth job: %s", diff)
	}
	if m.known[5] != (facts.Known{}) {
		t.Errorf("nothing with the name of the sixth job has completed, the advisor says %+v", m.known[5])
	}
	for i, want := range []int64{0, 100, 200, 150, 150} {
		got := int64(0)
		if fs := jobs[i].Facts; len(fs) > 0 {
			got = fs[0].Value
		}
		if got != want {
			t.Errorf("job %d is believed to take %d s, want %d", i+1, got, want)
		}
	}
	// Hardware failed the fifth job at 1,001,310; the next one of its name came 590 s later.
	if m.Resubmitted == nil || *m.Resubmitted != 590 {
		t.Errorf("resubmitted after %v s, want 590", m.Resubmitted)
	}
}

// Whoever is never answered does as who has no advisor, run by run: the hashes of
// the rows are equal. Each answer states what it rests on.
func TestNoFactsChangeNothing(t *testing.T) {
	var rows []string
	for i := range 120 {
		state := "COMPLETED"
		if i%7 == 3 {
			state = "FAILED"
		}
		rows = append(rows, row(i+1, state, fmt.Sprintf("work-%d", i%9), 1_000_000+40*i, 60+97*(i%13)))
	}
	tr := month(t, rows...)
	o := DefaultOptions()
	o.Seeds = []int64{1, 2, 3}
	runs := 0
	r, err := Ask(context.Background(), tr, eval.ClusterSpec{Nodes: 1, GPUsPerNode: 8}, policy.All(), o, func(eval.Progress) { runs++ })
	if err != nil {
		t.Fatal(err)
	}
	if runs != Runs(&o) {
		t.Errorf("told of %d runs, want %d", runs, Runs(&o))
	}
	by := make(map[string]Row)
	for _, x := range r.Rows {
		by[x.Name] = x
	}
	if by["no facts"].Hash != by["own history"].Hash {
		t.Error("without facts something else was done than by the own history")
	}
	if by["facts"].Hash == by["own history"].Hash {
		t.Error("facts changed nothing at all")
	}
	if first := r.Rows[0]; first.Saved != (eval.Interval{}) {
		t.Errorf("the first row saves %+v over itself", first.Saved)
	}
	if len(r.Assumptions) < 5 || r.AsItWas == nil || r.AsItWas.MeanQueue != 10 {
		t.Errorf("%d assumptions; in reality %+v", len(r.Assumptions), r.AsItWas)
	}
	again, err := Ask(context.Background(), tr, eval.ClusterSpec{Nodes: 1, GPUsPerNode: 8}, policy.All(), o, func(eval.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, again, cmp.AllowUnexported(Month{}, facts.Known{})); diff != "" {
		t.Errorf("the same question has two answers: %s", diff)
	}
}

// One seed has no interval.
func TestOneSeedIsNotEnough(t *testing.T) {
	o := DefaultOptions()
	o.Seeds = []int64{1}
	if err := o.Validate(); err == nil || err.Error() != "seeds: an interval needs at least two, got 1" {
		t.Errorf("got %v", err)
	}
}

// A cluster of one GPU has none for a model: all other ways are answered.
func TestOneGPU(t *testing.T) {
	o := DefaultOptions()
	o.Seeds = []int64{1, 2}
	tr := month(t, row(1, "COMPLETED", "train", 1_000_000, 100), row(2, "COMPLETED", "train", 1_000_200, 300))
	r, err := Ask(context.Background(), tr, eval.ClusterSpec{Nodes: 1, GPUsPerNode: 1}, policy.All(), o, func(eval.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(ways)-1 {
		t.Errorf("%d ways are answered, want %d", len(r.Rows), len(ways)-1)
	}
}
