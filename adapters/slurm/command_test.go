package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

// fakes makes a folder of commands that are shell scripts, and returns what runs
// them. Each call is one line in the file calls. The samples are in $SAMPLES.
func fakes(t *testing.T, scripts map[string]string) (*Commands, func() []string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the fake commands are shell scripts")
	}
	folder := t.TempDir()
	samples, err := filepath.Abs("testdata/lab-22.05")
	if err != nil {
		t.Fatal(err)
	}
	calls := filepath.Join(folder, "calls")
	for name, script := range scripts {
		text := fmt.Sprintf("#!/bin/sh\nSAMPLES='%s'\necho %s \"$@\" >> '%s'\n%s\n", samples, name, calls, script)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &Commands{Folder: folder, Timeout: 20 * time.Second}, func() []string {
		raw, err := os.ReadFile(calls)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(raw)), "\n")
	}
}

// good are commands that answer as the lab did.
func good() map[string]string {
	return map[string]string{
		"squeue": `cat "$SAMPLES/squeue.json"`,
		"scontrol": `case "$*" in
*node) cat "$SAMPLES/nodes.txt" ;;
*partition) cat "$SAMPLES/partitions.txt" ;;
*reservation) cat "$SAMPLES/reservations.txt" ;;
*license) cat "$SAMPLES/licenses.txt" ;;
*) echo "unexpected: $*" >&2; exit 9 ;;
esac`,
		"sacct": oldSacct + `cat "$SAMPLES/past.txt"`,
	}
}

// oldSacct answers as sacct did before 24.05 where it is asked for what came then.
const oldSacct = `case "$*" in *StdOut*) echo 'sacct: error: Invalid field requested: "StdOut"' >&2; exit 1 ;; esac
`

// pastTable is the form of the sample of past jobs.
var pastTable = table{"~~", pastColumns, false}

func with(name, script string) map[string]string {
	all := good()
	all[name] = script
	return all
}

// labNow is when the lab was looked at.
func labNow() time.Time { return time.Unix(1796027176, 0) }

func reader(c *Commands) *Slurm { return &Slurm{commands: c, clock: labNow} }

func gapsOf(o *schedmate.Observation) (what []string) {
	for _, g := range o.Gaps {
		what = append(what, g.What)
	}
	return what
}

func TestOneObservationIsFiveCalls(t *testing.T) {
	c, calls := fakes(t, good())
	o, err := reader(c).Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	if len(o.Jobs) != 35 || len(o.Nodes) != 4 || len(o.Partitions) != 5 || len(o.Reservations) != 2 || len(o.Licences) != 2 || len(o.Gaps) != 0 {
		t.Errorf("%d jobs, %d nodes, %d partitions, %d reservations, %d licences, gaps %v", len(o.Jobs), len(o.Nodes), len(o.Partitions), len(o.Reservations), len(o.Licences), o.Gaps)
	}
	if o.System != (schedmate.System{Name: "slurm", Version: "22.05.8", Cluster: "lab"}) {
		t.Errorf("system %+v", o.System)
	}
	want := []string{"squeue --json -a -t all", "scontrol -d -o -a show node", "scontrol -o -a show partition", "scontrol -o show reservation", "scontrol -o show license"}
	if got := calls(); !slices.Equal(got, want) || c.Calls() != 5 {
		t.Errorf("calls: %q, counted %d", got, c.Calls())
	}
}

