package sim_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"schedmate"
	"schedmate/scheduler/sim"
)

func (r *told) transcript() string {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, ev := range r.events {
		what := []any{ev.At, ev.Kind}
		switch ev.Kind {
		case sim.NodeHealth:
			what = append(what, ev.Node, ev.Health)
		case sim.Started, sim.Moved:
			what = append(what, ev.Job, places(ev.Allocations))
		case sim.Ended:
			what = append(what, ev.Job, ev.State)
		case sim.Evicted:
			what = append(what, ev.Job, "from "+ev.Node)
		case sim.Rejected:
			what = append(what, ev.Job, reasonText(r.reason(ev.Job)))
		default:
			what = append(what, ev.Job, "")
		}
		fmt.Fprintf(w, "%v\t%v\t%v\t%v\n", what...)
	}
	w.Flush()
	w = tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	slo := slices.ContainsFunc(r.load.Jobs, func(j sim.Job) bool { return j.SLO.HasDeadline() })
	header := "job\tgpus\tsubmit\tstart\tend\tqueue\tjct\tpreempted\trestarts\tstate"
	if slo {
		header += "\treward"
	}
	fmt.Fprintln(w, header)
	var jct, queue schedmate.Seconds
	for i := range r.result.Jobs {
		j := &r.result.Jobs[i]
		start, end, took := "-", "-", "-"
		if j.Start != sim.NoTime {
			start = fmt.Sprint(j.Start)
		}
		if j.Ran() {
			end, took = fmt.Sprint(j.End), fmt.Sprint(j.JCT())
			jct += j.JCT()
		}
		queue += j.Queue
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%d\t%s\t%d\t%d\t%s", j.Job.ID, j.Job.GPUs, j.Job.Submit, start, end, j.Queue, took, j.Preemptions, j.Restarts, j.State)
		if slo {
			fmt.Fprintf(w, "\t%d", j.Job.SLO.RewardAt(j.End))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	fmt.Fprintf(&out, "sum of jct %d s, of queue %d s; makespan %d s; held %d of %d GPU-s", jct, queue, r.result.Makespan(),
		r.result.HeldGPUSeconds, int64(r.result.GPUs)*int64(r.result.Makespan()))
	if r.result.DownGPUSeconds > 0 {
		fmt.Fprintf(&out, ", %d down", r.result.DownGPUSeconds)
	}
	if r.result.RedoneGPUSeconds > 0 {
		fmt.Fprintf(&out, ", %d undone", r.result.RedoneGPUSeconds)
	}
	if r.result.Preemptions > 0 {
		fmt.Fprintf(&out, "; preemptions %d", r.result.Preemptions)
	}
	if r.result.Unfinished > 0 {
		fmt.Fprintf(&out, "; unfinished %d", r.result.Unfinished)
	}
	for _, p := range r.result.Packs {
		fmt.Fprintf(&out, "\npair %s at %.3f beside %s at %.3f, from %d to %d", p.Guest, float64(p.GuestSpeed)/1000, p.Host, float64(p.HostSpeed)/1000, p.At, p.Until)
		if u := p.Undo; u != nil {
			fmt.Fprintf(&out, "; undone as %s takes %.3f of its time after %d steps, %.3f is tolerated; %d s lost", u.Slower, float64(u.Ratio)/1000, u.Steps, float64(u.Tolerated)/1000, p.Lost)
		}
	}
	return trimmed(out.String())
}

func trimmed(text string) string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " ")
	}
	return strings.Join(all, "\n")
}

func (r *told) reason(job string) *schedmate.Reason {
	for i := range r.result.Jobs {
		if r.result.Jobs[i].Job.ID == job {
			return r.result.Jobs[i].Reason
		}
	}
	return nil
}

// places writes allocations as n1:0-3,6 n2:0.
func places(as []schedmate.Allocation) string {
	var out []string
	for i := 0; i < len(as); {
		node, gpus := as[i].Node, []string{}
		for i < len(as) && as[i].Node == node {
			from := as[i].GPU
			for i++; i < len(as) && as[i].Node == node && as[i].GPU == as[i-1].GPU+1; i++ {
			}
			if to := as[i-1].GPU; to > from {
				gpus = append(gpus, fmt.Sprintf("%d-%d", from, to))
			} else {
				gpus = append(gpus, strconv.Itoa(from))
			}
		}
		out = append(out, node+":"+strings.Join(gpus, ","))
	}
	return strings.Join(out, " ")
}

func reasonText(r *schedmate.Reason) string {
	text := fmt.Sprintf("%s, needs %d, free %d, short %d", r.Code, r.Need, r.Free, r.Short)
	if r.Limit > 0 {
		text += fmt.Sprintf(", limit %d", r.Limit)
	}
	if len(r.Blockers) > 0 {
		text += ", behind " + strings.Join(r.Blockers, " ")
	}
	if len(r.Nodes) > 0 {
		text += ", nodes " + strings.Join(r.Nodes, " ")
	}
	c := &r.Change
	var change []string
	add := func(set bool, format string, args ...any) {
		if set {
			change = append(change, fmt.Sprintf(format, args...))
		}
	}
	add(c.Resize > 0, "%d GPUs", c.Resize)
	add(c.AnyType, "any type")
	add(c.VC != "", "vc %s", c.VC)
	add(c.Quota > 0, "quota %d", c.Quota)
	add(len(c.Restore) > 0, "%s back", strings.Join(c.Restore, " "))
	add(len(c.Release) > 0, "%s over", strings.Join(c.Release, " "))
	add(len(c.Hold) > 0, "%s held", strings.Join(c.Hold, " "))
	text += "; starts with " + strings.Join(change, " and ")
	if r.Until > 0 {
		text += fmt.Sprintf(", expected at %d", r.Until)
	}
	return text
}
