package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/eval"
	"schedmate/eval/experiments"
	"schedmate/eval/traces"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/sim"
)

// simulateFlags are the flags of simulate.
type simulateFlags struct {
	experiment string
	list       bool

	trace, format, cluster string
	firstJobs, maxGPUs     int
	from, to, capRun       time.Duration
	noise                  float64

	repeat, widen int

	policies []string
	preset   string
	seeds    []int64

	jobsOut, eventsOut, report string
	progress                   string
}

func simulateCommand(a *app) *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate (--experiment NAME | --trace FILE --format FORMAT --cluster NODESxGPUS)",
		Short: "Run policies on a trace in virtual time and compare them",
		Long: `Simulate runs each policy with each seed on the same trace and cluster, and prints
one row a run. An experiment fixes trace, cluster and policies and knows the
published figures it is compared with; the free form takes any trace file.

Presets: "artifact" behaves as the public code that the experiment names, bug for
bug; "paper" as the paper says; "default" is ours.

Traces that the product may not ship are read from --data, or $SCHEDMATE_DATA.`,
		Example: `  schedmate simulate --list
  schedmate simulate --experiment philly-week --report philly-week.html
  schedmate simulate --trace jobs.csv --format lucid --cluster 18x8 --policies fifo,srtf -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.list {
				return a.listExperiments()
			}
			return a.simulate(cmd.Context(), &f, commandLine(cmd))
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.experiment, "experiment", "", "experiment `name`; see --list")
	fl.BoolVar(&f.list, "list", false, "list experiments, policies and trace formats")
	fl.String("data", "", "`folder` with traces that the product does not carry (default $SCHEDMATE_DATA)")
	fl.StringVar(&f.trace, "trace", "", "trace `file`, plain or gzip")
	fl.StringVar(&f.format, "format", "", "trace `format`: "+formatNames())
	fl.StringVar(&f.cluster, "cluster", "", "`NODESxGPUS`, for example 18x8")
	fl.IntVar(&f.firstJobs, "first-jobs", 0, "simulate only the first `N` jobs")
	fl.IntVar(&f.maxGPUs, "max-gpus", 0, "leave out jobs that ask for more than `N` GPUs")
	fl.DurationVar(&f.from, "from", 0, "leave out jobs submitted before this `time` of the trace")
	fl.DurationVar(&f.to, "to", 0, "leave out jobs submitted from this `time` of the trace on")
	fl.DurationVar(&f.capRun, "cap-run", 0, "cut longer runs to this `duration`")
	fl.Float64Var(&f.noise, "estimate-noise", 0, "make run-time estimates that err by a log-normal factor of this `sigma`, for policies that use the trace's estimates")
	fl.IntVar(&f.repeat, "repeat", 1, "run `N` copies of the trace one after the other, at the same load")
	fl.IntVar(&f.widen, "widen", 1, "run `N` copies of each job on N times the nodes")
	fl.StringSliceVar(&f.policies, "policies", nil, "comma-separated policy `names` (default: all)")
	fl.StringVar(&f.preset, "preset", "", "preset `name`: artifact, paper or default (default: the experiment's)")
	fl.Int64SliceVar(&f.seeds, "seeds", nil, "comma-separated `seeds` (default: the experiment's)")
	fl.String("parallel", "", "runs at a time, a `number` (default: one a processor)")
	fl.StringVar(&f.jobsOut, "jobs-out", "", "write one CSV row a job and run to `file`")
	fl.StringVar(&f.eventsOut, "events-out", "", "write every event of a single run to `file`, one JSON object a line")
	fl.StringVar(&f.report, "report", "", "write a self-contained HTML page to `file`")
	fl.StringVar(&f.progress, "progress", "auto", "progress on standard error: auto (on a terminal), json or none")
	for _, free := range []string{"trace", "format", "cluster", "first-jobs", "max-gpus", "from", "to", "cap-run", "estimate-noise"} {
		cmd.MarkFlagsMutuallyExclusive("experiment", free) // an experiment fixes them
	}
	must(cmd.RegisterFlagCompletionFunc("experiment", completeFrom(experiments.Names)))
	must(cmd.RegisterFlagCompletionFunc("policies", completePolicies))
	must(cmd.MarkFlagDirname("data"))
	return cmd
}

func (a *app) simulate(ctx context.Context, f *simulateFlags, command string) error {
	e, err := a.experiment(f)
	if err != nil {
		return err
	}
	files, err := openOutputs(f)
	if err != nil {
		return err
	}
	defer files.abandon()

	if f.repeat < 1 || f.widen < 1 {
		return usage(fmt.Errorf("--repeat and --widen must be at least 1, got %d and %d", f.repeat, f.widen))
	}
	req := eval.Request{
		Policies: f.policies, Preset: f.preset, Seeds: f.seeds, Parallel: a.config.Parallel,
		Timeline: f.report != "", Scale: eval.Scale{Repeat: f.repeat, Widen: f.widen},
	}
	suite := eval.Suite{
		Registry: policy.All(),
		Data:     a.dataFolder(f),
		Cost:     meter(a.config.Parallel),
	}
	total, err := suite.Count(e, req)
	if err != nil {
		return usage(err)
	}
	if files.events != nil {
		if total != 1 {
			return usage(fmt.Errorf("--events-out takes one run, this is %d: name one policy and one seed", total))
		}
		suite.Events = writeEvents(files.events.w)
	}
	bar, err := newProgress(a.streams.Err, f.progress, total)
	if err != nil {
		return usage(err)
	}
	suite.Progress = bar.note
	rep, err := suite.Run(ctx, e, req)
	bar.finish()
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return failure(fmt.Errorf("%w: %d of %d runs were complete; nothing was written", err, bar.done(), total))
		}
		return simulateError(err)
	}
	for _, d := range rep.Trace.Dropped {
		fmt.Fprintf(a.streams.Err, "note: left out %s: %s\n", plural(d.Count, "job"), d.Reason)
	}
	if err := files.write(f, e, rep, command); err != nil {
		return failure(err)
	}
	return a.render(rep, func(w io.Writer) error { return simulationTable(w, rep) })
}

// simulateError gives an error its exit code: what the user named and is not
// there is 4, what is wrong in a file is 2.
func simulateError(err error) error {
	var input *traces.InputError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return notFound(err)
	case errors.As(err, &input):
		return usage(err)
	}
	return failure(err)
}

// experiment returns the named experiment, or makes one of the free form.
func (a *app) experiment(f *simulateFlags) (*eval.Experiment, error) {
	if f.experiment != "" {
		e, err := eval.Load(f.experiment)
		if err != nil {
			return nil, notFound(err)
		}
		return e, nil
	}
	if f.trace == "" || f.format == "" || f.cluster == "" {
		return nil, usage(errors.New("name an --experiment, or --trace, --format and --cluster; 'schedmate simulate --list' shows what there is"))
	}
	cluster, err := eval.ParseCluster(f.cluster)
	if err != nil {
		return nil, usage(err)
	}
	names := f.policies
	if len(names) == 0 {
		names = policy.All().Names()
	}
	e := &eval.Experiment{
		APIVersion: schedmate.APIVersion, Kind: eval.ExperimentKind,
		Name:  filepath.Base(f.trace),
		Title: fmt.Sprintf("%s on %s", filepath.Base(f.trace), cluster.String()),
		Trace: eval.TraceSource{File: f.trace, Format: traces.Format(f.format)},
		Filter: traces.Filter{
			FirstJobs: f.firstJobs, MaxGPUs: f.maxGPUs,
			FromSeconds: wholeSeconds(f.from), ToSeconds: wholeSeconds(f.to), CapRunSeconds: wholeSeconds(f.capRun),
		},
		Estimates: eval.EstimateModel{NoiseSigma: f.noise},
		Cluster:   cluster,
		Preset:    scheduler.DefaultPreset,
		Seeds:     []int64{0},
	}
	for _, name := range names {
		d, err := policy.All().Find(name)
		if err != nil {
			return nil, usage(err)
		}
		spec := eval.PolicySpec{Name: name}
		if f.preset == "artifact" {
			if spec.Preset, err = resolvePreset(d, f.preset); err != nil {
				return nil, usage(err)
			}
		}
		e.Policies = append(e.Policies, spec)
	}
	if err := e.Validate(); err != nil {
		return nil, usage(err)
	}
	return e, nil
}

func wholeSeconds(d time.Duration) schedmate.Seconds { return schedmate.Seconds(d / time.Second) }

// dataFolder opens what an experiment names below the data folder, and what
// the free form names where it is.
func (a *app) dataFolder(f *simulateFlags) func(string) (io.ReadCloser, error) {
	if f.experiment == "" {
		return func(name string) (io.ReadCloser, error) { return openData(name, "check the path") }
	}
	folder := a.config.Data
	return func(name string) (io.ReadCloser, error) {
		if folder == "" {
			return nil, notFound(fmt.Errorf("needs %s, which the product does not carry: %w: name the folder of traces with --data or $SCHEDMATE_DATA", name, fs.ErrNotExist))
		}
		return openData(filepath.Join(folder, filepath.FromSlash(name)), "is --data or $SCHEDMATE_DATA the folder of traces?")
	}
}

func openData(path, hint string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, hint)
	}
	return f, nil
}

// writeEvents returns an observer that writes JSON lines.
func writeEvents(w *bufio.Writer) func(eval.RunID) func(sim.Event) error {
	return func(eval.RunID) func(sim.Event) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return func(ev sim.Event) error { return enc.Encode(ev) }
	}
}

func formatNames() string {
	var names []string
	for _, f := range traces.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// commandLine writes the command with the flags that were set, for a report's
// reader to run again.
func commandLine(cmd *cobra.Command) string {
	parts := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(fl *flag) {
		value := strings.Trim(fl.Value.String(), "[]")
		switch {
		case fl.Value.Type() == "bool":
			parts = append(parts, "--"+fl.Name+"="+value)
		case strings.ContainsAny(value, " \t\n'\"\\$`!*?;&|<>()"):
			parts = append(parts, "--"+fl.Name, "'"+strings.ReplaceAll(value, "'", `'\''`)+"'")
		default:
			parts = append(parts, "--"+fl.Name, value)
		}
	})
	return strings.Join(parts, " ")
}
