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
	"slices"
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
	experiments []string
	list        bool

	traces             []string
	format, cluster    string
	vc, arrival        string
	workload           string
	firstJobs, maxGPUs int
	from, to, capRun   time.Duration
	noise              float64

	repeat, widen int

	policies []string
	preset   string
	seeds    []int64
	shard    string
	noCost   bool

	jobsOut, eventsOut, report string
	anonymise                  string
	keepWeek                   bool
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

What a Slurm cluster did last month is a trace too (--format sacct): then the row
"as it was" stands beside the policies. --anonymise writes such a trace without
names, to be shared; without --cluster that is all that is done.
docs/format/traces.md has the command that makes one.

Presets: "artifact" behaves as the public code that the experiment names, bug for
bug; "paper" as the paper says; "default" is ours.

Traces that the product may not ship are read from --data, or $SCHEDMATE_DATA.`,
		Example: fmt.Sprintf(`  schedmate simulate --list
  schedmate simulate --experiment %s --report page.html
  schedmate simulate --trace jobs.csv --format lucid --cluster 18x8 --policies fifo,srtf -o json
  schedmate simulate --trace jobs.txt --format sacct --cluster 18x8 --report page.html
  schedmate simulate --trace jobs.txt --format sacct --anonymise shared.txt`, exampleExperiment()),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.list {
				return a.listExperiments()
			}
			for _, free := range []string{"trace", "format", "cluster", "first-jobs", "max-gpus", "from", "to", "cap-run", "estimate-noise", "vc", "arrival", "workload", "anonymise", "keep-weekday"} {
				if len(f.experiments) > 0 && cmd.Flags().Changed(free) {
					return usage(fmt.Errorf("--%s cannot stand beside --experiment: an experiment fixes it", free))
				}
			}
			for _, output := range []string{"jobs-out", "events-out", "report", "anonymise"} {
				if flag := cmd.Flags().Lookup(output); flag.Changed && flag.Value.String() == "" {
					return usage(fmt.Errorf("--%s is empty: name a file", output)) // else a variable that is not set would lose the output
				}
			}
			if f.keepWeek && f.anonymise == "" {
				return usage(errors.New("--keep-weekday belongs to --anonymise"))
			}
			if f.anonymise != "" {
				if err := a.anonymise(&f); err != nil || f.cluster == "" {
					return err
				}
			}
			return a.simulate(cmd.Context(), &f, commandLine(cmd))
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.experiments, "experiment", nil, "comma-separated experiment `names`; see --list")
	fl.BoolVar(&f.list, "list", false, "list experiments, policies and trace formats")
	fl.String("data", "", "`folder` with traces that the product does not carry (default $SCHEDMATE_DATA)")
	fl.StringArrayVar(&f.traces, "trace", nil, "trace `file`, plain or gzip; may be given several times")
	fl.StringVar(&f.format, "format", "", "trace `format`: "+traces.FormatNames())
	fl.StringVar(&f.cluster, "cluster", "", "equal nodes, `NODESxGPUS`; 18x8 means 18 nodes of 8 GPUs")
	fl.StringVar(&f.vc, "vc", "", "formats sacct and swf: take the `column` partition, or account, for a job's VC (default: none)")
	fl.StringVar(&f.arrival, "arrival", "", "format sacct: let jobs wait from when they were eligible, or from submit, their `instant` of submission (default: eligible)")
	fl.StringVar(&f.workload, "workload", "", "format sia: the `name` of the one to run of a file of several")
	fl.IntVar(&f.firstJobs, "first-jobs", 0, "simulate only the first `N` jobs")
	fl.IntVar(&f.maxGPUs, "max-gpus", 0, "leave out jobs that ask for more than `N` GPUs")
	fl.DurationVar(&f.from, "from", 0, "leave out jobs submitted before this time of the trace, a `duration` such as 36h")
	fl.DurationVar(&f.to, "to", 0, "leave out jobs submitted from this time of the trace on, a `duration`")
	fl.DurationVar(&f.capRun, "cap-run", 0, "cut longer runs to this `duration`, such as 24h")
	fl.Float64Var(&f.noise, "estimate-noise", 0, "make run-time estimates that err by a log-normal factor of this `sigma`, for policies that use the trace's estimates")
	fl.IntVar(&f.repeat, "repeat", 1, "run `N` copies of the trace one after the other, at the same load")
	fl.IntVar(&f.widen, "widen", 1, "run `N` copies of each job on N times the nodes")
	fl.StringSliceVar(&f.policies, "policies", nil, "comma-separated policy `names` (default: all that need no measured speeds of the jobs)")
	fl.StringVar(&f.preset, "preset", "", "preset `name`: default, artifact, paper where a policy has one, or a public code's own name such as lucid (default: the experiment's)")
	fl.Int64SliceVar(&f.seeds, "seeds", nil, "comma-separated `seeds` (default: the experiment's)")
	fl.StringVar(&f.shard, "shard", "", "make only part `INDEX/OF` of the runs, such as 3/8; 'schedmate merge' joins the parts")
	fl.BoolVar(&f.noCost, "no-cost", false, "leave cpu_s, peak_rss_bytes and plan_cpu_*_s out of the report: equal runs then give equal bytes")
	fl.String("parallel", "", "`number` of runs at a time (default: one a processor)")
	fl.StringVar(&f.jobsOut, "jobs-out", "", "write one CSV row a job and run to `file`")
	fl.StringVar(&f.eventsOut, "events-out", "", "write every event of a single run to `file`, one JSON object a line")
	fl.StringVar(&f.anonymise, "anonymise", "", "format sacct: write the trace to `file` without names, nodes or dates")
	fl.BoolVar(&f.keepWeek, "keep-weekday", false, "with --anonymise: keep weekday and time of day")
	fl.StringVar(&f.report, "report", "", "write a self-contained HTML page to `file`; with several experiments, one a piece to file-NAME")
	fl.StringVar(&f.progress, "progress", "auto", "progress on standard error: auto (on a terminal), json or none")
	must(cmd.RegisterFlagCompletionFunc("experiment", completeFrom(experiments.Names)))
	must(cmd.RegisterFlagCompletionFunc("policies", completePolicies))
	must(cmd.RegisterFlagCompletionFunc("format", completeFrom(traceFormats)))
	must(cmd.RegisterFlagCompletionFunc("vc", completeFrom(func() []string { return []string{traces.VCNone, traces.VCPartition, traces.VCAccount} })))
	must(cmd.RegisterFlagCompletionFunc("arrival", completeFrom(func() []string { return []string{traces.ArrivalEligible, traces.ArrivalSubmit} })))
	must(cmd.RegisterFlagCompletionFunc("preset", completePresets))
	must(cmd.RegisterFlagCompletionFunc("progress", completeFrom(func() []string { return []string{"auto", "json", "none"} })))
	must(cmd.MarkFlagDirname("data"))
	cmd.AddCommand(simulateDiffCommand(a))
	fl.Lookup("seeds").DefValue = "" // help would show []
	return cmd
}

func (a *app) simulate(ctx context.Context, f *simulateFlags, command string) error {
	es, err := a.experiments(f)
	if err != nil {
		return err
	}
	files, err := openOutputs(f, es)
	if err != nil {
		return err
	}
	defer files.abandon()

	req, err := a.request(f)
	if err != nil {
		return usage(err)
	}
	suite := eval.Suite{Registry: policy.All(), Data: a.dataFolder(f), Beside: a.beside}
	if !f.noCost {
		suite.Cost, suite.Clock = meter(a.config.Parallel)
	}
	total, err := suite.Count(es, req)
	if err != nil {
		return usage(err)
	}
	if files.events != nil {
		if total != 1 {
			return usage(fmt.Errorf("--events-out takes one run, this is %d: name one policy and one seed", total))
		}
		suite.Events = writeEvents(files.events.w)
	}
	part, err := suite.Part(es, req)
	if err != nil {
		return usage(err)
	}
	if suite.Done, err = files.streamJobs(part); err != nil {
		return asFailure(err)
	}
	bar, err := newProgress(a.streams.Err, f.progress, total)
	if err != nil {
		return usage(err)
	}
	suite.Progress = bar.note
	var rep *eval.Report
	err = interruptible(ctx, func() (err error) {
		rep, err = suite.Run(ctx, es, req)
		return err
	})
	bar.finish()
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return asFailure(fmt.Errorf("%w: %d of %d runs were complete; nothing was written", context.Canceled, bar.over.Load(), total))
		}
		return simulateError(err)
	}
	for _, e := range es {
		if in := rep.Input(e.Name); in != nil { // a shard may have no run of it
			for _, note := range notes(e, rep.Of(in)) {
				fmt.Fprintf(a.streams.Err, "note: %s: %s\n", printable(e.Name), printable(note))
			}
		}
	}
	if err := files.write(es, rep, command); err != nil {
		return asFailure(err)
	}
	return a.render(rep, func(w io.Writer) error { return simulationTable(w, rep) })
}

// request is what the flags ask of a sweep.
func (a *app) request(f *simulateFlags) (eval.Request, error) {
	if f.repeat < 1 || f.widen < 1 {
		return eval.Request{}, fmt.Errorf("--repeat and --widen must be at least 1, got %d and %d", f.repeat, f.widen)
	}
	v := version()
	req := eval.Request{
		Policies: f.policies, Preset: f.preset, Seeds: f.seeds, Parallel: a.config.Parallel,
		Timeline: f.report != "", Scale: eval.Scale{Repeat: f.repeat, Widen: f.widen}, Program: v.Version + " " + v.Commit,
	}
	if f.shard == "" {
		return req, nil
	}
	if f.report != "" {
		return req, errors.New("--report cannot stand beside --shard: a page needs all runs")
	}
	var err error
	req.Shard, err = eval.ParseShard(f.shard)
	return req, err
}

// simulateError gives an error its exit code: what the user named and is not
// there is 4, what is wrong in a file is 2.
func simulateError(err error) error {
	var input *traces.InputError
	var request *eval.RequestError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return notFound(err)
	case errors.As(err, &input):
		return usage(input) // it names the file itself
	case errors.As(err, &request):
		return usage(err)
	}
	return asFailure(err)
}

// experiments returns the named experiments, or makes one of each trace of the
// free form.
func (a *app) experiments(f *simulateFlags) ([]*eval.Experiment, error) {
	var es []*eval.Experiment
	for _, name := range f.experiments {
		e, err := eval.Load(name)
		if err != nil {
			return nil, notFound(err)
		}
		es = append(es, e)
	}
	if len(es) > 0 {
		return es, nil
	}
	var missing []string
	for _, need := range []struct {
		flag  string
		given bool
	}{{"--trace", len(f.traces) > 0}, {"--format", f.format != ""}, {"--cluster", f.cluster != ""}} {
		if !need.given {
			missing = append(missing, need.flag)
		}
	}
	if len(missing) == 3 {
		return nil, usage(errors.New("name an --experiment, or --trace, --format and --cluster; 'schedmate simulate --list' shows what there is"))
	}
	if len(missing) == 1 && f.cluster == "" {
		return nil, missingCluster(f)
	}
	if len(missing) > 0 {
		return nil, usage(fmt.Errorf("a trace needs --trace, --format and --cluster: %s missing", strings.Join(missing, " and ")))
	}
	for _, path := range f.traces {
		e, err := freeForm(f, path)
		if err != nil {
			return nil, usage(err)
		}
		if slices.ContainsFunc(es, func(before *eval.Experiment) bool { return before.Name == e.Name }) {
			e.Name = filepath.Clean(path) // tells files of one name apart
		}
		es = append(es, e)
	}
	return es, nil
}

// freeForm makes an experiment of a trace file and the flags.
func freeForm(f *simulateFlags, path string) (*eval.Experiment, error) {
	cluster, err := eval.ParseCluster(f.cluster)
	if err != nil {
		return nil, err
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"from", f.from}, {"to", f.to}, {"cap-run", f.capRun}} {
		if d.value%time.Second != 0 {
			return nil, fmt.Errorf("--%s must be whole seconds, got %s", d.flag, d.value)
		}
	}
	e := &eval.Experiment{
		APIVersion: schedmate.APIVersion, Kind: eval.ExperimentKind,
		Name:  filepath.Base(path),
		Title: fmt.Sprintf("%s on %s", filepath.Base(path), cluster.String()),
		Trace: eval.TraceSource{File: path, Format: traces.Format(f.format), Options: f.options()},
		Filter: traces.Filter{
			FirstJobs: f.firstJobs, MaxGPUs: f.maxGPUs,
			FromSeconds: wholeSeconds(f.from), ToSeconds: wholeSeconds(f.to), CapRunSeconds: wholeSeconds(f.capRun),
		},
		Estimates: eval.EstimateModel{NoiseSigma: f.noise},
		Cluster:   cluster,
		Preset:    scheduler.DefaultPreset,
		Seeds:     []int64{0},
	}
	names := f.policies
	if len(names) == 0 {
		names = forAnyJobs()
	}
	for _, name := range names {
		d, err := policy.All().Find(name)
		if err != nil {
			return nil, err
		}
		spec := eval.PolicySpec{Name: name}
		if f.preset == "artifact" {
			if spec.Preset, err = resolvePreset(d, f.preset); err != nil {
				return nil, err
			}
		}
		e.Policies = append(e.Policies, spec)
	}
	return e, e.Validate()
}

// forAnyJobs lists the policies that can run any job: those that change the size of
// jobs need to know how fast these are on each.
func forAnyJobs() []string {
	var names []string
	for _, d := range policy.All() {
		if p, err := d.Preset(scheduler.DefaultPreset); err == nil && !p.World.Elastic {
			names = append(names, d.Name)
		}
	}
	return names
}

func wholeSeconds(d time.Duration) schedmate.Seconds { return schedmate.Seconds(d / time.Second) }

// dataFolder opens what an experiment names below the data folder, and what
// the free form names where it is.
func (a *app) dataFolder(f *simulateFlags) func(string) (io.ReadCloser, error) {
	if len(f.experiments) == 0 {
		return func(name string) (io.ReadCloser, error) { return openData(name, "check the path") }
	}
	return a.beside
}

// beside opens a file of the data folder.
func (a *app) beside(name string) (io.ReadCloser, error) {
	if a.config.Data == "" {
		return nil, notFound(fmt.Errorf("needs %s, which the product does not carry: %w: name the folder of traces with --data or $SCHEDMATE_DATA", name, fs.ErrNotExist))
	}
	return openData(filepath.Join(a.config.Data, filepath.FromSlash(name)), "is --data or $SCHEDMATE_DATA the folder of traces?")
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

// exampleExperiment returns an experiment that runs on a bundled trace, for
// examples that work everywhere.
func exampleExperiment() string {
	for _, name := range experiments.Names() {
		if e, err := eval.Load(name); err == nil && e.Trace.Bundled != "" {
			return name
		}
	}
	return "NAME"
}

func traceFormats() []string {
	var names []string
	for _, f := range traces.Formats() {
		names = append(names, string(f))
	}
	return names
}
