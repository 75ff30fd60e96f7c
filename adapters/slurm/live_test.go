package slurm

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/internal/slurmlab"
)

func TestMain(m *testing.M) { os.Exit(slurmlab.Main(m)) }

// live returns a reader of a real Slurm, which changes for nobody else meanwhile.
func live(t *testing.T) (*Slurm, *slurmlab.Lab) {
	t.Helper()
	lab := slurmlab.For(t)
	lab.Alone(t)
	for _, v := range lab.Vars() {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return New(&Commands{}), lab
}

func observeLive(t *testing.T, from interface {
	Observe(context.Context) (*schedmate.Observation, error)
}) *schedmate.Observation {
	t.Helper()
	o, err := from.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s: %d jobs, %d nodes, %d partitions, gaps %v", o.System.Name, o.System.Version, len(o.Jobs), len(o.Nodes), len(o.Partitions), o.Gaps)
	return o
}

// A real Slurm tells the same by columns as by JSON, but for the gap.
func TestLiveColumns(t *testing.T) {
	s, _ := live(t)
	byJSON := observeLive(t, s)
	s.noJSON = true
	byColumns := observeLive(t, s)
	if !slices.Contains(byColumns.Gaps, columnsGap) {
		t.Errorf("gaps %v", byColumns.Gaps)
	}
	var running []schedmate.ObservedJob
	for _, j := range byJSON.Jobs {
		if !j.Over() {
			running = append(running, j)
		}
	}
	if diff := cmp.Diff(withoutColumnsGap(running), withoutColumnsGap(byColumns.Jobs)); diff != "" {
		t.Errorf("columns (+) tell otherwise than JSON (-):\n%s", diff)
	}
}

// And the same by REST.
func TestLiveREST(t *testing.T) {
	s, lab := live(t)
	r, err := NewREST(Service{Address: "unix:" + lab.RESTSocket(), User: "root", TokenEnv: "SLURMRESTD_TOKEN"})
	if err != nil {
		t.Fatal(err)
	}
	byREST, byCommands := observeLive(t, r), observeLive(t, s)
	byCommands.Now = byREST.Now
	for i := range byCommands.Partitions {
		byCommands.Partitions[i].Restrictions = []string{notToldByREST}
	}
	if diff := cmp.Diff(byCommands, byREST); diff != "" {
		t.Errorf("REST (+) tells otherwise than commands (-):\n%s", diff)
	}
	if _, err := r.Observe(t.Context()); err != nil || r.Calls() > 10+10 {
		t.Errorf("%v, %d requests", err, r.Calls())
	}
}

func TestLivePast(t *testing.T) {
	s, _ := live(t)
	jobs, gaps, err := s.Past(t.Context(), schedmate.Period{})
	if err != nil || len(gaps) > 0 {
		t.Fatal(err, gaps)
	}
	for i := range jobs {
		if err := jobs[i].Validate("past"); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d past jobs", len(jobs))
}
