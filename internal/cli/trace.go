package cli

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/eval/synthetic"
)

func traceCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Make synthetic traces from published aggregates",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(traceListCommand(a), traceGenerateCommand(a), traceMarginalsCommand(a))
	return cmd
}

// traceCatalogue is what 'trace list' answers.
type traceCatalogue struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	Profiles   []synthetic.Profile   `json:"profiles"`
	Deadlines  []synthetic.Deadlines `json:"deadlines"`
}

func traceListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the clusters whose aggregates are known, and the presets of deadlines",
		Example: `  schedmate trace list
  schedmate trace list -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p := synthetic.Load()
			c := traceCatalogue{schedmate.APIVersion, "TraceCatalogue", p.Profiles, p.Deadlines}
			return a.render(c, func(w io.Writer) error { return traceCatalogueTable(w, &c) })
		},
	}
}

func traceCatalogueTable(w io.Writer, c *traceCatalogue) error {
	rows := [][]string{{"PROFILE", "CLUSTER", "JOBS", "DAYS", "ABOUT"}}
	for _, p := range c.Profiles {
		rows = append(rows, []string{p.Name, clusterFlag(&p), strconv.Itoa(p.Jobs), strconv.FormatFloat(p.Days, 'f', -1, 64), p.Title})
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	rows = [][]string{{"DEADLINES", "ABOUT"}}
	for _, d := range c.Deadlines {
		rows = append(rows, []string{d.Name, d.About})
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return columns(w, rows)
}

func clusterFlag(p *synthetic.Profile) string {
	return fmt.Sprintf("%dx%d", p.Cluster.Nodes, p.Cluster.GPUsPerNode)
}

// recipeFlags are the flags that describe a synthetic trace.
type recipeFlags struct {
	recipe synthetic.Recipe
	states string
}

func (f *recipeFlags) register(cmd *cobra.Command) {
	fl, r := cmd.Flags(), &f.recipe
	fl.IntVar(&r.Jobs, "jobs", 10_000, "make `N` jobs")
	fl.Uint64Var(&r.Seed, "seed", 0, "random `seed`: one seed always gives the same bytes, two never do")
	fl.Float64Var(&r.Days, "days", 0, "let submissions go on for so many `days` (default: at the published rate)")
	fl.Float64Var(&r.Load, "load", 0, "let submissions go on until the jobs' GPU time is this `share` of the profile's cluster")
	fl.StringVar(&r.Deadlines, "deadlines", "none", "`preset` of deadlines: "+strings.Join(synthetic.Load().DeadlineNames(), ", "))
	fl.StringVar(&f.states, "states", "", "`shares` of how jobs end, completed=6,cancelled=2,failed=2 (default: as published)")
	fl.Float64Var(&r.Burst, "burst", 0, "submit this `share` of the jobs on the day before one date, which is their first deadline")
	fl.IntVar(&r.InfeasibleGroups, "infeasible-groups", 0, "add `N` groups of three strict jobs, of which one at most can meet its deadline")
	must(cmd.RegisterFlagCompletionFunc("deadlines", completeFrom(synthetic.Load().DeadlineNames)))
	cmd.ValidArgsFunction = completeFrom(synthetic.Load().ProfileNames)
}

// read checks the flags.
func (f *recipeFlags) read(profile string) error {
	f.recipe.Profile = profile
	p := synthetic.Load()
	if _, err := p.Profile(profile); err != nil {
		return usage(err)
	}
	if _, err := p.DeadlinePreset(f.recipe.Deadlines); err != nil {
		return usage(err)
	}
	if f.states != "" {
		s, err := parseStates(f.states)
		if err != nil {
			return usage(err)
		}
		f.recipe.States = s
	}
	return usage(f.recipe.Validate())
}

func parseStates(text string) (*synthetic.ByState, error) {
	var s synthetic.ByState
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		to, known := map[string]*float64{"completed": &s.Completed, "cancelled": &s.Cancelled, "failed": &s.Failed}[name]
		x, err := strconv.ParseFloat(value, 64)
		if !known || err != nil || *to != 0 {
			return nil, fmt.Errorf("--states %q: write each of completed, cancelled and failed at most once, as completed=6,cancelled=2,failed=2", text)
		}
		*to = x
	}
	return &s, nil
}

func traceGenerateCommand(a *app) *cobra.Command {
	var f recipeFlags
	var out string
	cmd := &cobra.Command{
		Use:   "generate PROFILE",
		Short: "Make a synthetic trace of a cluster of which only aggregates have been published",
		Long: `Generate draws jobs from a model with the published aggregates of a cluster: mean and
median run time, gangs, how jobs end and how much GPU time each end took, hours and
weekdays of submissions. Deadlines are those of papers and artifacts.

