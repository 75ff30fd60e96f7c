package sia

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedmate"
	"schedmate/eval/traces"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// artifactCluster is that of the artifact's evaluation.
func artifactCluster() schedmate.Cluster {
	c := schedmate.Cluster{Spread: true}
	for _, p := range []struct {
		name        string
		nodes, gpus int
	}{{"aws", 6, 4}, {"dgx-ext", 2, 8}, {"rtx", 3, 8}} {
		for i := range p.nodes {
			c.Nodes = append(c.Nodes, schedmate.Node{ID: fmt.Sprintf("%s%d", p.name, i), GPUs: p.gpus, GPUType: p.name})
		}
	}
	return c
}

// artifactJobs reads the first workload.
func artifactJobs(t *testing.T) []sim.Job {
	t.Helper()
	folder := os.Getenv("SCHEDMATE_DATA")
	if folder == "" {
		t.Skip("SCHEDMATE_DATA does not name the folder of traces that may not be shipped")
	}
	beside := func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, name)) }
	trace, err := traces.OpenWith(filepath.Join(folder, "sia/workloads_philly.csv.gz"), "sia", traces.Options{Workload: "1", Adaptive: true, Beside: beside})
	if err != nil {
		t.Fatal(err)
	}
	return trace.Jobs
}

// artifact builds the preset that follows the artifact.
func artifact(t *testing.T) *policy {
	t.Helper()
	d := Descriptor()
	preset, err := d.Preset("sia")
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.New(preset.Options)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*policy)
}

// scripted does what the stored run did with its first job, and writes down what
// the policy would have thought.
type scripted struct {
	*policy
	rows map[schedmate.Seconds]string
}

func (p scripted) Plan(s schedmate.Snapshot, b scheduler.Budget) schedmate.Plan {
	r := p.open(&s)
	j := r.jobs[0]
	var row strings.Builder
	for i, c := range j.configs {
		if i > 0 && c.kind != j.configs[i-1].kind {
			row.WriteString("| ")
		}
		if cost := float64(110-c.gain) / 100; cost < 1.1 {
			fmt.Fprintf(&row, "%g ", cost)
		} else if i == 0 || c.kind != j.configs[i-1].kind || j.configs[i-1].gain > -1000 {
			fmt.Fprintf(&row, "%g ", cost)
		}
	}
	p.rows[s.Now] = strings.TrimSpace(row.String())
	plan := schedmate.Plan{Policy: p.Name(), Engine: Engine}
	on := func(node string, gpus int) (as []schedmate.Allocation) {
		for i := range gpus {
			as = append(as, schedmate.Allocation{Node: node, GPU: i, Share: schedmate.WholeGPU})
		}
		return as
	}
	switch {
	case s.Now == 0:
	case j.at == nil:
		plan.Actions = []schedmate.Action{{Kind: schedmate.Start, Job: j.Job.ID, Allocations: on("rtx0", 1)}}
	case s.Now == 180:
		plan.Actions = []schedmate.Action{{Kind: schedmate.Move, Job: j.Job.ID, Allocations: on("dgx-ext0", 2)}}
	}
	return plan
}

// The costs of the first job of the stored run, in its first four rounds, as
// they were worked out from the artifact: on the types aws, dgx-ext and rtx, of
// each what is above the wait once.
func TestCostsOfTheStoredRun(t *testing.T) {
	jobs := artifactJobs(t)[:1]
	p := artifact(t)
	d := Descriptor()
	preset, err := d.Preset("sia")
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[schedmate.Seconds]string)
	if _, err := sim.Run(sim.Config{Cluster: artifactCluster(), Policy: scripted{p, rows}, World: preset.World}, sim.Workload{Jobs: jobs}); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[schedmate.Seconds]string{
		120: "1 100 | 1 100 | 1 100",
		180: "1.19 1.03 118.78 | 0.45 0.39 118.78 | 0.66 0.68 118.78",
		240: "1.26 1.04 0.9 125.8 | 0.48 0.31 0.34 125.8 | 0.62 0.54 0.48 125.8",
		300: "1.17 0.98 0.85 116.97 | 0.45 0.32 0.32 116.97 | 0.62 0.51 0.44 116.97",
	} {
		if rows[at] != want {
			t.Errorf("at %d s\ngot  %s\nwant %s", at, rows[at], want)
		}
	}
}
