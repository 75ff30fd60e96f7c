package report

import (
	"html/template"

	"schedmate"
)

// view is the page as the template sees it.
type view struct {
	Page
	ContentPolicy string
	CSS           template.CSS
	Script        template.JS

	Series    []*series
	Headline  headline
	SeedNote  string
	Splits    []split
	Tables    []comparison // of the metrics, one a group
	Absent    string       // metrics that the tables leave out; empty for none
	CDFs      []*plot      // of JCT and of queue delay, as far as jobs ended
	Axis      string       // where the axis of time ends and why; empty when it is complete
	Use, Wait []panel
	Down      bool      // some GPUs are down for a time
	Gantts    []gantt   // in the order of the headline, the best policy first
	Sharing   []sharing // a line a run whose jobs have shared GPUs
	Published []published
	SeedRows  []seedRow
	Jobs      []string // names for the read-out of the Gantt chart
	Figures   []figure
}

// figure is an entry in the list of what the page holds.
type figure struct{ ID, Name, From string }

// newView computes all figures of a cleaned and valid page.
func newView(p Page) *view {
	all := grouped(p.Runs)
	v := &view{
		Page:          p,
		ContentPolicy: contentPolicy(),
		CSS:           template.CSS(pageCSS),
		Script:        template.JS(pageJS),
		Series:        all,
		Headline:      newHeadline(all),
		SeedNote:      seedNote(all),
		Splits:        splits(all),
		Tables:        newComparisons(all),
		Absent:        absentNote(all),
		Sharing:       sharingRows(policies(all)),
		Published:     publishedRows(all),
		SeedRows:      seedRows(policies(all)),
	}
	if len(v.Splits) > 0 {
		v.Figures = append(v.Figures, figure{"mean-jct", "Mean JCT by policy", "JCT and queue delay of each job"})
	}
	if plot := cdfPlot("jct", "Share of jobs by JCT", "no time", all, func(s *series) []schedmate.Seconds { return s.jct }); plot != nil {
		plot.XName = "JCT, logarithmic"
		v.CDFs = append(v.CDFs, plot)
		v.Figures = append(v.Figures, figure{"jct", "Distribution of JCT", "JCT of each job"})
	}
	if plot := cdfPlot("queue", "Share of jobs by queue delay", "no wait", all, func(s *series) []schedmate.Seconds { return s.queue }); plot != nil {
		plot.XName = "queue delay, logarithmic"
		v.CDFs = append(v.CDFs, plot)
		v.Figures = append(v.Figures, figure{"queue", "Distribution of queue delay", "queue delay of each job"})
	}
	v.overTime(all)
	return v
}

// overTime adds the figures with an axis of time.
func (v *view) overTime(all []*series) {
	all = policies(all)
	w, ok := newWindow(firstRuns(all))
	if !ok {
		return
	}
	v.Axis = w.remark()
	jobs := &names{index: make(map[string]int)}
	samples, bars := 0, 0
	for _, s := range byMeanJCT(all) {
		samples = max(samples, len(s.first().Usage))
		v.Down = v.Down || peak(s.first().Usage, down) > 0
		if len(s.first().Bars) > 0 {
			v.Gantts = append(v.Gantts, newGantt(s, w, jobs))
			bars++
		}
	}
	v.Jobs = jobs.list
	if samples > 1 {
		v.Use, v.Wait = utilisation(all, w), queueLength(all, w)
		v.Figures = append(v.Figures,
			figure{"use", "GPUs in use over time", "GPUs in use after each event"},
			figure{"waiting", "Waiting jobs over time", "jobs waiting after each event"})
	}
	if bars > 0 {
		v.Figures = append(v.Figures, figure{"gantt", "Gantt chart of the GPUs", "start and end of each job on each GPU"})
	}
}

// SharingNumber, PublishedNumber and RunsNumber are those of the tables after the
// metrics.
func (v *view) SharingNumber() int { return len(v.Tables) + 1 }

func (v *view) PublishedNumber() int {
	if len(v.Sharing) > 0 {
		return v.SharingNumber() + 1
	}
	return v.SharingNumber()
}

func (v *view) RunsNumber() int {
	if len(v.Published) > 0 {
		return v.PublishedNumber() + 1
	}
	return v.PublishedNumber()
}

// ManyNotes says that the notes are set in two columns.
func (v *view) ManyNotes() bool { return len(v.Notes) > 4 }

// Number returns the number of a figure in the order of the page.
func (v *view) Number(id string) int {
	for i, f := range v.Figures {
		if f.ID == id {
			return i + 1
		}
	}
	return 0
}
