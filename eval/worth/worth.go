package worth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"schedmate"
	"schedmate/eval"
	"schedmate/eval/facts"
	"schedmate/eval/traces"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// Options are the assumptions that the trace cannot settle.
type Options struct {
	Seeds      []int64           // at least two
	Repeated   float64           // share of the work that has run before, where jobs have no names
	Checkpoint schedmate.Seconds // how often jobs save their work
	Unattended schedmate.Seconds // median time until a failed job is resubmitted, where the trace does not show it
	Diagnosis  schedmate.Seconds // time that tests of a suspected node take
}

// DefaultOptions are what is assumed when nothing else is said.
func DefaultOptions() Options {
	return Options{
		Seeds: []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Repeated: 0.5,
		Checkpoint: 1800, Unattended: 1800, Diagnosis: 300,
	}
}

// Validate checks the options.
func (o *Options) Validate() error {
	switch {
	case len(o.Seeds) < 2:
		return fmt.Errorf("seeds: an interval needs at least two, got %d", len(o.Seeds))
	case !(o.Repeated >= 0 && o.Repeated <= 1):
		return fmt.Errorf("repeated: is a share and must lie in [0, 1], got %g", o.Repeated)
	}
	return nil
}

// ReportKind is the value of Report.Kind.
const ReportKind = "WorthReport"

// Report is the answer.
type Report struct {
	APIVersion  string        `json:"apiVersion"`
	Kind        string        `json:"kind"`
	Trace       string        `json:"trace"`
	SHA256      string        `json:"sha256"`
	Cluster     string        `json:"cluster"`
	Seeds       []int64       `json:"seeds"`
	Month       *Month        `json:"month"`
	AsItWas     *eval.AsItWas `json:"as_it_was,omitempty"`
	Rows        []Row         `json:"rows"`
	Assumptions []string      `json:"assumptions"`
}

// Row is one way in which the month could have been run.
type Row struct {
	Name    string          `json:"name"`
	Policy  string          `json:"policy"`
	About   string          `json:"about"`
	Facts   *eval.FactsTold `json:"facts,omitempty"`
	MeanJCT eval.Interval   `json:"mean_jct_s"`
	Queue   eval.Interval   `json:"mean_queue_s"`
	P99JCT  eval.Interval   `json:"p99_jct_s"`
	// Saved is the share of the mean JCT of the first row that is saved, seed by
	// seed; negative: it is lost.
	Saved eval.Interval `json:"saved"`
	// Undone is the GPU time of work that failures undid and that was done again, a
	// mean over the seeds.
	Undone float64 `json:"undone_gpu_s"`
	Hash   string  `json:"hash"` // over the runs of all seeds
}

// way is a row before it has been run.
type way struct {
	name, policy, about string
	model               string
	recall              bool // the advisor says what completed runs of this very month say
	change              func(*facts.Model)
	world               func(*scheduler.World)
}

// ways are the rows, in their order. The first is what all others are held
// against.
var ways = []way{
	{name: "as Slurm does", policy: "yarncs", about: "in the order of submission, smaller jobs fill gaps; nobody knows run times", model: "measured"},
	{name: "own history", policy: "sjf", about: "shortest first by the mean of the user's last jobs; no code or log is read", model: "measured",
		world: func(w *scheduler.World) { w.Estimates = scheduler.TraceEstimate }},
	{name: "facts", policy: "sjf+", about: "shortest first by what similar jobs did, failures diagnosed; no language model", model: "measured", recall: true},
	{name: "facts, preempting", policy: "srtf", about: "the same facts, and running jobs give way to shorter ones", model: "measured", recall: true,
		world: func(w *scheduler.World) {
			w.Estimates, w.Advice, w.Handler = scheduler.TraceEstimate, scheduler.AdviceIfSurer, true
		}},
	{name: "facts, one GPU for a model", policy: "sjf+", about: "facts of the quality that the paper reports of a model with 7 billion parameters, which holds a GPU of the cluster", model: "paper"},
	{name: "perfect facts", policy: "sjf+", about: "the truth about all work that has run before: no better facts exist", model: "perfect"},
	{name: "useless facts", policy: "sjf+", about: "answers that have nothing to do with the truth: what being wrong would cost", model: "useless"},
	{name: "no facts", policy: "sjf+", about: "the advisor never answers and the handler never acts: must equal own history", model: "measured", recall: true,
		change: func(m *facts.Model) {
			m.Advisor.Hit, m.Advisor.FalseHit, m.Handler.Recall, m.Handler.FalseAlarm = 0, 0, 0, 0
		}},
}

// Runs is how many simulations Ask makes.
func Runs(o *Options) int { return len(ways) * len(o.Seeds) }

