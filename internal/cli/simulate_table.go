package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"schedmate/eval"
	"schedmate/eval/experiments"
	"schedmate/eval/traces"
	"schedmate/scheduler/policy"
)

// asItWas is the name of the row that no policy made.
const asItWas = "as it was"

// pastRun gives what really happened the shape of a run, for the columns that
// both have.
func pastRun(in *eval.Input) eval.Run {
	a := in.AsItWas
	r := eval.Run{RunID: eval.RunID{Experiment: in.Experiment, Policy: asItWas}}
	r.Jobs, r.Ended, r.Makespan, r.MaxSlowdown = a.Jobs, a.Jobs, a.Makespan, a.MaxSlowdown
	r.MeanJCT, r.P50JCT, r.P90JCT, r.P99JCT, r.P999JCT = a.MeanJCT, a.P50JCT, a.P90JCT, a.P99JCT, a.P999JCT
	r.MeanQueue, r.P50Queue, r.P90Queue, r.P99Queue, r.P999Queue = a.MeanQueue, a.P50Queue, a.P90Queue, a.P99Queue, a.P999Queue
	if a.Utilisation != nil {
		r.Utilisation = *a.Utilisation
	}
	return r
}

// pastCell is a cell of what really happened; a dash where nobody measured it or
// where it does not apply.
func pastCell(in *eval.Input, column, cell string) string {
	switch column {
	case "PRESET", "SEED", "INFEASIBLE", "UNFINISHED", "PREEMPT", "EQUAL", "CPU":
		return "-"
	case "UTIL":
		if in.AsItWas.Utilisation == nil {
			return "-"
		}
	}
	return cell
}

