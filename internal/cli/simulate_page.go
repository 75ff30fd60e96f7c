package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedmate"
	"schedmate/eval"
	"schedmate/internal/report"
)

// simulationPage turns the simulation of one experiment into the page that
// people read.
func simulationPage(e *eval.Experiment, rep *eval.Report, command string) report.Page {
	v, in := version(), &rep.Inputs[0]
	p := report.Page{
		Title:   e.Title,
		Intro:   e.About,
		Command: command,
		Facts: []report.Pair{
			{Name: "Trace", Value: fmt.Sprintf("%s (%s), %s jobs", in.Trace.Name, in.Trace.Format, report.Count(in.Trace.Jobs))},
			{Name: "SHA-256 of the trace", Value: in.Trace.SHA256},
			{Name: "Cluster", Value: in.Cluster},
			{Name: "Version", Value: strings.TrimSpace(v.Version + " " + v.Commit)},
		},
	}
	if in.Trace.Synthetic != "" {
		p.Title += " (synthetic trace)"
	}
	p.Notes = notes(e, rep)
	if in.AsItWas != nil && len(rep.Runs) > 0 {
		p.Runs = append(p.Runs, pagePast(in, rep))
	}
	for i := range rep.Runs {
		p.Runs = append(p.Runs, pageRun(&rep.Runs[i], &in.Machines))
	}
	alignMetrics(p.Runs)
	return p
}

// alignMetrics gives all runs the same metrics: a run in which no job of a size
// or virtual cluster ended lacks its figure.
func alignMetrics(runs []report.Run) {
	type key struct{ group, name string }
	index := make(map[key]int)
	var all []report.Metric
	for i := range runs {
		for _, m := range runs[i].Metrics {
			k := key{m.Group, m.Name}
			if _, ok := index[k]; !ok {
				index[k] = len(all)
				m.Missing, m.Value = true, 0
				all = append(all, m)
			}
		}
	}
	for i := range runs {
		aligned := slices.Clone(all)
		for _, m := range runs[i].Metrics {
			aligned[index[key{m.Group, m.Name}]] = m
		}
		runs[i].Metrics = aligned
	}
}

// pagePast is what really happened, as a row beside the policies. It has the
// metrics of a run; those that nobody measured are missing.
func pagePast(in *eval.Input, rep *eval.Report) report.Run {
	a := in.AsItWas
	out := report.Run{
		Policy: asItWas, Past: true, GPUs: rep.Runs[0].Result.GPUs, Makespan: schedmate.Seconds(a.Makespan), JCT: a.JCT, Queue: a.Queue,
	}
	shaped := pastRun(in)
	out.Metrics = pageMetrics(&shaped)
	for i := range out.Metrics {
		m := &out.Metrics[i]
		switch {
		case m.Name == "Utilisation":
			m.Missing = a.Utilisation == nil
		case m.Name == "Preemptions":
			m.Missing = true
		}
	}
	return out
}

func pageRun(r *eval.Run, c *schedmate.Cluster) report.Run {
	out := report.Run{
		Policy: r.Policy, Preset: r.Preset, Seed: r.Seed, Hash: r.Hash,
		GPUs: r.Result.GPUs, Makespan: r.Result.Makespan(), Metrics: pageMetrics(r),
	}
	if r.Reading != r.Preset {
		out.Preset = fmt.Sprintf("%s (%s)", r.Preset, r.Reading)
	}
	for i := range r.Result.Jobs {
		if j := &r.Result.Jobs[i]; j.Ran() {
			out.JCT = append(out.JCT, j.JCT())
			out.Queue = append(out.Queue, j.Queue)
		}
	}
	if r.Timeline != nil {
		pageTimeline(&out, r.Timeline, c, r.Result.First)
	}
	out.Pairs = pagePairs(r.Result)
	if ref := r.Reference; ref != nil {
		if ref.Jobs > 0 {
			out.Reference = append(out.Reference, report.Reference{
				Name: "jobs with equal start and end", Theirs: float64(ref.Jobs), Ours: float64(ref.EqualJobs),
				Equal: ref.EqualJobs, Of: ref.Jobs, Source: ref.Source,
			})
		}
		for _, f := range ref.Figures {
			unit := report.UnitCount
			if strings.HasSuffix(f.Metric, "_s") {
				unit = report.UnitSeconds
			}
			out.Reference = append(out.Reference, report.Reference{Name: f.Metric, Unit: unit, Theirs: f.Theirs, Ours: f.Ours, Source: ref.Source})
		}
	}
	return out
}

