package series

import (
	"math"
	"slices"

	"schedmate/logs"
)

// Form is the form of a column's numbers, with units brought to the base:
// seconds, items a second, shares.
type Form uint8

const (
	Number   Form = iota // a plain number, with whatever unit Column.Unit says
	Percent              // as printed, 0 to 100
	Duration             // seconds
	Part                 // the a of a/b
	Whole                // the b of a/b
	PerItem              // seconds for each item (s/it, ms/step)
	PerTime              // items a second (it/s, samples/sec)
)

// Column is one place of a number in the lines of a family.
type Column struct {
	Name     string // as printed before the number or in the table's header; empty when there is none
	Ordinal  int    // numbers since the name; 16 and more for a name that comes again in the line
	Form     Form
	Unit     logs.Unit // of the suffix, or else of the name
	Suffix   string    // the word after the number, as printed
	Integer  bool      // never printed with a fraction
	Decimals int       // most digits after the point
	Header   bool      // the name comes from the header of a table
	Scaled   bool      // printed with M, G or T: a size
	Count    int       // values seen

	Undefined int64 // segments up to the last nan or inf printed in its place; 0: none

	Words  []string // of the name; nil when it belongs to the number before
	After  []string // words of the suffix
	Spoken []string // both

	keyHash uint64
	place   int // in a table
	fewest  int // digits after the point
}

// Record is one line of a family.
type Record struct {
	Byte, Line   int64
	Sequence     int64 // segments of the log before this one
	StampNanos   int64 // printed in the line, or by the container runtime; 0 when neither
	NearNanos    int64 // the last dated stamp of any line before, 0 when there is none: another clock, and early by some lines
	StampStep    int64 // resolution of the stamp in nanoseconds
	ArrivedNanos int64
	Half         bool    // the line has no end yet
	Anchor       float64 // value of the set's anchor when the line came; NaN when there was none
	values       []float64
}

// Value is the record's number in column c; NaN when the line had none.
func (r *Record) Value(c int) float64 {
	if c < 0 || c >= len(r.values) {
		return math.NaN()
	}
	return r.values[c]
}

// Family is all lines of one shape from one rank.
type Family struct {
	Rank    int32
	Sample  string   // text of a line, without labels
	Words   []string // of the sample, without its stamp
	Lead    []string // those before the first number: what the line is about
	Columns []Column
	Count   int // lines ever, of which the last are kept

	key       uint64
	table     *header // above the lines, nil when they are no table
	again     bool    // evicted once, and seen again
	records   []Record
	next      int     // where the next record goes, once the ring is full
	displaced *Record // by a half record
	last      int64
	fields    [4]int    // numbers in the last whole lines
	tails     [256]bool // last bytes of whole lines
}

// Len is the number of records kept.
func (f *Family) Len() int { return len(f.records) }

// At is the i-th kept record, the oldest first.
func (f *Family) At(i int) *Record {
	return &f.records[(f.next+i)%len(f.records)]
}

// Series is column c over the kept records, NaN where a line had none.
func (f *Family) Series(c int) []float64 {
	out := make([]float64, f.Len())
	for i := range out {
		out[i] = f.At(i).Value(c)
	}
	return out
}

// numbersOfCell is how many numbers of one cell of a table are told apart.
const numbersOfCell = 16

