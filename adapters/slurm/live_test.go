package slurm

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

// live returns a reader of the Slurm that SLURM_CONF names.
func live(t *testing.T) *Slurm {
	t.Helper()
	if os.Getenv("SLURM_CONF") == "" {
		t.Skip("skipped: SLURM_CONF names no Slurm to test with")
	}
	if _, err := exec.LookPath("squeue"); err != nil {
		t.Skip("skipped: Slurm's commands are not installed")
	}
	return New(&Commands{})
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
	s := live(t)
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
	s := live(t)
	socket := os.Getenv("SLURM_LAB_REST_SOCKET")
	if socket == "" {
		t.Skip("skipped: SLURM_LAB_REST_SOCKET names no slurmrestd to test with")
	}
	r, err := NewREST(Service{Address: "unix:" + socket, User: "root", TokenEnv: "SLURM_LAB_JWT"})
	if err != nil {
		t.Fatal(err)
	}
	byREST, byCommands := observeLive(t, r), observeLive(t, s)
	byCommands.Now = byREST.Now
	if diff := cmp.Diff(byCommands, byREST); diff != "" {
		t.Errorf("REST (+) tells otherwise than commands (-):\n%s", diff)
	}
	if _, err := r.Observe(t.Context()); err != nil || r.Calls() > 10+10 {
		t.Errorf("%v, %d requests", err, r.Calls())
	}
}

func TestLivePast(t *testing.T) {
	s := live(t)
	jobs, gaps, err := s.Past(t.Context(), schedmate.Period{})
	if err != nil && strings.Contains(err.Error(), "ccounting") {
		t.Skip("skipped: this Slurm has no database: " + err.Error())
	}
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