// pageTimeline counts time from the first submission.
func pageTimeline(out *report.Run, t *eval.Timeline, c *schedmate.Cluster, zero schedmate.Seconds) {
	first := make(map[string]int, len(c.Nodes)) // the node's first row
	rows := 0
	for i := range c.Nodes {
		n := &c.Nodes[i]
		first[n.ID] = rows
		rows += n.GPUs
		out.Nodes = append(out.Nodes, report.Node{Name: n.ID, GPUs: n.GPUs})
	}
	for _, u := range t.Usage {
		out.Usage = append(out.Usage, report.Sample{
			At: u.At - zero, UsedGPUs: u.UsedGPUs, DownGPUs: u.DownGPUs, WaitingJobs: u.WaitingJobs, WaitingGPUs: u.WaitingGPUs,
		})
	}
	for _, b := range t.Bars {
		out.Bars = append(out.Bars, report.Bar{
			Job: b.Job, Row: first[b.Node] + b.GPU, Start: b.Start - zero, End: b.End - zero, GPUs: b.Gang, Preempted: b.Preempted,
		})
	}
	out.BarsOmitted = t.BarsOmitted
}

// overEnded is a figure over the jobs that ended, if any did.
func overEnded(r *eval.Run, v *float64) *float64 {
	if r.Ended == 0 {
		return nil
	}
	return v
}

func pageMetrics(r *eval.Run) []report.Metric {
	seconds := func(name string, v float64, help string) report.Metric {
		return report.Metric{Name: name, Unit: report.UnitSeconds, Value: v, Better: report.LowerIsBetter, Help: help, Missing: r.Ended == 0}
	}
	share := func(name string, v *float64, better report.Direction, help string) report.Metric {
		m := report.Metric{Name: name, Unit: report.UnitShare, Better: better, Help: help, Missing: v == nil}
		if v != nil {
			m.Value = *v
		}
		return m
	}
	metrics := []report.Metric{
		seconds("Mean JCT", r.MeanJCT, "Job completion time, from submission to end, over the jobs that ended."),
		seconds("Median JCT", r.P50JCT, "Half of the jobs complete within this time."),
		seconds("p90 JCT", r.P90JCT, "9 of 10 jobs complete within this time."),
		seconds("p99 JCT", r.P99JCT, "99 of 100 jobs complete within this time."),
		seconds("Mean queue", r.MeanQueue, "Waiting time, the waits after preemptions included."),
		seconds("Median queue", r.P50Queue, "Half of the jobs wait no longer than this."),
		seconds("p90 queue", r.P90Queue, "9 of 10 jobs wait no longer than this."),
		seconds("p99 queue", r.P99Queue, "99 of 100 jobs wait no longer than this."),
		seconds("p99.9 queue", r.P999Queue, "999 of 1000 jobs wait no longer than this."),
		seconds("Makespan", float64(r.Makespan), "From the first submission to the last end."),
		share("Utilisation", overEnded(r, &r.Utilisation), report.HigherIsBetter, "GPU time held by jobs over the GPU time of the whole cluster during the makespan; capacity held back counts as capacity."),
		{Name: "Preemptions", Value: float64(r.Preemptions), Better: report.NeitherBetter, Help: "Times the policy took a job's GPUs away."},
		{Name: "Max slowdown", Unit: "x", Value: r.MaxSlowdown, Better: report.LowerIsBetter, Missing: r.Ended == 0, Help: "Largest completion time over run time of any job."},
	}
	if r.WDMR != nil {
		for _, m := range []report.Metric{
			share("wDMR", r.WDMR, report.LowerIsBetter, "Weighted deadline miss rate: mean share of the reward lost, over all jobs with a deadline."),
			share("Strict missed", r.StrictMiss, report.LowerIsBetter, "Share of the strict jobs that end after their deadline."),
			share("Soft lost", r.SoftMiss, report.LowerIsBetter, "Mean share of the reward that soft jobs lose."),
			share("Deadlines missed", r.DMR, report.LowerIsBetter, "Share of the jobs with a deadline that end after their first one, or never."),
			share("Accepted (strict)", r.AcceptanceStrict, report.HigherIsBetter, "Share of the strict jobs that were promised their deadline; missing for policies without admission."),
			share("Accepted (soft)", r.AcceptanceSoft, report.HigherIsBetter, "Share of the soft jobs that were told to expect one of their deadlines; missing for policies without admission."),
			share("Promises broken", r.BrokenAmongAccepted, report.LowerIsBetter, "Share of the accepted jobs that end after the deadline they were first told, or never."),
			share("Strict promises broken", r.BrokenAmongPromised, report.LowerIsBetter, "The same of the strict jobs alone, which were guaranteed their deadline."),
		} {
			m.Group = "Deadlines"
			metrics = append(metrics, m)
		}
	}
	metrics = append(metrics, sizeMetrics(r)...)
	metrics = append(metrics, vcMetrics(r)...)
	if r.VCFairness != nil {
		metrics = append(metrics, report.Metric{Name: "VC fairness", Value: *r.VCFairness, Better: report.HigherIsBetter, Help: "Jain's index of the virtual clusters' mean slowdowns; 1 means all alike."})
	}
	return metrics
}

