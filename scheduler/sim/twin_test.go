package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/chronus"
	"schedmate/scheduler/policy/edf"
	"schedmate/scheduler/policy/fifo"
	"schedmate/scheduler/policy/genie"
	"schedmate/scheduler/policy/qssf"
	"schedmate/scheduler/policy/sjf"
	"schedmate/scheduler/policy/srtf"
	"schedmate/scheduler/policy/threesigma"
	"schedmate/scheduler/policy/tiresias"
	"schedmate/scheduler/policy/unisched"
	"schedmate/scheduler/policy/yarncs"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/sim"
)

// twin simulates second by second and as dumbly as possible: no queue is kept
// in order, nothing is skipped, every second decides anew (or every tick, if
// the world has one). It is a second reading of the rules, written from their
// text, for the simulator and the policies to agree with.
type twin struct {
	nodes []*twinNode
	vcs   []schedmate.VC
	jobs  []*twinJob
	rule  rule
	world scheduler.World
	now   schedmate.Seconds
	moves int // numbers the moments at which jobs came to wait or run

	kept     map[string]int                 // shared GPUs kept for preempted jobs, by VC
	outlook  map[*twinJob]*hope             // 3Sigma's, of this second
	reserved map[*twinJob]schedmate.Seconds // TitanSched's 3Sigma: first slots
}

type twinNode struct {
	schedmate.Node
	free int
}

type twinJob struct {
	*sim.Job
	total, done, owed, lag schedmate.Seconds
	held                   schedmate.Seconds
	seq                    int
	state                  string         // future, waiting, running, over
	on                     map[string]int // GPUs by node
	lost, began            schedmate.Seconds
	out                    outcome
}

// outcome is what is compared, job by job.
type outcome struct {
	ID                         string
	Start, End, Queue          schedmate.Seconds
	Preemptions, Restarts, Ran int
	State                      schedmate.State
}

// rule is a policy in words that the twin understands.
type rule struct {
	order      string // fifo, sjf, qssf, srtf, tiresias or edf
	arrivals   bool   // qssf: by GPUs while everybody who waits has just come
	placement  string // consolidated, lucid or titan
	headOfLine bool
	byShare    bool   // yarncs: the VC first that has least of what is its own
	selection  string // preemptive: by number (counted), by number of what is free (batch), else by place
	workOnly   bool   // tiresias: restart work is no service
	byNumber   bool   // tiresias: of one second's jobs, the number of the ID decides
	widest     bool   // counted: places for the widest first
	slot       schedmate.Seconds
	margin     schedmate.Seconds
	thresholds []int64
}

func (w *twin) run(load *sim.Workload) []outcome {
	events := load.Nodes
	for i := range load.Jobs {
		j := &load.Jobs[i]
		t := &twinJob{Job: j, total: j.Outcome.Run, state: "future"}
		if j.TimeLimit > 0 {
			t.total = min(t.total, j.TimeLimit)
		}
		t.out = outcome{ID: j.ID, Start: sim.NoTime, End: sim.NoTime, State: schedmate.Waiting}
		w.jobs = append(w.jobs, t)
	}
	w.now = load.Jobs[0].Submit
	quiet := schedmate.Seconds(0) // seconds in which nothing could happen any more
	for ; quiet < w.world.Tick+3; w.now++ {
		ended := w.end()
		for len(events) > 0 && events[0].At <= w.now {
			w.health(events[0])
			events = events[1:]
		}
		for _, j := range w.jobs {
			if j.state == "future" && j.Submit <= w.now {
				w.arrive(j)
			}
		}
		for first := true; first || ended; first = false {
			if w.world.Tick == 0 || w.now%w.world.Tick == 0 {
				for _, part := range w.parts() {
					w.decide(part)
				}
			}
			ended = w.end() // jobs without work end in the second of their start
		}
		quiet++
		if len(events) > 0 {
			quiet = 0
		}
		for _, j := range w.jobs {
			switch j.state {
			case "future":
				quiet = 0
			case "waiting":
				j.out.Queue++
				if w.rule.order == "threesigma" && len(j.SLO.Tiers) > 0 && w.now <= j.SLO.Tiers[len(j.SLO.Tiers)-1].Deadline {
					quiet = 0 // it is planned otherwise then
				}
				if w.rule.order == "edf" && w.now <= w.deadline(j) && w.deadline(j) != never {
					quiet = 0 // it changes its place then
				}
			case "running":
				quiet = 0
				j.held++
				switch {
				case j.owed > 0:
					j.owed--
				case j.done < j.total:
					j.done++
				default:
					j.lag++
				}
			}
		}
	}
	out := make([]outcome, len(w.jobs))
	for i, j := range w.jobs {
		out[i] = j.out
		if j.state == "waiting" {
			out[i].Queue = -1 // it waits for ever
		}
	}
	return out
}

