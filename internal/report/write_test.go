package report

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; understand the difference before you commit it")

// twoPolicies is a cluster of two nodes with two GPUs each and two jobs: "big"
// wants all four GPUs for an hour from 0 s on, "small" wants one for a minute
// from 60 s on. First in, first out makes small wait; SRTF interrupts big.
func twoPolicies() Page {
	nodes := []Node{{"n1", 2}, {"n2", 2}}
	gang := func(start, end schedmate.Seconds, preempted bool) []Bar {
		var bars []Bar
		for row := range 4 {
			bars = append(bars, Bar{Job: "big", Row: row, Start: start, End: end, GPUs: 4, Preempted: preempted})
		}
		return bars
	}
	small := func(start, end schedmate.Seconds) Bar { return Bar{Job: "small", Start: start, End: end, GPUs: 1} }
	metrics := func(jct, utilisation, preemptions float64) []Metric {
		return []Metric{
			{Name: "mean JCT", Unit: UnitSeconds, Value: jct, Better: LowerIsBetter, Help: "End minus submission."},
			{Name: "utilisation", Unit: UnitShare, Value: utilisation, Better: HigherIsBetter, Help: "GPU time in use by capacity."},
			{Name: "preemptions", Unit: UnitCount, Value: preemptions, Help: "Times a job lost its GPUs."},
			{Name: "wDMR", Unit: UnitShare, Missing: true, Better: LowerIsBetter, Help: "Weighted deadline miss rate."},
		}
	}
	return Page{
		Title:   "Two jobs on 2 x 2 GPUs",
		Intro:   "What a preemption is worth.",
		Command: "schedmate simulate --trace two.csv \\\n  --policies fifo,srtf",
		Facts:   []Pair{{"Trace", "two.csv"}, {"Cluster", "2 x 2"}},
		Notes:   []string{"Synthetic jobs."},
		Runs: []Run{
			{
				Policy: "fifo", Preset: "paper", Seed: 1, Hash: "aa11", GPUs: 4, Makespan: 3660,
				Metrics: metrics(3600, 14460./(4*3660), 0),
				JCT:     []schedmate.Seconds{3600, 3600}, Queue: []schedmate.Seconds{0, 3540},
				Usage: []Sample{
					{At: 0, UsedGPUs: 4}, {At: 60, UsedGPUs: 4, WaitingJobs: 1, WaitingGPUs: 1},
					{At: 3600, UsedGPUs: 1}, {At: 3660},
				},
				Nodes: nodes, Bars: append(gang(0, 3600, false), small(3600, 3660)),
			},
			{
				Policy: "srtf", Preset: "paper", Seed: 1, Hash: "bb22", GPUs: 4, Makespan: 3660,
				Metrics: metrics(1860, 14460./(4*3660), 1),
				JCT:     []schedmate.Seconds{3660, 60}, Queue: []schedmate.Seconds{60, 0},
				Usage: []Sample{
					{At: 0, UsedGPUs: 4}, {At: 60, UsedGPUs: 1, WaitingJobs: 1, WaitingGPUs: 4},
					{At: 120, UsedGPUs: 4}, {At: 3660},
				},
				Nodes: nodes, Bars: append(append(gang(0, 60, true), small(60, 120)), gang(120, 3660, false)...),
				Reference: []Reference{
					{Name: "mean JCT", Unit: UnitSeconds, Theirs: 1860, Ours: 1860, Equal: 2, Of: 2, Source: "by hand"},
					{Name: "speed-up", Theirs: 2, Ours: 3600. / 1860, Source: "a rough guess"},
				},
			},
		},
	}
}

// seeded is a page without anything over time: two seeds of one policy in two
// presets.
func seeded() Page {
	run := func(preset string, seed int64, jct ...schedmate.Seconds) Run {
		r := Run{Policy: "sia", Preset: preset, Seed: seed, Hash: "cc", GPUs: 8, Makespan: 7200, JCT: jct}
		sum := 0.0
		for _, t := range jct {
			r.Queue = append(r.Queue, t/2)
			sum += float64(t)
		}
		r.Metrics = []Metric{{Name: "mean JCT", Unit: UnitSeconds, Value: sum / float64(len(jct)), Better: LowerIsBetter}}
		return r
	}
	return Page{Title: "Seeds", Runs: []Run{
		run("paper", 2, 600, 1800), run("paper", 1, 1200, 3600), run("artifact", 1, 7200, 7200), run("artifact", 2, 7200, 7200),
	}}
}

func render(t testing.TB, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// assets are style and script; they have tests of their own and would make
// every golden file change with every colour.
var assets = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|script-src '[^']*'|script-src &#39;.*?&#39;`)

