package failure

import (
	"time"

	"schedmate/logs"
)

// place is where a line stands.
type place struct {
	source   int   // which file of the incident
	line     int64 // from 1, counted at line feeds
	byte     int64
	sequence int64 // of all segments of all files, in reading order
	stamp    int64 // Unix nanoseconds, 0 when the line has none
}

// before tells whether a line was written before another: by the order of the
// file within one file, by their clocks between files. Nobody knows without.
func (p place) before(q place) bool {
	if p.source == q.source {
		return p.sequence < q.sequence
	}
	return p.stamp != 0 && q.stamp != 0 && sameYear(p.stamp, q.stamp) < sameYear(q.stamp, p.stamp)
}

// sameYear is a stamp in the year of another when its own log prints none, which
// reads as 2000.
func sameYear(stamp, other int64) int64 {
	at := time.Unix(0, stamp).UTC()
	if at.Year() != 2000 {
		return stamp
	}
	return at.AddDate(time.Unix(0, other).UTC().Year()-2000, 0, 0).UnixNano()
}

// stampOf is the moment a line names, 0 when it names none with a date.
func stampOf(text []byte, label logs.Label) int64 {
	if s, ok := logs.FindStamp(text); ok && s.Day {
		return s.Nanos
	}
	return label.StampNanos
}
