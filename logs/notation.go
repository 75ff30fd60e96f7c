package logs

// Notation is what the lines of a log have shown so far about how it writes
// numbers: 3,444 is three and a half where a decimal stands behind a comma, and
// three thousand where it stands behind a point. One line often cannot tell.
// The zero value knows nothing.
type Notation struct {
	commas int // lines in which a comma can only stand before decimals
	points int // lines with decimals behind a point, or with 1,234,567
}

// enoughCommas is how many lines must show a comma as the decimal sign before a
// line that does not show it is read so; a list such as 0,1 may look like one.
const enoughCommas = 3

func (n *Notation) decimalCommas() bool {
	return n != nil && n.commas >= enoughCommas && n.commas > n.points
}

// learn takes what a line has shown. Where thousands stand behind spaces, or
// a total of five digits has no mark at all, a comma before three digits is none
// of thousands.
func (n *Notation) learn(s *fieldScanner) {
	if n == nil {
		return
	}
	switch {
	case s.point:
		n.points++
	case s.shown || s.three && s.unmarked:
		n.commas++
	}
}