func TestGoldenPages(t *testing.T) {
	for name, page := range map[string]Page{"two-policies": twoPolicies(), "seeded": seeded(), "packed": packed()} {
		t.Run(name, func(t *testing.T) {
			got := assets.ReplaceAllString(render(t, page), "")
			file := filepath.Join("testdata", name+".html")
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v: run the test with -rewrite once", err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("page differs from %s (-want +got); if it should, run with -rewrite:\n%s", file, diff)
			}
		})
	}
}

func TestSamePageGivesSameBytes(t *testing.T) {
	if first, second := render(t, twoPolicies()), render(t, twoPolicies()); first != second {
		t.Error("two renderings of one page differ")
	}
}

func TestWriteLeavesThePageOfTheCallerAlone(t *testing.T) {
	page := twoPolicies()
	page.Runs[0].Bars[0].Job = "big\u202e"
	render(t, page)
	want := twoPolicies()
	want.Runs[0].Bars[0].Job = "big\u202e"
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("Write changed its argument (-before +after):\n%s", diff)
	}
}

func TestHeadlineNamesTheBestPolicyWithItsLead(t *testing.T) {
	got := strings.ReplaceAll(render(t, twoPolicies()), nbsp, " ")
	// (3600 - 1860) / 3600 = 48.3 %
	want := `<b>srtf</b> has the lowest mean JCT, <b title="1,860 s">31 min</b>: 48.3 % below fifo (the next, 1 h).`
	if !strings.Contains(got, want) {
		t.Errorf("page lacks %q", want)
	}
}

func TestBrokenPagesAreRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct {
		name   string
		breaks func(*Page)
		want   string
	}{
		{"no runs", func(p *Page) { p.Runs = nil }, "has no runs: simulate at least one policy first"},
		{"run twice", func(p *Page) { p.Runs[1].Policy = "fifo" }, `runs 0 and 1 are both policy "fifo"`},
		{"fewer metrics", func(p *Page) { p.Runs[1].Metrics = p.Runs[1].Metrics[:2] }, "has 2 metrics where the first run has 4"},
		{"other metric", func(p *Page) { p.Runs[1].Metrics[0].Name = "mean queue" }, `metric 0 is "mean queue"`},
		{"other group", func(p *Page) { p.Runs[1].Metrics[0].Group = "Deadlines" }, `of group "Deadlines" where the first run has "mean JCT"`},
		{"no GPUs", func(p *Page) { p.Runs[0].GPUs = 0 }, "capacity must be at least 1 GPU"},
		{"negative makespan", func(p *Page) { p.Runs[0].Makespan = -1 }, "makespan must lie in"},
		{"JCT without queue", func(p *Page) { p.Runs[0].Queue = nil }, "has 2 JCTs and 0 queue delays"},
		{"negative JCT", func(p *Page) { p.Runs[0].JCT[0] = -1 }, "JCT 0 must lie in"},
		{"negative queue", func(p *Page) { p.Runs[0].Queue[1] = -5 }, "queue delay 1 must lie in"},
		{"unsorted usage", func(p *Page) { p.Runs[0].Usage[1].At = 0 }, "usage sample 1 is at 0 s, not after"},
		{"too many GPUs used", func(p *Page) { p.Runs[0].Usage[1].UsedGPUs = 5 }, "5 GPUs used and 0 down of a capacity of 4"},
		{"negative usage", func(p *Page) { p.Runs[0].Usage[1].WaitingJobs = -1 }, "usage sample 1 has a negative count"},
		{"usage too late", func(p *Page) { p.Runs[0].Usage[3].At = schedmate.Forever }, "usage sample 3 is at"},
		{"bar without row", func(p *Page) { p.Runs[0].Bars[0].Row = 4 }, `bar 0 of job "big" is in row 4`},
		{"bar that ends first", func(p *Page) { p.Runs[0].Bars[0].End = -1 }, "a bar ends after it starts"},
		{"bar without gang", func(p *Page) { p.Runs[0].Bars[0].GPUs = 0 }, "the size of a gang is at least 1"},
		{"negative node", func(p *Page) { p.Runs[0].Nodes = []Node{{"n", -1}} }, `node 0 ("n") has -1 GPUs`},
		{"bars omitted", func(p *Page) { p.Runs[0].BarsOmitted = -1 }, "omitted bars must not be negative"},
		{"reference", func(p *Page) { p.Runs[1].Reference[0].Equal = 3 }, "has 3 equal jobs of 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := twoPolicies()
			c.breaks(&page)
			var b bytes.Buffer
			err := Write(&b, page)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
			if b.Len() > 0 {
				t.Errorf("wrote %d bytes of a broken page", b.Len())
			}
		})
	}
}