func TestWhatCommandsCanDoWrong(t *testing.T) {
	down := "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1"
	for _, c := range []struct {
		name, command, script string
		says                  string // in the error, or
		gaps                  []string
		denied, unreachable   bool
	}{
		{name: "the controller is down", command: "squeue", script: down, says: "Unable to contact slurm controller", unreachable: true},
		{name: "it is down, says 22.05 in JSON", command: "squeue", script: `echo '{"meta":{},"errors":[{"description":"Failed while looking for jobs","error":"Unspecified error"}],"jobs":[]}'`, says: "Failed while looking for jobs: Unspecified error", unreachable: true},
		{name: "no configuration", command: "squeue", script: "echo 'squeue: fatal: Unable to process configuration file' >&2; exit 1", says: "SLURM_CONF", unreachable: true},
		{name: "permission denied", command: "squeue", script: "echo 'slurm_load_jobs error: Access/permission denied' >&2; exit 1", says: "administrator", denied: true},
		{name: "an empty answer", command: "squeue", script: "exit 0", says: "cut off"},
		{name: "dies by a signal at once", command: "squeue", script: "kill -9 $$", says: "signal: killed"},
		{name: "dies by a signal in its answer", command: "squeue", script: `head -c 40000 "$SAMPLES/squeue.json"; kill -9 $$`, gaps: []string{"the rest of the queue"}},
		{name: "writes 200 MB of nothing", command: "squeue", script: "head -c 200000000 /dev/zero", says: "invalid character"},
		{name: "writes 200 MB that never end", command: "squeue", script: `printf '{"jobs":[{"name":"'; head -c 200000000 /dev/zero | tr '\0' x`, says: "longer than 64 MiB"},
		{name: "is not allowed to show nodes", command: "scontrol", script: `case "$*" in *node) echo 'slurm_load_node error: Access/permission denied' >&2; exit 1;; *partition) cat "$SAMPLES/partitions.txt";; *) exit 0;; esac`, gaps: []string{"nodes"}},
		{name: "falls silent after the queue", command: "scontrol", script: "echo 'slurm_load_node error: Unable to contact slurm controller (connect failure)' >&2; exit 1", gaps: []string{"nodes", "partitions", "reservations", "licences"}},
		{name: "nodes break off", command: "scontrol", script: `case "$*" in *node) head -c 1700 "$SAMPLES/nodes.txt";; *) exit 0;; esac`, gaps: []string{"the rest of the nodes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			commands, _ := fakes(t, with(c.command, c.script))
			o, err := reader(commands).Observe(t.Context())
			if c.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				if err := o.Validate(); err != nil || !slices.Equal(gapsOf(o), c.gaps) {
					t.Errorf("%v, gaps %+v", err, o.Gaps)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("must say %q, got %v", c.says, err)
			}
			var unreachable *UnreachableError
			if errors.As(err, &unreachable) != c.unreachable || errors.Is(err, os.ErrPermission) != c.denied {
				t.Errorf("is of another kind: %v", err)
			}
		})
	}
}

func TestSlurmIsNotInstalled(t *testing.T) {
	_, err := New(&Commands{Folder: t.TempDir()}).Observe(t.Context())
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "login node") {
		t.Errorf("got %v", err)
	}
}

// Where squeue writes no JSON, its columns are read; that is found out once.
func TestSqueueWithoutJSON(t *testing.T) {
	script := `case "$1" in --json) echo 'squeue: unrecognized option "--json"' >&2; exit 1;; esac
separator=$(echo "$6" | sed 's/^JobID:\(~[0-9a-f]*~\).*/\1/')
sed "s/~~/$separator/g" "$SAMPLES/columns.txt"`
	c, _ := fakes(t, with("squeue", script))
	s := reader(c)
	for _, calls := range []int64{6, 5} {
		before := c.Calls()
		o, err := s.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Jobs) != 32 || !slices.Contains(o.Gaps, columnsGap) || c.Calls()-before != calls {
			t.Errorf("%d jobs, %d calls, gaps %v", len(o.Jobs), c.Calls()-before, o.Gaps)
		}
	}
}

// PrivateData: other users' jobs are just not there. The nodes give them away.
func TestJobsOfOthersAreHidden(t *testing.T) {
	c, _ := fakes(t, with("squeue", `echo '{"jobs":[],"errors":[]}'`))
	o, err := reader(c).Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// n1 20 CPUs, n2 5, n3 5, n4 64
	if len(o.Gaps) != 1 || !strings.Contains(o.Gaps[0].Why, "on 4 nodes, 94 of 94 CPUs") {
		t.Errorf("gaps %+v", o.Gaps)
	}
	root := reader(c)
	root.asRoot = true
	if o, err := root.Observe(t.Context()); err != nil || len(o.Gaps) > 0 {
		t.Errorf("%v; Slurm hides nothing from root: %+v", err, o.Gaps)
	}
}

func TestClockThatIsBehind(t *testing.T) {
	c, _ := fakes(t, good())
	s := &Slurm{commands: c, clock: func() time.Time { return labNow().Add(-time.Hour) }}
	o, err := s.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Gaps) != 1 || !strings.Contains(o.Gaps[0].Why, "behind") {
		t.Errorf("gaps %+v", o.Gaps)
	}
}

