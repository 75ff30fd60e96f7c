package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/internal/redact"
)

func snapshotCommand(a *app) *cobra.Command {
	var f clusterFlags
	var hide, planner bool
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Save what the scheduler says about the cluster",
		Long: `Snapshot writes the queue, the nodes and all that 'queue' and 'why' go by, so that
the same questions can be asked of the file later, or by somebody else. With
--redact names of people, jobs, accounts and paths become pseudonyms that are the
same throughout the file.

With --for-planning it is the snapshot that 'plan' and 'why' take for policies of
SchedMate: nodes with GPUs, and the jobs that hold or want them.`,
		Example: `  schedmate snapshot -o yaml > cluster.yaml
  schedmate snapshot -o yaml --redact > to-share.yaml
  schedmate snapshot --for-planning -o yaml | schedmate plan -f - --policy srtf`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if hide && planner {
				return usage(errors.New("--redact and --for-planning are not made for each other: save with --redact, then plan from that file"))
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			c, err := a.cluster(cmd.Context(), &f)
			if err != nil {
				return err
			}
			o, err := a.observe(cmd.Context(), c, &f)
			if err != nil {
				return err
			}
			if planner {
				s, err := a.forPlanning(o, c)
				if err != nil {
					return err
				}
				return a.render(s, func(w io.Writer) error { return plannerTable(w, s) })
			}
			if hide {
				if o, err = redact.Observation(o); err != nil {
					return asFailure(err)
				}
			}
			return a.render(o, func(w io.Writer) error { return snapshotTable(w, o) })
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&hide, "redact", false, "replace names of people, jobs, accounts, and paths")
	cmd.Flags().BoolVar(&planner, "for-planning", false, "write what policies plan with")
	return cmd
}

// forPlanning makes of an observation what a policy plans with.
func (a *app) forPlanning(o *schedmate.Observation, c *openCluster) (*schedmate.Snapshot, error) {
	s, gaps := o.Snapshot()
	if len(s.Cluster.Nodes) == 0 {
		return nil, notFound(fmt.Errorf("no node of %s has GPUs: there is nothing to plan; 'schedmate why' without --policy tells what its own scheduler says", c.name))
	}
	if err := s.Validate(); err != nil {
		return nil, asFailure(fmt.Errorf("what %s says makes no snapshot: %w; report this with the output of 'schedmate snapshot -o yaml'", c.name, err))
	}
	a.tellGaps(gaps)
	return s, nil
}

// snapshotTable says in short what was observed; the whole is for -o yaml.
func snapshotTable(w io.Writer, o *schedmate.Observation) error {
	rows := [][]string{{"NODE", "STATE", "GPUS", "USED", "TYPE", "CPUS", "USED", "REASON"}}
	gpus, used := 0, 0
	for i := range o.Nodes {
		n := &o.Nodes[i]
		total, busy := n.GPUCount("")
		gpus, used = gpus+total, used+busy
		kind := "-"
		if len(n.GPUs) == 1 {
			kind = n.GPUs[0].Type
		} else if len(n.GPUs) > 1 {
			kind = "mixed"
		}
		rows = append(rows, []string{n.Name, strings.Join(n.States, "+"), strconv.Itoa(total), strconv.Itoa(busy), kind, strconv.Itoa(n.CPUs), strconv.Itoa(n.CPUsUsed), n.Reason})
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	waits, runs := 0, 0
	for i := range o.Jobs {
		switch j := &o.Jobs[i]; {
		case j.Waits():
			waits += max(1, j.Tasks)
		case j.Runs():
			runs++
		}
	}
	_, err := fmt.Fprintf(w, "\n%s %s   %d of %s in use   %s running, %d waiting   save all of it with -o yaml\n",
		o.System.Name, printable(o.System.Version), used, plural(gpus, "GPU"), plural(runs, "job"), waits)
	return err
}

func plannerTable(w io.Writer, s *schedmate.Snapshot) error {
	_, err := fmt.Fprintf(w, "%s, %s running, %d waiting   save it with -o yaml\n", plural(s.Cluster.GPUs(), "GPU"), plural(len(s.Running), "job"), len(s.Waiting))
	return err
}
