package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"schedmate/eval"
)

// spreadTable writes the means over seeds, each with half the width of its
// interval.
func spreadTable(w io.Writer, rep *eval.Report) error {
	head := []string{"POLICY", "PRESET", "SEEDS", "MEAN-JCT", "P99", "MEAN-QUEUE", "MAKESPAN", "UTIL"}
	many := len(rep.Inputs) > 1
	deadlines := slices.ContainsFunc(rep.Spreads, func(s eval.Spread) bool { return s.WDMR != nil })
	if many {
		head = append([]string{"EXPERIMENT"}, head...)
	}
	if deadlines {
		head = append(head, "WDMR", "STRICT-MISS", "SOFT-LOSS", "BE-JCT", "BE-P99")
	}
	rows := [][]string{head}
	seconds := func(x eval.Interval) string { return humanSeconds(x.Mean) + " ± " + humanSeconds(x.High-x.Mean) }
	perhaps := func(x *eval.Interval) string {
		if x == nil {
			return "-"
		}
		return seconds(*x)
	}
	share := func(x *eval.Interval) string {
		if x == nil {
			return "-"
		}
		return percent(x.Mean) + " ± " + percent(x.High-x.Mean)
	}
	for i := range rep.Spreads {
		s := &rep.Spreads[i]
		row := []string{s.Policy, s.Preset, strconv.Itoa(s.Seeds), seconds(s.MeanJCT), seconds(s.P99JCT), seconds(s.MeanQueue), seconds(s.Makespan), share(&s.Utilisation)}
		if many {
			row = append([]string{s.Experiment}, row...)
		}
		if deadlines {
			row = append(row, share(s.WDMR), share(s.StrictMiss), share(s.SoftMiss), perhaps(s.MeanJCTBestEffort), perhaps(s.P99JCTBestEffort))
		}
		rows = append(rows, row)
	}
	if _, err := fmt.Fprintf(w, "\nMeans over the seeds, with Student's %.0f%% intervals\n", 100*eval.Confidence); err != nil {
		return err
	}
	return columns(w, rows)
}
