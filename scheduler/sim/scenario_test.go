package sim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/cockroachdb/datadriven"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/sim"
	"schedmate/scheduler/verify"
)

// Each file in testdata is a story: a cluster, jobs, what breaks, and what each
// policy does about it. testdata/README.md describes the language.
func TestStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, path, new(story).tell)
		})
	}
}

// The example of the page about the language is a story, too.
func TestReadmeExample(t *testing.T) {
	page, err := os.ReadFile("testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(page), "## An example")
	if !ok {
		t.Fatal("the page has no example")
	}
	var text strings.Builder
	for line := range strings.Lines(example) {
		if code, ok := strings.CutPrefix(line, "    "); ok || strings.TrimSpace(line) == "" {
			text.WriteString(strings.TrimLeft(code, " "))
		}
	}
	datadriven.RunTestFromString(t, text.String(), new(story).tell)
}

func (st *story) tell(_ *testing.T, d *datadriven.TestData) string {
	out, err := st.do(d)
	if err != nil {
		return "error: " + err.Error()
	}
	return out
}

// story is the state of one file.
type story struct {
	cluster schedmate.Cluster
	load    sim.Workload
	last    *told               // the run that snapshot looks into
	frozen  *schedmate.Snapshot // what plan and why answer
}

// told is a run as it was observed.
type told struct {
	config sim.Config
	load   sim.Workload
	events []sim.Event
	result *sim.Result
}

func (st *story) do(d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "cluster":
		*st = story{}
		return st.readCluster(d.Input)
	case "jobs":
		return st.readJobs(d.Input)
	case "nodes":
		return st.readNodes(d.Input)
	case "run":
		return st.run(d)
	case "snapshot":
		return st.freeze(d)
	case "plan":
		return st.plan(d)
	case "why":
		return st.why(d)
	}
	return "", fmt.Errorf("unknown command %q: use cluster, jobs, nodes, run, snapshot, plan or why", d.Cmd)
}

// fields splits "a b=1 c=x" into what stands free and what has a name.
func fields(line string) (free []string, named map[string]string, err error) {
	named = map[string]string{}
	for _, word := range strings.Fields(line) {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			free = append(free, word)
			continue
		}
		if _, twice := named[name]; twice {
			return nil, nil, fmt.Errorf("%q: %s is given twice", line, name)
		}
		named[name] = value
	}
	return free, named, nil
}

// reader takes named values out of a line, so that what is left over is an error.
type reader struct {
	line  string
	named map[string]string
	err   error
}

func (r *reader) text(name string) string {
	v := r.named[name]
	delete(r.named, name)
	return v
}

func (r *reader) number(name string) int {
	v, ok := r.named[name]
	if !ok {
		return 0
	}
	delete(r.named, name)
	n, err := strconv.Atoi(v)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%q: %s must be a whole number, got %q", r.line, name, v)
	}
	return n
}

func (r *reader) done() error {
	for name := range r.named {
		return fmt.Errorf("%q: unknown word %s", r.line, name)
	}
	return r.err
}

