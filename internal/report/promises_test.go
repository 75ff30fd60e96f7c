package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"schedmate"
)

// friday is the example of docs/admission.md: it is Friday 6 November 2026, 10:00 UTC,
// 16 GPUs have three promises, and job 104 asks for 14:40. By 14:40, the end of slot
// 14, 243 GPU-leases are needed of 14 x 16 = 224: 19 are missing.
const friday schedmate.Seconds = 1793959200

func slotsOf(from, to int) []schedmate.Seconds {
	var out []schedmate.Seconds
	for k := from; k <= to; k++ {
		out = append(out, friday+schedmate.Seconds(k-1)*1200)
	}
	return out
}

func refusedFriday() Promises {
	by := func(slot int) schedmate.Seconds { return friday + schedmate.Seconds(slot)*1200 }
	return Promises{
		Title: "Admission of job 104", Lead: "Job 104 is not promised to end by 14:40.", Told: []string{"Work left: 3h40m."},
		Command: "schedmate admit -f snapshot.yaml -f job.yaml --report page.html",
		Facts:   []Pair{{"Snapshot", "d866"}}, Now: friday, Lease: 1200, Clock: true,
		Rows: []Promise{
			{Kind: Promised, Job: "101", GPUs: 8, Deadline: by(14), Leases: slotsOf(1, 14)},
			{Kind: Promised, Job: "102", GPUs: 4, Deadline: by(14), Leases: slotsOf(1, 10)},
			{Kind: Expected, Job: "103", GPUs: 1, Deadline: by(9), Leases: slotsOf(1, 3)},
			{Kind: Offered, Job: "104", GPUs: 8, Deadline: by(21), Leases: slotsOf(11, 21), Remark: "later deadline"},
			{Kind: Offered, Job: "104", GPUs: 8, Remark: "best effort"},
			{Kind: Asked, Job: "104", GPUs: 8, Deadline: by(14)},
			{Kind: Broken, Job: "99", GPUs: 1, Deadline: by(5), Leases: slotsOf(2, 3), Remark: "GPUs are gone"},
		},
		Loads:    []Load{{Name: "Shared nodes, A100", Steps: []LoadStep{{by(0), by(10), 16, 13}, {by(10), by(14), 16, 8}, {by(14), by(21), 16, 0}}}},
		Shortage: &Shortage{Slot: 14, Until: by(14), GPULease: 19, Text: "19 GPU-leases short by Fri 6 Nov 14:40 UTC"},
		Refused:  []Pair{{"104", "GPU-leases are missing by its deadline"}},
	}
}

