package eval

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One GPU; four jobs submitted at 0 that run 100, 10, 10 and 50 s. A is first
// in, first out; B is the shortest first and preempts nobody, but d was stopped
// by its user.
const (
	inOrder = `experiment,policy,preset,seed,job,submit_s,start_s,end_s,queue_s,jct_s,gpus,preemptions,restarts,state,deadline_s,missed
x,fifo,default,1,a,0,0,100,0,100,1,0,0,completed,150,0
x,fifo,default,1,b,0,100,110,100,110,1,0,0,completed,20,1
x,fifo,default,1,c,0,110,120,110,120,1,0,0,completed,,
x,fifo,default,1,d,0,120,170,120,170,1,0,0,completed,,
`
	shortest = `experiment,policy,preset,seed,job,submit_s,start_s,end_s,queue_s,jct_s,gpus,preemptions,restarts,state,deadline_s,missed
x,sjf,default,1,b,0,0,10,0,10,1,0,0,completed,20,0
x,sjf,default,1,c,0,10,20,10,20,1,0,0,completed,,
x,sjf,default,1,d,0,20,,20,,1,0,0,cancelled,,
x,sjf,default,1,a,0,70,180,70,180,1,1,1,completed,150,1
x,sjf,default,1,e,0,180,190,180,190,1,0,0,completed,,
`
)

func tables(t *testing.T, name, text string) []RunJobs {
	t.Helper()
	all, err := ReadJobs(name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// b and c gain, a loses: by waiting for b at the second when it started before,
// by a preemption, and by the 10 s that this cost it.
func TestADiffSaysWhichJobsMovedAndWhy(t *testing.T) {
	a, b := tables(t, "a.csv", inOrder), tables(t, "b.csv", shortest)
	d := Compare(&a[0], &b[0], 10)
	counts := *d
	counts.Moves = nil
	want := Diff{
		A: RunID{"x", "fifo", "default", 1}, B: RunID{"x", "sjf", "default", 1}, Jobs: 4, OnlyB: 1,
		Earlier: 2, Later: 2, Ended: 3, MeanJCTA: 110, MeanJCTB: 70, NowMissed: 1, NowMet: 1, MovedGPUSeconds: 80 + 100 + 100,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	causes := map[string][]Cause{}
	var order []string
	for _, m := range d.Moves {
		order = append(order, m.Job)
		causes[m.Job] = m.Causes
	}
	if diff := cmp.Diff([]string{"d", "b", "c", "a"}, order); diff != "" {
		t.Errorf("the largest change first, and before it what ends in one run alone (-want +got):\n%s", diff)
	}
	wantCauses := map[string][]Cause{
		"a": {{Kind: Overtaken, Jobs: []string{"b"}, Others: 1, GPUs: 1}, {Kind: MorePreempt, Count: 1}, {Kind: LongerRun, Seconds: 10}},
		"b": {{Kind: Overtaken, Jobs: []string{"a"}, Others: 1, GPUs: 1}},
		"c": {{Kind: Overtaken, Jobs: []string{"a"}, Others: 1, GPUs: 1}},
		"d": {{Kind: StateChange}},
	}
	if diff := cmp.Diff(wantCauses, causes); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
}

// A run compared with itself is alike.
func TestARunIsLikeItself(t *testing.T) {
	a := tables(t, "a.csv", inOrder)
	if d := Compare(&a[0], &a[0], 10); d.Same != 4 || len(d.Moves) != 0 || d.MovedGPUSeconds != 0 {
		t.Errorf("%+v", d)
	}
}

// GPUs that were held in both runs, but longer in one, are another cause than
// being overtaken.
func TestGPUsThatAreHeldLongerAreACause(t *testing.T) {
	const slow = `experiment,policy,preset,seed,job,submit_s,start_s,end_s,queue_s,jct_s,gpus,preemptions,restarts,state,deadline_s,missed
x,fifo,default,2,a,0,0,105,0,105,1,0,0,completed,,
x,fifo,default,2,b,0,105,115,105,115,1,0,0,completed,,
`
	a, b := tables(t, "a.csv", inOrder), tables(t, "b.csv", slow)
	d := Compare(&a[0], &b[0], 10)
	for _, m := range d.Moves {
		if m.Job == "b" {
			if diff := cmp.Diff([]Cause{{Kind: StillHeld, Jobs: []string{"a"}, Others: 1, GPUs: 1}}, m.Causes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			return
		}
	}
	t.Error("b did not move")
}

// A table that is not one is refused with its place.
func TestTablesOfJobsAreReadStrictly(t *testing.T) {
	head, _, _ := strings.Cut(inOrder, "\n")
	for text, says := range map[string]string{
		"":                              "is empty",
		"job,start\na,1\n":              "line 1 has other columns",
		head + "\nx,fifo,default,1,a\n": "line 2",
		head + "\nx,fifo,default,1,a,0,zero,1,0,1,1,0,0,completed,,\n":                                              `line 2: column start_s: "zero" is no whole number`,
		inOrder + "x,fifo,default,1,a,0,0,1,0,1,1,0,0,completed,,\n":                                                `line 6: job "a" stands on line 2 already`,
		inOrder + "x,sjf,default,1,a,0,0,1,0,1,1,0,0,completed,,\nx,fifo,default,1,z,0,0,1,0,1,1,0,0,completed,,\n": "line 7: rows of run x:fifo/default/1 are not together",
		head + "\nx,fifo,default,1,a,0,0,9223372036854775807,0,1,1,0,0,completed,,\n":                               "line 2: column end_s: 9223372036854775807 lies outside",
		head + "\nx,fifo,default,1,a,0,0,1,0,1,0,0,0,completed,,\n":                                                 "line 2: 0 GPUs, 0 preemptions, 0 restarts: a job has at least 1, 0 and 0",
		head + "\nx,fifo,default,1,a,0,0,1,0,1,1,-2,0,completed,,\n":                                                "line 2: 1 GPUs, -2 preemptions",
	} {
		if _, err := ReadJobs("jobs.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "read jobs.csv: ") {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func FuzzReadJobs(f *testing.F) {
	f.Add(inOrder)
	f.Add(shortest)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ReadJobs("jobs.csv", strings.NewReader(text))
		if err == nil && len(all) > 0 {
			Compare(&all[0], &all[len(all)-1], 5)
		}
	})
}

// However many moves are asked for, a bounded number is explained.
func TestMovesAreBounded(t *testing.T) {
	run := func(start int) *RunJobs {
		r := &RunJobs{}
		for i := range MostMoves + 500 {
			at := Instant(start + i)
			r.Rows = append(r.Rows, JobRow{Job: strconv.Itoa(i), GPUs: 1, Start: at, End: at + 1, JCT: at + 1, Queue: at, State: "completed"})
		}
		return r
	}
	if d := Compare(run(0), run(7), 1<<30); len(d.Moves) != MostMoves || d.Later != MostMoves+500 {
		t.Errorf("%d moves of %d", len(d.Moves), d.Later)
	}
}
