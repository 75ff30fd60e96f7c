package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
)

//go:embed promises.html
var promisesHTML string

//go:embed promises.css
var promisesCSS string

// promisesTemplate knows the pieces of the other page, too.
var promisesTemplate = template.Must(template.Must(template.New("page").Parse(pageHTML)).New("promises").Parse(promisesHTML))

// WritePromises writes the page of an admission. It writes nothing when the page
// breaks its invariant; the error then says where and what to do.
//
// The same page gives the same bytes.
func WritePromises(w io.Writer, p Promises) error {
	if err := p.validate(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	var b bytes.Buffer
	if err := promisesTemplate.Execute(&b, newPromisesView(cleanedPromises(p))); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// promisesView is the page as the template sees it.
type promisesView struct {
	Promises
	ContentPolicy string
	CSS           template.CSS
	Script        template.JS

	Calendar    *calendar // nil when no row is there
	LoadPlots   []loadPlot
	LoadsLeft   string // areas that are not drawn
	Offers      []promiseLine
	Lost        []promiseLine
	Standing    []promiseLine
	LostLeft    string // rows that the tables leave out
	Left        string
	Steps       []stepLine
	StepsLeft   string
	RefusedLeft string
}

// promiseLine is a row of a table.
type promiseLine struct {
	Number              int // of an offer
	Job, Class, GPUs    string
	Deadline            string
	DeadlineAt          string // to sort by
	Leases              string
	First, Last, Remark string
	New                 bool
}

// stepLine is a row of the table of loads.
type stepLine struct{ Name, From, Until, Promised, GPUs string }

func newPromisesView(p Promises) *promisesView {
	v := &promisesView{Promises: p, ContentPolicy: contentPolicy(), CSS: template.CSS(pageCSS + promisesCSS), Script: template.JS(pageJS)}
	rows := urgent(p.Rows)
	a := promiseAxis(&p, rows[:min(len(rows), chartPromises)])
	if drawn := slices.DeleteFunc(slices.Clone(rows), func(r Promise) bool { return r.Kind == Offered && len(r.Leases) == 0 }); len(drawn) > 0 {
		c := newCalendar(&p, drawn, a)
		v.Calendar = &c
	}
	plots, left := loadPlots(&p, a)
	v.LoadPlots, v.LoadsLeft = plots, more(left)
	for i := range rows {
		line := p.line(&rows[i])
		switch rows[i].Kind {
		case Offered:
			line.Number = i
			v.Offers = append(v.Offers, line)
		case Broken:
			v.Lost = append(v.Lost, line)
		case Promised, Expected:
			v.Standing = append(v.Standing, line)
		}
	}
	v.Lost, v.LostLeft = first(v.Lost, tablePromises)
	v.Standing, v.Left = first(v.Standing, tablePromises)
	v.Refused, v.RefusedLeft = first(v.Refused, tableRefused)
	for i := range p.Loads {
		for _, s := range p.Loads[i].Steps {
			v.Steps = append(v.Steps, stepLine{p.Loads[i].Name, p.instant(s.Start), p.instant(s.End), Count(s.Promised), Count(s.GPUs)})
		}
	}
	v.Steps, v.StepsLeft = first(v.Steps, tableLoads)
	return v
}

// first keeps the first n, and says how many more there were; "" for none.
func first[T any](list []T, n int) ([]T, string) {
	n = min(n, len(list))
	return list[:n], more(len(list) - n)
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return Count(n)
}

func (p *Promises) line(r *Promise) promiseLine {
	l := promiseLine{Job: r.Job, New: r.New, GPUs: Count(r.GPUs), Deadline: none, Leases: Count(len(r.Leases)), First: none, Last: none, Remark: r.Remark}
	if r.Deadline > 0 {
		l.Deadline, l.DeadlineAt = p.instant(r.Deadline), strconv.FormatInt(int64(r.Deadline), 10)
	}
	if n := len(r.Leases); n > 0 {
		l.First, l.Last = p.instant(r.Leases[0]), p.instant(r.Leases[n-1]+p.Lease)
	}
	switch r.Kind {
	case Promised:
		l.Class = "promised"
	case Expected:
		l.Class = "expected"
	}
	return l
}

// Slot is the length of a slot for people.
func (v *promisesView) Slot() string { return seconds(v.Lease) }

// NowText is the instant of the snapshot.
func (v *promisesView) NowText() string {
	if v.Clock {
		return v.instant(v.Now) + " UTC"
	}
	return Count(int(v.Now)) + nbsp + "s"
}

// Names are for the read-out of the calendar.
func (v *promisesView) Names() []string {
	if v.Calendar == nil {
		return nil
	}
	return v.Calendar.Names
}

// XName names the axis of time.
func (v *promisesView) XName() string {
	if v.Clock {
		return "UTC"
	}
	return "time from now"
}
