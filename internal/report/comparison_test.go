package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func metric(name, unit string, better Direction, values ...float64) []Run {
	runs := make([]Run, len(values))
	for i, v := range values {
		runs[i] = Run{Policy: string(rune('a' + i)), GPUs: 1, Metrics: []Metric{{Name: name, Unit: unit, Value: v, Better: better}}}
	}
	return runs
}

func TestTheBestValueOfAColumnIsMarked(t *testing.T) {
	for _, c := range []struct {
		name string
		runs []Run
		want string // policies marked
	}{
		{"lowest", metric("JCT", UnitSeconds, LowerIsBetter, 300, 100, 200), "b"},
		{"highest", metric("use", UnitShare, HigherIsBetter, 0.3, 0.1, 0.2), "a"},
		{"a tie", metric("JCT", UnitSeconds, LowerIsBetter, 100, 100, 200), "ab"},
		{"alike in print", metric("JCT", UnitSeconds, LowerIsBetter, 7200, 7210, 9000), "ab"},
		{"all equal", metric("JCT", UnitSeconds, LowerIsBetter, 100, 100, 100), ""},
		{"no direction", metric("jobs", UnitCount, NeitherBetter, 1, 2, 3), ""},
		{"missing is never best", metric("JCT", UnitSeconds, LowerIsBetter, math.NaN(), 5, 6), "b"},
	} {
		got := ""
		for _, r := range newComparisons(grouped(c.runs))[0].Rows {
			if r.Cells[0].Best {
				got += r.Label
			}
		}
		if got != c.want {
			t.Errorf("%s: marked %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAColumnThatNobodyHasIsNamedBelowTheTable(t *testing.T) {
	all := grouped(twoPolicies().Runs)
	columns, note := newComparisons(all)[0].Columns, absentNote(all)
	if len(columns) != 3 || note != "Not measured in any of these runs: wDMR." {
		t.Errorf("table has %d columns and the note %q", len(columns), note)
	}
}

// The metrics of deadlines are why one runs an experiment on deadlines. Among
// a dozen others they would scroll out of sight.
func TestEachGroupOfMetricsHasATableOfItsOwn(t *testing.T) {
	page := twoPolicies()
	for i := range page.Runs {
		m := &page.Runs[i].Metrics
		(*m)[3].Group = "Deadlines"
		*m = append(*m,
			Metric{Name: "restarts", Better: LowerIsBetter},
			Metric{Name: "strict missed", Unit: UnitShare, Value: 0.25, Better: LowerIsBetter, Group: "Deadlines"},
			Metric{Name: "cost", Missing: true, Group: "Money"},
		)
	}
	var got []string
	for _, c := range newComparisons(grouped(page.Runs)) {
		text := fmt.Sprintf("%d %s:", c.Number, c.Title())
		for _, column := range c.Columns {
			text += " " + column.Name
		}
		got = append(got, text)
	}
	want := []string{
		"1 Metrics by policy: mean JCT utilisation preemptions restarts",
		"2 Deadlines: strict missed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	text := render(t, page)
	checkPage(t, text)
	for _, caption := range []string{"Table 2.</b> Deadlines", "Table 3.</b> What others published", "Table 4.</b> The runs", "these runs: wDMR and cost."} {
		if !strings.Contains(text, caption) {
			t.Errorf("page lacks %q", caption)
		}
	}
}

// Seeds 1 and 2 of the paper preset: means of 40 min and 20 min. Student's
// quantile for 2 values is 12.706, so the interval is 30 min ± 12.706 times
// 14.14 min / √2.
func TestSeedsAreAveragedWithTheirInterval(t *testing.T) {
	all := grouped(seeded().Runs)
	if len(all) != 2 || all[0].Label != "sia · paper" || all[0].first().Seed != 1 {
		t.Fatalf("series are %+v", all)
	}
	cell := newComparisons(all)[0].Rows[0].Cells[0]
	if plain(cell.Text) != "30 min" || plain(cell.Range) != "± 2 h 7 min" {
		t.Errorf("cell is %q with range %q", cell.Text, cell.Range)
	}
	if got, _ := mean(all[0].jct); got != 1800 {
		t.Errorf("pooled mean JCT is %v s, want 1800", got)
	}
}

func TestSeedsMissTogether(t *testing.T) {
	runs := metric("JCT", UnitSeconds, LowerIsBetter, 100, 200, 300)
	runs[1].Policy, runs[1].Seed, runs[1].Metrics[0].Missing = "a", 2, true
	if got := newComparisons(grouped(runs))[0].Rows[0].Cells[0]; got.Text != none || got.Best {
		t.Errorf("cell over a seed that misses the metric is %+v", got)
	}
}

func TestUnevenRunsAreFlagged(t *testing.T) {
	page := twoPolicies()
	page.Runs[0].JCT, page.Runs[0].Queue = page.Runs[0].JCT[:1], page.Runs[0].Queue[:1]
	h := newHeadline(grouped(page.Runs))
	if want := "Not every run ended the same number of jobs (1 to 2 jobs), so the means are not over the same jobs."; plain(h.Uneven) != want {
		t.Errorf("remark is %q, want %q", h.Uneven, want)
	}
	page.Runs[0].JCT, page.Runs[0].Queue = nil, nil
	if h := newHeadline(grouped(page.Runs)); len(h.Best) != 1 || h.Best[0] != "srtf" {
		t.Errorf("best is %v, want srtf, the only policy under which jobs ended", h.Best)
	}
}

func TestThePartsOfABarAddUpToTheMeanJCT(t *testing.T) {
	// fifo: mean JCT 3600 s, of which (0 + 3540)/2 = 1770 s in the queue; srtf: 1860 s and 30 s.
	bars := splits(grouped(twoPolicies().Runs))
	got := []string{plain(bars[0].Desc()), plain(bars[1].Desc())}
	want := []string{
		"srtf: mean JCT 31 min, of which 30 s in the queue and 30 min 30 s on GPUs.",
		"fifo: mean JCT 1 h, of which 29 min 30 s in the queue and 30 min 30 s on GPUs.",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
	if bars[1].QueueAt != "49.17" || bars[1].WorkAt != "50.83" {
		t.Errorf("fifo's bar is cut at %s and %s %%, want 49.17 and 50.83", bars[1].QueueAt, bars[1].WorkAt)
	}
}

func TestPublishedFiguresSayHowFarWeAre(t *testing.T) {
	s := &series{Label: "p", Runs: []*Run{{}}}
	for _, c := range []struct {
		ref        Reference
		diff, jobs string
	}{
		{Reference{Theirs: 100, Ours: 101, Equal: 3, Of: 4}, "+1.0 %", "3 of 4"},
		{Reference{Theirs: 100, Ours: 100, Equal: 4, Of: 4}, "equal", "4 of 4"},
		{Reference{Theirs: 0, Ours: 1}, none, none},
		{Reference{Theirs: math.NaN(), Ours: 1}, none, none},
	} {
		if got := newPublished(s, s.Runs[0], c.ref); got.Diff != c.diff || plain(got.Jobs) != c.jobs {
			if plain(got.Diff) != c.diff {
				t.Errorf("%+v: got %q and %q, want %q and %q", c.ref, got.Diff, got.Jobs, c.diff, c.jobs)
			}
		}
	}
}

// Readers who see no colours, and printers that have none, tell the curves of a
// figure by their dashes.
func TestEightSeriesDifferInColourAndInDash(t *testing.T) {
	patterns := map[string]int{"": 0} // of the style sheet; the first one is solid
	for _, m := range regexp.MustCompile(`\.d(\d) \{ stroke-dasharray: ([\d ]+); \}`).FindAllStringSubmatch(pageCSS, -1) {
		if other, dup := patterns[m[2]]; dup {
			t.Errorf("dashes %d and %s are both %q", other, m[1], m[2])
		}
		patterns[m[2]], _ = strconv.Atoi(m[1])
	}
	if len(patterns) != dashes {
		t.Errorf("style sheet has %d dashes, want %d", len(patterns), dashes)
	}
	seen := make(map[string]bool)
	for slot := range 8 {
		s := series{Slot: slot}
		for _, look := range []string{fmt.Sprintf("colour %d", s.Colour()), fmt.Sprintf("dash %d", s.Dash())} {
			if seen[look] {
				t.Errorf("series %d has %s, as an earlier one", slot, look)
			}
			seen[look] = true
		}
	}
}

func TestNoTwoOfManySeriesLookAlike(t *testing.T) {
	seen := make(map[[2]int]bool)
	for slot := range colours * dashes {
		s := series{Slot: slot}
		look := [2]int{s.Colour(), s.Dash()}
		if seen[look] {
			t.Fatalf("series %d looks like an earlier one", slot)
		}
		seen[look] = true
	}
}

// What really happened is compared with the policies and counts as none.
func TestThePastIsNoPolicy(t *testing.T) {
	page := twoPolicies()
	past := page.Runs[0]
	past.Policy, past.Preset, past.Past, past.Usage, past.Bars, past.Nodes = "as it was", "", true, nil, nil, nil
	page.Runs = append(page.Runs, past)
	v := newView(page)
	if want := "2 jobs on 4 GPUs under 2 policies, and as it was"; plain(v.Headline.Scene) != want {
		t.Errorf("the scene is %q, want %q", plain(v.Headline.Scene), want)
	}
	if rows := v.Tables[0].Rows; len(rows) != 3 || rows[2].Label != "as it was" {
		t.Errorf("the table has %d rows", len(rows))
	}
	if len(v.SeedRows) != 2 || len(v.Use) != 2 || len(v.Gantts) != 2 {
		t.Errorf("%d runs with hashes, %d curves and %d charts; want those of the policies", len(v.SeedRows), len(v.Use), len(v.Gantts))
	}
}