// column finds or makes the column of a field; -1 when the family has its fill.
// In a table it is that of the cell, and place is the cell's number times
// numbersOfCell with the number's place in the cell; elsewhere that of the name.
func (f *Family) column(field *logs.Field, form Form, text []byte, unit logs.Unit, place, limit int) int {
	inTable := f.table != nil && place >= 0 && place/numbersOfCell < len(f.table.cells)
	for i := range f.Columns {
		c := &f.Columns[i]
		same := c.keyHash == field.KeyHash && c.Ordinal == int(field.Ordinal)
		if inTable {
			same = c.place == place
		}
		if same && c.Header == inTable && c.Form == form {
			return i
		}
	}
	if len(f.Columns) >= limit {
		return -1
	}
	c := Column{
		keyHash: field.KeyHash, Ordinal: int(field.Ordinal), Form: form, Integer: true, place: place, Unit: unit,
		Name:   string(text[field.KeyStart:field.KeyEnd]),
		Suffix: trim(text[field.End:phraseEnd(text, field.UnitEnd)]),
	}
	if form == Duration {
		if u := logs.ParseUnit(c.Suffix); u.Kind == logs.UnitTimePer { // 87 ms per batch
			c.Unit = u
		}
	}
	if c.Name == "" && c.Ordinal > 0 { // the name of the number before
		for i := range f.Columns {
			if p := &f.Columns[i]; p.keyHash == c.keyHash && p.Ordinal == c.Ordinal&^15 {
				c.Name = p.Name
			}
		}
	}
	if inTable {
		c.Name, c.Header = f.table.cells[place/numbersOfCell], true
	}
	if c.Unit.Kind == logs.UnitNone {
		c.Unit = logs.UnitInName(c.Name)
		if form != Number || c.Ordinal&15 != 0 && !c.Header {
			c.Unit = logs.Unit{}
		}
	}
	if c.Ordinal&15 == 0 || c.Header {
		c.Words = logs.Words(c.Name)
	}
	c.After = logs.Words(c.Suffix)
	c.Spoken = slices.Concat(c.Words, c.After)
	f.Columns = append(f.Columns, c)
	return len(f.Columns) - 1
}

// whole notes the form of a line that has an end.
func (f *Family) whole(fields int, tail byte) {
	f.fields[f.Count%len(f.fields)] = fields
	f.tails[tail] = true
}

// complete tells whether a line without an end looks as whole as the others:
// it has as many numbers, and ends like one of them.
func (f *Family) complete(fields int, tail byte) bool {
	least := 0
	for _, n := range f.fields {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return fields >= least && f.tails[tail]
}

// printsDecimals tells whether all lines print so many digits after the point as
// the number that ends a line without an end: it is whole.
func (f *Family) printsDecimals(field *logs.Field) bool {
	for i := range f.Columns {
		c := &f.Columns[i]
		if c.keyHash == field.KeyHash && c.Ordinal == int(field.Ordinal) && c.Form == Number {
			return c.Count >= 3 && c.fewest >= 2 && c.fewest == c.Decimals && int(field.Decimals) == c.fewest
		}
	}
	return false
}

// push makes room for a record and returns it, cleared. When the ring is full
// the oldest record gives way; that which a half record displaces is kept until
// takeBack.
func (f *Family) push(history int, half bool) *Record {
	f.Count++
	f.displaced = nil
	if len(f.records) < history {
		f.records = append(f.records, Record{})
		return &f.records[len(f.records)-1]
	}
	if f.next >= len(f.records) {
		f.next = 0
	}
	r := &f.records[f.next]
	f.next++
	if half {
		oldest := *r
		f.displaced = &oldest
		*r = Record{}
		return r
	}
	*r = Record{values: r.values[:0]}
	return r
}

// takeBack undoes the last push.
func (f *Family) takeBack() {
	f.Count--
	if f.displaced == nil {
		f.records = f.records[:len(f.records)-1]
		return
	}
	f.next--
	f.records[f.next], f.displaced = *f.displaced, nil
}

func (r *Record) set(c int, v float64) {
	for len(r.values) <= c {
		if r.values == nil {
			r.values = make([]float64, 0, c+8)
		}
		r.values = append(r.values, math.NaN())
	}
	if math.IsNaN(r.values[c]) {
		r.values[c] = v
	}
}

// phraseEnd is the end of the words that follow a number up to a separator:
// `0.2 h left,`. Words that lead on to the next number are its name.
func phraseEnd(text []byte, from int) int {
	i := from
	for i < len(text) && i-from < 32 {
		b := text[i]
		switch {
		case b >= '0' && b <= '9' || b == ':' || b == '=' || b == '"' || b == '\'' || b == '{' || b == '[' || b == '(':
			return from
		case b == ',' || b == ';' || b == '|' || b == ')' || b == ']' || b == '}' || b == '\t' || b == ' ' && i+1 < len(text) && text[i+1] == ' ':
			return i
		}
		i++
	}
	if i == len(text) {
		return i
	}
	return from
}

func trim(p []byte) string {
	for len(p) > 0 && p[0] == ' ' {
		p = p[1:]
	}
	return string(p)
}

func (f Form) String() string {
	return [...]string{"number", "percent", "duration", "part", "whole", "time per item", "rate"}[f]
}