func (w *twin) end() bool {
	any := false
	for _, j := range w.sorted("running") {
		if j.owed == 0 && j.done == j.total && j.lag == w.world.EndLag {
			w.leave(j)
			j.state = "over"
			j.out.End, j.out.State = w.now, j.Outcome.State
			if w.world.OmitRestarts {
				j.out.End = j.Submit + j.out.Queue + j.total
			}
			if j.total < j.Outcome.Run {
				j.out.State = schedmate.TimedOut
			}
			any = true
		}
	}
	return any
}

// sorted lists the jobs in a state in the order in which they came to it.
func (w *twin) sorted(state string) []*twinJob {
	var out []*twinJob
	for _, j := range w.jobs {
		if j.state == state {
			out = append(out, j)
		}
	}
	slices.SortFunc(out, func(a, b *twinJob) int { return a.seq - b.seq })
	return out
}

func (w *twin) node(id string) *twinNode {
	for _, n := range w.nodes {
		if n.ID == id {
			return n
		}
	}
	return nil
}

func (w *twin) leave(j *twinJob) {
	for id, k := range j.on {
		w.node(id).free += k
	}
	j.on, j.lag = nil, 0
}

func (w *twin) wait(j *twinJob) {
	j.state, j.seq = "waiting", w.moves
	w.moves++
}

func (w *twin) health(ev sim.NodeEvent) {
	n := w.node(ev.Node)
	n.Health = ev.Health
	if ev.Health != schedmate.Down {
		return
	}
	for _, j := range w.sorted("running") {
		if j.on[ev.Node] == 0 {
			continue
		}
		w.leave(j)
		safe := j.lost // what it had done when its attempt began
		if every := w.world.Checkpoint; every > 0 {
			for safe/every < j.done/every {
				safe++
			}
		}
		j.done = safe
		j.owed += w.world.Restart(j.GPUs)
		w.wait(j)
	}
}

func (w *twin) arrive(j *twinJob) {
	empty := &twin{vcs: w.vcs, rule: w.rule}
	for _, n := range w.nodes {
		fresh := *n
		fresh.Health, fresh.free = schedmate.Healthy, n.GPUs
		empty.nodes = append(empty.nodes, &fresh)
	}
	if empty.place(j) == nil {
		j.state, j.out.State = "over", schedmate.Infeasible
		return
	}
	w.wait(j)
}

// parts lists the jobs that compete with each other: all of them, or those of
// each VC if every node belongs to one.
func (w *twin) parts() [][]*twinJob {
	if w.common() {
		return [][]*twinJob{w.jobs}
	}
	var names []string
	for _, j := range w.jobs {
		if !slices.Contains(names, j.VC) {
			names = append(names, j.VC)
		}
	}
	var out [][]*twinJob
	for _, name := range names {
		var part []*twinJob
		for _, j := range w.jobs {
			if j.VC == name {
				part = append(part, j)
			}
		}
		out = append(out, part)
	}
	return out
}

// common says whether a node belongs to nobody.
func (w *twin) common() bool {
	return slices.ContainsFunc(w.nodes, func(n *twinNode) bool { return n.VC == "" })
}