func renderPromises(t testing.TB, p Promises) string {
	t.Helper()
	var b bytes.Buffer
	if err := WritePromises(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestThePageOfARefusalSaysWhatIsMissingAndWhatIsOffered(t *testing.T) {
	page := renderPromises(t, refusedFriday())
	checkPage(t, page)
	for _, want := range []string{
		"Job 104 is not promised", "19 GPU-leases short by Fri 6 Nov 14:40 UTC", `class="binding"`, `class="offer"`, `class="lost"`,
		"offer 1", "later deadline", "GPUs are gone", "Fri 6 Nov 17:00", "schedmate admit -f snapshot.yaml", "As of Fri 6 Nov 10:00 UTC, in slots of 20 min",
		"All rows are shown.", "deadline", "▸ 104",
	} {
		if !strings.Contains(strings.ReplaceAll(page, nbsp, " "), want) {
			t.Errorf("page lacks %q", want)
		}
	}
	if page != renderPromises(t, refusedFriday()) {
		t.Error("two renderings of one page differ")
	}
	// Of 21 slots of 16 GPUs, 336 GPU-leases, 10 x 13 + 4 x 8 = 162 are promised.
	if want := "48.2 % of the GPU time until the last slot is promised, at most 13 GPUs at once"; !strings.Contains(strings.ReplaceAll(page, nbsp, " "), want) {
		t.Errorf("page lacks %q", want)
	}
}

// On the grid the axis has 10,000 columns; a lease that begins a quarter down the
// axis and lasts for a quarter stands there.
func TestLeasesStandWhereTheyRun(t *testing.T) {
	p := Promises{Now: 1000, Lease: 1000, Rows: []Promise{{Kind: Promised, Job: "a", GPUs: 1, Deadline: 4000, Leases: []schedmate.Seconds{2000}}}}
	c := newCalendar(&p, p.Rows, timeAxis{1000, 5000})
	var got []string
	for _, s := range c.Plot.Shapes {
		got = append(got, s.Class+" "+s.Path)
	}
	want := []string{"track M0 18h10000v64h-10000z", "lease c0 M2500 18h2500v64h-2500z", "deadline M7500 6v88", "now M0 0v100"}
	if !slices.Equal(got, want) {
		t.Errorf("shapes are\n%q, want\n%q", got, want)
	}
}

func TestCapacityAndLoadAreStepsBelowEachOther(t *testing.T) {
	p := Promises{Lease: 1, Loads: []Load{{Name: "x", Steps: []LoadStep{{0, 5, 4, 2}, {5, 10, 4, 4}}}}}
	plots, left := loadPlots(&p, timeAxis{0, 10})
	if len(plots) != 1 || left != 0 {
		t.Fatalf("%d plots and %d left out, want 1 and 0", len(plots), left)
	}
	if got, want := plots[0].Plot.Shapes[0].Path, "M0 4000H0V2000H5000V0H10000V4000H10000Z"; got != want {
		t.Errorf("promised is %s, want %s", got, want)
	}
	if got, want := plots[0].Plot.Shapes[1].Path, "M0 4000H0V0H10000"; got != want {
		t.Errorf("capacity is %s, want %s", got, want)
	}
}

func TestUrgentRowsComeFirst(t *testing.T) {
	var got []string
	for _, r := range urgent(refusedFriday().Rows) {
		got = append(got, fmt.Sprintf("%d:%s", r.Kind, r.Job))
	}
	if want := []string{"0:104", "1:104", "1:104", "2:99", "4:103", "3:101", "3:102"}; !slices.Equal(got, want) {
		t.Errorf("rows are %v, want %v", got, want)
	}
}

// A page of 5,000 promises, each in as many pieces as it can be, stays small
// enough to mail, and says what it leaves out.
func TestManyPromisesStayReadable(t *testing.T) {
	p := Promises{Title: "many", Lease: 1200}
	for i := range 5000 {
		r := Promise{Kind: Promised, Job: fmt.Sprintf("job-%04d", i), GPUs: 1, Deadline: schedmate.Seconds(10_000_000 + i)}
		for k := range 4000 {
			r.Leases = append(r.Leases, schedmate.Seconds(2400*k))
		}
		p.Rows = append(p.Rows, r)
	}
	for i := range 40 {
		l := Load{Name: fmt.Sprintf("Nodes of %d", i)}
		for k := range schedmate.Seconds(8000) {
			l.Steps = append(l.Steps, LoadStep{k * 1200, (k + 1) * 1200, 8, int(k) % 9})
		}
		p.Loads = append(p.Loads, l)
	}
	for i := range 3000 {
		p.Refused = append(p.Refused, Pair{fmt.Sprint("r", i), "no"})
	}
	page := renderPromises(t, p)
	checkPage(t, page)
	if size := len(page); size > 6<<20 {
		t.Errorf("page has %.1f MiB, want less than 6", float64(size)/(1<<20))
	}
	for _, want := range []string{
		"The 100 most urgent of 5,000 rows are shown", "4,500 more that are due later are left out", "28 more with less that is promised are left out",
		"2,500 more are left out", "Gaps of less than",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("page does not say %q", want)
		}
	}
	if strings.Contains(page, "job-0500") || !strings.Contains(page, "job-0499") {
		t.Error("the table does not hold just the 500 most urgent")
	}
}

// Names come from users: no text of a promise is read as markup or code, and none
// hides what stands beside it.
func TestHostileNamesStayText(t *testing.T) {
	p := refusedFriday()
	bad := "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x00\xff'\"&amp;{{.}}"
	p.Title, p.Lead, p.Command, p.Told = bad, bad, bad, []string{bad}
	p.Facts, p.Refused = []Pair{{bad, bad}}, []Pair{{bad, bad}}
	for i := range p.Rows {
		p.Rows[i].Job, p.Rows[i].Remark = bad, bad
	}
	p.Loads[0].Name, p.Shortage.Text = bad, bad
	page := renderPromises(t, p)
	checkPage(t, page)
	for _, never := range []string{"<img", "<script>alert", "\u202e", "\x00"} {
		if strings.Contains(page, never) {
			t.Errorf("page holds %q", never)
		}
	}
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("page has %d scripts, want the names and ours", n)
	}
	if refusedFriday().Rows[0].Job == bad || p.Rows[0].Job != bad {
		t.Error("WritePromises changed its argument")
	}
}

