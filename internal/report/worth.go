package report

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
)

// Worth is the page that says what facts would have been worth to a cluster.
//
// Invariant: Rows is not empty and its first is the Base; shares are finite, Low <=
// Saved <= High.
type Worth struct {
	Title       string
	Command     string // the command line that makes the page again
	Rows        []WorthRow
	Assumptions []string
	Facts       []Pair // provenance
}

// WorthRow is one way in which the jobs could have been run.
type WorthRow struct {
	Name, About         string
	Base                bool // the one that others are held against
	MeanJCT, Queue, P99 string
	Saved, Low, High    float64 // share of the base's mean completion time
	Model               string  // what its facts were made from; empty: none
}

//go:embed worth.html
var worthHTML string

//go:embed worth.css
var worthCSS string

var worthTemplate = template.Must(template.Must(template.New("page").Parse(pageHTML)).New("worth").Parse(worthHTML))

// WriteWorth writes the page. It writes nothing when the page breaks its invariant.
// The same page gives the same bytes.
func WriteWorth(w io.Writer, p Worth) error {
	if err := p.validate(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	clean(&p.Title, &p.Command)
	for i := range p.Assumptions {
		clean(&p.Assumptions[i])
	}
	for i := range p.Facts {
		clean(&p.Facts[i].Value)
	}
	var b bytes.Buffer
	if err := worthTemplate.Execute(&b, newWorthView(p)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (p *Worth) validate() error {
	if len(p.Rows) == 0 || !p.Rows[0].Base {
		return errors.New("worth: the first row must be the one that others are held against; give rows")
	}
	for i := range p.Rows {
		if r := &p.Rows[i]; !finite(r.Low) || !finite(r.High) || r.Low > r.Saved || r.Saved > r.High {
			return fmt.Errorf("worth: rows[%d]: %g must lie between %g and %g, all finite", i, r.Saved, r.Low, r.High)
		}
	}
	return nil
}

// worthView is the page as the template sees it.
type worthView struct {
	Worth
	ContentPolicy string
	CSS           template.CSS
	Script        template.JS
	Lead          string
	Lines         []worthLine
	Zero          float64 // where nothing is saved, in hundredths of the width
	Least, Most   string  // ends of the axis
}

// worthLine is a row with its bar, in hundredths of the chart's width.
type worthLine struct {
	WorthRow
	Text           string
	From, To, Mark float64
	Loss           bool
}

func newWorthView(p Worth) *worthView {
	v := &worthView{Worth: p, ContentPolicy: contentPolicy(), CSS: template.CSS(pageCSS + worthCSS), Script: template.JS(pageJS)}
	lo, hi := -0.05, 0.05
	for i := range p.Rows {
		lo, hi = min(lo, p.Rows[i].Low), max(hi, p.Rows[i].High)
	}
	lo, hi = math.Floor(20*lo)/20, math.Ceil(20*hi)/20
	x := func(share float64) float64 { return math.Round(10000*(share-lo)/(hi-lo)) / 100 }
	v.Zero, v.Least, v.Most = x(0), percent(lo), percent(hi)
	for _, r := range p.Rows {
		line := worthLine{WorthRow: r, From: x(r.Low), To: x(r.High), Mark: x(r.Saved), Loss: r.Saved < 0}
		line.Text = fmt.Sprintf("%.1f%% (%.1f to %.1f)", 100*r.Saved, 100*r.Low, 100*r.High)
		if r.Base {
			line.Text = "held against this"
		}
		v.Lines = append(v.Lines, line)
		if r.Name == "facts" {
			v.Lead = fmt.Sprintf("With facts of the quality that was measured, jobs would have been through %.1f %% sooner on average; 95 %% interval %.1f to %.1f %%.", 100*r.Saved, 100*r.Low, 100*r.High)
			if r.Low <= 0 && r.High >= 0 {
				v.Lead += " The interval holds 0: this month shows no certain gain."
			}
		}
	}
	return v
}
