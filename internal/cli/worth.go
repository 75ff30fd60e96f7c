package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/eval"
	"schedmate/eval/traces"
	"schedmate/eval/worth"
	"schedmate/internal/report"
	"schedmate/scheduler/policy"
)

// worthFlags are the flags of worth.
type worthFlags struct {
	trace, format, cluster, report string
	vc, arrival, progress          string
	seeds                          []int64
	repeated                       float64
	checkpoint, unattended         time.Duration
	diagnosis                      time.Duration
}

func worthCommand(a *app) *cobra.Command {
	o := worth.DefaultOptions()
	f := worthFlags{
		seeds: o.Seeds, repeated: o.Repeated, checkpoint: time.Duration(o.Checkpoint) * time.Second,
		unattended: time.Duration(o.Unattended) * time.Second, diagnosis: time.Duration(o.Diagnosis) * time.Second,
	}
	cmd := &cobra.Command{
		Use:   "worth --trace FILE [--cluster NODESxGPUS]",
		Short: "Ask what facts would have been worth to your cluster last month",
		Long: `Worth plays the jobs of a trace again: in the order in which Slurm would start
them, by what their users' own histories say, and by facts of the quality that was
measured on labelled cases, with perfect and useless facts as the ends of the scale.
Each way is run with every seed; the share of the mean completion time that it saves
stands with Student's 95 % interval. What the trace cannot say is assumed, and listed.

Nothing is read but the trace. docs/format/traces.md has the sacct command for it.`,
		Example: `  schedmate worth --trace jobs.txt --cluster 18x8
  schedmate worth --trace jobs.txt --cluster 18x8 --report worth.html
  schedmate worth --trace jobs.txt --cluster 18x8 --repeated 0.8 -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flag := cmd.Flags().Lookup("report"); flag.Changed && f.report == "" {
				return usage(errors.New("--report is empty: name a file"))
			}
			return a.worth(cmd.Context(), &f, commandLine(cmd))
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.trace, "trace", "", "trace `file`, plain or gzip")
	fl.StringVar(&f.format, "format", string(traces.Sacct), "trace `format`: "+traces.FormatNames())
	fl.StringVar(&f.cluster, "cluster", "", "equal nodes, `NODESxGPUS`; 18x8 means 18 nodes of 8 GPUs (default: the least that a sacct trace used)")
	fl.StringVar(&f.vc, "vc", "", "formats sacct and swf: take the `column` partition, or account, for a job's VC (default: none)")
	fl.StringVar(&f.arrival, "arrival", "", "format sacct: let jobs wait from when they were eligible, or from submit, their `instant` of submission (default: eligible)")
	fl.Int64SliceVar(&f.seeds, "seeds", f.seeds, "comma-separated `seeds`, at least two")
	fl.Float64Var(&f.repeated, "repeated", f.repeated, "`share` of the jobs whose work has run before, for traces without job names")
	fl.DurationVar(&f.checkpoint, "checkpoint", f.checkpoint, "`duration` between two checkpoints of a job")
	fl.DurationVar(&f.unattended, "unattended", f.unattended, "median `duration` until somebody resubmits a job that hardware failed, where the trace does not show it")
	fl.DurationVar(&f.diagnosis, "diagnosis", f.diagnosis, "`duration` of the tests of a node before a job runs again")
	fl.StringVar(&f.report, "report", "", "write a self-contained HTML page to `file`")
	fl.StringVar(&f.progress, "progress", "auto", "progress on standard error: auto (on a terminal), json or none")
	must(cmd.RegisterFlagCompletionFunc("format", completeFrom(traceFormats)))
	must(cmd.RegisterFlagCompletionFunc("progress", completeFrom(func() []string { return []string{"auto", "json", "none"} })))
	return cmd
}

func (a *app) worth(ctx context.Context, f *worthFlags, command string) error {
	if f.trace == "" {
		return usage(errors.New("name the jobs with --trace FILE; docs/format/traces.md has the sacct command that writes it"))
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"checkpoint", f.checkpoint}, {"unattended", f.unattended}, {"diagnosis", f.diagnosis}} {
		if d.value < 0 || d.value%time.Second != 0 || d.value > time.Duration(schedmate.MaxSeconds)*time.Second {
			return usage(fmt.Errorf("--%s must be whole seconds and not negative, got %s", d.flag, d.value))
		}
	}
	options := traces.Options{VC: f.vc, Arrival: f.arrival, Beside: a.beside}
	if err := options.Validate(traces.Format(f.format)); err != nil {
		return usage(err)
	}
	t, err := traces.OpenWith(f.trace, traces.Format(f.format), options)
	if err != nil {
		return simulateError(err)
	}
	if len(t.Jobs) == 0 {
		return usage(fmt.Errorf("%s holds no job that ran; export a longer time", f.trace))
	}
	if f.cluster == "" {
		if t.Accounting == nil {
			return usage(errors.New("say how large the cluster is with --cluster NODESxGPUS: only sacct traces tell it"))
		}
		f.cluster = t.Accounting.Usage.Cluster()
		fmt.Fprintf(a.streams.Err, "note: no --cluster: %s is the least that the jobs used\n", f.cluster)
	}
	cluster, err := eval.ParseCluster(f.cluster)
	if err != nil {
		return usage(err)
	}
	o := worth.Options{
		Seeds: f.seeds, Repeated: f.repeated,
		Checkpoint: wholeSeconds(f.checkpoint), Unattended: wholeSeconds(f.unattended), Diagnosis: wholeSeconds(f.diagnosis),
	}
	if err := o.Validate(); err != nil {
		return usage(err)
	}
	bar, err := newProgress(a.streams.Err, f.progress, worth.Runs(&o))
	if err != nil {
		return usage(err)
	}
	var rep *worth.Report
	err = interruptible(ctx, func() (err error) {
		rep, err = worth.Ask(ctx, t, cluster, policy.All(), o, bar.note)
		return err
	})
	bar.finish()
	if err != nil {
		return simulateError(err)
	}
	for _, d := range t.Dropped {
		fmt.Fprintf(a.streams.Err, "note: left out %s: %s\n", plural(d.Count, "job"), printable(d.Reason))
	}
	if f.report != "" {
		if err := writeWorth(f.report, worthPage(rep, command)); err != nil {
			return asFailure(err)
		}
	}
	return a.render(rep, func(w io.Writer) error { return worthTable(w, rep) })
}

func writeWorth(path string, p report.Worth) error {
	var files outputs
	defer files.abandon()
	var out *outputFile
	if err := files.open(&out, path); err != nil {
		return err
	}
	if err := report.WriteWorth(out.w, p); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return out.commit()
}

func worthTable(w io.Writer, r *worth.Report) error {
	rows := [][]string{{"WAY", "POLICY", "MEAN-JCT", "MEAN-QUEUE", "P99", "SAVED"}}
	if p := r.AsItWas; p != nil {
		rows = append(rows, []string{"as it was", "-", report.Duration(p.MeanJCT), report.Duration(p.MeanQueue), report.Duration(p.P99JCT), "-"})
	}
	for i := range r.Rows {
		x := &r.Rows[i]
		rows = append(rows, []string{x.Name, x.Policy, durationWithin(x.MeanJCT), durationWithin(x.Queue), durationWithin(x.P99JCT), savedText(x.Saved, i == 0)})
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	for _, text := range r.Assumptions {
		if _, err := fmt.Fprintf(w, "\n- %s", text); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func durationWithin(i eval.Interval) string {
	return fmt.Sprintf("%s ± %s", report.Duration(i.Mean), report.Duration(i.High-i.Mean))
}

func savedText(i eval.Interval, base bool) string {
	if base {
		return "-"
	}
	return fmt.Sprintf("%.1f%% ± %.1f", 100*i.Mean, 100*(i.High-i.Mean))
}

func worthPage(r *worth.Report, command string) report.Worth {
	p := report.Worth{
		Title:   fmt.Sprintf("What facts would have been worth: %s on %s", r.Trace, r.Cluster),
		Command: command, Assumptions: r.Assumptions,
		Facts: []report.Pair{
			{Name: "trace", Value: r.Trace}, {Name: "SHA-256", Value: r.SHA256}, {Name: "cluster", Value: r.Cluster},
			{Name: "jobs", Value: report.Count(r.Month.Jobs)}, {Name: "seeds", Value: fmt.Sprint(len(r.Seeds))},
		},
	}
	if past := r.AsItWas; past != nil {
		p.Facts = append(p.Facts, report.Pair{Name: "in reality", Value: fmt.Sprintf("mean completion time %s, mean queue delay %s", report.Duration(past.MeanJCT), report.Duration(past.MeanQueue))})
	}
	for i := range r.Rows {
		x := &r.Rows[i]
		row := report.WorthRow{
			Name: x.Name, About: x.About, Base: i == 0, MeanJCT: durationWithin(x.MeanJCT), Queue: durationWithin(x.Queue), P99: durationWithin(x.P99JCT),
			Saved: x.Saved.Mean, Low: x.Saved.Low, High: x.Saved.High,
		}
		if x.Facts != nil {
			row.Model = fmt.Sprintf("%s %.12s", x.Facts.Model, x.Facts.SHA256)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}
