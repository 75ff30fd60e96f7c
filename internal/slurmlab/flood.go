package slurmlab

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Flood puts n jobs into the queue of partition batch, each a record of its own
// in the controller, and returns the ids of the arrays they are tasks of. Of
// each hundred jobs one is of user daemon, the rest of root; they ask for 1, 2, 4
// or 8 GPUs. It first fills the partition, and waits until that runs, so that none of
// them starts and nothing changes under whoever looks.
//
// It takes about two seconds for 10,000 jobs. The lab takes up to 45,000.
func (l *Lab) Flood(ctx context.Context, n int) (arrays []string, err error) {
	if n < 1 || n > 45000 {
		return nil, fmt.Errorf("flood the queue with %d jobs: it may be 1 to 45000", n)
	}
	const wait = "sleep 3600"
	dam, err := l.Run(ctx, "sbatch", "--parsable", "--qos=high", "--job-name=dam", "--array=1-"+strconv.Itoa(damTasks), "--gres=gpu:8", "--wrap="+wait)
	if err != nil {
		return nil, err
	}
	if err := l.awaitRunning(ctx, strings.TrimSpace(dam), damTasks); err != nil {
		return nil, err
	}
	daemons := n / 100
	parts := []struct {
		user  string
		tasks int
		gpus  int
	}{
		{"daemon", daemons, 2},
		{"root", (n - daemons) / 2, 1},
		{"root", (n - daemons) / 4, 4},
	}
	rest := n
	for _, p := range parts {
		rest -= p.tasks
	}
	parts = append(parts, struct {
		user  string
		tasks int
		gpus  int
	}{"root", rest, 8})

	for i, p := range parts {
		for from := 0; from < p.tasks; from += maxArray {
			tasks := min(maxArray, p.tasks-from)
			id, err := l.Submit(ctx, p.user, "--job-name=flood-"+fmt.Sprint(i), fmt.Sprintf("--array=0-%d", tasks-1),
				fmt.Sprintf("--gres=gpu:%d", p.gpus), fmt.Sprintf("--time=%d", 30*(i+1)), "--output=/dev/null", "--wrap="+wait)
			if err != nil {
				return nil, err
			}
			arrays = append(arrays, id)
			if tasks == 1 {
				continue
			}
			// Tasks that wait are one record until one of them differs. All but the last
			// one get a comment, and so all have records.
			if _, err := l.Run(ctx, "scontrol", "update", fmt.Sprintf("jobid=%s_[0-%d]", id, tasks-2), "comment=flood"); err != nil {
				return nil, err
			}
		}
	}
	return arrays, nil
}

// damTasks of a node each fill the partition.
const damTasks = 3

// awaitRunning waits, a minute at most, until so many tasks of a job run.
func (l *Lab) awaitRunning(ctx context.Context, id string, tasks int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		out, err := l.Run(ctx, "squeue", "-h", "-r", "-t", "running", "-o", "%i", "-j", id)
		running := len(strings.Fields(out))
		if err == nil && running == tasks {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %d tasks of job %s: %d run: %w", tasks, id, running, errors.Join(ctx.Err(), err))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// maxArray is the most tasks of an array that the lab's configuration allows.
const maxArray = 20000

// Submit submits a job as a user and returns its id.
func (l *Lab) Submit(ctx context.Context, user string, args ...string) (string, error) {
	command := append([]string{"sbatch", "--parsable"}, args...)
	if user != "root" {
		command = append([]string{"setpriv", "--reuid=" + user, "--regid=nogroup", "--clear-groups"}, command...)
	}
	out, err := l.Run(ctx, command...)
	return strings.TrimSpace(out), err
}
