package synthetic

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"schedmate"
	"schedmate/eval/traces"
	"schedmate/scheduler/sim"
)

// Write makes the trace of a recipe in format synthetic, a job at a time.
func (p *Published) Write(w io.Writer, r *Recipe) error {
	if _, err := p.plan(r); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n%s\n", r.Label(), strings.Join(traces.SyntheticColumns, ","))
	var line []byte
	err := p.jobs(r, func(j *sim.Job, _ *drawn) error {
		line = appendRow(line[:0], j)
		_, err := out.Write(line)
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("write the synthetic trace: %w", err)
	}
	return nil
}

// appendRow writes a job in the order of traces.SyntheticColumns. No cell holds
// what CSV would have to quote.
func appendRow(b []byte, j *sim.Job) []byte {
	b = append(b, j.ID...)
	b = append(append(b, ','), j.Name...)
	b = strconv.AppendInt(append(b, ','), int64(j.GPUs), 10)
	b = strconv.AppendInt(append(b, ','), int64(j.Submit), 10)
	b = strconv.AppendInt(append(b, ','), int64(j.Outcome.Run), 10)
	b = append(append(b, ','), j.Outcome.State...)
	b = append(append(b, ','), j.SLO.Class...)
	b = appendList(append(b, ','), j.SLO.Tiers, func(t schedmate.Tier) int64 { return int64(t.Deadline - j.Submit) })
	b = appendList(append(b, ','), j.SLO.Tiers, func(t schedmate.Tier) int64 { return int64(t.Reward) })
	return append(b, '\n')
}

func appendList(b []byte, tiers []schedmate.Tier, value func(schedmate.Tier) int64) []byte {
	for i, t := range tiers {
		if i > 0 {
			b = append(b, '-')
		}
		b = strconv.AppendInt(b, value(t), 10)
	}
	return b
}
