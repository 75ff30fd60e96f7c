package sim_test

import (
	"bytes"
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
	case "pairs":
		return st.readPairs(d.Input)
	case "run":
		return st.run(d)
	case "snapshot":
		return st.freeze(d)
	case "plan":
		return st.plan(d)
	case "why":
		return st.why(d)
	}
	return "", fmt.Errorf("unknown command %q: use cluster, jobs, nodes, pairs, run, snapshot, plan or why", d.Cmd)
}

func (st *story) run(d *datadriven.TestData) (string, error) {
	tracker, err := tracked(d)
	if err != nil {
		return "", err
	}
	p, world, err := chosen(d)
	if err != nil {
		return "", err
	}
	st.last = &told{config: sim.Config{Cluster: st.cluster, Policy: p, World: world, Tracker: tracker}, load: st.load}
	st.last.config.Observe = func(ev sim.Event) {
		ev.Allocations = slices.Clone(ev.Allocations)
		st.last.events = append(st.last.events, ev)
	}
	if st.last.result, err = sim.Run(st.last.config, st.load); err != nil {
		return "", err
	}
	return st.last.transcript(), nil
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
