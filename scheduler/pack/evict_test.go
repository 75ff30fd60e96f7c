package pack

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

// strict is a test without what the defaults add: 1.8 is tolerated, come what may.
func strict() UndoOptions {
	o := Sequential()
	o.BreakEven, o.ToleratedIfRoom, o.Learn = false, o.Tolerated, 0
	return o
}

// Of 32 steps of 100 four may lie above the limit. One in 2,000 jobs may be wronged: a
// step above 180 multiplies the evidence by (19/20) / (5/33) = 6.27, then 5.40, 4.77,
// 4.30 and 3.94: 695 after four, 2,739 after five.
func TestWhoLeaves(t *testing.T) {
	for _, c := range []struct {
		name    string
		options UndoOptions
		running []*schedmate.JobStatus
		room    bool
		want    map[string]*schedmate.Undo
	}{
		{
			"the host is twice as slow: the newcomer leaves", strict(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 9, 200), halves(light("guest", "b"), 2, 0)}, false,
			map[string]*schedmate.Undo{"guest": {Beside: "host", Slower: "host", Ratio: 2000, Tolerated: 1800, Steps: 5}},
		},
		{
			"the newcomer itself is", strict(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 9, 100), steps(halves(light("guest", "b"), 2, 0), 5, 300)}, false,
			map[string]*schedmate.Undo{"guest": {Beside: "host", Slower: "guest", Ratio: 3000, Tolerated: 1800, Steps: 5}},
		},
		{
			"who came first is told by the starts, not by the names", strict(),
			[]*schedmate.JobStatus{halves(light("a", "a"), 2, 0), steps(halves(light("b", "b"), 1, 0), 5, 200)}, false,
			map[string]*schedmate.Undo{"a": {Beside: "b", Slower: "b", Ratio: 2000, Tolerated: 1800, Steps: 5}},
		},
		{
			"four steps are too few", strict(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 4, 200), halves(light("guest", "b"), 2, 0)}, false, nil,
		},
		{
			"1.8 is tolerated", strict(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 64, 180), halves(light("guest", "b"), 2, 0)}, false, nil,
		},
		{
			"no signal, no eviction", strict(),
			[]*schedmate.JobStatus{halves(light("host", "a"), 1, 0), halves(light("guest", "b"), 2, 0)}, false, nil,
		},
		{
			"nobody is packed", strict(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 9, 900), halves(light("other", "b"), 2, 1)}, false, nil,
		},
		{
			"1.5 is too much for one that could have GPUs to itself", Sequential(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 9, 150), halves(light("guest", "b"), 2, 0)}, true,
			map[string]*schedmate.Undo{"guest": {Beside: "host", Slower: "host", Ratio: 1500, Tolerated: 1250, Steps: 5}},
		},
		{
			"but not for one that would wait", Sequential(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 9, 150), halves(light("guest", "b"), 2, 0)}, false, nil,
		},
		{
			// 1 + (400 / 100) / 2 = 3
			"a short newcomer may slow a long job threefold", Sequential(),
			[]*schedmate.JobStatus{left(steps(halves(light("host", "a"), 1, 0), 9, 290), 400), left(halves(light("guest", "b"), 2, 0), 100)}, false, nil,
		},
		{
			"but not more", Sequential(),
			[]*schedmate.JobStatus{left(steps(halves(light("host", "a"), 1, 0), 9, 310), 400), left(halves(light("guest", "b"), 2, 0), 100)}, false,
			map[string]*schedmate.Undo{"guest": {Beside: "host", Slower: "host", Ratio: 3100, Tolerated: 3000, Steps: 5}},
		},
		{
			"never undone", Never(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 60, 900), halves(light("guest", "b"), 2, 0)}, true, nil,
		},
		{
			"the paper's ratio wants 30 steps below half the throughput", Paper(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 30, 210), halves(light("guest", "b"), 2, 0)}, false,
			map[string]*schedmate.Undo{"guest": {Beside: "host", Slower: "host", Ratio: 2100, Tolerated: 2000, Steps: 30}},
		},
		{
			"and says nothing after 29", Paper(),
			[]*schedmate.JobStatus{steps(halves(light("host", "a"), 1, 0), 29, 210), halves(light("guest", "b"), 2, 0)}, false, nil,
		},
		{
			"of three the last leaves for the one that is slower, and then the second for the same", strict(),
			[]*schedmate.JobStatus{
				steps(halves(light("first", "a"), 1, 0), 5, 200), halves(light("second", "b"), 2, 0), halves(light("third", "c"), 3, 0),
			}, false,
			map[string]*schedmate.Undo{
				"third":  {Beside: "first", Slower: "first", Ratio: 2000, Tolerated: 1800, Steps: 5},
				"second": {Beside: "first", Slower: "first", Ratio: 2000, Tolerated: 1800, Steps: 5},
			},
		},
		{
			"one that shares no GPU with the slow one has nothing to do with it", strict(),
			[]*schedmate.JobStatus{
				steps(halves(light("slow", "a"), 1, 0), 5, 200), halves(light("between", "b"), 2, 0, 1), halves(light("beyond", "c"), 3, 1),
			}, false, nil,
		},
	} {
		s := running(c.running...)
		board, book := NewBoard(s), Recall(s)
		got := make(map[string]*schedmate.Undo)
		for _, e := range c.options.Verdicts(board, book, func(*schedmate.JobStatus) bool { return c.room }) {
			got[e.Newcomer.Job.ID] = e.Undo
			if a := e.Action(); a.Kind != schedmate.Preempt || a.Job != e.Newcomer.Job.ID || a.Undo != e.Undo {
				t.Errorf("%s: the action is %+v", c.name, a)
			}
			if !book.Never(e.Newcomer.Job.ID) {
				t.Errorf("%s: %s may be packed again", c.name, e.Newcomer.Job.ID)
			}
		}
		if c.want == nil {
			c.want = map[string]*schedmate.Undo{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Whoever has left is off the board and in the book: the host's seat is free for
// others, not for him. With apart no other job that trains the same may have it either.
func TestAfterAPairWasTakenApart(t *testing.T) {
	for _, apart := range []bool{false, true} {
		s := running(steps(halves(light("host", "a"), 1, 0), 5, 200), halves(light("guest", "b"), 2, 0))
		board, book := NewBoard(s), Recall(s)
		o := strict()
		o.Apart = apart
		if left := o.Verdicts(board, book, nil); len(left) != 1 {
			t.Fatalf("want one to leave, got %d", len(left))
		}
		rules := LucidRules()
		for _, c := range []struct {
			newcomer *schedmate.JobStatus
			want     bool
		}{{light("guest", "b"), false}, {light("twin", "b"), !apart}, {light("other", "c"), true}} {
			if _, found := board.Mate(&rules, c.newcomer, book, nil, nil); found != c.want {
				t.Errorf("apart %v: %s finds a mate: %v, want %v", apart, c.newcomer.Job.ID, found, c.want)
			}
		}
	}
}

// After eight steps beside each other it is known how fast a job is beside the other:
// 100 / 125 = 0.8. It is learned once of each pair of jobs, and of two jobs only.
func TestWhatIsLearned(t *testing.T) {
	o := Sequential()
	host, guest := steps(halves(light("host", "a"), 1, 0), 8, 125), halves(light("guest", "b"), 2, 0)
	s := running(host, guest)
	board, book := NewBoard(s), Recall(s)
	for range 3 {
		o.Verdicts(board, book, nil)
	}
	x, y := board.member(host), board.member(guest)
	if got := book.ofPair(x.key, y.key); got != (tally{1, 800}) {
		t.Errorf("a beside b: %+v, want one sighting of 800", got)
	}
	if got := book.ofPair(y.key, x.key); got != (tally{}) {
		t.Errorf("b has logged nothing, yet %+v", got)
	}
	for name, jobs := range map[string][]*schedmate.JobStatus{
		"seven steps":          {steps(halves(light("host", "a"), 1, 0), 7, 125), halves(light("guest", "b"), 2, 0)},
		"three jobs":           {steps(halves(light("host", "a"), 1, 0), 8, 125), halves(light("guest", "b"), 2, 0), halves(light("third", "b"), 3, 0)},
		"a model nobody knows": {steps(halves(light("host", ""), 1, 0), 8, 125), halves(light("guest", "b"), 2, 0)},
	} {
		s := running(jobs...)
		book := Recall(s)
		o.Verdicts(NewBoard(s), book, nil)
		if len(book.speeds) > 0 {
			t.Errorf("%s: learned %+v", name, book.speeds)
		}
	}
}

// Options that mean nothing are refused, and the error names them.
func TestUndoOptionsAreChecked(t *testing.T) {
	for _, o := range []UndoOptions{Sequential(), Paper(), Never()} {
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", o.Rule, err)
		}
	}
	for says, spoil := range map[string]func(*UndoOptions){
		`unknown rule "maybe"`: func(o *UndoOptions) { o.Rule = "maybe" },
		"tolerated_if_room_milli 1900 must not exceed tolerated_milli 1800": func(o *UndoOptions) { o.ToleratedIfRoom = 1900 },
		"tolerated slowdown":            func(o *UndoOptions) { o.ToleratedIfRoom = 999 },
		"least_before":                  func(o *UndoOptions) { o.LeastBefore = 1 },
		"one_in":                        func(o *UndoOptions) { o.OneIn = 0 },
		"threshold_milli":               func(o *UndoOptions) { *o = Paper(); o.Threshold = 0 },
		"steps in [1, 64], got 500 and": func(o *UndoOptions) { *o = Paper(); o.Steps = 65 },
	} {
		o := Sequential()
		spoil(&o)
		if err := o.Validate(); err == nil || !contains(err.Error(), says) {
			t.Errorf("want an error that says %q, got %v", says, err)
		}
	}
}
