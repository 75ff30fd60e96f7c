package report

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
)

// What one page shows at most; it says what it leaves out, and stays small enough to
// mail.
const (
	chartPromises = 100 // rows of the calendar
	tablePromises = 500 // rows of the table below it
	chartLoads    = 12
	tableLoads    = 200 // steps
	tableRefused  = 500
)

// Heights of the calendar: of a row on the grid, of a bar in it, and of a row on the
// screen when there are few and when there are many.
const (
	promiseRow  = 100
	promiseBar  = 64
	promiseTall = 20
	promiseLow  = 13
	promiseMany = 40
)

// thin is a gap between leases that nobody would see, on the grid.
const thin = 8

// urgent orders rows: the job that asks and what it is offered, what broke, then
// promises by their deadlines.
func urgent(rows []Promise) []Promise {
	rows = slices.Clone(rows)
	place := func(p *Promise) PromiseKind {
		switch {
		case p.New:
			return Asked
		case p.Kind == Expected:
			return Promised // one list, by deadline
		}
		return p.Kind
	}
	slices.SortStableFunc(rows, func(x, y Promise) int {
		return cmp.Or(cmp.Compare(place(&x), place(&y)), cmp.Compare(due(&x), due(&y)), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Job, y.Job))
	})
	return rows
}

// due is the deadline of a row; one without a deadline is due last.
func due(p *Promise) schedmate.Seconds {
	if p.Deadline == 0 {
		return schedmate.Forever
	}
	return p.Deadline
}

// calendar is the chart of the rows that it shows.
type calendar struct {
	Plot  plot
	Shown string
	Keys  []key
	Names []string // of the jobs, for the read-out
}

// key is an entry of the legend, with a drawing of 18 by 12.
type key struct{ Class, Text, Sample string }

const uprightSample = "M9 0v12"

// promiseClasses are the classes of bars, by kind; an empty one has none.
var promiseClasses = [...]string{Offered: "offer", Broken: "lost", Promised: "lease c0", Expected: "lease c4"}

var promiseKeys = [...]string{Offered: "would be leased, if the offer is taken", Broken: "was leased: the promise broke", Promised: "promised", Expected: "expected"}

// promiseAxis reaches to the last lease that is shown, and to what is asked and
// offered; deadlines much later than that lie outside.
func promiseAxis(p *Promises, rows []Promise) timeAxis {
	a := timeAxis{From: p.Now, To: p.Now + p.Lease}
	for i := range rows {
		r := &rows[i]
		if n := len(r.Leases); n > 0 {
			a.From, a.To = min(a.From, r.Leases[0]), max(a.To, r.Leases[n-1]+p.Lease)
		}
		if r.Kind <= Offered || r.New {
			a.To = max(a.To, r.Deadline)
		}
	}
	if p.Shortage != nil {
		a.To = max(a.To, p.Shortage.Until)
	}
	near := a.To + a.length()
	for i := range rows {
		if rows[i].Deadline <= near {
			a.To = max(a.To, rows[i].Deadline)
		}
	}
	a.To += a.length()/40 + 1
	return a
}

