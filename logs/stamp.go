package logs

import (
	"bytes"
	"time"
)

// Stamp is a moment printed in a line.
type Stamp struct {
	Nanos      int64 // Unix time; for a time of day alone, since midnight
	Resolution int64 // nanoseconds: the last digit printed
	Day        bool  // the date was printed, at least month and day
	Start, End int   // where it stands in the text
}

// maxStampStart is how far into a line a stamp is looked for.
const maxStampStart = 96

// FindStamp finds the first moment printed near the start of a line, in the
// styles that logs use: ISO 8601 and its relatives (with space, comma, dash or
// slash), month/day first, web server (04/Jan/2020:18:50:39), ctime, glog
// (I0103 13:26:38.22), and a time of day alone when it opens the line. Which of
// two numbers is the month is not decided: only differences of stamps are of
// use to a caller that does not know the style.
func FindStamp(text []byte) (Stamp, bool) {
	limit := min(len(text), maxStampStart)
	for i := 0; i < limit; i++ {
		if !isDigit(text[i]) {
			continue
		}
		run := i
		for i+1 < len(text) && isDigit(text[i+1]) {
			i++
		}
		if run > 0 && (text[run-1] == '.' || text[run-1] == ':' && (run < 2 || isDigit(text[run-2]))) {
			continue
		}
		if run > 1 && isLetter(text[run-1]) && isLetter(text[run-2]) { // part of a name, such as gpu2
			continue
		}
		next := byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch i + 1 - run { // most runs of digits can be no date
		case 1, 2:
			if next != '/' && next != '-' && next != '.' && next != ':' && next != ' ' {
				continue
			}
		case 4:
			if next != '-' && next != '/' && next != '.' && next != ' ' {
				continue
			}
		case 8:
		default:
			continue
		}
		if s, ok := dateAt(text, run); ok {
			return s, true
		}
		if next != ':' {
			continue
		}
		if s, ok := clockAt(text, run); ok && opensLine(text, run) {
			return s, true
		}
	}
	return Stamp{}, false
}

// opensLine tells whether nothing but brackets, one word (a level or a name)
// and spaces stand before i, and i's time is not followed by what makes it a
// duration.
func opensLine(text []byte, i int) bool {
	words := 0
	for j := 0; j < i; j++ {
		switch b := text[j]; {
		case isLetter(b):
			if j == 0 || !isLetter(text[j-1]) {
				words++
			}
		case b == '[' || b == ' ' || b == '(' || b == '|' || b == '>' || b == '<' || b == '*' || b == '-' || b == '#' || b == '\t':
		case b >= 0x80: // a word in another script
			if j == 0 || text[j-1] < 0x80 {
				words++
			}
		default:
			return false
		}
	}
	return words <= 1
}

