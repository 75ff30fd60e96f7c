package livetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"schedmate"
	"schedmate/internal/slurmlab"
	"schedmate/scheduler/fit"
)

// A Slurm is put out of order piece by piece; what is still known is told, with what
// is missing and why.
func TestOutOfOrder(t *testing.T) {
	lab := slurmlab.Fresh(t)
	p := newProgram(t, lab)
	testChanges(t, p)
	testLogs(t, p)
	testNoBooks(t, p)
	testNoController(t, p)
}

// wanted are jobs that do not fit, though a little less would: what is submitted, and
// the resource that is short or scattered.
var wanted = []struct {
	name     string
	args     []string
	resource string
}{
	{"gpus", []string{"--gres=gpu:8"}, "gpus"},
	{"memory", []string{"--mem=500G", "--exclude=n1,n2"}, "memory_mib"},
	{"cpus", []string{"--cpus-per-task=64", "--exclude=n1,n2", "--mem-per-cpu=10"}, "cpus"},
	{"nodes", []string{"--nodes=2", "--gres=gpu:4", "--exclude=n3"}, "gpus"},
}

// Of the first change that is named for each of them, Slurm is asked: submitted
// with it, the job starts.
func testChanges(t *testing.T, p *program) {
	lab := p.lab
	// n1 and n2 have three GPUs left each, n3 has six, 56 CPUs and 400 GB of memory, n4
	// nothing.
	var filler []string
	for _, args := range [][]string{
		{"--nodelist=n1", "--gres=gpu:5"}, {"--nodelist=n2", "--gres=gpu:5"}, {"--nodelist=n3", "--gres=gpu:2", "--cpus-per-task=8", "--mem=112G"},
		{"--nodelist=n4", "--partition=short", "--time=30", "--exclusive"},
	} {
		filler = append(filler, submit(t, lab, append([]string{"--time=10:00:00"}, args...)...))
	}
	for _, id := range filler {
		await(t, lab, id, "RUNNING")
	}
	for _, w := range wanted {
		id := submit(t, lab, w.args...)
		awaitReason(t, lab, id)
		var got fit.Answer
		for _, a := range ask[answers](t, p, "why", "--fresh", id).Answers {
			got = a
		}
		if (got.Kind != fit.Resources && got.Kind != fit.Fragmented) || len(got.Short) == 0 || got.Short[0].Resource != w.resource || len(got.Changes) == 0 {
			t.Errorf("%s: %s, short of %+v, changes %v; want %s to be short, and a change", w.name, got.Text, got.Short, got.Changes, w.resource)
			continue
		}
		cancel(t, lab, id)
		change := got.Changes[0]
		other := submit(t, lab, append(w.args, asAsked(t, &change)...)...)
		await(t, lab, other, "RUNNING")
		t.Logf("%s: %s: it has started", w.name, change.Do)
		cancel(t, lab, other)
	}
	for _, id := range filler {
		cancel(t, lab, id)
	}
}

// asAsked writes a change as arguments of sbatch; of an argument that is given twice
// the later one counts.
func asAsked(t *testing.T, ch *fit.Change) []string {
	t.Helper()
	var args []string
	add := func(is bool, format string, value any) {
		if is {
			args = append(args, fmt.Sprintf(format, value))
		}
	}
	add(ch.GPUs > 0, "--gpus=%d", ch.GPUs)
	add(ch.GPUsPerNode > 0, "--gres=gpu:%d", ch.GPUsPerNode)
	add(ch.Nodes > 0, "--nodes=%d", ch.Nodes)
	add(ch.CPUsPerTask > 0, "--cpus-per-task=%d", ch.CPUsPerTask)
	add(ch.MemoryMiB > 0, "--mem=%d", ch.MemoryMiB)
	add(ch.MemoryPerCPU > 0, "--mem-per-cpu=%d", ch.MemoryPerCPU)
	add(ch.TimeLimit > 0, "--time=%d", ch.TimeLimit/60)
	add(ch.Partition != "", "--partition=%s", ch.Partition)
	for _, what := range ch.Drop {
		add(what == "exclude", "--exclude=%s", "")
		add(what == "nodes", "--nodelist=%s", "")
	}
	if len(args) == 0 {
		t.Fatalf("nothing is known of how to ask for this: %+v", ch)
	}
	return args
}

