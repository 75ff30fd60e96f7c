package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// screen writes a page as text: all of it where there is room, such as a pipe; on a
// screen of so many rows what is less important gives way, as far as it can.
func screen(p *page, o Options) []byte {
	out := newWriter(p, o, mostListed, true).rows
	for most := mostRows; most > 0 && o.Rows > 0 && len(out) >= o.Rows; most-- { // the last row is the prompt's
		out = newWriter(p, o, most, false).rows
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

// mostRows is how many entries of a list stand on a screen that has room.
const mostRows = 5

// writer lays out a page in rows. Of each list the first most entries are
// written.
type writer struct {
	rows   []string
	width  int
	label  int // columns
	colour bool
	most   int
	whole  bool // quotes are not cut to the width
	colon  string
}

// Colours of the terminal.
const (
	bold  = "1"
	faint = "2"
	red   = "1;31"
	green = "1;32"
)

func newWriter(p *page, o Options, most int, whole bool) *writer {
	w := &writer{width: max(o.Width, 20), colour: o.Colour, most: most, whole: whole, colon: p.word(":", "：")}
	for _, s := range p.Sections {
		w.label = max(w.label, columns(s.Name)+2)
	}
	if w.label > w.width/3 {
		w.label = 2
	}
	switch {
	case p.Well:
		w.block("", green, 0, p.Title+p.word(". ", "。")+p.Lead.String())
		return w
	case p.Failed:
		w.block("", red, 0, p.Title)
	default:
		w.block("", bold, 0, p.Title)
	}
	w.block("", "", 0, p.Lead.String())
	for _, s := range p.Sections {
		w.section(s)
	}
	w.block("", faint, 0, p.Read)
	return w
}

func (w *writer) section(s section) {
	if w.label == 2 {
		w.block("", bold, 0, s.Name)
	}
	label, left, over, said := s.Name, w.most, 0, ""
	if s.ID == "sure" || s.ID == "seen" || s.ID == "next" { // its quotes are what the reader must see
		left = max(left, mostQuotes+1)
	}
	if s.ID == "since" { // and what was lost
		left = max(left, 2)
	}
	for _, i := range s.Items {
		if s.ID == "quarantine" && i.Quote != "" {
			continue // in its sentence
		}
		if left == 0 {
			over++
			continue
		}
		left--
		if say := i.Say.String(); i.Quote != "" && say == said {
			i.Say = nil // of the one before it, too
		} else {
			said = say
		}
		w.item(s, label, i)
		label = ""
	}
	if over > 0 {
		w.block("", faint, w.label, "… +"+count(over))
	}
}

// item writes an entry: a quote that is cut takes one row, those of the root two
// while there is room.
func (w *writer) item(s section, label string, i item) {
	say := i.Say.String()
	if s.ID == "quarantine" {
		say += places(s.Items[1:])
	}
	if i.Quote == "" {
		w.block(label, "", w.label, say)
		return
	}
	if say != "" { // what the line is quoted for
		w.block(label, "", w.label, say+w.colon)
		label = ""
	}
	if w.whole {
		w.block(label, "", w.label, i.Place+"  "+cut(i.Quote, maxQuote))
		return
	}
	room := w.width - w.label
	at := tail(i.Place, max(2*room/5, 8))
	n := room
	if s.ID == "sure" && (w.most == mostRows || w.most > 1 && i.Place == s.Items[1].Place) { // the root above all
		n = 2*room - 4
	}
	w.block(label, "", w.label, cut(at+"  "+i.Quote, n))
}

// places tells where witnesses stand.
func places(items []item) string {
	var b strings.Builder
	for n, i := range items {
		if n > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + i.Place)
	}
	return b.String()
}

// block writes text wrapped to the width behind an indent, the label in the first
// row.
func (w *writer) block(label, colour string, indent int, text string) {
	if w.label == 2 {
		label = ""
	}
	for _, row := range wrap(text, w.width-indent) {
		lead := strings.Repeat(" ", indent)
		if label != "" {
			lead = w.paint(bold, label) + strings.Repeat(" ", max(indent-columns(label), 1))
			label = ""
		}
		w.rows = append(w.rows, strings.TrimRight(lead+w.paint(colour, row), " "))
	}
}

func (w *writer) paint(colour, text string) string {
	if !w.colour || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// columns is how wide text is on a terminal.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut shortens text to some columns.
func cut(text string, most int) string {
	if columns(text) <= most {
		return text
	}
	n := 0
	for i, r := range text {
		if n += runeColumns(r); n > most-1 {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}

// tail shortens text to its end, where the names of files differ.
func tail(text string, most int) string {
	over := columns(text) - most
	if over <= 0 {
		return text
	}
	for i, r := range text {
		if over < 0 {
			return "…" + text[i:]
		}
		over -= runeColumns(r)
	}
	return "…"
}

// wrap breaks text into rows of at most some columns: at blanks, between Chinese
// characters but not before their punctuation, and within words that are too
// long.
func wrap(text string, most int) []string {
	var out []string
	most = max(most, 8)
	for columns(text) > most {
		end, n := 0, 0 // where the row must end at the latest
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if n += runeColumns(r); n > most {
				break
			}
			end += size
		}
		at := breakBefore(text, end)
		out = append(out, strings.TrimRight(text[:at], " "))
		text = strings.TrimLeft(text[at:], " ")
	}
	return append(out, text)
}

// breakBefore is the last place up to an index where text may be broken, the
// index itself when there is none.
func breakBefore(text string, end int) int {
	for at := end; at > 0; {
		before, size := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at:])
		switch {
		case before == ' ' || after == ' ':
			return at
		case runeColumns(after) == 2 && !unicode.IsPunct(after) && before != '（' && before != '(', runeColumns(before) == 2 && before != '（' && !unicode.IsPunct(after):
			return at
		}
		at -= size
	}
	return end
}
