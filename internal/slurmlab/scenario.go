package slurmlab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Scenario is the forty jobs of the package comment, each in its state.
type Scenario struct {
	Jobs []Job
}

// Job returns the job of that name of the package comment.
func (s *Scenario) Job(name string) Job {
	for _, j := range s.Jobs {
		if j.Name == name {
			return j
		}
	}
	panic("BUG: the scenario has no job " + name)
}

// In returns the jobs of a phase.
func (s *Scenario) In(phase Phase) []Job {
	var jobs []Job
	for _, j := range s.Jobs {
		if j.Phase == phase {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// Build makes the scenario in the lab, or returns it if the lab has it. It takes
// about 100 s, most of it until the shortest time limit has passed, and returns
// when every job is in its state. Processes that share a lab may call it at once.
func (l *Lab) Build(ctx context.Context) (*Scenario, error) {
	file := filepath.Join(l.Dir, "scenario.json")
	lock, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("build the scenario: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("build the scenario: wait for another process: %w", err)
	}
	s := new(Scenario)
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, s); err != nil {
			return nil, fmt.Errorf("read %s: %w: remove it with its lab", file, err)
		}
		return s, nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := l.build(ctx, s); err != nil {
		return nil, fmt.Errorf("build the scenario: %w", err)
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	return s, os.WriteFile(file, text, 0o644)
}

func (l *Lab) build(ctx context.Context, s *Scenario) error {
	bin := filepath.Join(l.Dir, "bin")
	compile := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(bin, "trainer"), "schedmate/internal/slurmlab/trainer")
	compile.Dir = l.root
	if text, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("build trainer: %w: %s", err, text)
	}
	s.Jobs = make([]Job, len(specs))
	for i, sp := range specs {
		s.Jobs[i] = sp.Job
	}

	if err := l.submitStage(ctx, s, first); err != nil {
		return err
	}
	if err := l.await(ctx, s, "the first jobs to run", func(state map[string]state) error {
		for _, j := range s.Jobs {
			if !j.started(state[j.ID]) {
				return fmt.Errorf("%s (%s) is %v", j.Name, j.ID, state[j.ID])
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for _, command := range [][]string{
		{"scontrol", "requeue", s.Job("end-requeued").ID},
		{"scancel", s.Job("end-cancelled").ID},
		{"scontrol", "create", "reservation", "reservationname=upgrade", "starttime=now+12hours", "duration=120", "nodes=n3", "users=root", "flags=ignore_jobs"},
	} {
		if _, err := l.Run(ctx, command...); err != nil {
			return err
		}
	}
	if err := l.submitStage(ctx, s, whenRan); err != nil {
		return err
	}
	node := s.Job("end-node").ID
	if err := l.await(ctx, s, "end-node to write its log", func(state map[string]state) error {
		if text, err := os.ReadFile(s.Job("end-node").Log); err != nil || len(text) == 0 {
			return fmt.Errorf("end-node (%s) is %v", node, state[node])
		}
		return nil
	}); err != nil {
		return err
	}
	if err := l.StopNode("n4"); err != nil {
		return err
	}
	if _, err := l.Run(ctx, "scontrol", "hold", s.Job("wait-held-admin").ID); err != nil {
		return err
	}
	if err := l.await(ctx, s, "n4 to be given up", func(state map[string]state) error {
		if state[node].name != "NODE_FAIL" {
			return fmt.Errorf("end-node (%s) is %v", node, state[node])
		}
		return nil
	}); err != nil {
		return err
	}
	if err := l.submitStage(ctx, s, n4Down); err != nil {
		return err
	}
	return l.await(ctx, s, "every job to be in its state, and in the books", func(state map[string]state) error {
		if err := s.differs(state); err != nil {
			return err
		}
		return l.missingInBooks(ctx, s)
	})
}

// missingInBooks returns the jobs that have ended and that accounting still takes
// for running: it hears of an end a little later.
func (l *Lab) missingInBooks(ctx context.Context, s *Scenario) error {
	out, err := l.Run(ctx, "sacct", "-X", "-n", "-P", "--allusers", "--starttime=2020-01-01", "--format=JobID,State")
	if err != nil {
		return err
	}
	books := make(map[string]string)
	for line := range strings.Lines(out) {
		id, state, _ := strings.Cut(strings.TrimSpace(line), "|")
		books[id] = state
	}
	for _, j := range s.In(Ended) {
		if !strings.HasPrefix(books[j.ID], j.Ending.State) {
			return fmt.Errorf("%s (%s) should be %s in the books, is %q", j.Name, j.ID, j.Ending.State, books[j.ID])
		}
	}
	return nil
}

// submitStage submits the jobs of a stage and notes their ids and logs.
func (l *Lab) submitStage(ctx context.Context, s *Scenario, stage int) error {
	for i, sp := range specs {
		if sp.stage != stage || sp.run == "" {
			continue
		}
		dir := filepath.Join(l.Dir, "jobs", sp.User)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o777); err != nil { // whatever the umask
			return err
		}
		name, _, array := strings.Cut(sp.Name, "_")
		script := filepath.Join(dir, name+".sh")
		text := fmt.Sprintf("#!/bin/bash\nexport PATH=%s/bin:$PATH\n%s\n", l.Dir, sp.run)
		if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
			return err
		}
		pattern := "%x-%j.out"
		if array {
			pattern = "%x-%A_%a.out"
		}
		args := []string{"--job-name=" + name, "--chdir=" + dir, "--output=" + pattern}
		for _, arg := range sp.args {
			for _, other := range s.Jobs {
				arg = strings.ReplaceAll(arg, "{"+other.Name+"}", other.ID)
			}
			args = append(args, arg)
		}
		id, err := l.Submit(ctx, sp.User, append(args, script)...)
		if err != nil {
			return fmt.Errorf("submit %s: %w", sp.Name, err)
		}
		s.Jobs[i].ID, s.Jobs[i].Log = id, filepath.Join(dir, name+"-"+id+".out")
		if array {
			s.nameTasks(id, dir, name)
		}
	}
	for i := range s.Jobs { // what has no log
		if s.Jobs[i].Name == "end-launch" || s.Jobs[i].Phase == Waiting {
			s.Jobs[i].Log = ""
		}
	}
	return nil
}

// nameTasks gives the tasks of the one array their ids.
func (s *Scenario) nameTasks(id, dir, name string) {
	for i := range s.Jobs {
		if _, task, is := strings.Cut(s.Jobs[i].Name, "array_"); is {
			s.Jobs[i].ID = id + "_" + task
			s.Jobs[i].Log = filepath.Join(dir, name+"-"+s.Jobs[i].ID+".out")
		}
	}
}

// state is what Slurm says of a job.
type state struct {
	name, reason, exit, restarts string
}

// started reports whether the scenario may go on as far as the job is concerned.
func (j Job) started(s state) bool {
	switch {
	case j.ID == "" || j.Phase == Waiting:
		return true // it has its turn later
	case j.Name == "end-requeued", j.Name == "end-cancelled", j.Name == "end-preempted":
		return s.name == "RUNNING"
	case j.Name == "end-time":
		return s.name == "RUNNING" || s.name == j.Ending.State
	case j.Phase == Running:
		return s.name == "RUNNING"
	}
	return s.name == j.Ending.State
}

// states reads all jobs' states, by the ids that people use: 7, 7_2.
func (l *Lab) states(ctx context.Context) (map[string]state, error) {
	const sep = "\x1f"
	out, err := l.Run(ctx, "squeue", "-a", "-r", "-h", "-t", "all", "-O",
		strings.Join([]string{"JobArrayID:" + sep, "State:" + sep, "ReasonList:" + sep, "exit_code:" + sep, "RestartCnt:" + sep}, ","))
	if err != nil {
		return nil, err
	}
	states := make(map[string]state)
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), sep)
		if len(f) < 5 {
			return nil, fmt.Errorf("read squeue: %d fields in %q, want 5", len(f), line)
		}
		states[f[0]] = state{name: f[1], reason: strings.Trim(f[2], "()"), exit: f[3], restarts: f[4]}
	}
	return states, nil
}

// differs returns every job that is not in the state that the scenario claims.
func (s *Scenario) differs(states map[string]state) error {
	var all []error
	for _, j := range s.Jobs {
		if err := j.differs(states[j.ID]); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

func (j Job) differs(s state) error {
	want, good := "", false
	switch j.Phase {
	case Running:
		want, good = "RUNNING", s.name == "RUNNING"
	case Waiting:
		// A sentence has blanks or underscores, by version.
		want, good = "PENDING "+j.Reason, s.name == "PENDING" && strings.HasPrefix(strings.ReplaceAll(s.reason, "_", " "), j.Reason)
	case Ended:
		want, good = j.Ending.State+" "+j.Ending.Exit, s.name == j.Ending.State
	}
	if good {
		return nil
	}
	return fmt.Errorf("%s (%s) should be %s, is %v", j.Name, j.ID, want, s)
}

// await waits until a condition of the jobs' states holds.
func (l *Lab) await(ctx context.Context, s *Scenario, what string, holds func(map[string]state) error) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		states, err := l.states(ctx)
		if err == nil {
			if err = holds(states); err == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w: %w", what, ctx.Err(), err)
		case <-time.After(time.Second):
		}
	}
}