No job of the trace was ever run. Its first line, its format, the names of its jobs
and every report of a simulation of it say so.`,
		Example: `  schedmate trace generate venus --jobs 5000 --seed 1 --out venus.csv
  schedmate trace generate saturn --seed 2 --deadlines chronus-mix2 --burst 0.1 > saturn.csv
  schedmate simulate --trace venus.csv --format synthetic --cluster 128x8`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.read(args[0]); err != nil {
				return err
			}
			return a.generate(cmd.Context(), &f.recipe, out)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&out, "out", "", "write to `file`, compressed if its name ends in .gz (default: standard output)")
	return cmd
}

func (a *app) generate(ctx context.Context, r *synthetic.Recipe, path string) error {
	if path == "" {
		w := bufio.NewWriter(a.streams.Out)
		if err := synthetic.Load().Write(whileRunning{ctx, w}, r); err != nil {
			return asFailure(err)
		}
		return asFailure(w.Flush())
	}
	var files outputs
	defer files.abandon()
	var out *outputFile
	if err := files.open(&out, path); err != nil {
		return asFailure(err)
	}
	var w io.Writer = out.w
	done := func() error { return nil }
	if strings.HasSuffix(path, ".gz") {
		zip := gzip.NewWriter(out.w)
		w, done = zip, zip.Close
	}
	if err := errors.Join(synthetic.Load().Write(whileRunning{ctx, w}, r), done()); err != nil {
		return asFailure(err)
	}
	if err := out.commit(); err != nil {
		return asFailure(err)
	}
	p, err := synthetic.Load().Profile(r.Profile)
	if err != nil {
		return usage(err)
	}
	fmt.Fprintf(a.streams.Err, "note: %[1]s is synthetic: %[2]s; simulate it with --trace %[1]s --format synthetic --cluster %[3]s\n", printable(path), r, clusterFlag(p))
	return nil
}

// whileRunning ends writing when the context ends.
type whileRunning struct {
	ctx context.Context
	w   io.Writer
}

func (r whileRunning) Write(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.w.Write(p)
}

// marginals is what 'trace marginals' answers.
type marginals struct {
	APIVersion string               `json:"apiVersion"`
	Kind       string               `json:"kind"`
	Synthetic  string               `json:"synthetic"`
	Profile    *synthetic.Profile   `json:"profile"`
	Marginals  []synthetic.Marginal `json:"marginals"`
}

func traceMarginalsCommand(a *app) *cobra.Command {
	var f recipeFlags
	cmd := &cobra.Command{
		Use:   "marginals PROFILE",
		Short: "Put what a synthetic trace has beside what was published, with Kolmogorov distances",
		Long: `Marginals makes the same trace as generate with the same flags, and prints each
figure beside the published one. For distributions it prints the Kolmogorov distance,
the largest difference between the two, over the points that have been published:
for most clusters only the median and the maximum.`,
		Example: `  schedmate trace marginals venus --jobs 125303 --seed 1
  schedmate trace marginals philly --jobs 100000 --seed 1 -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.read(args[0]); err != nil {
				return err
			}
			p := synthetic.Load()
			profile, err := p.Profile(f.recipe.Profile)
			if err != nil {
				return usage(err)
			}
			ms, err := p.Compare(&f.recipe)
			if err != nil {
				return asFailure(err)
			}
			m := marginals{schedmate.APIVersion, "TraceMarginals", f.recipe.String(), profile, ms}
			return a.render(m, func(w io.Writer) error { return marginalsTable(w, &m) })
		},
	}
	f.register(cmd)
	return cmd
}

func marginalsTable(w io.Writer, m *marginals) error {
	if _, err := fmt.Fprintf(w, "synthetic: %s\n\n", m.Synthetic); err != nil {
		return err
	}
	rows := [][]string{{"MARGINAL", "PUBLISHED", "GENERATED", "OFF BY", "KOLMOGOROV", "POINTS", "NOTE"}}
	for _, x := range m.Marginals {
		row := []string{x.Name, "", "", "", "", "", x.Note}
		if x.Published != nil && x.Generated != nil {
			row[1], row[2] = figure(*x.Published, x.Unit), figure(*x.Generated, x.Unit)
			row[3] = fmt.Sprintf("%+.1f%%", 100*(*x.Generated / *x.Published - 1))
		}
		if x.Kolmogorov != nil {
			row[4], row[5] = fmt.Sprintf("%.4f", *x.Kolmogorov), strconv.Itoa(x.Points)
		}
		rows = append(rows, row)
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m.Profile.Sources)) {
		if _, err := fmt.Fprintf(w, "%s: %s\n", name, m.Profile.Sources[name]); err != nil {
			return err
		}
	}
	return nil
}

func figure(x float64, unit string) string {
	if unit == "share" {
		return percent(x)
	}
	text := strconv.FormatFloat(x, 'f', 3, 64)
	if x >= 100 {
		text = strconv.FormatFloat(x, 'f', 0, 64)
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}
