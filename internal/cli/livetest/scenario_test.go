package livetest

import (
	"strings"
	"testing"
	"time"

	"schedmate/internal/slurmlab"
)

// Forty jobs of a real Slurm are answered about as they are, and nothing that
// was asked has changed anything: Slurm's own counters of the messages that reached
// it say so.
func TestScenario(t *testing.T) {
	lab := slurmlab.For(t)
	lab.Alone(t)
	scenario := lab.Scenario(t)
	p := newProgram(t, lab)
	before, err := lab.Calls(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		name string
		test func(*testing.T, *program, *slurmlab.Scenario)
	}{
		{"why", testWhy}, {"track", testTrack}, {"diagnose", testDiagnose}, {"snapshot", testSnapshot}, {"doctor", testDoctor},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, p, scenario) })
	}
	time.Sleep(200 * time.Millisecond) // accounting counts what it was asked when the connection has closed
	after, err := lab.Calls(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made, err := after.Since(before)
	if err != nil {
		t.Fatal(err)
	}
	if writes := made.Writes(); len(writes) > 0 {
		t.Errorf("the commands have written: %v", writes)
	}
	for _, call := range []string{"REQUEST_JOB_INFO", "REQUEST_NODE_INFO", "DBD_GET_JOBS_COND"} {
		if made[call] == 0 {
			t.Errorf("%s was not counted: is this Slurm the one that was asked? %v", call, made)
		}
	}
}

// doctor finds all that can be known here.
func testDoctor(t *testing.T, p *program, _ *slurmlab.Scenario) {
	s := p.run(t, "doctor", "slurm")
	if s.code != 0 || s.err != "" {
		t.Errorf("exit code %d: %s%s", s.code, s.err, s.out)
	}
	for _, want := range []string{"32 on 4 nodes, 128 shards", "accounting_storage/slurmdbd, with GPUs", "all users' jobs", "those of your 6 running jobs can be read", "JobFileAppend=0"} {
		if !strings.Contains(s.out, want) {
			t.Errorf("doctor does not tell %q:\n%s", want, s.out)
		}
	}
}
