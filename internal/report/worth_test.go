package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// aMonth saves a tenth for certain with facts, and loses a fifth with a model.
func aMonth() Worth {
	return Worth{
		Title: "What facts would have been worth: jobs.txt on 1x2", Command: "schedmate worth --trace jobs.txt",
		Rows: []WorthRow{
			{Name: "as Slurm does", About: "in the order of submission", Base: true, MeanJCT: "1 h", Queue: "10 min", P99: "2 h"},
			{Name: "facts", About: "shortest first", MeanJCT: "54 min", Queue: "4 min", P99: "2 h", Saved: 0.1, Low: 0.05, High: 0.15, Model: "measured"},
			{Name: "a model", About: "holds a GPU", MeanJCT: "72 min", Queue: "22 min", P99: "3 h", Saved: -0.2, Low: -0.25, High: -0.15, Model: "paper"},
		},
		Assumptions: []string{"All nodes are healthy."}, Facts: []Pair{{"trace", "jobs.txt"}},
	}
}

func renderWorth(t *testing.T, p Worth) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteWorth(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The axis of -25 to 15 % is 40 points long: nothing saved lies at 25/40 of the
// width, a tenth saved at 35/40, its interval from 30/40 to 40/40.
func TestThePageOfAMonthSaysWhatIsSaved(t *testing.T) {
	page := renderWorth(t, aMonth())
	checkPage(t, page)
	for _, want := range []string{
		"10.0 % sooner on average; 95 % interval 5.0 to 15.0 %", "held against this", "All nodes are healthy.",
		`d="M62.5 0v12"`, `d="M87.5 2v8"`, `d="M75 6H100"`, `class="interval loss"`,
	} {
		if !strings.Contains(strings.ReplaceAll(page, nbsp, " "), want) {
			t.Errorf("page lacks %q", want)
		}
	}
	if strings.Contains(page, "no certain gain") {
		t.Error("the page doubts a gain whose interval does not hold 0")
	}
	if page != renderWorth(t, aMonth()) {
		t.Error("two renderings of one page differ")
	}
}

// An interval that holds 0 is no certain gain, and the page leads with that.
func TestThePageOfAMonthAdmitsThatNothingIsCertain(t *testing.T) {
	p := aMonth()
	p.Rows[1].Low = -0.01
	if page := renderWorth(t, p); !strings.Contains(page, "The interval holds 0: this month shows no certain gain.") {
		t.Error("the page does not say that the interval holds 0")
	}
}

// Names come from files that anybody wrote: none of them becomes markup.
func TestThePageOfAMonthEscapesHostileNames(t *testing.T) {
	const evil = `<script>alert("x")</script>`
	p := aMonth()
	p.Title, p.Command, p.Assumptions, p.Facts = evil, evil, []string{evil}, []Pair{{evil, evil}}
	p.Rows[1].About, p.Rows[2].Name, p.Rows[2].Model = evil, evil, evil
	if page := renderWorth(t, p); strings.Contains(page, "<script>alert") {
		t.Error("a name became a script")
	}
}

// A page without rows, without a first row to hold others against, or with a share
// that is no number is not written at all.
func TestThePageOfAMonthRefusesWhatItCannotShow(t *testing.T) {
	for name, change := range map[string]func(*Worth){
		"no rows":      func(p *Worth) { p.Rows = nil },
		"no base":      func(p *Worth) { p.Rows = p.Rows[1:] },
		"not a number": func(p *Worth) { p.Rows[1].Low = math.NaN() },
		"outside":      func(p *Worth) { p.Rows[1].Saved = 0.5 },
	} {
		p := aMonth()
		change(&p)
		var b bytes.Buffer
		if err := WriteWorth(&b, p); err == nil || b.Len() > 0 {
			t.Errorf("%s: error %v after %d bytes", name, err, b.Len())
		}
	}
}
