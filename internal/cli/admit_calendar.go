package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"schedmate"
)

// Columns of the calendar where no terminal says how wide it is, the fewest that
// its bars have, and the longest name of a job in it.
const (
	calendarWidth = 100
	leastBar      = 20
	longestName   = 24
)

// Signs of a bar: a column whose slots are all leased, by what the row is, one of
// which only some are, and one of which none is.
const (
	promisedSign = '#'
	expectedSign = '~'
	offeredSign  = 'o'
	lostSign     = 'x'
	partSign     = '+'
	freeSign     = '.'
	deadlineSign = '|'
	shortSign    = '!'
	laterSign    = '>'
)

var signText = []struct {
	sign rune
	text string
}{
	{promisedSign, "promised"}, {expectedSign, "expected"}, {offeredSign, "offered"}, {lostSign, "lost"}, {partSign, "part of the column"},
	{deadlineSign, "deadline"}, {laterSign, "deadline later"}, {shortSign, "short by then"},
}

// calendarRow is one row: who, and when.
type calendarRow struct {
	name     string
	gpus     int
	sign     rune
	deadline schedmate.Seconds // 0: none
	short    schedmate.Seconds // by when GPU-leases are missing; 0: they are not
	leases   []schedmate.Seconds
}

// calendarRows are those of the job that asks and its offers, if there is one, of
// what broke, and of what stands, the most urgent first.
func calendarRows(d *answerTail, asks *admissionDocument) []calendarRow {
	var head, lost, rows []calendarRow
	if asks != nil && !asks.Admitted {
		row := calendarRow{name: asks.Job, gpus: asks.GPUs, sign: freeSign}
		if asks.Deadline != nil {
			row.deadline = *asks.Deadline
		}
		if asks.BindingAt != nil {
			row.short = *asks.BindingAt
		}
		head = append(head, row)
		for _, o := range asks.Offers {
			if o.Deadline != nil {
				head = append(head, calendarRow{name: strings.ReplaceAll(string(o.Kind), "_", " "), gpus: o.GPUs, sign: offeredSign, deadline: *o.Deadline, leases: o.Leases})
			}
		}
	}
	for _, list := range [][]brokenEntry{d.Broken, d.Lapsed} {
		for i := range list {
			x := &list[i]
			lost = append(lost, calendarRow{name: x.Job, gpus: x.GPUs, sign: lostSign, deadline: x.Deadline, leases: x.Lost})
		}
	}
	for i := range d.Promises {
		p := &d.Promises[i]
		row := calendarRow{name: p.Job, gpus: p.GPUs, sign: promisedSign, deadline: p.Deadline, leases: p.Leases}
		if p.Class == schedmate.Soft {
			row.sign = expectedSign
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(x, y calendarRow) int {
		return cmp.Or(cmp.Compare(x.deadline, y.deadline), cmp.Compare(x.name, y.name))
	})
	return slices.Concat(head, lost, rows)
}

// calendarGrid is the slots of a text calendar: columns of per slots each.
type calendarGrid struct {
	from, lease schedmate.Seconds
	per         int // slots a column
	columns     int
}

func newCalendarGrid(d *answerTail, rows []calendarRow, now schedmate.Seconds, room int) calendarGrid {
	g := calendarGrid{from: now, lease: d.Terms.Lease}
	if len(d.Load) > 0 {
		g.from = d.Load[0].Start
	}
	end := g.from + g.lease
	for i := range rows {
		r := &rows[i]
		if n := len(r.leases); n > 0 {
			g.from, end = min(g.from, r.leases[0]), max(end, r.leases[n-1]+g.lease)
		}
		if r.sign == freeSign {
			end = max(end, r.deadline, r.short)
		}
	}
	near := max(end+(end-g.from)/2, g.from+schedmate.Seconds(room/2)*g.lease) // half the line is not too much for deadlines
	for i := range rows {
		if rows[i].deadline <= near {
			end = max(end, rows[i].deadline)
		}
	}
	slots := int((end - g.from + g.lease - 1) / g.lease)
	g.per = (slots + room - 1) / room
	g.columns = (slots + g.per - 1) / g.per
	return g
}

// column is the one that an instant lies in.
func (g *calendarGrid) column(t schedmate.Seconds) int {
	return int((t - g.from) / (g.lease * schedmate.Seconds(g.per)))
}

// ending is the number of columns that begin before an instant.
func (g *calendarGrid) ending(t schedmate.Seconds) int {
	each := g.lease * schedmate.Seconds(g.per)
	return int((max(0, t-g.from) + each - 1) / each)
}

// bar draws a row. It ends at the deadline.
func (g *calendarGrid) bar(r *calendarRow) string {
	taken := make([]int, g.columns)
	for _, at := range r.leases {
		taken[g.column(at)]++
	}
	var b strings.Builder
	for i, n := range taken {
		if r.deadline > 0 && i == g.due(r) {
			break
		}
		switch {
		case r.short > 0 && i == g.ending(r.short)-1:
			b.WriteRune(shortSign)
		case n == g.per:
			b.WriteRune(r.sign)
		case n > 0:
			b.WriteRune(partSign)
		default:
			b.WriteRune(freeSign)
		}
	}
	switch {
	case r.deadline == 0:
	case g.ending(r.deadline-g.lease+1) > g.columns:
		b.WriteRune(laterSign)
	default:
		b.WriteRune(deadlineSign)
	}
	return b.String()
}

// due is how many columns a row has before its deadline: those of the slots that
// end by it, and of its leases in any case.
func (g *calendarGrid) due(r *calendarRow) int {
	slots := max(0, r.deadline-g.from) / g.lease
	columns := g.ending(g.from + slots*g.lease)
	if n := len(r.leases); n > 0 {
		columns = max(columns, g.column(r.leases[n-1])+1)
	}
	return columns
}

// scale is a line of times above the bars.
func (g *calendarGrid) scale(clock bool, now schedmate.Seconds) string {
	line := make([]rune, 0, g.columns+8)
	for i := 0; i < g.columns; i += 12 {
		at := g.from + schedmate.Seconds(i*g.per)*g.lease
		label := human(at - now)
		if clock {
			label = time.Unix(int64(at), 0).UTC().Format("15:04")
			if g.lease*schedmate.Seconds(12*g.per) >= 24*3600 {
				label = time.Unix(int64(at), 0).UTC().Format("2 Jan")
			}
		}
		for len(line) < i {
			line = append(line, ' ')
		}
		line = append(line, []rune(label)...)
	}
	return string(line)
}

// load writes the tenths of what an area can promise that are promised, column by
// column; X where nothing is left.
func (g *calendarGrid) load(steps []loadEntry) string {
	promised, room := make([]int, g.columns), make([]int, g.columns)
	for _, s := range steps {
		for at := s.Start; at < s.End; at += g.lease {
			if i := g.column(at); i < g.columns {
				promised[i] += s.Promised
				room[i] += s.GPUs
			}
		}
	}
	var b strings.Builder
	for i := range room {
		switch {
		case promised[i] >= room[i] && room[i] > 0:
			b.WriteByte('X')
		case room[i] == 0:
			b.WriteByte(' ')
		default:
			b.WriteByte(byte('0' + 10*promised[i]/room[i]))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// writeCalendar draws who runs when, one row a promise, within the width of a line.
func writeCalendar(w io.Writer, d *answerTail, asks *admissionDocument, now schedmate.Seconds, width int) error {
	rows := calendarRows(d, asks)
	if len(rows) == 0 {
		return nil // that no promise stands has been said
	}
	cells := [][]string{{"JOB", "GPUS"}}
	for i := range rows {
		cells = append(cells, []string{shortName(rows[i].name), fmt.Sprint(rows[i].gpus)})
	}
	areas := areasOf(d.Load)
	for _, steps := range areas {
		cells = append(cells, []string{shortName(areaName(&steps[0])), fmt.Sprint(slices.MaxFunc(steps, func(x, y loadEntry) int { return cmp.Compare(x.GPUs, y.GPUs) }).GPUs)})
	}
	name, gpus := 0, 0
	for _, c := range cells {
		name, gpus = max(name, utf8.RuneCountInString(c[0])), max(gpus, len(c[1]))
	}
	if width <= 0 {
		width = calendarWidth
	}
	g := newCalendarGrid(d, rows, now, max(leastBar, width-name-gpus-2*columnGap-1))
	bars := []string{g.scale(unixTime(now), now)}
	for i := range rows {
		bars = append(bars, g.bar(&rows[i]))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\nThe calendar from %s, %s a column%s.\n", when(g.from, now), human(g.lease*schedmate.Seconds(g.per)), signs(bars[1:]))
	if len(areas) > 0 {
		text.WriteString("The last rows say how many tenths of the GPUs are promised; X: all.\n")
	}
	for _, steps := range areas {
		bars = append(bars, g.load(steps))
	}
	for i, c := range cells {
		line := fmt.Sprintf("%-*s   %-*s   %s", name, c[0], gpus, c[1], bars[i])
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// signs explains the signs that occur.
func signs(bars []string) string {
	all := strings.Join(bars, "")
	var parts []string
	for _, s := range signText {
		if strings.ContainsRune(all, s.sign) {
			parts = append(parts, string(s.sign)+" "+s.text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// shortName is a name as the calendar has room for it.
func shortName(name string) string {
	runes := []rune(printable(name))
	if len(runes) > longestName {
		return "…" + string(runes[len(runes)-longestName+1:])
	}
	return string(runes)
}

// areasOf parts loads by area; an area in which nothing is promised is left out
// where there are others.
func areasOf(load []loadEntry) [][]loadEntry {
	var all, used [][]loadEntry
	for i := range load {
		if i == 0 || load[i-1].Node != load[i].Node {
			all = append(all, nil)
		}
		last := len(all) - 1
		all[last] = append(all[last], load[i])
	}
	for _, steps := range all {
		if slices.ContainsFunc(steps, func(l loadEntry) bool { return l.Promised > 0 }) {
			used = append(used, steps)
		}
	}
	if len(used) == 0 {
		return all[:min(1, len(all))]
	}
	return used
}
