package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func worthOf(rows ...WorthRow) Worth {
	return Worth{
		Title: "What facts would have been worth: <script>alert(1)</script>", Command: "schedmate worth --trace jobs.txt",
		Rows:        append([]WorthRow{{Name: "as Slurm does", Base: true, MeanJCT: "3 h", Queue: "1 h", P99: "1 d"}}, rows...),
		Assumptions: []string{"Jobs run as long as they did."}, Facts: []Pair{{Name: "trace", Value: "jobs.txt"}},
	}
}

func page(t *testing.T, p Worth) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteWorth(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The sentence at the top says what was saved, and says when that is nothing certain.
func TestTheLeadOfWorth(t *testing.T) {
	sure := page(t, worthOf(WorthRow{Name: "facts", Saved: 0.2, Low: 0.15, High: 0.25}))
	if !strings.Contains(sure, "20.0 % sooner on average; 95 % interval 15.0 to 25.0 %.</p>") {
		t.Error("the page does not say that 20 % were saved")
	}
	unsure := page(t, worthOf(WorthRow{Name: "facts", Saved: 0.02, Low: -0.01, High: 0.05}))
	if !strings.Contains(unsure, "The interval holds 0: this month shows no certain gain.") {
		t.Error("the page does not say that the gain is not certain")
	}
}

// The axis reaches to multiples of 5 % around all intervals, here from -5 to 25 %: 0
// stands at a sixth, 20 % at five sixths.
func TestTheAxisOfWorth(t *testing.T) {
	v := newWorthView(worthOf(WorthRow{Name: "facts", Saved: 0.2, Low: 0.15, High: 0.25}))
	if v.Zero != 16.67 || v.Lines[1].Mark != 83.33 || v.Lines[1].From != 66.67 || v.Lines[1].To != 100 {
		t.Errorf("0 stands at %v, the row at %v from %v to %v", v.Zero, v.Lines[1].Mark, v.Lines[1].From, v.Lines[1].To)
	}
}

// What people named is text, never markup, and no row makes a page that is none.
func TestHostileAndBrokenWorth(t *testing.T) {
	if p := page(t, worthOf()); strings.Contains(p, "<script>alert") {
		t.Error("a title became markup")
	}
	for _, p := range []Worth{
		{}, {Rows: []WorthRow{{Name: "facts"}}}, worthOf(WorthRow{Saved: math.NaN(), Low: math.NaN(), High: math.NaN()}), worthOf(WorthRow{Saved: 2, Low: 0, High: 1}),
	} {
		var b bytes.Buffer
		if err := WriteWorth(&b, p); err == nil || b.Len() > 0 {
			t.Errorf("%+v became a page", p.Rows)
		}
	}
}
