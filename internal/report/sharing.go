package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedmate"
)

// sharing is one line of the table of jobs that have shared GPUs, with the lists of
// its pairs.
type sharing struct {
	*series
	Seed                string // only where a series has several
	Pairs               string
	Foretold, Off       string
	Undone              string
	Saved, Lost, Redone string
	Lists               []pairList
}

// pairList is pairs of a run that are shown one by one.
type pairList struct {
	Title  string
	Undone bool // all of them are
	Rows   []pairRow
}

// pairRow is one pair.
type pairRow struct {
	Guest, Host              string
	From, To                 string
	GuestForecast, GuestReal string
	HostForecast, HostReal   string
	Saved                    string
	Why, Redone              string
}

// mostPairs is how many pairs a list shows.
const mostPairs = 25

const gpuHour = 3_600_000 // milliseconds

func sharingRows(all []*series) []sharing {
	var rows []sharing
	for _, s := range all {
		for _, r := range s.Runs {
			if len(r.Pairs) > 0 {
				rows = append(rows, newSharing(s, r))
			}
		}
	}
	return rows
}

func newSharing(s *series, r *Run) sharing {
	out := sharing{series: s, Pairs: Count(len(r.Pairs)), Off: none}
	if len(s.Runs) > 1 {
		out.Seed = fmt.Sprintf("seed %d", r.Seed)
	}
	var saved, lost, redone int64
	var undone []SharedPair
	foretold, off := 0, 0.0
	for _, p := range r.Pairs {
		saved, lost = saved+max(0, p.GainedMS), lost+max(0, -p.GainedMS)
		if p.HostForecast > 0 && p.GuestForecast > 0 {
			foretold++
			off += (math.Abs(p.HostForecast-p.HostSlowdown)/p.HostSlowdown + math.Abs(p.GuestForecast-p.GuestSlowdown)/p.GuestSlowdown) / 2
		}
		if p.Undo != nil {
			undone = append(undone, p)
			redone += p.Undo.RedoneMS
		}
	}
	out.Foretold, out.Undone = Count(foretold), Count(len(undone))
	if foretold > 0 {
		out.Off = percent(off / float64(foretold))
	}
	out.Saved, out.Lost, out.Redone = gpuHours(saved), gpuHours(lost), gpuHours(redone)
	if len(undone) > 0 {
		title := "Pairs that were undone, in the order in which they began"
		out.Lists = append(out.Lists, newPairList(title, true, undone))
	}
	most := slices.Clone(r.Pairs)
	slices.SortStableFunc(most, func(a, b SharedPair) int { return cmp.Compare(magnitude(b.GainedMS), magnitude(a.GainedMS)) })
	out.Lists = append(out.Lists, newPairList("Pairs that saved or lost the most", false, most))
	return out
}

func newPairList(title string, undone bool, pairs []SharedPair) pairList {
	l := pairList{Title: title, Undone: undone}
	if len(pairs) > mostPairs {
		l.Title += fmt.Sprintf(" (%d of %s)", mostPairs, Count(len(pairs)))
		pairs = pairs[:mostPairs]
	}
	for _, p := range pairs {
		row := pairRow{
			Guest: p.Guest, Host: p.Host, From: seconds(p.From), To: seconds(p.Until),
			GuestForecast: manifold(p.GuestForecast), GuestReal: manifold(p.GuestSlowdown),
			HostForecast: manifold(p.HostForecast), HostReal: manifold(p.HostSlowdown), Saved: gpuHours(p.GainedMS),
		}
		if u := p.Undo; u != nil {
			row.Why = fmt.Sprintf("%s took %s of its time alone, after %s", u.Slower, manifold(u.Measured), counted(u.Steps, "step", "steps"))
			row.Redone = gpuHours(u.RedoneMS)
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

// manifold prints a slowdown: "1.25×"; one that is not known is none.
func manifold(slowdown float64) string {
	if slowdown <= 0 || !finite(slowdown) {
		return none
	}
	return number(math.Round(100*slowdown)/100) + "×"
}

func gpuHours(ms int64) string { return number(math.Round(float64(ms)/gpuHour*100) / 100) }

func magnitude(n int64) int64 { return max(n, -n) }

// checkPairs checks the invariant of the pairs of a run.
func (r *Run) checkPairs() error {
	for i, p := range r.Pairs {
		switch {
		case !instant(p.From) || !instant(p.Until) || p.From > p.Until:
			return fmt.Errorf("pair %d of %s and %s lasts from %d to %d: give instants in [%d, %d], in order", i, p.Host, p.Guest, p.From, p.Until, -schedmate.MaxSeconds, schedmate.MaxSeconds)
		case !(p.HostSlowdown > 0) || !(p.GuestSlowdown > 0) || !finite(p.HostSlowdown) || !finite(p.GuestSlowdown):
			return fmt.Errorf("pair %d of %s and %s has slowdowns %g and %g: give finite ones above 0", i, p.Host, p.Guest, p.HostSlowdown, p.GuestSlowdown)
		}
	}
	return nil
}