// Whatever the page counts, it groups the digits: "2,309" in one place and
// "2309" in another look like two numbers.
func TestLongNumbersAreGroupedEverywhere(t *testing.T) {
	page := twoPolicies()
	for i := range page.Runs {
		r := &page.Runs[i]
		r.GPUs, r.BarsOmitted = 2048, 5000
		r.JCT, r.Queue = make([]schedmate.Seconds, 2309-i), make([]schedmate.Seconds, 2309-i)
		for k := range r.JCT {
			r.JCT[k] = 2_000_000_000
		}
		for k := range len(r.Usage) - 1 {
			r.Usage[k] = Sample{At: r.Usage[k].At, UsedGPUs: 1024, DownGPUs: 1024, WaitingJobs: 1122, WaitingGPUs: 2744}
		}
		r.Metrics[0].Value, r.Metrics[2].Value = 2_000_000_000, 196293
		r.Bars[0].GPUs = 4096
	}
	page.Runs[1].Reference[0] = Reference{Name: "jobs", Theirs: 12345, Ours: 12346, Equal: 2308, Of: 2309}
	got := assets.ReplaceAllString(render(t, page), "")
	got = regexp.MustCompile(`(?s)<(script|path|pre|rect|svg|line|meta)\b[^>]*>|data-\w+="[^"]*"`).ReplaceAllString(got, "")
	if found := regexp.MustCompile(`[^,;]*\b\d{4,}\b.{0,20}`).FindAllString(got, -1); found != nil {
		t.Errorf("page prints %q", found)
	}
	for _, want := range []string{"2,308 to 2,309 jobs", "1,122 jobs", "2,744 GPUs", "up to 1,024 GPUs down", "196,293", "23,148 d 4 h", "5,000 were not recorded", "2,308 of 2,309"} {
		if !strings.Contains(plain(got), want) {
			t.Errorf("page lacks %q", want)
		}
	}
}

func TestManyNotesAreSetInColumns(t *testing.T) {
	page := twoPolicies()
	for range 10 {
		page.Notes = append(page.Notes, "sjf: 12 jobs can never be placed on this cluster and count in no mean.")
	}
	if !strings.Contains(render(t, page), `class="notes many"`) {
		t.Error("ten notes are one column")
	}
	if strings.Contains(render(t, twoPolicies()), `class="notes many"`) {
		t.Error("one note is two columns")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreReported(t *testing.T) {
	if err := Write(full{}, twoPolicies()); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got error %v, want the one of the disk", err)
	}
}

func TestPagesWithLittleInThemStillRender(t *testing.T) {
	for name, run := range map[string]Run{
		"nothing but a policy": {Policy: "fifo", GPUs: 1},
		"no name":              {GPUs: 1},
		"jobs of zero length":  {Policy: "fifo", GPUs: 1, JCT: []schedmate.Seconds{0}, Queue: []schedmate.Seconds{0}},
		"one sample":           {Policy: "fifo", GPUs: 1, Usage: []Sample{{At: 5}}},
		"an idle cluster":      {Policy: "fifo", GPUs: 1, Usage: []Sample{{At: 5}, {At: 10}}},
		"a bar of no length":   {Policy: "fifo", GPUs: 1, Nodes: []Node{{"n", 1}}, Bars: []Bar{{Job: "j", Start: 5, End: 5, GPUs: 1}}},
		"a bar alone":          {Policy: "fifo", GPUs: 1, Nodes: []Node{{"n", 1}}, Bars: []Bar{{Job: "j", Start: 5, End: 6, GPUs: 1}}},
		"one second":           {Policy: "fifo", GPUs: 1, Usage: []Sample{{At: 0, UsedGPUs: 1}, {At: 1}}},
		"two centuries":        {Policy: "fifo", GPUs: 1, JCT: []schedmate.Seconds{schedmate.MaxSeconds}, Queue: []schedmate.Seconds{schedmate.MaxSeconds}, Usage: []Sample{{At: 0, UsedGPUs: 1}, {At: schedmate.MaxSeconds}}},
	} {
		t.Run(name, func(t *testing.T) {
			checkPage(t, render(t, Page{Runs: []Run{run}}))
		})
	}
}

func TestNoNumberIsPrintedThatIsNone(t *testing.T) {
	page := twoPolicies()
	for i, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		page.Runs[i%2].Metrics[i/2].Value = v
		page.Runs[1].Reference = append(page.Runs[1].Reference, Reference{Name: "x", Theirs: v, Ours: 1}, Reference{Name: "x", Theirs: 0, Ours: v})
	}
	page.Runs = append(page.Runs, page.Runs[0])
	page.Runs[2].Seed = 2
	page.Runs[2].JCT, page.Runs[2].Queue = nil, nil
	got := assets.ReplaceAllString(render(t, page), "")
	checkPage(t, got)
	if found := regexp.MustCompile(`NaN|Inf\b|\+Inf|Infinity`).FindAllString(got, -1); found != nil {
		t.Errorf("page prints %q", found)
	}
}