// dateAt reads a date with a time from i on.
func dateAt(text []byte, i int) (Stamp, bool) {
	p := text[i:]
	var year, month, day, n int
	sep := byte(0) // after two digits
	if len(p) > 2 && isDigit(p[0]) && isDigit(p[1]) {
		sep = p[2]
	}
	switch {
	case isDigit(sep) && matches(p, "####-##-##"), matches(p, "####/##/##"), matches(p, "####.##.##"):
		year, month, day, n = digits(p[:4]), digits(p[5:7]), digits(p[8:10]), 10
	case matches(p, "########") && len(p) > 8 && !isDigit(p[8]) && p[0] <= '2':
		year, month, day, n = digits(p[:4]), digits(p[4:6]), digits(p[6:8]), 8
	case (sep == '/' || sep == '-' || sep == '.') && (matches(p, "##/##/####") || matches(p, "##-##-####") || matches(p, "##.##.####")):
		year, month, day, n = digits(p[6:10]), digits(p[:2]), digits(p[3:5]), 10
	case len(p) > 11 && isDigit(p[1]) && (p[2] == '/' || p[2] == '-' || p[2] == ' ') && monthName(p[3:6]) > 0 && matches(p[7:], "####"):
		year, month, day, n = digits(p[7:11]), monthName(p[3:6]), digits(p[:2]), 11
	case matches(p, "##/##/##") || matches(p, "##-##-##"):
		year, month, day, n = 2000+digits(p[:2]), digits(p[3:5]), digits(p[6:8]), 8
		if month > 12 || day > 31 { // month first
			year, month, day = 2000+digits(p[6:8]), digits(p[:2]), digits(p[3:5])
		}
	case matches(p, "##/##") || matches(p, "##-##"):
		month, day, n = digits(p[:2]), digits(p[3:5]), 5
	case matches(p, "####") && len(p) > 4 && p[4] == ' ' && i > 0 && isLetter(text[i-1]): // glog
		month, day, n = digits(p[:2]), digits(p[2:4]), 4
	default:
		if s, ok := namedMonthBefore(text, i); ok {
			return s, true
		}
		return Stamp{}, false
	}
	if month > 12 {
		month, day = day, month
	}
	if month < 1 || month > 12 || day < 1 || day > 31 || n >= len(p) {
		return Stamp{}, false
	}
	m := n
	switch {
	case p[m] == ' ' || p[m] == 'T' || p[m] == ',' || p[m] == '-' || p[m] == '_' || p[m] == ':' || isLetter(p[m]):
		m++
	default:
		return Stamp{}, false
	}
	for m < len(p) && p[m] == ' ' {
		m++
	}
	clock, ok := clockAt(text, i+m)
	if !ok {
		clock, ok = shortClockAt(text, i+m)
	}
	if !ok {
		return Stamp{}, false
	}
	if year == 0 {
		year = 2000 // a leap year: all days exist
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	start := i
	if n == 4 { // with the letter of the level
		start--
	}
	return Stamp{Nanos: date.UnixNano() + clock.Nanos, Resolution: clock.Resolution, Day: true, Start: start, End: zoneEnd(text, clock.End)}, true
}

// namedMonthBefore reads the day of `Jan  3 13:28:54 2021` with the month's
// name before i.
func namedMonthBefore(text []byte, i int) (Stamp, bool) {
	j := i
	for j > 0 && text[j-1] == ' ' {
		j--
	}
	if j == i || j < 3 || i-j > 2 {
		return Stamp{}, false
	}
	month := monthName(text[j-3 : j])
	day := leadingDigits(text[i:])
	if month == 0 || len(day) == 0 || len(day) > 2 || i+len(day) >= len(text) || text[i+len(day)] != ' ' {
		return Stamp{}, false
	}
	clock, ok := clockAt(text, i+len(day)+1)
	if !ok {
		return Stamp{}, false
	}
	year, end := 2000, clock.End
	if matches(text[min(end, len(text)):], " ####") {
		year = digits(text[end+1 : end+5])
		end += 5
	}
	start := j - 3
	if start >= 4 && text[start-1] == ' ' && isLetter(text[start-2]) && isLetter(text[start-3]) && isLetter(text[start-4]) { // the weekday
		start -= 4
	}
	date := time.Date(year, time.Month(month), digits(day), 0, 0, 0, 0, time.UTC)
	return Stamp{Nanos: date.UnixNano() + clock.Nanos, Resolution: clock.Resolution, Day: true, Start: start, End: end}, true
}

// clockAt reads HH:MM:SS with an optional fraction after `.` or `,`.
func clockAt(text []byte, i int) (Stamp, bool) {
	if i >= len(text) {
		return Stamp{}, false
	}
	p := text[i:]
	if !matches(p, "##:##:##") {
		return Stamp{}, false
	}
	h, m, s := digits(p[:2]), digits(p[3:5]), digits(p[6:8])
	n := 8
	if h > 23 || m > 59 || s > 60 || n < len(p) && (isDigit(p[n]) || p[n] == ':') {
		return Stamp{}, false
	}
	nanos := int64(h*3600+m*60+s) * int64(time.Second)
	resolution := int64(time.Second)
	if n+1 < len(p) && (p[n] == '.' || p[n] == ',') && isDigit(p[n+1]) {
		f := leadingDigits(p[n+1:])
		if p[n] == '.' || len(f) == 3 || len(f) == 6 { // a comma before other digits ends the stamp
			for k, b := range f {
				if k < 9 {
					resolution /= 10
					nanos += int64(b-'0') * resolution
				}
			}
			n += 1 + len(f)
			if n+3 < len(p) && p[n] == '.' && matches(p[n:], ".###") { // microseconds in a third group
				n += 4
			}
		}
	}
	return Stamp{Nanos: nanos, Resolution: max(resolution, 1), Start: i, End: i + n}, true
}

// shortClockAt reads the rarer clocks that only stand behind a date: HH:MM.SS
// and HH:MM.
func shortClockAt(text []byte, i int) (Stamp, bool) {
	if i >= len(text) {
		return Stamp{}, false
	}
	p := text[i:]
	n, s, resolution := 5, 0, int64(time.Minute)
	switch {
	case matches(p, "##:##.##"):
		n, s, resolution = 8, digits(p[6:8]), int64(time.Second)
	case matches(p, "##:##"):
	default:
		return Stamp{}, false
	}
	h, m := digits(p[:2]), digits(p[3:5])
	if h > 23 || m > 59 || s > 59 || n < len(p) && (isDigit(p[n]) || p[n] == ':') {
		return Stamp{}, false
	}
	return Stamp{Nanos: int64(h*3600+m*60+s) * int64(time.Second), Resolution: resolution, Start: i, End: i + n}, true
}

// zoneEnd is the end of a time zone that follows a clock: Z, +0000, +01:00.
func zoneEnd(text []byte, i int) int {
	if i < len(text) && text[i] == 'Z' {
		return i + 1
	}
	j := i
	if j < len(text) && text[j] == ' ' {
		j++
	}
	if j < len(text) && (text[j] == '+' || text[j] == '-') {
		switch {
		case matches(text[j+1:], "##:##"):
			return j + 6
		case matches(text[j+1:], "####"):
			return j + 5
		}
	}
	return i
}

// rfc3339 reads the stamp of container runtimes, which need not be more
// lenient than RFC 3339, and returns its length.
func rfc3339(line []byte) (unixNanos int64, n int, ok bool) {
	if !matches(line, "####-##-##") || len(line) < 20 || line[10] != 'T' {
		return 0, 0, false
	}
	end := bytes.IndexByte(line[:min(len(line), 40)], ' ')
	if end < 0 {
		end = min(len(line), 40)
	}
	if last := line[end-1]; last != 'Z' && line[end-min(end, 6)] != '+' && line[end-min(end, 6)] != '-' {
		return 0, 0, false
	}
	t, err := time.Parse(time.RFC3339Nano, string(line[:end]))
	if err != nil {
		return 0, 0, false
	}
	return t.UnixNano(), end, true
}

// matches tells whether p begins with the pattern, in which # is a digit.
func matches(p []byte, pattern string) bool {
	if len(p) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] == '#' {
			if !isDigit(p[i]) {
				return false
			}
		} else if p[i] != pattern[i] {
			return false
		}
	}
	return true
}

// digits reads a short run that is known to be digits.
func digits(p []byte) int {
	n := 0
	for _, b := range p {
		n = n*10 + int(b-'0')
	}
	return n
}

// monthName is the number of the month with this English three-letter name, 0
// for another word.
func monthName(p []byte) int {
	const names = "janfebmaraprmayjunjulaugsepoctnovdec"
	if len(p) < 3 {
		return 0
	}
	var low [3]byte
	for i := range low {
		low[i] = p[i] | 0x20
	}
	for m := 0; m < 12; m++ {
		if names[3*m:3*m+3] == string(low[:]) {
			return m + 1
		}
	}
	return 0
}