// newCalendar draws the first of the rows, which are in the order of the page.
func newCalendar(p *Promises, rows []Promise, a timeAxis) calendar {
	all := len(rows)
	rows = rows[:min(all, chartPromises)]
	tall := promiseTall
	if len(rows) > promiseMany {
		tall = promiseLow
	}
	c := calendar{Plot: plot{
		ID: "promises", Title: "Calendar of promises", Height: tall * len(rows), Rows: promiseRow * len(rows),
		X: p.ticks(a), Scale: "time", To: a.length(),
	}}
	if p.Clock {
		c.Plot.Clock = a.From
	}
	paths, data := make([][]byte, len(promiseClasses)), make([][]byte, len(promiseClasses))
	var tracks, deadlines, later []byte
	jobs := &names{index: make(map[string]int)}
	blurred := false
	for i := range rows {
		r, top := &rows[i], i*promiseRow
		c.Plot.Y = append(c.Plot.Y, tick{At: at((float64(i) + 0.5) / float64(len(rows))), Label: rowName(r, i)})
		tracks = appendRect(tracks, 0, top+(promiseRow-promiseBar)/2, gridWidth, promiseBar)
		for _, run := range p.runs(r.Leases, a, &blurred) {
			x0, x1 := grid(a.place(run.From), 0).x, grid(a.place(run.To), 0).x
			width := max(leastWidth, x1-x0)
			paths[r.Kind] = appendRect(paths[r.Kind], min(x0, gridWidth-width), top+(promiseRow-promiseBar)/2, width, promiseBar)
			b := block{Bar: Bar{Job: r.Job, Start: run.From, End: run.To, GPUs: r.GPUs}}
			data[r.Kind] = b.appendData(data[r.Kind], window{timeAxis: a}, jobs)
		}
		switch {
		case r.Deadline == 0:
		case r.Deadline > a.To:
			later = fmt.Appendf(later, "M%d %dL%d %dL%d %d", gridWidth-60, top+28, gridWidth-10, top+50, gridWidth-60, top+72)
		default:
			deadlines = fmt.Appendf(deadlines, "M%d %dv%d", grid(a.place(r.Deadline), 0).x, top+6, promiseRow-12)
		}
	}
	c.Names = jobs.list
	add := func(class, path, data, text, sample string) {
		if path != "" {
			c.Plot.Shapes = append(c.Plot.Shapes, shape{Class: class, Series: -1, Path: path, Data: data})
			if text != "" {
				c.Keys = append(c.Keys, key{class, text, sample})
			}
		}
	}
	add("track", string(tracks), "", "", "")
	for kind := range paths {
		add(promiseClasses[kind], string(paths[kind]), string(data[kind]), promiseKeys[kind], "M1 2h16v8h-16z")
	}
	add("deadline", string(deadlines), "", "deadline", uprightSample)
	add("deadline later", string(later), "", "deadline later than the axis", "M6 2L12 6L6 10")
	upright := func(t schedmate.Seconds) string {
		return fmt.Sprintf("M%d 0v%d", grid(a.place(t), 0).x, promiseRow*len(rows))
	}
	add("now", upright(p.Now), "", "now", uprightSample)
	if s := p.Shortage; s != nil {
		add("binding", upright(s.Until), "", s.Text, uprightSample)
	}
	c.Shown = shownPromises(len(rows), all, blurred, a)
	c.Plot.Desc = "Each row is one promise, each bar leases that follow each other. " + c.Shown
	return c
}

// rowName names a row; offers are numbered as in their table.
func rowName(r *Promise, i int) string {
	switch {
	case r.Kind == Offered:
		return fmt.Sprintf("offer %d", i) // the job that asks is row 0
	case r.Kind == Asked || r.New:
		return "▸ " + tail(r.Job, maxName-2)
	}
	return tail(r.Job, maxName)
}

// runs joins leases that follow each other, and such as only a gap parts that
// nobody would see.
func (p *Promises) runs(leases []schedmate.Seconds, a timeAxis, blurred *bool) []timeAxis {
	var out []timeAxis
	least := a.length() * thin / gridWidth
	for _, at := range leases {
		n := len(out) - 1
		if n >= 0 && at-out[n].To <= least {
			*blurred = *blurred || at > out[n].To
			out[n].To = at + p.Lease
			continue
		}
		out = append(out, timeAxis{at, at + p.Lease})
	}
	return out
}

func shownPromises(shown, all int, blurred bool, a timeAxis) string {
	text := "All rows are shown."
	if shown < all {
		text = fmt.Sprintf("The %s most urgent of %s rows are shown; the others are due later.", Count(shown), Count(all))
	}
	if blurred {
		text += fmt.Sprintf(" Gaps of less than %s are drawn over.", seconds(a.length()*thin/gridWidth+1))
	}
	return text
}