// simulationTable writes one row a run, and one for what really happened before
// the runs of an experiment whose trace tells it. Columns that say nothing
// about this report are left out.
func simulationTable(w io.Writer, rep *eval.Report) error {
	type column struct {
		head string
		cell func(*eval.Run) string
		show bool
	}
	some := func(f func(*eval.Run) bool) bool {
		return slices.ContainsFunc(rep.Runs, func(r eval.Run) bool { return f(&r) })
	}
	past := slices.ContainsFunc(rep.Inputs, func(in eval.Input) bool { return in.AsItWas != nil })
	all := []column{
		{"EXPERIMENT", func(r *eval.Run) string { return r.Experiment }, len(rep.Inputs) > 1},
		{"TRACE", func(r *eval.Run) string { return origin(rep.Input(r.Experiment)) }, slices.ContainsFunc(rep.Inputs, func(in eval.Input) bool { return in.Trace.Synthetic != "" })},
		{"POLICY", func(r *eval.Run) string { return r.Policy }, true},
		{"PRESET", func(r *eval.Run) string { return r.Preset }, true},
		{"SEED", func(r *eval.Run) string { return strconv.FormatInt(r.Seed, 10) }, some(func(r *eval.Run) bool { return r.Seed != rep.Runs[0].Seed })},
		{"JOBS", func(r *eval.Run) string { return strconv.Itoa(r.Jobs) }, true},
		{"INFEASIBLE", func(r *eval.Run) string { return strconv.Itoa(r.Infeasible) }, some(func(r *eval.Run) bool { return r.Infeasible > 0 })},
		{"UNFINISHED", func(r *eval.Run) string { return strconv.Itoa(r.Unfinished) }, some(func(r *eval.Run) bool { return r.Unfinished > 0 })},
		{"MEAN-JCT", ended(func(r *eval.Run) string { return humanSeconds(r.MeanJCT) }), true},
		{"P50", ended(func(r *eval.Run) string { return humanSeconds(r.P50JCT) }), true},
		{"P90", ended(func(r *eval.Run) string { return humanSeconds(r.P90JCT) }), past},
		{"P99", ended(func(r *eval.Run) string { return humanSeconds(r.P99JCT) }), true},
		{"MEAN-QUEUE", ended(func(r *eval.Run) string { return humanSeconds(r.MeanQueue) }), true},
		{"P50-QUEUE", ended(func(r *eval.Run) string { return humanSeconds(r.P50Queue) }), past},
		{"P90-QUEUE", ended(func(r *eval.Run) string { return humanSeconds(r.P90Queue) }), past},
		{"P99-QUEUE", ended(func(r *eval.Run) string { return humanSeconds(r.P99Queue) }), past},
		{"P99.9-QUEUE", ended(func(r *eval.Run) string { return humanSeconds(r.P999Queue) }), true},
		{"MAKESPAN", ended(func(r *eval.Run) string { return humanSeconds(float64(r.Makespan)) }), true},
		{"UTIL", ended(func(r *eval.Run) string { return percent(r.Utilisation) }), true},
		{"PREEMPT", func(r *eval.Run) string { return strconv.Itoa(r.Preemptions) }, true},
		{"WDMR", func(r *eval.Run) string { return optionalPercent(r.WDMR) }, some(func(r *eval.Run) bool { return r.WDMR != nil })},
		{"STRICT-MISS", func(r *eval.Run) string { return optionalPercent(r.StrictMiss) }, some(func(r *eval.Run) bool { return r.StrictMiss != nil })},
		{"SOFT-LOSS", func(r *eval.Run) string { return optionalPercent(r.SoftMiss) }, some(func(r *eval.Run) bool { return r.SoftMiss != nil })},
		{"ACCEPTED", func(r *eval.Run) string { return optionalPercent(r.AcceptanceStrict) }, some(func(r *eval.Run) bool { return r.AcceptanceStrict != nil })},
		{"ACCEPTED-SOFT", func(r *eval.Run) string { return optionalPercent(r.AcceptanceSoft) }, some(func(r *eval.Run) bool { return r.AcceptanceSoft != nil })},
		{"BROKEN", func(r *eval.Run) string { return optionalPercent(r.BrokenAmongAccepted) }, some(func(r *eval.Run) bool { return r.BrokenAmongAccepted != nil })},
		{"BROKEN-STRICT", func(r *eval.Run) string { return optionalPercent(r.BrokenAmongPromised) }, some(func(r *eval.Run) bool { return r.BrokenAmongPromised != nil })},
		{"BE-JCT", func(r *eval.Run) string { return optionalSeconds(r.MeanJCTBestEffort) }, some(func(r *eval.Run) bool { return r.MeanJCTBestEffort != nil })},
		{"BE-P99", func(r *eval.Run) string { return optionalSeconds(r.P99JCTBestEffort) }, some(func(r *eval.Run) bool { return r.P99JCTBestEffort != nil })},
		{"PROFILE-WAIT", func(r *eval.Run) string {
			return measureWait(r, func(p *eval.Profiling) float64 { return p.MeanMeasureWait })
		}, some(func(r *eval.Run) bool { return r.Profiling != nil })},
		{"LONGEST", func(r *eval.Run) string {
			return measureWait(r, func(p *eval.Profiling) float64 { return p.MaxMeasureWait })
		}, some(func(r *eval.Run) bool { return r.Profiling != nil })},
		{"EQUAL", equalJobs, some(func(r *eval.Run) bool { return r.Reference != nil && r.Reference.Jobs > 0 })},
		{"SLOWEST-PLAN", slowestPlan, some(func(r *eval.Run) bool { return r.Cost != nil && r.Solving != nil })},
		{"CPU", cpuTimeCell, some(func(r *eval.Run) bool { return r.Cost != nil })},
	}
	shown := slices.DeleteFunc(all, func(c column) bool { return !c.show })
	rows := [][]string{nil}
	for _, c := range shown {
		rows[0] = append(rows[0], c.head)
	}
	told := make(map[string]bool)
	for i := range rep.Runs {
		if in := rep.Input(rep.Runs[i].Experiment); in != nil && in.AsItWas != nil && !told[in.Experiment] {
			told[in.Experiment] = true
			past := pastRun(in)
			var row []string
			for _, c := range shown {
				row = append(row, pastCell(in, c.head, c.cell(&past)))
			}
			rows = append(rows, row)
		}
		var row []string
		for _, c := range shown {
			row = append(row, c.cell(&rep.Runs[i]))
		}
		rows = append(rows, row)
	}
	if err := columns(w, rows); err != nil || len(rep.Spreads) == 0 {
		return err
	}
	return spreadTable(w, rep)
}

