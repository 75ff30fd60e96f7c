package report

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"schedmate/eval"
)

// comparison is the table of one group of metrics, one row a series.
type comparison struct {
	Number  int    // of the table on the page
	Group   string // "" for the general metrics
	Only    bool   // it holds all the metrics of the page
	Columns []column
	Rows    []row
	Seeds   bool // some rows are means over seeds
}

type column struct {
	Metric
	Hint string // which end is better, in words
}

type row struct {
	*series
	Cells []cell
}

// cell is one metric of one series: the value, or the mean over its seeds.
type cell struct {
	Text    string
	Precise string // the same without rounding to other units
	Range   string // interval of the mean over seeds; empty when they agree
	Sort    string // plain number, empty when missing
	Best    bool
	Bar     string // length of the bar under the number, per cent of the largest; empty for none
	value   float64
}

// newComparisons makes one table a group, in the order in which the groups
// come up. Metrics that no run has are no columns.
func newComparisons(all []*series) []comparison {
	var groups []string
	shown := make(map[string][]int) // the metrics that become columns
	for k, m := range all[0].first().Metrics {
		if absent(all, k) {
			continue
		}
		if shown[m.Group] == nil {
			groups = append(groups, m.Group)
		}
		shown[m.Group] = append(shown[m.Group], k)
	}
	var tables []comparison
	for i, g := range groups {
		c := newComparison(all, shown[g])
		c.Number, c.Group, c.Only = i+1, g, len(groups) == 1
		tables = append(tables, c)
	}
	return tables
}

func newComparison(all []*series, shown []int) comparison {
	var c comparison
	for _, k := range shown {
		m := all[0].first().Metrics[k]
		hint := ""
		switch {
		case m.Better < 0:
			hint = "lower is better"
		case m.Better > 0:
			hint = "higher is better"
		}
		c.Columns = append(c.Columns, column{m, hint})
	}
	for _, s := range all {
		r := row{series: s}
		for _, k := range shown {
			r.Cells = append(r.Cells, newCell(s, k))
		}
		c.Seeds = c.Seeds || len(s.Runs) > 1
		c.Rows = append(c.Rows, r)
	}
	for k := range c.Columns {
		c.mark(k)
	}
	return c
}

// absent reports whether no run has the k-th metric.
func absent(all []*series, k int) bool {
	for _, s := range all {
		for _, r := range s.Runs {
			if m := r.Metrics[k]; !m.Missing && finite(m.Value) {
				return false
			}
		}
	}
	return true
}

// newCell averages the k-th metric over the seeds. It is missing as soon as
// one seed lacks it: a mean over some of the seeds would compare unlike things.
func newCell(s *series, k int) cell {
	var values []float64
	for _, r := range s.Runs {
		m := r.Metrics[k]
		if m.Missing || !finite(m.Value) {
			return cell{Text: none}
		}
		values = append(values, m.Value)
	}
	v := stat.Mean(values, nil)
	if !finite(v) {
		return cell{Text: none}
	}
	c := cell{value: v, Sort: strconv.FormatFloat(v, 'g', -1, 64)}
	unit := s.first().Metrics[k].Unit
	c.Text, c.Precise = show(v, unit)
	if len(values) > 1 {
		if half := eval.IntervalOf(values).High - v; half > 0 && finite(half) {
			text, _ := show(half, unit)
			c.Range = "± " + text
		}
	}
	return c
}

// mark finds the best cells of a column, unless all are equally good, and the
// lengths of the bars. Cells that read like the best one count as best: a mark
// must not tell apart what the text does not.
func (c *comparison) mark(k int) {
	better := float64(c.Columns[k].Better)
	var lo, hi, longest float64
	cells := 0
	for i := range c.Rows {
		x := &c.Rows[i].Cells[k]
		if x.Sort == "" {
			continue
		}
		if cells == 0 {
			lo, hi = x.value, x.value
		}
		lo, hi = min(lo, x.value), max(hi, x.value)
		longest = max(longest, x.value)
		cells++
	}
	best, _ := show(lo, c.Columns[k].Unit)
	if better > 0 {
		best, _ = show(hi, c.Columns[k].Unit)
	}
	for i := range c.Rows {
		x := &c.Rows[i].Cells[k]
		if x.Sort == "" || better == 0 {
			continue
		}
		x.Best = lo < hi && x.Text == best
		if lo >= 0 && longest > 0 {
			x.Bar = at(x.value / longest)
		}
	}
}

// seedRow is one run in the table of runs.
type seedRow struct {
	*series
	Policy, Preset, Hash, Makespan, Jobs string
	Seed                                 int64
}

func seedRows(all []*series) []seedRow {
	var rows []seedRow
	for _, s := range all {
		for _, r := range s.Runs {
			rows = append(rows, seedRow{
				series: s, Policy: r.Policy, Preset: r.Preset, Hash: r.Hash, Seed: r.Seed,
				Makespan: seconds(r.Makespan), Jobs: Count(len(r.JCT)),
			})
		}
	}
	return rows
}

// Few says that the table has so few columns that it need not be as wide as
// the page.
func (c comparison) Few() bool { return len(c.Columns) < 6 }

// Title is what the caption says.
func (c comparison) Title() string {
	switch {
	case c.Only && c.Group == "":
		return "All metrics by policy"
	case c.Group == "":
		return "Metrics by policy"
	}
	return c.Group
}

// absentNote names the metrics that the tables leave out.
func absentNote(all []*series) string {
	var names []string
	for k, m := range all[0].first().Metrics {
		if absent(all, k) {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Not measured in any of these runs: " + list(names) + "."
}

// seedNote says how several seeds of one policy are shown, or nothing.
func seedNote(all []*series) string {
	for _, s := range all {
		if len(s.Runs) > 1 {
			return fmt.Sprintf("Several seeds of one policy count as one: means and distributions are over the jobs of all its seeds together, table cells are means over the seeds with half the width of their 95 %% interval below (Student's; with few seeds it is wide), and the figures over time show the first seed (%s: %d).", s.Label, s.first().Seed)
		}
	}
	return ""
}