// Logs that are gone, that may not be read, that are another's pipe: each is told in
// the time that a log may take, and the others are read.
func testLogs(t *testing.T, p *program) {
	lab := p.lab
	folder := filepath.Join(lab.Dir, "jobs")
	job := func(name string) (id, log string) {
		t.Helper()
		log = filepath.Join(folder, name+".out")
		id = submit(t, lab, "--output="+log)
		await(t, lab, id, "RUNNING")
		for range 100 { // it is made a moment later
			if _, err := os.Stat(log); err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		return id, log
	}
	fine, fineLog := job("fine")
	gone, goneLog := job("gone")
	secret, secretLog := job("secret")
	pipe, pipeLog := job("pipe")
	var text strings.Builder
	for step := range 60 {
		fmt.Fprintf(&text, "step %d/1000 loss %.3f step_time 1.00s\n", step, 3-float64(step)/100)
	}
	check(t, os.WriteFile(fineLog, []byte(text.String()), 0o644))
	check(t, os.Remove(goneLog))
	check(t, os.Chmod(secretLog, 0o600))
	check(t, os.Remove(pipeLog))
	check(t, syscall.Mkfifo(pipeLog, 0o644))
	s := p.as(t, "nobody").run(t, "track", "slurm:"+fine, "slurm:"+gone, "slurm:"+secret, "slurm:"+pipe, "-o", "json")
	var got struct {
		Jobs []progress `json:"jobs"`
	}
	if err := json.Unmarshal([]byte(s.out), &got); err != nil || s.code != 0 || len(got.Jobs) != 4 {
		t.Fatalf("exit code %d, %v: %s%s", s.code, err, s.out, s.err)
	}
	for i, want := range []string{"", "the log does not exist here", "you may not read the log", "the log is no regular file"} {
		if got.Jobs[i].Missing != want {
			t.Errorf("job %s: missing %q, want %q", got.Jobs[i].Job, got.Jobs[i].Missing, want)
		}
	}
	if x := got.Jobs[0].Progress; x == nil || x.Step == nil || x.Step.Value != 59 {
		t.Errorf("the log that can be read tells %+v", x)
	}
	if s.took > 30*time.Second { // ten for the pipe, the rest for a busy machine
		t.Errorf("it took %v", s.took)
	}
	for _, id := range []string{fine, gone, secret, pipe} {
		cancel(t, lab, id)
	}
}

// Without accounting a job is diagnosed from its log and the queue, and the rest is
// told as missing.
func testNoBooks(t *testing.T, p *program) {
	lab := p.lab
	log := filepath.Join(lab.Dir, "jobs", "raise.out")
	id := strings.TrimSpace(must(t)(lab.Run(t.Context(), "sbatch", "--parsable", "--output="+log, "--wrap=echo 'RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x1024 and 768x3072)' >&2; exit 1")))
	await(t, lab, id, "FAILED")
	check(t, lab.StopDaemon("slurmdbd"))
	s := p.run(t, "diagnose", "--fresh", "slurm:"+id, "-o", "json")
	var got incident
	if err := json.Unmarshal([]byte(s.out), &got); err != nil || s.code != 0 || got.Diagnosis.Subclass != "shape_mismatch" {
		t.Errorf("without accounting: exit code %d, %v, %+v", s.code, err, got.Diagnosis)
	}
	if !strings.Contains(s.err, "missing: how the jobs ended, and earlier runs of them: ") {
		t.Errorf("what is missing is told as %q", s.err)
	}
	if s := p.run(t, "queue", "--fresh"); s.code != 0 || s.err != "" {
		t.Errorf("the queue needs no accounting: exit code %d, %s", s.code, s.err)
	}
	if s := p.run(t, "doctor", "slurm"); !strings.Contains(s.out, "missing") {
		t.Errorf("doctor finds nothing missing: exit code %d, %s", s.code, s.out)
	}
}

// While the controller is down its last answer stands in, and says so. Once that is too
// old there is no answer.
func testNoController(t *testing.T, p *program) {
	lab := p.lab
	id := submit(t, lab, "--hold")
	before := p.run(t, "queue", "--fresh")
	check(t, lab.StopDaemon("slurmctld"))
	s := p.run(t, "queue", "--fresh")
	if s.code != 0 || !strings.Contains(s.out, "\n"+id+" ") || !strings.Contains(s.err, "missing: what happened in the last ") || !strings.Contains(s.err, "Slurm does not answer") {
		t.Errorf("the last answer does not stand in: exit code %d, %s%s; before %s", s.code, s.out, s.err, before.out)
	}
	t.Logf("without a controller, after %.0f s: %s", s.took.Seconds(), s.err)
	if a := ask[answers](t, p, "why", id); len(a.Answers) != 1 || a.Answers[0].Kind != fit.HeldByUser {
		t.Errorf("why from the last answer: %+v", a)
	}

	files, err := filepath.Glob(filepath.Join(p.state, "slurm", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the last answer is kept in %v, %v", files, err)
	}
	var kept schedmate.Observation
	check(t, json.Unmarshal([]byte(read(t, files[0])), &kept))
	kept.Now -= 16 * 60
	text, err := json.Marshal(kept)
	check(t, err)
	check(t, os.WriteFile(files[0], text, 0o600))
	var commands sync.WaitGroup // Slurm's own commands try for some seconds
	for _, command := range [][]string{{"queue"}, {"why"}, {"why", "slurm:" + id}, {"track"}, {"diagnose", "slurm:" + id}, {"snapshot"}} {
		commands.Go(func() {
			s := p.run(t, command...)
			if s.code != 5 || s.out != "" || !strings.Contains(s.err, "Slurm does not answer") || !strings.Contains(s.err, "scontrol ping") {
				t.Errorf("%v: exit code %d, want 5; %s%s", command, s.code, s.out, s.err)
			}
		})
	}
	commands.Wait()
}

// submit submits a job that does nothing for an hour, and returns its id.
func submit(t *testing.T, lab *slurmlab.Lab, args ...string) string {
	t.Helper()
	command := append([]string{"sbatch", "--parsable", "--output=/dev/null"}, args...)
	return strings.TrimSpace(must(t)(lab.Run(t.Context(), append(command, "--wrap=sleep 3600")...)))
}

func cancel(t *testing.T, lab *slurmlab.Lab, id string) {
	t.Helper()
	must(t)(lab.Run(t.Context(), "scancel", id))
	await(t, lab, id, "CANCELLED")
}

// await waits, half a minute at most, until a job is in a state.
func await(t *testing.T, lab *slurmlab.Lab, id, state string) {
	t.Helper()
	awaitField(t, lab, id, "%T", func(now string) bool { return now == state })
}

// awaitReason waits until Slurm has looked at a job.
func awaitReason(t *testing.T, lab *slurmlab.Lab, id string) {
	t.Helper()
	awaitField(t, lab, id, "%r", func(reason string) bool { return reason != "None" })
}

func awaitField(t *testing.T, lab *slurmlab.Lab, id, format string, is func(string) bool) {
	t.Helper()
	now := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		now = strings.TrimSpace(must(t)(lab.Run(t.Context(), "squeue", "-h", "-t", "all", "-j", id, "-o", format)))
		if is(now) {
			return
		}
	}
	t.Fatalf("job %s is %s after half a minute", id, now)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T) func(string, error) string {
	return func(out string, err error) string {
		t.Helper()
		check(t, err)
		return out
	}
}
