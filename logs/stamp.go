package logs

import (
	"strings"
	"time"
)

// Stamp is a moment printed in a line.
type Stamp struct {
	Nanos      int64 // Unix time (UTC where no zone is printed); for a time of day alone, since midnight
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
		if run > 1 && (text[run-1] == '-' || text[run-1] == '/') && isDigit(text[run-2]) { // not the first number of a date
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
			if next != '/' && next != '-' && next != '.' && next != ':' && next != ' ' && next != ',' {
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
		if s, ok := clockAt(text, run); ok {
			if words, word := wordsBefore(text, run); words == 0 || words == 1 && !lastingWords[word] {
				return s, true
			}
		}
	}
	return Stamp{}, false
}

// lastingWords name a time that has passed or is still to come, and no moment.
var lastingWords = map[string]bool{"eta": true, "remaining": true, "remain": true, "left": true, "elapsed": true, "took": true, "time": true, "duration": true}

// levelWords are what loggers put before a stamp.
var levelWords = map[string]bool{"i": true, "w": true, "e": true, "d": true, "info": true, "warn": true, "warning": true, "error": true, "debug": true, "trace": true, "critical": true, "fatal": true}

// IsLevel tells whether a word is the level of a logged line: INFO.
func IsLevel(word string) bool { return levelWords[strings.ToLower(word)] }

// wordsBefore counts the words (levels, names) before i when nothing else but
// brackets and spaces stands there, and returns the last in lower case. It is
// negative when the line begins with something else.
func wordsBefore(text []byte, i int) (words int, last string) {
	from := 0
	for j := 0; j < i; j++ {
		switch b := text[j]; {
		case isLetter(b) || b >= 0x80: // also words in other scripts
			if j == 0 || !isLetter(text[j-1]) && text[j-1] < 0x80 {
				words++
				from = j
			}
		case b == '[' || b == ']' || b == ' ' || b == '(' || b == '|' || b == '>' || b == '<' || b == '*' || b == '-' || b == '#' || b == '\t':
		default:
			return -1, ""
		}
	}
	if words == 1 {
		to := from
		for to < i && (isLetter(text[to]) || text[to] >= 0x80) {
			to++
		}
		last = strings.ToLower(string(text[from:to]))
	}
	return words, last
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
	case namedMonth(p) > 0:
		d := len(leadingDigits(p))
		year, month, day, n = digits(p[d+5:d+9]), namedMonth(p), digits(p[:d]), d+9
	case dayAndMonth(p) > 0: // 02 Aug 14:45
		d := len(leadingDigits(p))
		month, day, n = dayAndMonth(p), digits(p[:d]), d+4
		if words, word := wordsBefore(text, i); words != 0 && !(words == 1 && (levelWords[word] || isWeekday([]byte(word[:min(3, len(word))])))) {
			return Stamp{}, false
		}
	case matches(p, "##/##/##") || matches(p, "##-##-##"):
		year, month, day, n = 2000+digits(p[:2]), digits(p[3:5]), digits(p[6:8]), 8
		if month > 12 || day > 31 { // month first
			year, month, day = 2000+digits(p[6:8]), digits(p[:2]), digits(p[3:5])
		}
	case matches(p, "##/##") || matches(p, "##-##"):
		month, day, n = digits(p[:2]), digits(p[3:5]), 5
		if words, word := wordsBefore(text, i); sep == '/' && words != 0 && !(words == 1 && levelWords[word]) { // Epoch 05/10 00:01:30
			return Stamp{}, false
		}
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
	if m+1 < len(p) && p[m] == '-' && p[m-1] == ' ' && p[m+1] == ' ' { // 11/30/26 - 02:55.48AM
		m += 2
	}
	clock, ok := clockAt(text, i+m)
	if !ok {
		if words, _ := wordsBefore(text, i); year == 0 && words != 0 { // 10/20 10:30
			return Stamp{}, false
		}
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
	end, offset := zoneAt(text, clock.End)
	return Stamp{Nanos: date.UnixNano() + clock.Nanos - offset, Resolution: clock.Resolution, Day: true, Start: start, End: end}, true
}

// namedMonth is the month of a date like 3-Jan-2021 at the start of p.
func namedMonth(p []byte) int {
	d := len(leadingDigits(p))
	if d == 0 || d > 2 || len(p) < d+9 || p[d] != '/' && p[d] != '-' && p[d] != ' ' || !matches(p[d+5:], "####") {
		return 0
	}
	return monthName(p[d+1 : d+4])
}

// dayAndMonth is the month of a date like `2 Aug 14:45` at the start of p.
func dayAndMonth(p []byte) int {
	d := len(leadingDigits(p))
	if d == 0 || d > 2 || len(p) < d+10 || p[d] != ' ' || p[d+4] != ' ' || !matches(p[d+5:], "##:##") {
		return 0
	}
	return monthName(p[d+1 : d+4])
}

// namedMonthBefore reads the day of `Jan  3 13:28:54 2021` or `Jan 3, 2021
// 13:28:54` with the month's name before i.
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
	at := i + len(day)
	if month == 0 || len(day) == 0 || len(day) > 2 || at >= len(text) {
		return Stamp{}, false
	}
	year := 2000 // a leap year: all days exist
	if matches(text[at:], ", #### ") {
		year = digits(text[at+2 : at+6])
		at += 6
	}
	if text[at] != ' ' {
		return Stamp{}, false
	}
	clock, ok := clockAt(text, at+1)
	if !ok && matches(text[at:], " #:##:##") {
		clock, ok = shortClockAt(text, at+1)
	}
	if !ok {
		return Stamp{}, false
	}
	end := clock.End
	if year == 2000 {
		k := end
		if k < len(text) && text[k] == ' ' { // a zone by name, as date prints it
			for k++; k < len(text) && text[k] >= 'A' && text[k] <= 'Z'; k++ {
			}
			if k-end < 4 || k-end > 6 {
				k = end
			}
		}
		if matches(text[k:], " ####") {
			year, end = digits(text[k+1:k+5]), k+5
		}
	}
	start := j - 3
	if start >= 4 && text[start-1] == ' ' && isWeekday(text[start-4:start-1]) && (start == 4 || !isLetter(text[start-5])) {
		start -= 4
	}
	date := time.Date(year, time.Month(month), digits(day), 0, 0, 0, 0, time.UTC)
	return Stamp{Nanos: date.UnixNano() + clock.Nanos, Resolution: clock.Resolution, Day: true, Start: start, End: end}, true
}

// clockAt reads HH:MM:SS with an optional fraction after `.` or `,`.
func clockAt(text []byte, i int) (Stamp, bool) {
	if i >= len(text) || !matches(text[i:], "##:##:##") {
		return Stamp{}, false
	}
	return clock(text, i, 2)
}

// clock reads a clock whose hour has the given number of digits.
func clock(text []byte, i, hour int) (Stamp, bool) {
	p, n := text[i:], hour+6
	h, m, s := digits(p[:hour]), digits(p[hour+1:hour+3]), digits(p[hour+4:n])
	if h > 23 || m > 59 || s > 60 || moreClock(p[n:]) {
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
	if n+2 < len(p) && p[n] == ' ' && (p[n+1] == 'A' || p[n+1] == 'P') && p[n+2] == 'M' && (n+3 == len(p) || !isLetter(p[n+3])) && h >= 1 && h <= 12 {
		half := 0
		if p[n+1] == 'P' {
			half = 12
		}
		nanos += int64(h%12+half-h) * int64(time.Hour)
		n += 3
	}
	return Stamp{Nanos: nanos, Resolution: max(resolution, 1), Start: i, End: i + n}, true
}

// shortClockAt reads the rarer clocks that only stand behind a date: H:MM:SS,
// HH:MM.SS and HH:MM.
func shortClockAt(text []byte, i int) (Stamp, bool) {
	if i >= len(text) {
		return Stamp{}, false
	}
	p := text[i:]
	n, s, resolution := 5, 0, int64(time.Minute)
	switch {
	case matches(p, "#:##:##"):
		return clock(text, i, 1)
	case matches(p, "##:##.##"):
		n, s, resolution = 8, digits(p[6:8]), int64(time.Second)
	case matches(p, "##:##"):
	default:
		return Stamp{}, false
	}
	h, m := digits(p[:2]), digits(p[3:5])
	if h > 23 || m > 59 || s > 59 || moreClock(p[n:]) {
		return Stamp{}, false
	}
	return Stamp{Nanos: int64(h*3600+m*60+s) * int64(time.Second), Resolution: resolution, Start: i, End: i + n}, true
}

// moreClock tells whether what follows a clock shows that it was none: further
// digits, such as those of an address.
func moreClock(p []byte) bool {
	return len(p) > 0 && isDigit(p[0]) || len(p) > 1 && p[0] == ':' && isDigit(p[1])
}

// zoneAt reads a time zone that follows a clock: Z, +0000, +01:00. It returns
// its end and the nanoseconds by which it is ahead.
func zoneAt(text []byte, i int) (end int, ahead int64) {
	if i < len(text) && text[i] == 'Z' {
		return i + 1, 0
	}
	j := i
	if j < len(text) && text[j] == ' ' {
		j++
	}
	if j >= len(text) || text[j] != '+' && text[j] != '-' {
		return i, 0
	}
	p, n := text[j+1:], 0
	var minutes int
	switch {
	case matches(p, "##:##"):
		n, minutes = 5, digits(p[3:5])
	case matches(p, "####"):
		n, minutes = 4, digits(p[2:4])
	default:
		return i, 0
	}
	hours := digits(p[:2])
	if hours > 14 || minutes%15 != 0 || minutes > 45 || n < len(p) && (isDigit(p[n]) || p[n] == '.') { // -1234 is a number
		return i, 0
	}
	ahead = int64(hours*60+minutes) * int64(time.Minute)
	if text[j] == '-' {
		ahead = -ahead
	}
	return j + 1 + n, ahead
}

// rfc3339 reads the stamp of container runtimes, which need not be more
// lenient than RFC 3339, and returns its length.
func rfc3339(line []byte) (unixNanos int64, n int, ok bool) {
	if !matches(line, "####-##-##T##:##:##") {
		return 0, 0, false
	}
	month, day := digits(line[5:7]), digits(line[8:10])
	hour, minute, second := digits(line[11:13]), digits(line[14:16]), digits(line[17:19])
	date := time.Date(digits(line[:4]), time.Month(month), day, hour, minute, second, 0, time.UTC)
	if month < 1 || month > 12 || date.Day() != day || hour > 23 || minute > 59 || second > 59 {
		return 0, 0, false
	}
	unixNanos, n = date.UnixNano(), 19
	if n < len(line) && line[n] == '.' {
		fraction := leadingDigits(line[n+1:])
		if len(fraction) == 0 || len(fraction) > 9 {
			return 0, 0, false
		}
		unit := int64(time.Second)
		for _, b := range fraction {
			unit /= 10
			unixNanos += int64(b-'0') * unit
		}
		n += 1 + len(fraction)
	}
	if n < len(line) && line[n] == 'Z' {
		return unixNanos, n + 1, true
	}
	if n >= len(line) || line[n] != '+' && line[n] != '-' || !matches(line[n+1:], "##:##") {
		return 0, 0, false
	}
	end, ahead := zoneAt(line, n)
	return unixNanos - ahead, end, end > n
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
	return nameIn("janfebmaraprmayjunjulaugsepoctnovdec", p)
}

func isWeekday(p []byte) bool { return nameIn("montuewedthufrisatsun", p) > 0 }

// nameIn is the place, from 1, of a word among names of three letters, 0 for
// another word.
func nameIn(names string, p []byte) int {
	if len(p) < 3 {
		return 0
	}
	low := [3]byte{p[0] | 0x20, p[1] | 0x20, p[2] | 0x20}
	for i := 0; i < len(names); i += 3 {
		if names[i:i+3] == string(low[:]) {
			return i/3 + 1
		}
	}
	return 0
}