// sizeMetrics are the waits and completion times by the size of the jobs. Runs
// of one trace have the same sizes.
func sizeMetrics(r *eval.Run) []report.Metric {
	var metrics []report.Metric
	for _, group := range []struct {
		name  string
		value func(eval.SizeShare) float64
	}{
		{"Mean queue by GPUs of the job", func(s eval.SizeShare) float64 { return s.MeanQueue }},
		{"Mean JCT by GPUs of the job", func(s eval.SizeShare) float64 { return s.MeanJCT }},
	} {
		for _, s := range r.Sizes {
			name := fmt.Sprintf("%d–%d GPUs", s.FromGPUs, s.ToGPUs)
			if s.FromGPUs == s.ToGPUs {
				name = fmt.Sprintf("%d GPUs", s.ToGPUs)
			}
			if s.ToGPUs == 1 {
				name = "1 GPU"
			}
			metrics = append(metrics, report.Metric{
				Name: name, Group: group.name, Unit: report.UnitSeconds, Value: group.value(s), Better: report.LowerIsBetter,
				Help: fmt.Sprintf("Over the %s jobs of this size that ended; they ran %.1f %% of all GPU time.", report.Count(s.Jobs), 100*s.GPUTimeShare),
			})
		}
	}
	return metrics
}

// mostVCs is how many virtual clusters have a column of their own: the rest is
// in the JSON report.
const mostVCs = 12

// vcMetrics are the mean waits of the virtual clusters that use the most GPU
// time.
func vcMetrics(r *eval.Run) []report.Metric {
	if len(r.VCs) < 2 {
		return nil
	}
	largest := slices.Clone(r.VCs)
	slices.SortStableFunc(largest, func(a, b eval.VCShare) int { return cmp.Compare(b.GPUTimeShare, a.GPUTimeShare) })
	name := "Mean queue by virtual cluster"
	if len(largest) > mostVCs {
		largest = largest[:mostVCs]
		name += fmt.Sprintf(" (the %d that use most)", mostVCs)
	}
	var metrics []report.Metric
	for _, v := range largest {
		metrics = append(metrics, report.Metric{
			Name: v.VC, Group: name, Unit: report.UnitSeconds, Value: v.MeanQueue, Better: report.LowerIsBetter,
			Help: fmt.Sprintf("Over the %s jobs of this virtual cluster that ended; they ran %.1f %% of all GPU time, at a mean slowdown of %.2f.", report.Count(v.Jobs), 100*v.GPUTimeShare, v.MeanSlowdown),
		})
	}
	return metrics
}
