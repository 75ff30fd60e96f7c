package report

import (
	"cmp"
	"slices"

	"schedmate"
)

// series is one policy in one preset, with a run for each seed. It has one
// colour and one dash over the whole page.
//
// Statistics over jobs pool the seeds; figures over time show the first seed.
type series struct {
	Label string
	Slot  int    // identifies the series on the page
	Runs  []*Run // ascending by Seed

	jct, queue []schedmate.Seconds // of all seeds, ascending
}

// colours is how many colours the style sheet has for series, dashes how many
// patterns of lines.
const (
	colours = 8
	dashes  = 8
)

// Colour and Dash differ, each by itself, between the first 8 series, for
// readers who see no colours and for print; two of the first 64 series never
// share both.
func (s *series) Colour() int { return s.Slot % colours }
func (s *series) Dash() int   { return (s.Slot + s.Slot/colours) % dashes }

// first is the run that figures over time show.
func (s *series) first() *Run { return s.Runs[0] }

// policies leaves out what is no policy's run.
func policies(all []*series) []*series {
	return slices.DeleteFunc(slices.Clone(all), func(s *series) bool { return s.first().Past })
}

// grouped sorts the runs into series, in the order in which the policies come.
// A label names the preset only where presets differ.
func grouped(runs []Run) []*series {
	type key struct{ policy, preset string }
	index := make(map[key]*series)
	presets := make(map[string]bool)
	var all []*series
	for i := range runs {
		r := &runs[i]
		if !r.Past {
			presets[r.Preset] = true
		}
		k := key{r.Policy, r.Preset}
		s := index[k]
		if s == nil {
			s = &series{Slot: len(all)}
			index[k] = s
			all = append(all, s)
		}
		s.Runs = append(s.Runs, r)
	}
	for _, s := range all {
		r := s.Runs[0]
		s.Label = cmp.Or(r.Policy, "(unnamed policy)")
		if len(presets) > 1 && r.Preset != "" && !r.Past {
			s.Label += " · " + r.Preset
		}
		slices.SortFunc(s.Runs, func(a, b *Run) int { return cmp.Compare(a.Seed, b.Seed) })
		for _, r := range s.Runs {
			s.jct = append(s.jct, r.JCT...)
			s.queue = append(s.queue, r.Queue...)
		}
		slices.Sort(s.jct)
		slices.Sort(s.queue)
	}
	return all
}

// mean returns the arithmetic mean and false when there is nothing to average.
func mean(values []schedmate.Seconds) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	var sum float64
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values)), true
}

// firstRuns returns the runs that the figures over time show.
func firstRuns(all []*series) []*Run {
	runs := make([]*Run, len(all))
	for i, s := range all {
		runs[i] = s.first()
	}
	return runs
}

// byMeanJCT returns the series, the shortest mean JCT first; those in which no
// job ended come last.
func byMeanJCT(all []*series) []*series {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *series) int {
		x, okX := mean(a.jct)
		y, okY := mean(b.jct)
		if okX != okY {
			if okX {
				return -1
			}
			return 1
		}
		return cmp.Compare(x, y)
	})
	return sorted
}