func TestPastJobsByCommand(t *testing.T) {
	c, calls := fakes(t, with("sacct", oldSacct+`separator=$(echo "$*" | sed 's/.*--delimiter \(~[0-9a-f]*~\).*/\1/'); sed "s/~~/$separator/g" "$SAMPLES/past.txt"`))
	jobs, gaps, err := reader(c).Past(t.Context(), schedmate.Period{IDs: []string{"12_3", "7"}, User: "root"})
	if err != nil || len(gaps) > 0 || len(jobs) < 30 {
		t.Errorf("%v, %v, %d jobs", err, gaps, len(jobs))
	}
	for _, got := range calls() { // with where they logged, then, as this sacct does not know that, without
		if !strings.Contains(got, "-u root -j 12_3,7 -S 1970-01-01") {
			t.Errorf("called %s", got)
		}
	}
	for _, bad := range []schedmate.Period{{IDs: []string{"7; scancel 7"}}, {IDs: []string{"-u"}}, {User: "-a"}, {User: "a b"}, {User: "x;y"}} {
		if _, _, err := reader(c).Past(t.Context(), bad); err == nil {
			t.Errorf("%+v must be refused", bad)
		}
	}
	if n := len(calls()); n != 2 {
		t.Errorf("%d calls: what was refused was run", n)
	}
}

// From 24.05 on the database knows where a job logged, by the patterns that were asked
// for, long after slurmctld has forgotten the job.
func TestNewerDatabaseTellsWherePastJobsLogged(t *testing.T) {
	row := func(id, raw, out, err string) string {
		return fmt.Sprintf("%s~%s~%s~%s~alice~lab~gpu~normal~FAILED~1:0~~2026-11-30T10:00:00~2026-11-30T10:00:00~2026-11-30T10:00:01~2026-11-30T10:01:00~60~cpu=1~cpu=1~1~n7~None~train~/home/alice~~59", out, err, raw, id)
	}
	rows := []string{row("41", "41", "logs/%x-%j.out", ""), row("42_3", "45", "/data/%A_%a.%N.log", "/data/%u.err"), row("46", "46", "", "")}
	c, calls := fakes(t, with("sacct", `separator=$(echo "$*" | sed 's/.*--delimiter \(~[0-9a-f]*~\).*/\1/')
sed "s/~/$separator/g" <<'EOF'
`+strings.Join(rows, "\n")+"\nEOF"))
	jobs, gaps, err := reader(c).Past(t.Context(), schedmate.Period{})
	if err != nil || len(gaps) > 0 || len(calls()) != 1 {
		t.Fatalf("%v, %v, calls %q", err, gaps, calls())
	}
	var got []string
	for _, j := range jobs {
		got = append(got, fmt.Sprintf("%s %q %q", j.ID, j.Stdout, j.Stderr))
	}
	want := []string{`41 "/home/alice/logs/train-41.out" ""`, `42_3 "/data/42_3.n7.log" "/data/alice.err"`, `46 "" ""`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
}

func TestNoDatabase(t *testing.T) {
	for script, says := range map[string]string{
		"echo 'Slurm accounting storage is disabled' >&2; exit 1":                                                     "accounting",
		"echo 'sacct: error: slurm_persist_conn_open_without_init: failed to open persistent connection' >&2; exit 1": "slurm_persist_conn",
	} {
		c, _ := fakes(t, with("sacct", script))
		if _, _, err := reader(c).Past(t.Context(), schedmate.Period{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("must say %q, got %v", says, err)
		}
	}
}

// Cancelling ends the command with all that it has started, at once: the test ends
// long before the sleep does.
func TestCancelEndsTheCommand(t *testing.T) {
	c, calls := fakes(t, with("squeue", "sleep 1000 & sleep 1000"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := reader(c).Observe(ctx); done <- err }()
	for len(calls()[0]) == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A process that leaves the command's group and keeps its pipe open holds nobody up.
func TestCommandThatHangs(t *testing.T) {
	c, _ := fakes(t, with("squeue", "setsid sleep 30 & sleep 1000"))
	c.Timeout = 300 * time.Millisecond
	err := c.stream(t.Context(), func(r io.Reader) error { _, err := readJobsJSON(r); return err }, "squeue", "--json", "-a")
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || !unreachable.Busy || !strings.Contains(err.Error(), "no answer in 300ms") {
		t.Errorf("got %v", err)
	}
}
