package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// packed is two runs of one cluster: fifo shares nothing. In the other "loud" joins
// "old" for half an hour and is taken from it, and "mild" shares with it for two hours.
func packed() Page {
	run := func(policy string) Run {
		return Run{Policy: policy, GPUs: 2, Makespan: 10_000}
	}
	packing := run("packing")
	packing.Pairs = []SharedPair{
		{
			Guest: "loud", Host: "old", From: 600, Until: 2400, GainedMS: -360_000, // 30 min at 0.5 + 0.3
			GuestSlowdown: 10. / 3, HostSlowdown: 2, GuestForecast: 1.25, HostForecast: 1.25,
			Undo: &Undone{Slower: "old", Measured: 2.04, Steps: 6, RedoneMS: 600_000},
		},
		{
			Guest: "mild", Host: "old", From: 3000, Until: 10_200, GainedMS: 5_760_000, // 2 h at 0.9 + 0.9
			GuestSlowdown: 1 / 0.9, HostSlowdown: 1 / 0.9,
		},
	}
	return Page{Title: "A pair that was undone", Runs: []Run{run("fifo"), packing}}
}

// Half an hour at 0.8 together loses 0.1 GPU hours, two hours at 1.8 save 1.6. Of the
// first pair 1.25 and 1.25 were foretold where 2 and 3.33 came: off by 37.5 % and 62.5 %,
// in the mean 50 %.
func TestSharedGPUsByHand(t *testing.T) {
	page := packed()
	rows := sharingRows(policies(grouped(page.Runs)))
	if len(rows) != 1 {
		t.Fatalf("one run has shared GPUs, got %d rows", len(rows))
	}
	got := rows[0]
	for what, pair := range map[string][2]string{
		"policy": {got.Label, "packing"}, "pairs": {got.Pairs, "2"}, "foretold": {got.Foretold, "1"}, "off": {got.Off, percent(0.5)},
		"undone": {got.Undone, "1"}, "saved": {got.Saved, "1.6"}, "lost": {got.Lost, "0.1"}, "redone": {got.Redone, "0.17"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", what, pair[0], pair[1])
		}
	}
	want := []pairList{
		{
			Title: "Pairs that were undone, in the order in which they began", Undone: true,
			Rows: []pairRow{{
				Guest: "loud", Host: "old", From: seconds(600), To: seconds(2400), GuestForecast: "1.25×", GuestReal: "3.33×", HostForecast: "1.25×", HostReal: "2×",
				Saved: "−0.1", Why: "old took 2.04× of its time alone, after " + counted(6, "step", "steps"), Redone: "0.17",
			}},
		},
		{Title: "Pairs that saved or lost the most", Rows: []pairRow{
			{Guest: "mild", Host: "old", From: seconds(3000), To: seconds(10_200), GuestForecast: none, GuestReal: "1.11×", HostForecast: none, HostReal: "1.11×", Saved: "1.6"},
			{
				Guest: "loud", Host: "old", From: seconds(600), To: seconds(2400), GuestForecast: "1.25×", GuestReal: "3.33×", HostForecast: "1.25×", HostReal: "2×",
				Saved: "−0.1", Why: "old took 2.04× of its time alone, after " + counted(6, "step", "steps"), Redone: "0.17",
			},
		}},
	}
	if diff := cmp.Diff(want, got.Lists); diff != "" {
		t.Error(diff)
	}
}

// A page of runs that share nothing has no such section; one of thousands of pairs lists
// few of them, and says so.
func TestHowManyPairsAreListed(t *testing.T) {
	page := packed()
	if text := render(t, page); !strings.Contains(text, `id="sharing"`) {
		t.Error("pairs, and no section about them")
	}
	for range 1000 {
		page.Runs[1].Pairs = append(page.Runs[1].Pairs, page.Runs[1].Pairs[0])
	}
	text := render(t, page)
	if !strings.Contains(text, "in the order in which they began (25 of 1,001)") || strings.Count(text, "<td>loud</td>") > 2*mostPairs {
		t.Error("a list of pairs is longer than it says, or does not say how long it is")
	}
	page.Runs = page.Runs[:1]
	if text := render(t, page); strings.Contains(text, `id="sharing"`) || strings.Contains(text, "Shared GPUs") {
		t.Error("no pairs, and a section about them")
	}
}

// Pairs that cannot be are refused.
func TestBrokenPairsAreRefused(t *testing.T) {
	for says, spoil := range map[string]func(*SharedPair){
		"lasts from 600 to 599": func(p *SharedPair) { p.Until = 599 },
		"has slowdowns 0":       func(p *SharedPair) { p.HostSlowdown = 0 },
	} {
		page := packed()
		spoil(&page.Runs[1].Pairs[0])
		var b strings.Builder
		if err := Write(&b, page); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want an error that says %q, got %v", says, err)
		}
	}
}

// A hostile name of a job is text.
func TestNamesOfPairsAreText(t *testing.T) {
	page := packed()
	page.Runs[1].Pairs[0].Guest = "<img src=x>\u202e"
	page.Runs[1].Pairs[0].Undo.Slower = "<b>\x01"
	text := render(t, page)
	if strings.Contains(text, "<img") || strings.Contains(text, "<b>\x01") || !strings.Contains(text, "⟨U&#43;202E⟩") {
		t.Error("a name has become markup, or cannot be seen")
	}
	checkPage(t, text)
}
