package slurmlab

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// Every job of the scenario is in the state that the package comment claims, in
// the queue, in the books, and in its log.
func TestLab(t *testing.T) {
	lab := For(t)
	lab.Alone(t)
	scenario := lab.Scenario(t)
	if got := []int{len(scenario.In(Running)), len(scenario.In(Waiting)), len(scenario.In(Ended))}; !cmp.Equal(got, []int{9, 19, 12}) {
		t.Fatalf("%v jobs run, wait and have ended; the package comment says 9, 19 and 12", got)
	}
	states, err := lab.states(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := scenario.differs(states); err != nil {
		t.Error(err)
	}
	kinds := make(map[string]bool)
	for _, j := range scenario.In(Waiting) {
		kinds[j.Kind] = true
	}
	if len(kinds) != 10 {
		t.Errorf("jobs wait for %d kinds of reasons, want 10: %v", len(kinds), kinds)
	}
	past := books(t, lab)
	for _, j := range scenario.In(Ended) {
		runs := past[j.ID]
		want := append(slices.Clone(j.Ending.Earlier), j.Ending.State+" "+j.Ending.Exit)
		if len(runs) != len(want) {
			t.Errorf("%s (%s) has the runs %q in the books, want %q", j.Name, j.ID, runs, want)
			continue
		}
		for i := range want {
			if !strings.HasPrefix(runs[i], want[i]) {
				t.Errorf("%s (%s) has the runs %q in the books, want %q", j.Name, j.ID, runs, want)
			}
		}
		if states[j.ID].restarts != strconv.Itoa(j.Ending.Restarts) {
			t.Errorf("%s (%s) was restarted %s times, want %d", j.Name, j.ID, states[j.ID].restarts, j.Ending.Restarts)
		}
	}
	for _, j := range scenario.Jobs {
		if j.Log == "" {
			continue
		}
		text, err := os.ReadFile(j.Log)
		if err != nil {
			t.Errorf("log of %s: %v", j.Name, err)
		} else if len(text) == 0 || !strings.Contains(string(text), j.Ending.Line) {
			t.Errorf("the log of %s does not have %q; it ends with %q", j.Name, j.Ending.Line, text[max(0, len(text)-300):])
		}
	}
}

// books returns the runs of each job as accounting has them, as "STATE EXIT".
func books(t *testing.T, lab *Lab) map[string][]string {
	t.Helper()
	out, err := lab.Run(t.Context(), "sacct", "-X", "-n", "-P", "--allusers", "--duplicates", "--starttime=2020-01-01", "--format=JobID,State,ExitCode")
	if err != nil {
		t.Fatal(err)
	}
	runs := make(map[string][]string)
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		state, _, _ := strings.Cut(f[1], " by ") // CANCELLED by 0
		runs[f[0]] = append(runs[f[0]], state+" "+f[2])
	}
	return runs
}

// A node that fell silent has taken its jobs with it.
func TestSilentNode(t *testing.T) {
	lab := For(t)
	scenario := lab.Scenario(t)
	if jobs, _, err := lab.jobProcesses("n4"); err != nil || len(jobs) > 0 {
		t.Errorf("processes of jobs on the silent node: %v, %v; want none", jobs, err)
	}
	log := scenario.Job("end-node").Log
	before, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := lab.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(nodes["n4"], "down") {
		t.Errorf("node n4 is %q, want down", nodes["n4"])
	}
	after, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	if before.Size() != after.Size() {
		t.Error("the job of the silent node still writes its log")
	}
}

// Reading commands are counted as reads; each kind of change shows as a write.
func TestCallsTellReadersFromWriters(t *testing.T) {
	lab := For(t)
	lab.Alone(t)
	job, err := lab.Submit(t.Context(), "root", "--hold", "--output=/dev/null", "--wrap=true")
	if err != nil {
		t.Fatal(err)
	}
	made := func(commands ...string) Calls {
		t.Helper()
		before, err := lab.Calls(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range commands {
			if _, err := lab.Run(t.Context(), strings.Fields(c)...); err != nil {
				t.Fatal(err)
			}
		}
		// The commands of accounting are counted when their connection has closed.
		time.Sleep(200 * time.Millisecond)
		after, err := lab.Calls(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		calls, err := after.Since(before)
		if err != nil {
			t.Fatal(err)
		}
		return calls
	}
	read := made("squeue -a -r -h", "squeue --json", "squeue --start", "sinfo -N", "sinfo --json", "scontrol -d -o show node", "scontrol -o show job",
		"scontrol -o show partition", "scontrol -o show reservation", "scontrol show license", "scontrol show config", "scontrol ping", "sprio", "sshare", "sdiag",
		"sacct -P", "sacctmgr -nP show qos", "sacctmgr -nP show assoc", "sacctmgr -nP show reservation")
	if writes := read.Writes(); len(writes) > 0 {
		t.Errorf("reading counts as writing: %v", writes)
	}
	for _, want := range []string{"REQUEST_JOB_INFO", "REQUEST_NODE_INFO", "REQUEST_PARTITION_INFO", "DBD_GET_JOBS_COND"} {
		if read[want] == 0 {
			t.Errorf("%s was not counted: %v", want, read)
		}
	}
	for _, c := range []struct{ command, call string }{
		{"scontrol update jobid=" + job + " comment=x", "REQUEST_UPDATE_JOB"},
		{"scontrol update nodename=n1 comment=x", "REQUEST_UPDATE_NODE"},
		{"scontrol update partitionname=closed defaulttime=00:30:00", "REQUEST_UPDATE_PARTITION"},
		{"sbatch --hold --job-name=held-twice --output=/dev/null --wrap=true", "REQUEST_SUBMIT_BATCH_JOB"},
		{"sacctmgr -i modify account where name=lab set description=" + job, "DBD_MODIFY_ACCOUNTS"},
		{"scancel " + job, "REQUEST_KILL_JOB"},
		{"scancel --name=held-twice", "REQUEST_KILL_JOB"},
	} {
		if writes := made(c.command).Writes(); !slices.Contains(writes, c.call) {
			t.Errorf("%s is not seen to send %s, but %v", c.command, c.call, writes)
		}
	}
}

// Ten thousand jobs are ten thousand records, and none of them starts. A node
// that was stopped in the middle of it comes back when it is started.
func TestFlood(t *testing.T) {
	lab := Fresh(t) // the queue of the scenario stays short
	if err := lab.StopNode("n4"); err != nil {
		t.Fatal(err)
	}
	const n = 10_000
	if _, err := lab.Flood(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	out, err := lab.Run(t.Context(), "scontrol", "-o", "show", "job")
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for line := range strings.Lines(out) {
		if strings.Contains(line, " JobName=flood-") && strings.Contains(line, " JobState=PENDING ") {
			records++
		}
	}
	if records != n {
		t.Errorf("%d records of jobs that wait, want %d", records, n)
	}
	if err := lab.StartNode("n4"); err != nil {
		t.Fatal(err)
	}
	if err := lab.AwaitNode(t.Context(), "n4", "idle"); err != nil {
		t.Error(err)
	}
}

// Where no lab can be, the reason is told in words.
func TestAbsenceHasAReason(t *testing.T) {
	t.Setenv(Variable, "")
	t.Setenv("SCHEDMATE_SLURM", "off")
	_, err := Start(t.Context())
	if !errors.Is(err, ErrAbsent) || !strings.HasSuffix(err.Error(), "SCHEDMATE_SLURM=off") {
		t.Errorf("error is %v", err)
	}
}