func lines(input string) []string {
	var out []string
	for _, line := range strings.Split(input, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func (st *story) readCluster(input string) (string, error) {
	for _, line := range lines(input) {
		free, named, err := fields(line)
		if err != nil {
			return "", err
		}
		if len(free) != 2 {
			return "", fmt.Errorf("%q: want 'node ID gpus=N' or 'vc NAME'", line)
		}
		r := &reader{line: line, named: named}
		switch free[0] {
		case "node":
			ids, err := span(free[1])
			if err != nil {
				return "", err
			}
			n := schedmate.Node{
				GPUs: r.number("gpus"), GPUType: r.text("type"), VC: r.text("vc"),
				Switch: r.text("switch"), Health: schedmate.Health(r.text("health")),
			}
			for _, id := range ids {
				n.ID = id
				st.cluster.Nodes = append(st.cluster.Nodes, n)
			}
		case "vc":
			st.cluster.VCs = append(st.cluster.VCs, schedmate.VC{Name: free[1], QuotaGPUs: r.number("quota")})
		default:
			return "", fmt.Errorf("%q: want node or vc, got %s", line, free[0])
		}
		if err := r.done(); err != nil {
			return "", err
		}
	}
	if err := st.cluster.Validate("cluster"); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d nodes, %d GPUs, %d VCs", len(st.cluster.Nodes), st.cluster.GPUs(), len(st.cluster.VCs)), nil
}

// span writes out "n1..n4".
func span(word string) ([]string, error) {
	from, to, ok := strings.Cut(word, "..")
	if !ok {
		return []string{word}, nil
	}
	stem := strings.TrimRight(from, "0123456789")
	lo, err1 := strconv.Atoi(from[len(stem):])
	hi, err2 := strconv.Atoi(strings.TrimPrefix(to, stem))
	if err1 != nil || err2 != nil || lo > hi {
		return nil, fmt.Errorf("%q is no range of nodes, write n1..n4", word)
	}
	var ids []string
	for i := lo; i <= hi; i++ {
		ids = append(ids, fmt.Sprintf("%s%d", stem, i))
	}
	return ids, nil
}

func (st *story) readJobs(input string) (string, error) {
	for _, line := range lines(input) {
		free, named, err := fields(line)
		if err != nil {
			return "", err
		}
		if len(free) != 1 {
			return "", fmt.Errorf("%q: want 'ID gpus=N at=T run=T'", line)
		}
		r := &reader{line: line, named: named}
		j := sim.Job{Job: schedmate.Job{
			ID: free[0], GPUs: r.number("gpus"), VC: r.text("vc"), GPUType: r.text("type"),
			Submit: schedmate.Seconds(r.number("at")), TimeLimit: schedmate.Seconds(r.number("limit")),
			Outcome: &schedmate.Outcome{Run: schedmate.Seconds(r.number("run")), State: schedmate.Completed},
		}}
		if end := r.text("end"); end != "" {
			j.Outcome.State = schedmate.State(end)
		}
		if _, known := named["estimate"]; known {
			value := int64(r.number("estimate"))
			j.Facts = []schedmate.Fact{{
				Kind: schedmate.RunSeconds, Value: value, Low: value, High: value,
				ConfidenceMilli: 500, Source: schedmate.FromTrace, ObservedAt: j.Submit,
			}}
		}
		if j.SLO, err = readSLO(r.text("slo")); err != nil {
			return "", err
		}
		if err := r.done(); err != nil {
			return "", err
		}
		st.load.Jobs = append(st.load.Jobs, j)
	}
	if err := st.load.Validate(&st.cluster); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d jobs", len(st.load.Jobs)), nil
}

// readSLO reads "strict:600" or "soft:600/100,900/50".
func readSLO(text string) (schedmate.SLO, error) {
	var slo schedmate.SLO
	if text == "" {
		return slo, nil
	}
	class, tiers, _ := strings.Cut(text, ":")
	slo.Class = schedmate.SLOClass(class)
	for _, tier := range strings.Split(tiers, ",") {
		deadline, reward, ok := strings.Cut(tier, "/")
		if !ok {
			reward = strconv.Itoa(schedmate.FullReward)
		}
		at, err1 := strconv.Atoi(deadline)
		worth, err2 := strconv.Atoi(reward)
		if err1 != nil || err2 != nil {
			return slo, fmt.Errorf("slo %q: write strict:600 or soft:600/100,900/50", text)
		}
		slo.Tiers = append(slo.Tiers, schedmate.Tier{Deadline: schedmate.Seconds(at), Reward: worth})
	}
	return slo, nil
}

func (st *story) readNodes(input string) (string, error) {
	for _, line := range lines(input) {
		free, named, err := fields(line)
		if err != nil {
			return "", err
		}
		r := &reader{line: line, named: named}
		at := r.number("at")
		if err := r.done(); err != nil {
			return "", err
		}
		if len(free) != 2 {
			return "", fmt.Errorf("%q: want 'at=T NODE HEALTH'", line)
		}
		st.load.Nodes = append(st.load.Nodes, sim.NodeEvent{At: schedmate.Seconds(at), Node: free[0], Health: schedmate.Health(free[1])})
	}
	if err := st.load.Validate(&st.cluster); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d node events", len(st.load.Nodes)), nil
}

// chosen builds the policy that a command names, with the options and the world
// of its input laid over those of the preset.
func chosen(d *datadriven.TestData) (scheduler.Policy, scheduler.World, error) {
	name, preset := "", scheduler.DefaultPreset
	for _, arg := range d.CmdArgs {
		switch {
		case arg.Key == "preset" && len(arg.Vals) == 1:
			preset = arg.Vals[0]
		case len(arg.Vals) == 0 && name == "":
			name = arg.Key
		default:
			return nil, scheduler.World{}, fmt.Errorf("%s: unknown word %s", d.Cmd, arg.Key)
		}
	}
	descriptor, err := policy.All().Find(name)
	if err != nil {
		return nil, scheduler.World{}, err
	}
	p, err := descriptor.Preset(preset)
	if err != nil {
		return nil, scheduler.World{}, err
	}
	options, world := p.Options, p.World
	for _, line := range lines(d.Input) {
		what, doc, _ := strings.Cut(line, " ")
		switch what {
		case "options":
			if options, err = descriptor.Decode(options, []byte(doc)); err != nil {
				return nil, world, err
			}
		case "world":
			dec := json.NewDecoder(strings.NewReader(doc))
			dec.DisallowUnknownFields()
			world.RestartCost = slices.Clone(world.RestartCost)
			if err := dec.Decode(&world); err != nil {
				return nil, world, err
			}
		default:
			return nil, world, fmt.Errorf("%q: want options or world", line)
		}
	}
	made, err := descriptor.New(options)
	return made, world, err
}

func (st *story) run(d *datadriven.TestData) (string, error) {
	p, world, err := chosen(d)
	if err != nil {
		return "", err
	}
	st.last = &told{config: sim.Config{Cluster: st.cluster, Policy: p, World: world}, load: st.load}
	st.last.config.Observe = func(ev sim.Event) {
		ev.Allocations = slices.Clone(ev.Allocations)
		st.last.events = append(st.last.events, ev)
	}
	if st.last.result, err = sim.Run(st.last.config, st.load); err != nil {
		return "", err
	}
	return st.last.transcript(), nil
}

func (r *told) transcript() string {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, ev := range r.events {
		what := []any{ev.At, ev.Kind}
		switch ev.Kind {
		case sim.NodeHealth:
			what = append(what, ev.Node, ev.Health)
		case sim.Started:
			what = append(what, ev.Job, places(ev.Allocations))
		case sim.Ended:
			what = append(what, ev.Job, ev.State)
		case sim.Evicted:
			what = append(what, ev.Job, "from "+ev.Node)
		case sim.Rejected:
			what = append(what, ev.Job, reasonText(r.reason(ev.Job)))
		default:
			what = append(what, ev.Job, "")
		}
		fmt.Fprintf(w, "%v\t%v\t%v\t%v\n", what...)
	}
	w.Flush()
	w = tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	slo := slices.ContainsFunc(r.load.Jobs, func(j sim.Job) bool { return j.SLO.HasDeadline() })
	header := "job\tgpus\tsubmit\tstart\tend\tqueue\tjct\tpreempted\trestarts\tstate"
	if slo {
		header += "\treward"
	}
	fmt.Fprintln(w, header)
	var jct, queue schedmate.Seconds
	for i := range r.result.Jobs {
		j := &r.result.Jobs[i]
		start, end, took := "-", "-", "-"
		if j.Start != sim.NoTime {
			start = fmt.Sprint(j.Start)
		}
		if j.Ran() {
			end, took = fmt.Sprint(j.End), fmt.Sprint(j.JCT())
			jct += j.JCT()
		}
		queue += j.Queue
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%d\t%s\t%d\t%d\t%s", j.Job.ID, j.Job.GPUs, j.Job.Submit, start, end, j.Queue, took, j.Preemptions, j.Restarts, j.State)
		if slo {
			fmt.Fprintf(w, "\t%d", j.Job.SLO.RewardAt(j.End))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	fmt.Fprintf(&out, "sum of jct %d s, of queue %d s; makespan %d s; held %d of %d GPU-s", jct, queue, r.result.Makespan(),
		r.result.HeldGPUSeconds, int64(r.result.GPUs)*int64(r.result.Makespan()))
	if r.result.DownGPUSeconds > 0 {
		fmt.Fprintf(&out, ", %d down", r.result.DownGPUSeconds)
	}
	if r.result.Preemptions > 0 {
		fmt.Fprintf(&out, "; preemptions %d", r.result.Preemptions)
	}
	if r.result.Unfinished > 0 {
		fmt.Fprintf(&out, "; unfinished %d", r.result.Unfinished)
	}
	return trimmed(out.String())
}

func trimmed(text string) string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " ")
	}
	return strings.Join(all, "\n")
}

func (r *told) reason(job string) *schedmate.Reason {
	for i := range r.result.Jobs {
		if r.result.Jobs[i].Job.ID == job {
			return r.result.Jobs[i].Reason
		}
	}
	return nil
}

// places writes allocations as n1:0-3,6 n2:0.
func places(as []schedmate.Allocation) string {
	var out []string
	for i := 0; i < len(as); {
		node, gpus := as[i].Node, []string{}
		for i < len(as) && as[i].Node == node {
			from := as[i].GPU
			for i++; i < len(as) && as[i].Node == node && as[i].GPU == as[i-1].GPU+1; i++ {
			}
			if to := as[i-1].GPU; to > from {
				gpus = append(gpus, fmt.Sprintf("%d-%d", from, to))
			} else {
				gpus = append(gpus, strconv.Itoa(from))
			}
		}
		out = append(out, node+":"+strings.Join(gpus, ","))
	}
	return strings.Join(out, " ")
}

// freeze stops the last run when second at has been told who ends, what breaks
// and who arrives, and nothing has been decided yet.
func (st *story) freeze(d *datadriven.TestData) (string, error) {
	if st.last == nil {
		return "", fmt.Errorf("snapshot needs a run before it")
	}
	if len(d.CmdArgs) != 1 || d.CmdArgs[0].Key != "at" || len(d.CmdArgs[0].Vals) != 1 {
		return "", fmt.Errorf("write snapshot at=T")
	}
	at, err := strconv.Atoi(d.CmdArgs[0].Vals[0])
	if err != nil {
		return "", fmt.Errorf("snapshot: at must be a whole number of seconds: %w", err)
	}
	now := schedmate.Seconds(at)
	h := newHistory(st.cluster, &st.load, st.last.config.World)
	for i := range st.last.events {
		ev := &st.last.events[i]
		if ev.At > now || ev.At == now && (ev.Kind == sim.Started || ev.Kind == sim.Preempted) {
			break
		}
		if err := h.see(ev); err != nil {
			return "", err
		}
	}
	s := h.snapshot(now)
	if err := s.Validate(); err != nil {
		return "", err
	}
	st.frozen = &s
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, j := range s.Running {
		fmt.Fprintf(w, "runs\t%s\t%s since %d, did %d s, held %d GPU-s\n", j.Job.ID, places(j.Attempt.Allocations), j.Attempt.Start, j.Done, j.Attained(now))
	}
	for _, j := range s.Waiting {
		fmt.Fprintf(w, "waits\t%s\tdid %d s, owes %d s, waited %d s before\n", j.Job.ID, j.Done, j.Owed, j.Waited)
	}
	w.Flush()
	return trimmed(strings.TrimRight(out.String(), "\n")), nil
}

func (st *story) plan(d *datadriven.TestData) (string, error) {
	p, plan, err := st.answer(d)
	if err != nil {
		return "", err
	}
	plan.Reasons = explain.All(p, scheduler.Budget{}, *st.frozen, &plan, explain.Thorough)
	plan.Hash = plan.Seal(schedmate.Hash(st.frozen))
	if err := verify.Check(st.frozen, &plan); err != nil {
		return "", err
	}
	var out []string
	for _, a := range plan.Actions {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", a.Kind, a.Job, places(a.Allocations))))
	}
	if len(out) == 0 {
		out = append(out, "nothing to do")
	}
	if plan.Wake != 0 {
		out = append(out, fmt.Sprintf("wake at %d", plan.Wake))
	}
	return strings.Join(out, "\n"), nil
}

func (st *story) answer(d *datadriven.TestData) (scheduler.Policy, schedmate.Plan, error) {
	if st.frozen == nil {
		return nil, schedmate.Plan{}, fmt.Errorf("%s needs a snapshot before it", d.Cmd)
	}
	p, _, err := chosen(d)
	if err != nil {
		return nil, schedmate.Plan{}, err
	}
	return p, scheduler.Plan(p, *st.frozen, scheduler.Budget{}), nil
}

func (st *story) why(d *datadriven.TestData) (string, error) {
	p, plan, err := st.answer(d)
	if err != nil {
		return "", err
	}
	var out []string
	for _, r := range explain.All(p, scheduler.Budget{}, *st.frozen, &plan, explain.Thorough) {
		out = append(out, r.Job+" waits: "+reasonText(&r))
	}
	if len(out) == 0 {
		return "nobody waits", nil
	}
	return strings.Join(out, "\n"), nil
}

func reasonText(r *schedmate.Reason) string {
	text := fmt.Sprintf("%s, needs %d, free %d, short %d", r.Code, r.Need, r.Free, r.Short)
	if r.Limit > 0 {
		text += fmt.Sprintf(", limit %d", r.Limit)
	}
	if len(r.Blockers) > 0 {
		text += ", behind " + strings.Join(r.Blockers, " ")
	}
	if len(r.Nodes) > 0 {
		text += ", nodes " + strings.Join(r.Nodes, " ")
	}
	c := &r.Change
	var change []string
	add := func(set bool, format string, args ...any) {
		if set {
			change = append(change, fmt.Sprintf(format, args...))
		}
	}
	add(c.Resize > 0, "%d GPUs", c.Resize)
	add(c.AnyType, "any type")
	add(c.VC != "", "vc %s", c.VC)
	add(c.Quota > 0, "quota %d", c.Quota)
	add(len(c.Restore) > 0, "%s back", strings.Join(c.Restore, " "))
	add(len(c.Release) > 0, "%s over", strings.Join(c.Release, " "))
	add(len(c.Hold) > 0, "%s held", strings.Join(c.Hold, " "))
	text += "; starts with " + strings.Join(change, " and ")
	if r.Until > 0 {
		text += fmt.Sprintf(", expected at %d", r.Until)
	}
	return text
}
