package cli

import (
	"context"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/adapters/slurm"
)

// checkSlurm looks at the Slurm that is reached from here, and at whether the logs
// of the user's running jobs can be read.
func (a *app) checkSlurm(ctx context.Context) []finding {
	commands := slurm.New(&slurm.Commands{})
	var checks []slurm.Check
	var o *schedmate.Observation
	if a.config.SlurmREST != "" {
		rest, err := a.slurmREST()
		if err != nil {
			return []finding{{"slurmrestd", statusFailed, err.Error()}}
		}
		if checks, o = rest.Checks(ctx); o != nil {
			checks = append(checks, commands.CheckPast(ctx))
		}
	} else {
		checks, o = commands.Checks(ctx)
	}
	var findings []finding
	for _, c := range checks {
		findings = append(findings, finding{c.Name, c.Status, c.Detail})
	}
	if o == nil {
		return findings
	}
	return append(findings, a.checkLogs(ctx, o))
}

// checkLogs tries the logs of running jobs of the user.
func (a *app) checkLogs(ctx context.Context, o *schedmate.Observation) finding {
	me := spellings(asker())
	var mine []*schedmate.ObservedJob
	for i := range o.Jobs {
		if j := &o.Jobs[i]; slices.Contains(me, j.User) && j.Runs() {
			mine = append(mine, j)
		}
	}
	if len(mine) == 0 {
		return finding{"logs", statusOK, "no job of yours runs, so that no log was tried"}
	}
	read, why := 0, ""
	for _, p := range a.progressOf(ctx, mine, o.Now) {
		if p.Progress != nil {
			read++
		} else {
			why = p.Job + ": " + p.Missing
		}
	}
	if read == len(mine) {
		return finding{"logs", statusOK, fmt.Sprintf("those of your %s can be read", plural(read, "running job"))}
	}
	return finding{"logs", statusMissing, fmt.Sprintf("%d of %d logs of your running jobs can be read (%s): there is no progress without; is the file system mounted here?", read, len(mine), why)}
}
