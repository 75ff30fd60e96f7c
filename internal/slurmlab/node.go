package slurmlab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// StopNode makes a node fall silent, as if its power had been cut: slurmd, the
// watchers of its jobs and the jobs themselves end at once and tell nobody. The
// controller gives it up after 20 to 30 seconds: state DOWN, its jobs NODE_FAIL.
func (l *Lab) StopNode(name string) error {
	daemon, err := l.daemon("slurmd-" + name)
	if err != nil {
		return err
	}
	if err := cut(daemon); err != nil {
		return fmt.Errorf("stop node %s: %w", name, err)
	}
	// A process that was just being made is found the next time.
	for quiet := 0; quiet < 3; {
		jobs, watchers, err := l.jobProcesses(name)
		if err != nil {
			return fmt.Errorf("stop node %s: %w", name, err)
		}
		if quiet++; len(jobs) > 0 {
			quiet = 0
		}
		// The watchers first: they would report the end of the jobs.
		if err := cut(append(watchers, jobs...)...); err != nil {
			return fmt.Errorf("stop node %s: %w", name, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// StopDaemon ends a daemon at once, such as slurmctld or slurmdbd, as if it had crashed.
func (l *Lab) StopDaemon(name string) error {
	pid, err := l.daemon(name)
	if err == nil {
		err = cut(pid)
	}
	return err
}

// cut ends processes without a word.
func cut(pids ...int) error {
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end process %d: %w", pid, err)
		}
	}
	return nil
}

// StartNode starts a node again that [Lab.StopNode] stopped. It is idle after a few seconds.
func (l *Lab) StartNode(name string) error {
	log, err := os.OpenFile(filepath.Join(l.Dir, "log", "slurmd-"+name+".log"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("start node %s: %w", name, err)
	}
	defer log.Close()
	slurmd := exec.Command("/usr/sbin/slurmd", "-D", "-N", name)
	slurmd.Env, slurmd.Stdout, slurmd.Stderr = l.Environment(), log, log
	slurmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := slurmd.Start(); err != nil {
		return fmt.Errorf("start node %s: %w", name, err)
	}
	go slurmd.Wait()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", slurmd.Process.Pid))
	if err != nil {
		return fmt.Errorf("start node %s: it has ended: %w: see %s", name, err, log.Name())
	}
	pids, err := os.OpenFile(filepath.Join(l.Dir, "pids"), os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("tell down.sh of node %s: %w", name, err)
	}
	defer pids.Close()
	_, err = fmt.Fprintf(pids, "%d %s slurmd-%s\n", slurmd.Process.Pid, strings.Fields(string(stat))[21], name)
	return err
}

// Nodes returns the state of each node, as sinfo names it in long form: idle, mixed,
// down, with a * behind it while the node does not answer.
func (l *Lab) Nodes(ctx context.Context) (map[string]string, error) {
	out, err := l.Run(ctx, "sinfo", "-h", "-N", "-o", "%N %T")
	if err != nil {
		return nil, err
	}
	states := make(map[string]string)
	for line := range strings.Lines(out) {
		if name, state, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			states[name] = state
		}
	}
	return states, nil
}

// AwaitNode waits, a minute at most, until sinfo gives a node that state.
func (l *Lab) AwaitNode(ctx context.Context, name, state string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		nodes, err := l.Nodes(ctx)
		if err == nil && nodes[name] == state {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for node %s to be %s: it is %s: %w", name, state, nodes[name], errors.Join(ctx.Err(), err))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// daemon is the process id of the last daemon of that name that was started.
func (l *Lab) daemon(name string) (int, error) {
	lines, err := os.ReadFile(filepath.Join(l.Dir, "pids"))
	if err != nil {
		return 0, fmt.Errorf("find the daemon %s: %w", name, err)
	}
	pid := 0
	for line := range strings.Lines(string(lines)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[2] == name {
			if pid, err = strconv.Atoi(fields[0]); err != nil {
				return 0, fmt.Errorf("find the daemon %s: %w", name, err)
			}
		}
	}
	if pid == 0 {
		return 0, fmt.Errorf("find the daemon %s: the lab has none of that name", name)
	}
	return pid, nil
}

// jobProcesses finds the processes of a node's jobs by their environment, and the
// slurmstepd above them.
func (l *Lab) jobProcesses(node string) (jobs, watchers []int, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended, or is not ours
		}
		vars := "\x00" + string(environ)
		if !strings.Contains(vars, "\x00SLURM_CONF="+l.variable("SLURM_CONF")+"\x00") ||
			!strings.Contains(vars, "\x00SLURMD_NODENAME="+node+"\x00") {
			continue
		}
		dir := filepath.Dir(file)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		jobs = append(jobs, pid)
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // state, parent, ...
		if fields := strings.Fields(rest); len(fields) > 1 {
			parent, err := strconv.Atoi(fields[1])
			comm, commErr := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
			if err == nil && commErr == nil && strings.TrimSpace(string(comm)) == "slurmstepd" {
				watchers = append(watchers, parent)
			}
		}
	}
	return jobs, watchers, nil
}