func in(jobs []*twinJob, state string) []*twinJob {
	var out []*twinJob
	for _, j := range jobs {
		if j.state == state {
			out = append(out, j)
		}
	}
	slices.SortFunc(out, func(a, b *twinJob) int { return a.seq - b.seq })
	return out
}

// ruleOf says in the twin's words what the options of a policy say in its own.
func ruleOf(t *testing.T, name string, options any) rule {
	r := rule{order: name}
	switch o := options.(type) {
	case fifo.Options:
		r.placement, r.headOfLine = string(o.Placement), o.Blocking == "head_of_line"
	case sjf.Options:
		r.placement, r.headOfLine = string(o.Placement), o.Blocking == "head_of_line"
	case sjf.PlusOptions: // nobody gives advice here
		r.order, r.placement, r.headOfLine = "sjf", string(o.Placement), o.Blocking == "head_of_line"
	case qssf.Options:
		r.placement, r.headOfLine, r.arrivals = string(o.Placement), o.Blocking == "head_of_line", o.ArrivalsByGPUs
	case srtf.Options:
		r.placement, r.selection, r.margin = string(o.Placement), string(o.Selection), o.Margin
	case tiresias.Options:
		r.placement, r.selection, r.thresholds = string(o.Placement), string(o.Selection), o.Thresholds
		r.workOnly, r.byNumber, r.widest = o.WorkOnly, o.ByNumber, o.WidestFirst
	case edf.Options:
		r.placement, r.selection = string(o.Placement), string(o.Selection)
	case threesigma.Options:
		r.placement, r.selection, r.slot = string(o.Placement), string(o.Planning), o.Slot
	case yarncs.Options:
		r.placement, r.headOfLine, r.byShare = string(o.Placement), o.Blocking == "head_of_line", o.Turn == "share"
	case genie.Options:
		r.placement, r.headOfLine = string(o.Placement), o.Blocking == "head_of_line"
	default:
		t.Fatalf("the twin does not know options of type %T", options)
	}
	return r
}

// The simulator and the policies agree, job by job, with a simulator that
// decides every second and keeps nothing ready.
func TestTwinAgrees(t *testing.T) {
	for _, v := range schedtest.AtEvents() {
		if name := v.Policy.Name(); name == "gandiva" || name == "themis" {
			continue // their turns have stories of their own
		}
		if v.Policy.Name() == "chronus" {
			continue // it has a twin of its own, beside it
		}
		if v.Policy.Name() == "unisched" {
			continue // its program has one, in scheduler/milp
		}
		if name := v.Policy.Name(); name == "lucid" || name == "lucid+" || name == "packing" {
			continue // the twin knows no GPU that two jobs share; sharing has one of its own
		}
		r := ruleOf(t, v.Policy.Name(), v.Options)
		t.Run(v.Name, func(t *testing.T) {
			preemptions, restarts := 0, 0
			often(t, 2, func(t *rapid.T) {
				cluster, load, world := drawRun(t, v, 8)
				twin := &twin{vcs: cluster.VCs, rule: r, world: world, reserved: map[*twinJob]schedmate.Seconds{}}
				for _, n := range cluster.Nodes {
					twin.nodes = append(twin.nodes, &twinNode{Node: n, free: n.GPUs})
				}
				want := twin.run(&load)
				var events []string
				res, err := sim.Run(sim.Config{Cluster: cluster, Policy: v.Policy, World: world, Observe: func(ev sim.Event) {
					events = append(events, fmt.Sprint(ev))
				}}, load)
				if err != nil {
					t.Fatalf("%v%s", err, describe(cluster, load, world))
				}
				got := make([]outcome, len(res.Jobs))
				for i := range res.Jobs {
					j := &res.Jobs[i]
					got[i] = outcome{
						ID: j.Job.ID, Start: j.Start, End: j.End, Queue: j.Queue,
						Preemptions: j.Preemptions, Restarts: j.Restarts, State: j.State,
					}
					if j.State == schedmate.Waiting {
						got[i].Queue = -1
					}
					preemptions += j.Preemptions
					restarts += j.Restarts
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Fatalf("(-twin +simulator)\n%s%s\nevents:\n%s", diff, describe(cluster, load, world), strings.Join(events, "\n"))
				}
			})
			t.Logf("%d preemptions, %d restarts", preemptions, restarts)
		})
	}
}

