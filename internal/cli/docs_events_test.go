package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/sim"
)

// eventNotes say when each kind of event is written. The fields are found by
// looking at events.
var eventNotes = []struct {
	kind sim.EventKind
	when string
}{
	{sim.Submitted, "A job is submitted."},
	{sim.Rejected, "No placement of it exists on the whole, healthy cluster: it is over. It follows its `submit` at once."},
	{sim.Started, "A job gets its GPUs, one allocation each, sorted by node and GPU. Every attempt has its own."},
	{sim.Preempted, "The policy takes a job's GPUs away; it waits again."},
	{sim.Ended, "A job is over, in this state."},
	{sim.NodeHealth, "A node changes its health."},
	{sim.Evicted, "A job loses its GPUs because this node goes down; it waits again."},
}

func eventTable(t *testing.T, seen map[sim.EventKind][]string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| `kind` | fields beside `at_s` and `kind` | written when |\n|---|---|---|\n")
	for _, n := range eventNotes {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", n.kind, strings.Join(seen[n.kind], "`, `"), n.when)
	}
	if len(seen) != len(eventNotes) {
		t.Errorf("events of the kinds %v were seen, and there are notes on %d", slices.Sorted(maps.Keys(seen)), len(eventNotes))
	}
	return b.String()
}

// eventFields returns the fields of each kind of event in a small run that has
// all kinds: a job that is preempted, one that is too large, a node that fails.
func eventFields(t *testing.T) map[sim.EventKind][]string {
	t.Helper()
	d, err := policy.All().Find("srtf")
	if err != nil {
		t.Fatal(err)
	}
	preset, err := d.Preset(scheduler.DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	srtf, err := d.New(preset.Options)
	if err != nil {
		t.Fatal(err)
	}
	job := func(id string, gpus int, submit, run schedmate.Seconds) sim.Job {
		return sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: submit, Outcome: &schedmate.Outcome{Run: run, State: schedmate.Completed}}}
	}
	seen := make(map[sim.EventKind][]string)
	_, err = sim.Run(sim.Config{
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n0", GPUs: 2}}},
		Policy:  srtf, World: preset.World,
		Observe: func(ev sim.Event) {
			text, err := json.Marshal(ev)
			if err != nil {
				t.Fatal(err)
			}
			fields := keys(t, text)[2:] // at_s, kind
			if before, ok := seen[ev.Kind]; ok && !slices.Equal(before, fields) {
				t.Errorf("events %s have the fields %v and %v", ev.Kind, before, fields)
			}
			seen[ev.Kind] = fields
		},
	}, sim.Workload{
		Jobs:  []sim.Job{job("long", 2, 0, 7200), job("short", 2, 600, 600), job("big", 3, 700, 60)},
		Nodes: []sim.NodeEvent{{At: 900, Node: "n0", Health: schedmate.Down}, {At: 1000, Node: "n0", Health: schedmate.Healthy}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// keys returns the names of a JSON object's members in their order.
func keys(t *testing.T, object []byte) []string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		if err := dec.Decode(new(json.RawMessage)); err != nil {
			t.Fatal(err)
		}
	}
	return names
}