// Ask plays the trace in all ways. Progress is told each run that is over.
func Ask(ctx context.Context, t *traces.Trace, cluster eval.ClusterSpec, r scheduler.Registry, o Options, progress func(eval.Progress)) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c, err := cluster.Build(t.VCs)
	if err != nil {
		return nil, err
	}
	t = eval.WithoutTypes(t, &c)
	month, jobs := read(t)
	rep := &Report{
		APIVersion: schedmate.APIVersion, Kind: ReportKind, Trace: t.Name, SHA256: t.SHA256, Cluster: cluster.String(), Seeds: o.Seeds,
		Month: month, AsItWas: eval.MeasurePast(t, &c),
	}
	world := facts.World{Checkpoint: o.Checkpoint, Unattended: o.Unattended, UnattendedSigma: 1, Diagnosis: o.Diagnosis, Repeated: o.Repeated}
	if month.Named {
		world.Again, world.Known = month.again, month.known
	}
	if r := month.Resubmitted; r != nil {
		world.Unattended = min(world.Unattended, *r) // the next job of a name need not be the failed one again
	}
	rep.Assumptions = assumptions(rep, &o, world.Unattended)
	var base []float64
	for k, w := range ways {
		if w.model == "paper" && c.GPUs() < 2 {
			rep.Assumptions = append(rep.Assumptions, "A language model would take the only GPU that there is: that way is left out.")
			continue
		}
		row, jct, err := w.run(ctx, c, jobs, r, world, o.Seeds, func(seed int64) {
			progress(eval.Progress{Run: eval.RunID{Experiment: t.Name, Policy: w.name, Seed: seed}, Jobs: len(jobs), Of: len(jobs), Over: true})
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		if k == 0 {
			base = jct
		}
		saved := make([]float64, len(jct))
		for i := range jct {
			saved[i] = 1 - jct[i]/max(1, base[i])
		}
		row.Saved = eval.IntervalOf(saved)
		rep.Rows = append(rep.Rows, *row)
	}
	return rep, nil
}

// run plays the jobs with every seed.
func (w *way) run(ctx context.Context, c schedmate.Cluster, jobs []sim.Job, r scheduler.Registry, world facts.World, seeds []int64, over func(seed int64)) (*Row, []float64, error) {
	if !w.recall {
		world.Known = nil
	}
	told, err := eval.NewFacts(w.model, world)
	if err != nil {
		return nil, nil, err
	}
	if w.change != nil {
		w.change(told.Model())
	}
	d, err := r.Find(w.policy)
	if err != nil {
		return nil, nil, err
	}
	preset, err := d.Preset(scheduler.DefaultPreset)
	if err != nil {
		return nil, nil, err
	}
	cfg := sim.Config{Cluster: c, World: preset.World, Interrupt: ctx.Err}
	if w.world != nil {
		w.world(&cfg.World)
	}
	if cfg.World.Advice != scheduler.NoAdvice {
		if cfg.Cluster, err = told.Served(c); err != nil {
			return nil, nil, err
		}
	}
	if cfg.Policy, err = d.New(preset.Options); err != nil {
		return nil, nil, err
	}
	var jct, queue, p99 []float64
	row := &Row{Name: w.name, Policy: w.policy, About: w.about}
	if cfg.World.Advice != scheduler.NoAdvice {
		row.Facts = told.Told()
	}
	hashes := sha256.New()
	for _, seed := range seeds {
		res, err := sim.Run(cfg, sim.Workload{Jobs: told.Apply(jobs, seed)})
		if err != nil {
			return nil, nil, err
		}
		m := eval.Measure(res)
		jct, queue, p99 = append(jct, m.MeanJCT), append(queue, m.MeanQueue), append(p99, m.P99JCT)
		row.Undone += float64(res.RedoneGPUSeconds) / float64(len(seeds))
		hashes.Write([]byte(res.Hash))
		over(seed)
	}
	row.MeanJCT, row.Queue, row.P99JCT, row.Hash = eval.IntervalOf(jct), eval.IntervalOf(queue), eval.IntervalOf(p99), hex.EncodeToString(hashes.Sum(nil))
	return row, jct, nil
}

// assumptions says what the figures rest on.
func assumptions(r *Report, o *Options, unattended schedmate.Seconds) []string {
	m := r.Month
	list := []string{
		"The cluster has the given nodes, all healthy, and no limits, reservations or jobs without GPUs.",
		"A job runs as long as it did, wherever it is placed; preempting one costs it 62 s.",
		"How often an advisor misses, how long it takes and how well failures are told apart was measured on labelled cases of other clusters, without a language model.",
	}
	if m.Named {
		list = append(list, fmt.Sprintf("Work comes again where user, job name and GPUs do: %.0f %% of the jobs here. The advisor reads code and arguments instead, which tells more apart and recognises what was renamed. What it would have said is the median of the completed runs that had ended by then.", 100*m.Repeated))
	} else {
		list = append(list, fmt.Sprintf("The trace has no job names: that %.0f %% of the work has run before is assumed. Export JobName, or say what you know with --repeated.", 100*o.Repeated))
	}
	if m.Hardware > 0 {
		how := "assumed"
		if m.Resubmitted != nil {
			how = fmt.Sprintf("the smaller of what is assumed and the median here, %d s", *m.Resubmitted)
		}
		list = append(list,
			fmt.Sprintf("Jobs that Slurm says hardware failed, %d here, go on from a checkpoint that is at most %d s old and complete; without a handler somebody resubmits them after a median of %d s, %s.", m.Hardware, o.Checkpoint, unattended, how))
	} else {
		list = append(list, "No job is marked as failed by hardware, so the failure handler can save nothing here: sites often mark such failures as FAILED only.")
	}
	if r.AsItWas != nil {
		list = append(list, fmt.Sprintf("In reality the mean queue delay was %.0f s. Hold it against the first row: as far as these two lie apart, so far is this simulation from your cluster.", r.AsItWas.MeanQueue))
	} else {
		list = append(list, "The trace does not say when jobs really started, so nothing shows how far this simulation is from your cluster.")
	}
	return list
}
