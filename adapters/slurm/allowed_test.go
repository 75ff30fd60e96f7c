package slurm

import (
	"strings"
	"testing"
)

func TestOnlyWhatShowsIsAllowed(t *testing.T) {
	for _, line := range []string{
		"squeue --json -a", "squeue -h -a -O JobID:x", "scontrol -d -o -a show node", "scontrol -o show license",
		"sacct -P -n -D -X --delimiter x -o JobID -a -S 2026-01-01T00:00:00", "scontrol show config", "sdiag",
	} {
		words := strings.Fields(line)
		if !allowed(words[0], words[1:]) {
			t.Errorf("%s must be allowed", line)
		}
	}
	for _, line := range []string{
		"scontrol -o update jobid=7 priority=1", "scontrol update", "scontrol -o -- update jobid=7", "scontrol -- show node", "scontrol show", "scontrol",
		"scontrol show job; scontrol update jobid=7", "scontrol show node update", "scontrol hold 7", "scontrol requeue 7", "scontrol reconfigure", "scontrol shutdown",
		"scontrol -o show node -u root", "scontrol -u root show node", "scontrol -M other show node", "scontrol ping shutdown", "scontrol Show node", "scontrol sho node",
		"scontrol write batch_script 7", "scontrol write batch_script 7 -", "scontrol ping", "scontrol write batch_script 7 /etc/passwd", "scontrol write batch_script 7 --", "scontrol write batch_script -1 -", "scontrol write config x",
		"scontrol show config update", "scontrol --details show node", "squeue -i 5", "squeue --start", "squeue -O", "squeue --json=v0.0.40", "sacct --delimiter", "sacct -P x", "sdiag --reset",
		"sdiag -r", "sbatch x", "scancel 7", "srun x", "salloc", "sacctmgr show user", "sh -c squeue", "/usr/bin/squeue --json", "squeue; scancel", "SQUEUE --json", "",
	} {
		words := strings.Fields(line + " ")
		if len(words) == 0 {
			words = []string{""}
		}
		if allowed(words[0], words[1:]) {
			t.Errorf("%s must be refused", line)
		}
	}
}

func TestWhatIsNotAllowedIsNotRun(t *testing.T) {
	defer func() {
		if said, _ := recover().(string); !strings.HasPrefix(said, "BUG: scontrol update") {
			t.Errorf("must stop with BUG, got %q", said)
		}
	}()
	_ = new(Commands).stream(t.Context(), nil, "scontrol", "update", "jobid=7")
}