// measureWait shows a figure of the waits to be measured.
func measureWait(r *eval.Run, figure func(*eval.Profiling) float64) string {
	if r.Profiling == nil {
		return "-"
	}
	return humanSeconds(figure(r.Profiling))
}

func optionalSeconds(s *float64) string {
	if s == nil {
		return "-"
	}
	return humanSeconds(*s)
}

// ended shows a figure over the jobs that ended, if any did.
func ended(cell func(*eval.Run) string) func(*eval.Run) string {
	return func(r *eval.Run) string {
		if r.Ended == 0 {
			return "-"
		}
		return cell(r)
	}
}

// origin says whether a trace was recorded or made.
func origin(in *eval.Input) string {
	if in != nil && in.Trace.Synthetic != "" {
		return "synthetic"
	}
	return "recorded"
}

func slowestPlan(r *eval.Run) string {
	if r.Cost == nil {
		return "-"
	}
	return fmt.Sprintf("%.0fms", 1000*r.MaxPlanSeconds)
}

func cpuTimeCell(r *eval.Run) string {
	if r.Cost == nil {
		return "-"
	}
	return fmt.Sprintf("%.0fms", 1000*r.CPUSeconds)
}

// equalJobs is the share of jobs whose times are the stored ones.
func equalJobs(r *eval.Run) string {
	if r.Reference == nil || r.Reference.Jobs == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", r.Reference.EqualJobs, r.Reference.Jobs)
}

// catalogue is what 'simulate --list' answers.
type catalogue struct {
	APIVersion  string       `json:"apiVersion"`
	Kind        string       `json:"kind"`
	Experiments []listed     `json:"experiments"`
	Policies    []listedPlan `json:"policies"`
	Formats     []listed     `json:"formats"`
}

type listed struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Data  string `json:"data,omitempty"` // the file it needs; empty: bundled
}

type listedPlan struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Presets []string `json:"presets"`
}

func (a *app) listExperiments() error {
	c := catalogue{APIVersion: "schedmate/v1", Kind: "Catalogue"}
	for _, name := range experiments.Names() {
		e, err := eval.Load(name)
		if err != nil {
			return asFailure(err)
		}
		c.Experiments = append(c.Experiments, listed{name, e.Title, e.Trace.File})
	}
	for _, d := range policy.All() {
		p := listedPlan{Name: d.Name, About: d.Summary}
		for _, preset := range d.Presets {
			p.Presets = append(p.Presets, preset.Name)
		}
		c.Policies = append(c.Policies, p)
	}
	for _, f := range traces.Formats() {
		c.Formats = append(c.Formats, listed{Name: string(f), About: f.Summary()})
	}
	return a.render(c, func(w io.Writer) error { return catalogueTable(w, &c) })
}

func catalogueTable(w io.Writer, c *catalogue) error {
	rows := [][]string{{"EXPERIMENT", "TRACE", "ABOUT"}}
	for _, e := range c.Experiments {
		source := "bundled"
		if e.Data != "" {
			source = "needs --data"
		}
		rows = append(rows, []string{e.Name, source, e.About})
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	rows = [][]string{{"POLICY", "PRESETS", "ABOUT"}}
	for _, p := range c.Policies {
		rows = append(rows, []string{p.Name, strings.Join(p.Presets, ", "), p.About})
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	rows = [][]string{{"FORMAT", "ABOUT"}}
	for _, f := range c.Formats {
		rows = append(rows, []string{f.Name, f.About})
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return columns(w, rows)
}
