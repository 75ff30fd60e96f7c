package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/eval"
)

// diffFlags are the flags of simulate diff.
type diffFlags struct {
	a, b string
	top  int
}

func simulateDiffCommand(a *app) *cobra.Command {
	f := diffFlags{}
	cmd := &cobra.Command{
		Use:   "diff A.csv [B.csv]",
		Short: "Say which jobs two runs treat differently, and why",
		Long: `Diff compares two runs over the same jobs, as 'simulate --jobs-out' wrote them: how
many jobs end earlier and later, which deadlines are won and lost, and the jobs that
moved most, each with why: who overtook it, whose GPUs it still waits for, how often
it was preempted, how much longer it ran.

Causes are those that tables of jobs can tell. They speak of the run in which the job
ends later, at the instant when it starts in the other one; between the start and the
end of a job that was preempted it counts as being there.

Where a file holds several runs, --a and --b choose: POLICY, POLICY/PRESET or
POLICY/PRESET/SEED. With one file both runs are taken from it.`,
		Example: `  schedmate simulate diff fifo.csv sjf.csv
  schedmate simulate diff jobs.csv --a fifo --b srtf --top 50
  schedmate simulate diff monday.csv tuesday.csv -o json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, paths []string) error { return a.simulateDiff(cmd.Context(), &f, paths) },
	}
	cmd.Flags().StringVar(&f.a, "a", "", "`run` of the first file: POLICY[/PRESET[/SEED]]")
	cmd.Flags().StringVar(&f.b, "b", "", "`run` of the second file, or of the same: POLICY[/PRESET[/SEED]]")
	cmd.Flags().IntVar(&f.top, "top", 20, "show the `N` jobs that moved most")
	return cmd
}

// simulationDiff is the document of simulate diff.
type simulationDiff struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	*eval.Diff
}

func (a *app) simulateDiff(ctx context.Context, f *diffFlags, paths []string) error {
	if f.top < 0 || f.top > eval.MostMoves {
		return usage(fmt.Errorf("--top must lie in [0, %d], got %d", eval.MostMoves, f.top))
	}
	var tables [2][]eval.RunJobs
	for i, path := range paths {
		in, err := openData(path, "check the path")
		if err != nil {
			return simulateError(err)
		}
		tables[i], err = eval.ReadJobs(path, untilDone{ctx, bufio.NewReader(in)})
		in.Close() // it was only read
		if err != nil {
			return usage(err)
		}
	}
	if len(paths) == 1 {
		if f.a == "" || f.b == "" {
			return usage(fmt.Errorf("name the two runs of %s with --a and --b; it has %s", paths[0], runNames(tables[0])))
		}
		tables[1], paths = tables[0], []string{paths[0], paths[0]}
	}
	x, err := oneRun(paths[0], "--a", f.a, tables[0])
	if err != nil {
		return usage(err)
	}
	y, err := oneRun(paths[1], "--b", f.b, tables[1])
	if err != nil {
		return usage(err)
	}
	d := eval.Compare(x, y, f.top)
	if d.Jobs == 0 {
		return usage(fmt.Errorf("%s and %s have no job in common: compare two runs of one trace", paths[0], paths[1]))
	}
	return a.render(simulationDiff{schedmate.APIVersion, "SimulationDiff", d}, func(w io.Writer) error { return diffTable(w, d) })
}

// oneRun is the run of a file that a flag chooses, or its only one.
func oneRun(path, flag, wanted string, all []eval.RunJobs) (*eval.RunJobs, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: holds no jobs", path)
	}
	var found *eval.RunJobs
	for i := range all {
		id := all[i].RunID
		name := id.Policy + "/" + id.Preset + "/" + strconv.FormatInt(id.Seed, 10)
		if wanted != "" && wanted != id.Policy && wanted != id.Policy+"/"+id.Preset && wanted != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s: several runs: choose one with %s POLICY/PRESET/SEED; it has %s", path, flag, runNames(all))
		}
		found = &all[i]
	}
	if found == nil {
		return nil, fmt.Errorf("%s: no run %q: use one of %s", path, wanted, runNames(all))
	}
	return found, nil
}

func runNames(all []eval.RunJobs) string {
	var names []string
	for i := range all {
		if i == 12 {
			names = append(names, fmt.Sprintf("%d more", len(all)-i))
			break
		}
		names = append(names, fmt.Sprintf("%s/%s/%d", all[i].Policy, all[i].Preset, all[i].Seed))
	}
	return strings.Join(names, ", ")
}

func diffTable(w io.Writer, d *eval.Diff) error {
	lines := []string{
		"A: " + printable(d.A.String()), "B: " + printable(d.B.String()),
		fmt.Sprintf("%s in both: %d alike, %d end earlier in B, %d later", plural(d.Jobs, "job"), d.Same, d.Earlier, d.Later),
	}
	if d.OtherwiseMoved > 0 {
		lines = append(lines, fmt.Sprintf("%s at the same time after another course", plural(d.OtherwiseMoved, "job")+" end"))
	}
	if d.OnlyA+d.OnlyB > 0 {
		lines = append(lines, fmt.Sprintf("not compared: %d in A alone, %d in B alone", d.OnlyA, d.OnlyB))
	}
	if d.Ended > 0 {
		lines = append(lines, fmt.Sprintf("mean JCT of those that end in both: %s in A, %s in B (%+.1f%%)",
			humanSeconds(d.MeanJCTA), humanSeconds(d.MeanJCTB), 100*(d.MeanJCTB-d.MeanJCTA)/max(d.MeanJCTA, 1)))
	}
	if d.NowMissed+d.NowMet > 0 {
		lines = append(lines, fmt.Sprintf("deadlines: %d met in A alone, %d met in B alone", d.NowMissed, d.NowMet))
	}
	if _, err := fmt.Fprintln(w, strings.Join(lines, "\n")); err != nil || len(d.Moves) == 0 {
		return err
	}
	rows := [][]string{{"JOB", "GPUS", "JCT-A", "JCT-B", "CHANGE", "WAITING", "WHY"}}
	for i := range d.Moves {
		m := &d.Moves[i]
		change, waiting := "-", "-"
		if m.JCTChange != nil {
			change, waiting = signedSeconds(*m.JCTChange), signedSeconds(*m.QueueChange)
		}
		rows = append(rows, []string{m.Job, strconv.Itoa(m.GPUs), endCell(m.A), endCell(m.B), change, waiting, whyMoved(m)})
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return columns(w, rows)
}

// endCell is the completion time, or the state of a job that has none.
func endCell(r eval.JobRow) string {
	if r.JCT == eval.NoInstant {
		return r.State
	}
	return humanSeconds(float64(r.JCT))
}

func signedSeconds(s int64) string {
	if s > 0 {
		return "+" + humanSeconds(float64(s))
	}
	return humanSeconds(float64(s))
}

// whyMoved puts the causes into words. They speak of the run in which the job
// ends later.
func whyMoved(m *eval.Move) string {
	if len(m.Causes) == 0 {
		return "not told by the tables"
	}
	late := "B"
	if !m.Later() {
		late = "A"
	}
	var words []string
	for _, c := range m.Causes {
		others := strings.Join(c.Jobs, ", ")
		if more := c.Others - len(c.Jobs); more > 0 {
			others += fmt.Sprintf(" and %d more", more)
		}
		switch c.Kind {
		case eval.Overtaken:
			words = append(words, fmt.Sprintf("overtaken by %s (%s)", others, plural(c.GPUs, "GPU")))
		case eval.StillHeld:
			words = append(words, fmt.Sprintf("%s still held by %s", plural(c.GPUs, "GPU"), others))
		case eval.MorePreempt:
			words = append(words, "preempted "+plural(c.Count, "time")+" more")
		case eval.LongerRun:
			words = append(words, "on GPUs "+humanSeconds(float64(c.Seconds))+" longer")
		case eval.StateChange:
			words = append(words, fmt.Sprintf("%s in A, %s in B", m.A.State, m.B.State))
		default:
			panic(errors.New("BUG: unknown cause " + string(c.Kind)))
		}
	}
	return "in " + late + ": " + strings.Join(words, "; ")
}
