package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/admit"
)

// Property: whatever is promised, the calendar fits its width, has a row for each
// promise, and a bar has a mark in each column in which a lease lies, and in no other.
func TestTheCalendarFitsItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := schedmate.Seconds(rapid.Int64Range(0, 2e9).Draw(t, "now"))
		lease := schedmate.Seconds(rapid.SampledFrom([]int64{1, 1200, 86400}).Draw(t, "lease"))
		width := rapid.IntRange(70, 300).Draw(t, "width")
		d := &answerTail{Terms: admit.Options{Lease: lease}}
		slots := rapid.IntRange(1, 8192).Draw(t, "slots")
		for i := range rapid.IntRange(1, 12).Draw(t, "promises") {
			p := promiseEntry{Job: rapid.StringN(1, 40, -1).Draw(t, "job"), Class: schedmate.Strict, GPUs: rapid.IntRange(1, 4096).Draw(t, "gpus")}
			for k := rapid.IntRange(0, slots-1).Draw(t, "first"); k < slots && len(p.Leases) < 50; k += rapid.IntRange(1, 400).Draw(t, "gap") {
				p.Leases = append(p.Leases, now+schedmate.Seconds(k)*lease)
			}
			p.Deadline = p.Leases[len(p.Leases)-1] + lease + schedmate.Seconds(rapid.Int64Range(0, 1e6).Draw(t, "slack"))
			if i%3 == 0 {
				p.Class = schedmate.Soft
			}
			d.Promises = append(d.Promises, p)
		}
		d.Load = []loadEntry{{Node: "n", Start: now, End: now + schedmate.Seconds(slots)*lease, GPUs: 8192, Promised: 1}}
		var out strings.Builder
		if err := writeCalendar(&out, d, nil, now, width); err != nil {
			t.Fatal(err)
		}
		_, table, ok := strings.Cut(out.String(), "\nJOB")
		if !ok {
			t.Fatalf("no table:\n%s", out.String())
		}
		lines := strings.Split(strings.TrimSuffix("JOB"+table, "\n"), "\n")
		if want := 2 + len(d.Promises); len(lines) != want {
			t.Fatalf("%d lines, want %d:\n%s", len(lines), want, out.String())
		}
		for _, line := range lines[1:] {
			if n := utf8.RuneCountInString(line); n > width {
				t.Fatalf("a line of %d columns, want at most %d:\n%s", n, width, line)
			}
		}
		rows := calendarRows(d, nil)
		g := newCalendarGrid(d, rows, now, 40)
		for i := range rows {
			r, bar := &rows[i], g.bar(&rows[i])
			taken := make(map[int]bool)
			for _, at := range r.leases {
				taken[g.column(at)] = true
			}
			for k, sign := range []rune(bar) {
				if marked := sign == promisedSign || sign == expectedSign || sign == partSign; marked != taken[k] {
					t.Fatalf("column %d of %q is %c, and whether a lease lies there is %v", k, bar, sign, taken[k])
				}
			}
			for k := range taken {
				if k >= utf8.RuneCountInString(bar) {
					t.Fatalf("bar %q has no column %d, where a lease lies", bar, k)
				}
			}
		}
	})
}
