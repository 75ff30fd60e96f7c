package report

import (
	"time"

	"schedmate"
)

// instant writes an instant for people: as UTC, or as what it is from now.
func (p *Promises) instant(t schedmate.Seconds) string {
	switch {
	case p.Clock:
		return time.Unix(int64(t), 0).UTC().Format("Mon 2 Jan 15:04")
	case t < p.Now:
		return seconds(p.Now-t) + " ago"
	case t == p.Now:
		return "now"
	}
	return "in " + seconds(t-p.Now)
}

// ticks stand at round times of the day, or at round times from now.
func (p *Promises) ticks(a timeAxis) []tick {
	origin, label := p.Now, func(t schedmate.Seconds) string { return p.instant(t) }
	if p.Clock {
		origin, label = 0, func(t schedmate.Seconds) string {
			at := time.Unix(int64(t), 0).UTC()
			if t%day == 0 {
				return at.Format("2 Jan")
			}
			return at.Format("15:04")
		}
	}
	step := schedmate.Seconds(1)
	for _, step = range []schedmate.Seconds{
		1, 5, 15, minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour,
		day, 2 * day, 5 * day, 10 * day, 20 * day, 50 * day, 100 * day, 365 * day, 1000 * day, 5000 * day, 20000 * day,
	} {
		if a.length()/step < maxTicks {
			break
		}
	}
	first := origin + (a.From-origin)/step*step
	for first < a.From {
		first += step
	}
	var out []tick
	for t := first; t <= a.To; t += step {
		out = append(out, tick{At: at(a.place(t)), Label: label(t), Minor: len(out)%2 == 1})
	}
	return out
}
