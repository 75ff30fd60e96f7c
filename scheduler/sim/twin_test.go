package sim_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy/fifo"
	"schedmate/scheduler/policy/qssf"
	"schedmate/scheduler/policy/sjf"
	"schedmate/scheduler/policy/srtf"
	"schedmate/scheduler/policy/tiresias"
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
	lost                   schedmate.Seconds
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
	order      string // fifo, sjf, qssf, srtf or tiresias
	arrivals   bool   // qssf: by GPUs while everybody who waits has just come
	lucid      bool   // the artifact's placement
	headOfLine bool
	counted    bool // preemptive: by number, else by place
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

// estimate is the run time that the policy is told.
func (w *twin) estimate(j *twinJob) (schedmate.Seconds, bool) {
	if w.world.Estimates == scheduler.TrueRunTime {
		return j.total, true
	}
	if w.world.Estimates == scheduler.TraceEstimate && len(j.Facts) > 0 {
		return schedmate.Seconds(j.Facts[0].Value), true
	}
	return 0, false
}

const never = schedmate.Seconds(1 << 60)

// key is what jobs are ordered by, smaller first; equal keys by who came first.
func (w *twin) key(j *twinJob) (schedmate.Seconds, schedmate.Seconds) {
	est, known := w.estimate(j)
	switch w.rule.order {
	case "fifo":
		return j.Submit, 0
	case "tiresias":
		queue := schedmate.Seconds(0)
		for _, t := range w.rule.thresholds {
			if int64(j.GPUs)*int64(j.held) > t {
				queue++
			}
		}
		return queue, j.Submit
	}
	if !known {
		if j.state == "running" {
			return -1, 0
		}
		return never, j.Submit
	}
	switch w.rule.order {
	case "sjf":
		return est, 0
	case "qssf":
		return est * schedmate.Seconds(j.GPUs), schedmate.Seconds(j.GPUs)
	}
	return j.owed + max(0, est-j.done), 0 // srtf
}

func (w *twin) order(jobs []*twinJob) []*twinJob {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b *twinJob) int {
		a1, a2 := w.key(a)
		b1, b2 := w.key(b)
		return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2))
	})
	return jobs
}

func (w *twin) decide(part []*twinJob) {
	waiting := in(part, "waiting")
	if len(waiting) == 0 {
		return
	}
	queue := w.order(waiting)
	switch w.rule.order {
	case "srtf", "tiresias":
		if w.rule.counted {
			w.byCount(part, queue)
		} else {
			w.byPlace(part, queue)
		}
		return
	}
	if w.rule.arrivals {
		old := false
		for _, j := range waiting {
			old = old || j.Submit < w.now
		}
		if !old {
			queue = slices.Clone(waiting)
			slices.SortStableFunc(queue, func(a, b *twinJob) int { return a.GPUs - b.GPUs })
		}
	}
	w.inOrder(queue)
}

func (w *twin) inOrder(queue []*twinJob) {
	var stopped []string // VCs of which nobody may start any more
	for _, j := range queue {
		if slices.Contains(stopped, j.VC) {
			continue
		}
		if on := w.place(j); on != nil {
			w.start(j, on)
			continue
		}
		most := 0 // GPUs that it could have if nothing else ran
		for _, n := range w.usable(j, w.quota(j.VC) >= j.GPUs) {
			most += n.GPUs
		}
		if !w.rule.headOfLine || most < j.GPUs {
			continue
		}
		if w.quotaLeft(j.VC) >= j.GPUs {
			return
		}
		stopped = append(stopped, j.VC)
	}
}

func (w *twin) start(j *twinJob, on map[string]int) {
	for id, k := range on {
		w.node(id).free -= k
	}
	j.on, j.state, j.seq, j.lost = on, "running", w.moves, j.done
	w.moves++
	if j.out.Start == sim.NoTime {
		j.out.Start = w.now
	} else {
		j.out.Restarts++
	}
}

func (w *twin) preempt(j *twinJob) {
	w.leave(j)
	j.owed += w.world.Restart(j.GPUs)
	j.out.Preemptions++
	w.wait(j)
}

// stuck says whether a running job has GPUs on a node that takes nothing new.
func (w *twin) stuck(j *twinJob) bool {
	for id := range j.on {
		if n := w.node(id); !n.Takes() {
			return true
		}
	}
	return false
}