// drawRun draws a cluster, a workload, and a world that differs from the
// preset's in what a node failure costs.
func drawRun(t *rapid.T, v schedtest.Variant, jobs int) (schedmate.Cluster, sim.Workload, scheduler.World) {
	d := draws(t)
	style := schedtest.AnyStyle(d)
	style.MaxNodes = 4
	cluster := schedtest.Cluster(d, style)
	for i := range cluster.Nodes { // a node may be away from the first second on
		if !style.AllHealthy && d(0, 7) == 7 {
			cluster.Nodes[i].Health = []schedmate.Health{schedmate.Down, schedmate.Draining, schedmate.Suspect}[d(0, 2)]
		}
	}
	load := schedtest.Workload(d, &cluster, style, jobs)
	world := v.World
	if d(0, 1) == 1 {
		world.Checkpoint = schedmate.Seconds(d(1, 50))
	}
	if o, ok := v.Options.(chronus.Options); ok {
		world.Tick, world.Cycle = o.Step, o.Cycle
		if o.Lease < 1200 { // a start costs less than a lease, or nobody gets anywhere
			world.RestartCost = []scheduler.CostStep{{UpToGPUs: 2, Cost: 1}, {Cost: 3}}
		}
	}
	if o, ok := v.Options.(unisched.Options); ok && o.Lease < 600 {
		world.RestartCost = o.Resume // less than a lease, or nobody gets anywhere
	}
	if o, ok := v.Options.(threesigma.Options); ok {
		if o.Planning == threesigma.Reserve {
			world.Tick = o.Slot
		}
		if d(0, 1) == 1 {
			world.Estimates = scheduler.TraceEstimate // with a low and a high end
		}
	}
	// Speeds beside others are told in stories of their own; here everybody works
	// at the speed that books can follow, and nobody is profiled out of sight.
	world.Sharing = scheduler.Sharing{Unmeasured: scheduler.AloneSpeed}
	world.Profiler = nil
	return cluster, load, world
}

func draws(t *rapid.T) schedtest.Draw {
	return func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
}

// describe prints a run in the language of the stories.
func describe(c schedmate.Cluster, w sim.Workload, world scheduler.World) string {
	var out strings.Builder
	fmt.Fprintln(&out, "\ncluster")
	for _, vc := range c.VCs {
		fmt.Fprintf(&out, "vc %s quota=%d\n", vc.Name, vc.QuotaGPUs)
	}
	for _, n := range c.Nodes {
		fmt.Fprintf(&out, "node %s gpus=%d type=%s vc=%s\n", n.ID, n.GPUs, n.GPUType, n.VC)
	}
	fmt.Fprintln(&out, "jobs")
	for _, j := range w.Jobs {
		fmt.Fprintf(&out, "%s gpus=%d at=%d run=%d vc=%s type=%s limit=%d end=%s", j.ID, j.GPUs, j.Submit, j.Outcome.Run, j.VC, j.GPUType, j.TimeLimit, j.Outcome.State)
		for _, f := range j.Facts {
			fmt.Fprintf(&out, " estimate=%d", f.Value)
		}
		for _, tier := range j.SLO.Tiers {
			fmt.Fprintf(&out, " deadline=%d", tier.Deadline)
		}
		fmt.Fprintln(&out)
	}
	fmt.Fprintln(&out, "nodes")
	for _, n := range w.Nodes {
		fmt.Fprintf(&out, "at=%d %s %s\n", n.At, n.Node, n.Health)
	}
	fmt.Fprintf(&out, "world %+v\n", world)
	return out.String()
}