func TestThePageOfPromisesNeedsNoNetwork(t *testing.T) {
	page := renderPromises(t, refusedFriday())
	if found := regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?\s*(https?:)?//|url\(|@import|<link\b`).FindString(page); found != "" {
		t.Errorf("page holds %q", found)
	}
}

func TestPagesOfFewPromisesStillRender(t *testing.T) {
	for name, p := range map[string]Promises{
		"an empty book":       {Lease: 1200},
		"no lease left":       {Lease: 1, Rows: []Promise{{Kind: Promised, Job: "a", GPUs: 1, Deadline: 1}}},
		"a deadline behind":   {Lease: 1, Now: 100, Rows: []Promise{{Kind: Promised, Job: "a", GPUs: 1, Deadline: 1}}},
		"two centuries ahead": {Lease: 1200, Clock: true, Now: friday, Rows: []Promise{{Kind: Promised, Job: "a", GPUs: 1, Deadline: schedmate.MaxSeconds, Leases: []schedmate.Seconds{friday, schedmate.MaxSeconds - 1200}}}},
		"a long lease":        {Lease: schedmate.MaxSeconds, Rows: []Promise{{Kind: Expected, Job: "a", GPUs: 1, Leases: []schedmate.Seconds{0}}}},
		"no capacity":         {Lease: 1200, Loads: []Load{{Name: "x", Steps: []LoadStep{{0, 1200, 0, 0}}}}},
		"no steps":            {Lease: 1200, Loads: []Load{{Name: "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			page := renderPromises(t, p)
			checkPage(t, page)
			if found := regexp.MustCompile(`NaN|Inf\b|-\d+%`).FindString(page[strings.Index(page, "<body>"):]); found != "" {
				t.Errorf("page prints %q", found)
			}
			if len(p.Rows) == 0 && !strings.Contains(page, "No promise stands.") {
				t.Error("page does not say that no promise stands")
			}
		})
	}
}

func TestBrokenPagesOfPromisesAreRefused(t *testing.T) {
	for want, breaks := range map[string]func(*Promises){
		"a slot must last at least 1 second":                   func(p *Promises) { p.Lease = 0 },
		`row 0 (job "101"): GPUs must be at least 1, got 0`:    func(p *Promises) { p.Rows[0].GPUs = 0 },
		"lease 1 begins at 1793959201, before the one before":  func(p *Promises) { p.Rows[0].Leases[1] = friday + 1 },
		"there is no kind 9":                                   func(p *Promises) { p.Rows[0].Kind = 9 },
		"more than one job asks":                               func(p *Promises) { p.Rows[0].Kind = Asked },
		"step 1 from 0 to 9 does not follow the one before it": func(p *Promises) { p.Loads[0].Steps[1] = LoadStep{0, 9, 1, 1} },
		"step 0 has a negative number of GPUs":                 func(p *Promises) { p.Loads[0].Steps[0].GPUs = -1 },
	} {
		p := refusedFriday()
		breaks(&p)
		var b bytes.Buffer
		if err := WritePromises(&b, p); err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("got error %v and %d bytes, want one with %q and none", err, b.Len(), want)
		}
	}
	if err := WritePromises(full{}, refusedFriday()); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got error %v, want the one of the disk", err)
	}
}