// byCount lets jobs run in order as long as their number of GPUs fits, takes
// the GPUs of all others away, and then looks for places.
func (w *twin) byCount(part, queue []*twinJob) {
	count := 0
	for _, n := range w.nodes {
		if n.Takes() && (w.common() || n.VC == part[0].VC) {
			count += n.GPUs
		}
	}
	all := append(slices.Clone(queue), w.order(in(part, "running"))...)
	slices.SortStableFunc(all, func(a, b *twinJob) int {
		a1, a2 := w.key(a)
		b1, b2 := w.key(b)
		if a1 != b1 || w.rule.order == "srtf" {
			return cmp.Compare(a1, b1) // srtf: equal ones wait first
		}
		if a2 != b2 {
			return cmp.Compare(a2, b2)
		}
		return cmp.Compare(b.state, a.state) * -1 // tiresias: equal ones run first
	})
	var chosen, gone []*twinJob
	for _, j := range all {
		switch {
		case j.state == "running" && w.stuck(j):
		case j.GPUs <= count:
			count -= j.GPUs
			if j.state == "waiting" {
				chosen = append(chosen, j)
			}
		case j.state == "running":
			gone = append(gone, j)
		}
	}
	for _, j := range gone {
		w.preempt(j)
	}
	for _, j := range chosen {
		if on := w.place(j); on != nil {
			w.start(j, on)
		}
	}
}

// byPlace starts jobs in order; for one that does not fit it preempts those it
// beats, if that helps, the worst first and nobody in vain. Who is preempted
// goes back into the order; if it is its turn before the others', the place it
// would have is kept free until the next second.
func (w *twin) byPlace(part, queue []*twinJob) {
	var gone []*twinJob
	kept := map[string]int{}
	defer func() {
		for id, k := range kept {
			w.node(id).free += k
		}
	}()
	rank := map[*twinJob][3]schedmate.Seconds{}
	for _, j := range part {
		a, b := w.key(j)
		rank[j] = [3]schedmate.Seconds{a, b, schedmate.Seconds(j.seq)}
	}
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		if slices.Contains(gone, j) {
			for id, k := range w.place(j) {
				w.node(id).free -= k
				kept[id] += k
			}
			continue
		}
		if on := w.place(j); on != nil {
			w.start(j, on)
			gone = append(gone, j) // started just now: nobody's victim
			continue
		}
		var victims []*twinJob
		for _, v := range w.order(in(part, "running")) {
			if !slices.Contains(gone, v) && !w.stuck(v) && w.beats(j, v) {
				victims = append(victims, v)
			}
		}
		for _, v := range victims {
			w.lend(v, +1)
		}
		if w.place(j) == nil {
			for _, v := range victims {
				w.lend(v, -1)
			}
			continue
		}
		var taken []*twinJob
		for _, v := range victims { // the best first
			w.lend(v, -1)
			if w.place(j) == nil {
				w.lend(v, +1)
				taken = append(taken, v)
			}
		}
		on := w.place(j)
		slices.Reverse(taken)
		for _, v := range slices.Backward(taken) {
			w.lend(v, -1)
			w.preempt(v)
			gone = append(gone, v)
			queue = append(queue, v)
		}
		slices.SortFunc(queue, func(a, b *twinJob) int {
			x, y := rank[a], rank[b]
			return slices.Compare(x[:], y[:])
		})
		w.start(j, on)
		gone = append(gone, j)
	}
}

func (w *twin) lend(j *twinJob, sign int) {
	for id, k := range j.on {
		w.node(id).free += sign * k
	}
	if sign > 0 {
		j.state = "lent"
	} else {
		j.state = "running"
	}
}

func (w *twin) beats(j, v *twinJob) bool {
	mine, _ := w.key(j)
	his, _ := w.key(v)
	if w.rule.order == "tiresias" {
		return mine < his
	}
	_, known := w.estimate(j)
	_, ok := w.estimate(v)
	return known && ok && his > mine+w.rule.margin
}

// quota is how many shared GPUs the VC may hold.
func (w *twin) quota(vc string) int {
	for _, v := range w.vcs {
		if v.Name == vc && v.QuotaGPUs > 0 {
			return v.QuotaGPUs
		}
	}
	return 1 << 30
}

func (w *twin) quotaLeft(vc string) int {
	left := w.quota(vc)
	for _, j := range w.jobs {
		for id, k := range j.on {
			if j.VC == vc && j.state != "lent" && w.node(id).VC == "" {
				left -= k
			}
		}
	}
	return left
}

// usable lists the nodes that may take the job, shared ones only if wanted.
func (w *twin) usable(j *twinJob, shared bool) []*twinNode {
	var out []*twinNode
	for _, n := range w.nodes {
		fits := n.Takes() && (j.GPUType == "" || n.GPUType == j.GPUType)
		if fits && (n.VC == "" && shared || n.VC != "" && n.VC == j.VC) {
			out = append(out, n)
		}
	}
	return out
}

