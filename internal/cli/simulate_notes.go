package cli

import (
	"fmt"
	"slices"
	"strings"

	"schedmate"
	"schedmate/eval"
	"schedmate/eval/traces"
	"schedmate/internal/report"
	"schedmate/scheduler"
)

// notes are what a reader must know before quoting the figures of one
// experiment.
func notes(e *eval.Experiment, rep *eval.Report) []string {
	var out []string
	t := &rep.Inputs[0].Trace
	if t.Synthetic != "" {
		out = append(out, "the trace is synthetic, no job of it was ever run: "+t.Synthetic)
	}
	if acc := t.Accounting; acc != nil {
		out = append(out, accountingNotes(acc, &rep.Inputs[0])...)
	}
	for _, d := range t.Dropped {
		out = append(out, fmt.Sprintf("left out %s: %s", plural(d.Count, "job"), d.Reason))
	}
	if t.Capped > 0 {
		out = append(out, fmt.Sprintf("cut the run time of %s to %s", plural(t.Capped, "job"), report.Duration(float64(e.Filter.CapRunSeconds))))
	}
	told := policiesWhere(rep, func(r *eval.Run) int {
		if r.Estimates == scheduler.TrueRunTime {
			return r.Jobs
		}
		return 0
	})
	for _, g := range told {
		out = append(out, fmt.Sprintf("told the true run times, which no real cluster knows: %s", g.policies))
	}
	if e.Estimates.NoiseSigma > 0 {
		out = append(out, fmt.Sprintf("run-time estimates are synthetic: the true run time times a log-normal factor of sigma %g", e.Estimates.NoiseSigma))
	}
	if e.Facts != nil {
		out = append(out, factNotes(e.Facts, rep)...)
	}
	if d := e.Trace.Drawn; d != nil {
		out = append(out, fmt.Sprintf("each seed has a trace of its own, of %d jobs before filters, at an offered load of %g", d.Jobs, d.Load))
	}
	for _, g := range policiesWhere(rep, func(r *eval.Run) int { return r.NoEstimate }) {
		out = append(out, fmt.Sprintf("no run-time estimate for %s, served after those that have one, in order of submission: %s", plural(g.jobs, "job"), g.policies))
	}
	for _, g := range policiesWhere(rep, func(r *eval.Run) int { return r.Infeasible }) {
		out = append(out, fmt.Sprintf("%s can never be placed on this cluster, left out of all means: %s", plural(g.jobs, "job"), g.policies))
	}
	for _, g := range policiesWhere(rep, func(r *eval.Run) int { return r.Unfinished }) {
		out = append(out, fmt.Sprintf("%s never ended, left out of all means: %s", plural(g.jobs, "job"), g.policies))
	}
	if same := alikeSeeds(rep); len(same) > 0 {
		out = append(out, fmt.Sprintf("all seeds gave one and the same run, as nothing in it is drawn; an interval over them says nothing: %s", strings.Join(same, ", ")))
	}
	return out
}

// factNotes say what the facts of each policy were made from, and what was
// assumed of the jobs.
func factNotes(f *eval.FactSpec, rep *eval.Report) (out []string) {
	var order []string
	policies := make(map[string][]string)
	for i := range rep.Runs {
		told := rep.Runs[i].Facts
		if told == nil {
			continue
		}
		what := fmt.Sprintf("facts as in model %s (%.12s): answers for %g of the jobs whose work has run before, which are %g of all; %g of the failures of hardware recognised, %g of the others taken for them",
			told.Model, told.SHA256, told.Hit, told.Repeated, told.Recall, told.FalseAlarm)
		if told.ServiceGPUs > 0 {
			what += fmt.Sprintf("; %s of the cluster given to the model", plural(told.ServiceGPUs, "GPU"))
		}
		if policies[what] == nil {
			order = append(order, what)
		}
		if name := rep.Runs[i].Policy; !slices.Contains(policies[what], name) {
			policies[what] = append(policies[what], name)
		}
	}
	for _, what := range order {
		out = append(out, what+": "+strings.Join(policies[what], ", "))
	}
	if f.Failed > 0 || f.Cancelled > 0 {
		out = append(out, fmt.Sprintf("the trace does not say how jobs ended: %g of them are made to fail and %g to be cancelled, whatever they are", f.Failed, f.Cancelled))
	}
	if f.Infrastructure > 0 {
		out = append(out, fmt.Sprintf("assumed: hardware failed %g of the failed jobs, which go on from a checkpoint of every %s; without a handler they are resubmitted after a median of %s (log-normal, sigma %g)",
			f.Infrastructure, report.Duration(float64(f.Checkpoint)), report.Duration(float64(f.Unattended)), f.UnattendedSigma))
	}
	return out
}

// alikeSeeds are the policies that ran with several seeds and did the same with each.
func alikeSeeds(rep *eval.Report) (out []string) {
	runs := make(map[string]int)
	hashes := make(map[string]map[string]bool)
	for i := range rep.Runs {
		r := &rep.Runs[i]
		if hashes[r.Policy] == nil {
			hashes[r.Policy] = make(map[string]bool)
			out = append(out, r.Policy)
		}
		runs[r.Policy]++
		hashes[r.Policy][r.Hash] = true
	}
	return slices.DeleteFunc(out, func(policy string) bool { return runs[policy] < 2 || len(hashes[policy]) > 1 })
}

// accountingNotes say how an accounting database was read.
func accountingNotes(acc *traces.Accounting, in *eval.Input) (out []string) {
	if in.AsItWas != nil {
		out = append(out, `"as it was" is what the real scheduler did, under limits, reservations, failures and jobs without GPUs that no simulation here knows`)
	}
	gpus := 0
	for i := range in.Machines.Nodes {
		gpus += in.Machines.Nodes[i].GPUs
	}
	if acc.Usage.GPUs > gpus {
		out = append(out, fmt.Sprintf("the jobs really used %s; this cluster has %d GPUs", acc.Usage, gpus))
	}
	if acc.Later > 0 {
		out = append(out, fmt.Sprintf("%s counted from when it became eligible, after its submission: it waited for other jobs, a begin time or a release", plural(acc.Later, "job")))
	}
	if acc.Requeued > 0 {
		out = append(out, fmt.Sprintf("%s ran more than once and counts as one job with the work of all its runs", plural(acc.Requeued, "job")))
	}
	if len(acc.GPUTypes) > 0 && !slices.ContainsFunc(in.Machines.Nodes, func(n schedmate.Node) bool { return n.GPUType != "" }) {
		out = append(out, fmt.Sprintf("GPU types are not told apart, the cluster names none: %s", strings.Join(acc.GPUTypes, ", ")))
	}
	if acc.Steps > 0 {
		out = append(out, fmt.Sprintf("passed over %s of job steps", plural(acc.Steps, "row")))
	}
	return out
}

// group is a count of jobs and the policies that share it.
type group struct {
	jobs     int
	policies string
}

// policiesWhere groups the policies by a count that is not 0.
func policiesWhere(rep *eval.Report, count func(*eval.Run) int) []group {
	var out []group
	for i := range rep.Runs {
		r := &rep.Runs[i]
		n := count(r)
		if n == 0 {
			continue
		}
		at := 0
		for at < len(out) && out[at].jobs != n {
			at++
		}
		if at == len(out) {
			out = append(out, group{jobs: n})
		}
		if names := strings.Split(out[at].policies, ", "); names[len(names)-1] != r.Policy {
			out[at].policies = strings.TrimPrefix(out[at].policies+", "+r.Policy, ", ")
		}
	}
	return out
}
