package tracker_test

import (
	"fmt"
	"strings"

	"schedmate"
)

// listing writes out what was read, one thing a line: the value, the line of
// the log that says so, what the log calls it, how it was found.
func listing(p *schedmate.Progress) string {
	if !p.Trackable {
		return "silent\n"
	}
	var b strings.Builder
	row := func(what, value string, r *schedmate.Reading) {
		if r != nil {
			fmt.Fprintf(&b, "%-11s %-22s line %-4d %s: %s\n", what, value, r.Line, orNone(r.Name), r.Method)
		}
	}
	row("step", of(p.Step, p.TotalSteps)+" "+p.StepUnit, p.Step)
	row("epoch", of(p.Epoch, p.TotalEpochs), p.Epoch)
	row("step time", number(p.StepTime)+" s", p.StepTime)
	row("throughput", number(p.Throughput)+" "+p.ThroughputUnit, p.Throughput)
	row("loss", number(p.Loss), p.Loss)
	row("lr", number(p.LearningRate), p.LearningRate)
	row("remaining", number(p.Remaining)+" s", p.Remaining)
	row("progress", percent(p.Fraction), p.Fraction)
	for _, c := range p.Validation {
		points := fmt.Sprintf("%d points", len(c.Points))
		if len(c.Points) <= 4 {
			var all []string
			for _, q := range c.Points {
				all = append(all, fmt.Sprintf("%g at %g", q[1], q[0]))
			}
			points = strings.Join(all, ", ")
		}
		better := c.Better
		if better == "" {
			better = "unknown"
		}
		fmt.Fprintf(&b, "%-11s %s by %s (better: %s), last in line %d: %s\n", "validation", c.Name, c.XUnit, better, c.Last.Line, points)
	}
	if s := p.Slowdown; s != nil {
		fmt.Fprintf(&b, "%-11s from step %g, line %d: %.3g s to %.3g s, times %.3g\n", "slowdown", s.Step, s.Line, s.BeforeSeconds, s.AfterSeconds, s.Ratio)
	}
	fmt.Fprintf(&b, "%-11s %s\n", "phase", p.Phase)
	return b.String()
}

func number(r *schedmate.Reading) string {
	if r == nil {
		return ""
	}
	if r.Value >= 1e4 && r.Value < 1e15 && r.Value == float64(int64(r.Value)) {
		return fmt.Sprintf("%.0f", r.Value)
	}
	return fmt.Sprintf("%.4g", r.Value)
}

func of(r, total *schedmate.Reading) string {
	if total == nil {
		return number(r)
	}
	return number(r) + " of " + number(total)
}

func percent(r *schedmate.Reading) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%.3g %%", 100*r.Value)
}

func orNone(name string) string {
	if name == "" {
		return "-"
	}
	return name
}