// place finds GPUs on as few nodes as possible, or returns nil.
func (w *twin) place(j *twinJob) map[string]int {
	all := w.usable(j, w.quotaLeft(j.VC) >= j.GPUs)
	if w.rule.lucid {
		return placeLucid(all, j.GPUs)
	}
	if on := placeFew(all, j.GPUs); on != nil {
		return on
	}
	return placeFew(w.usable(j, false), j.GPUs)
}

func placeFew(nodes []*twinNode, gang int) map[string]int {
	bySize := slices.Clone(nodes)
	slices.SortStableFunc(bySize, func(a, b *twinNode) int { return b.GPUs - a.GPUs })
	few, sum := 0, 0
	for _, n := range bySize {
		if sum < gang {
			few, sum = few+1, sum+n.GPUs
		}
	}
	if sum < gang {
		return nil
	}
	byFree := slices.Clone(nodes)
	slices.SortStableFunc(byFree, func(a, b *twinNode) int { return b.free - a.free })
	on := map[string]int{}
	for _, n := range byFree[:few-1] {
		on[n.ID] = n.free
		gang -= n.free
	}
	var last *twinNode
	for _, n := range nodes { // in the order of their IDs
		if on[n.ID] == 0 && n.free >= gang && (last == nil || n.free < last.free) && !slices.Contains(byFree[:few-1], n) {
			last = n
		}
	}
	if last == nil || slices.Contains(mapValues(on), 0) {
		return nil
	}
	on[last.ID] = gang
	return on
}

func mapValues(m map[string]int) []int {
	var out []int
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// placeLucid: up to the size of a node, the tightest node; above, wholly free
// nodes, and the rest on the next one in descending order of free GPUs.
func placeLucid(nodes []*twinNode, gang int) map[string]int {
	size, free := 0, 0
	for _, n := range nodes {
		size = max(size, n.GPUs)
		free += n.free
	}
	if size == 0 || free < gang {
		return nil
	}
	on := map[string]int{}
	if gang <= size {
		var best *twinNode
		for _, n := range nodes {
			if n.free >= gang && (best == nil || n.free < best.free) {
				best = n
			}
		}
		if best == nil {
			return nil
		}
		on[best.ID] = gang
		return on
	}
	byFree := slices.Clone(nodes)
	slices.SortStableFunc(byFree, func(a, b *twinNode) int { return b.free - a.free })
	for _, n := range byFree {
		k := min(size, gang)
		if k == 0 {
			break
		}
		if n.free < k {
			return nil
		}
		on[n.ID] = k
		gang -= k
	}
	if gang > 0 {
		return nil
	}
	return on
}

// ruleOf says in the twin's words what the options of a policy say in its own.
func ruleOf(t *testing.T, name string, options any) rule {
	r := rule{order: name}
	switch o := options.(type) {
	case fifo.Options:
		r.lucid, r.headOfLine = o.Placement == "lucid", o.Blocking == "head_of_line"
	case sjf.Options:
		r.lucid, r.headOfLine = o.Placement == "lucid", o.Blocking == "head_of_line"
	case qssf.Options:
		r.lucid, r.headOfLine, r.arrivals = o.Placement == "lucid", o.Blocking == "head_of_line", o.ArrivalsByGPUs
	case srtf.Options:
		r.lucid, r.counted, r.margin = o.Placement == "lucid", o.Selection == "counted", o.Margin
	case tiresias.Options:
		r.lucid, r.counted, r.thresholds = o.Placement == "lucid", o.Selection == "counted", o.Thresholds
	default:
		t.Fatalf("the twin does not know options of type %T", options)
	}
	return r
}

// The simulator and the policies agree, job by job, with a simulator that
// decides every second and keeps nothing ready.
func TestTwinAgrees(t *testing.T) {
	for _, v := range schedtest.Policies() {
		r := ruleOf(t, v.Policy.Name(), v.Options)
		t.Run(v.Name, func(t *testing.T) {
			preemptions, restarts := 0, 0
			often(t, 2, func(t *rapid.T) {
				cluster, load, world := drawRun(t, v, 8)
				twin := &twin{vcs: cluster.VCs, rule: r, world: world}
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
		fmt.Fprintln(&out)
	}
	fmt.Fprintln(&out, "nodes")
	for _, n := range w.Nodes {
		fmt.Fprintf(&out, "at=%d %s %s\n", n.At, n.Node, n.Health)
	}
	fmt.Fprintf(&out, "world %+v\n", world)
	return out.String()
}
