package series

import (
	"cmp"
	"math"
	"slices"

	"schedmate/logs"
)

// Limits bounds what a Set keeps of one log.
type Limits struct {
	Families int // shapes of line
	Columns  int // numbers of a line
	History  int // records of a family
}

// DefaultLimits keep a usual log of any size within about a megabyte, and one
// with as many shapes of line as are kept, all of them full of numbers, within
// some 70 MB.
var DefaultLimits = Limits{Families: 192, Columns: 32, History: 1024}

// Set is the families of one log. It is not safe for concurrent use.
type Set struct {
	limits   Limits
	families map[uint64]*Family
	sequence int64
	headers  []header
	bars     barLine // the last
	fields   []logs.Field
	notation logs.Notation
	midnight map[int32]dayClock
	near     int64 // the last stamp with a date, of any line
	wholes   map[uint64]wholeTrend
	half     *Family  // whose last record is of a line without an end
	evicted  []uint64 // keys of families that gave way, each in its place

	anchor       uint64 // key of the family
	anchorColumn int
	anchored     bool
	anchorValue  float64

	header         logs.Stamp // of the last line that has nothing but a stamp and words
	headerSequence int64      // 0: it has no stamp

	plain         string // the last line without a number
	plainSequence int64
}

// SetAnchor names the counter whose value is kept with every record from now
// on: where the job was when that line came. The value outlives the record of
// the counter itself.
func (s *Set) SetAnchor(f *Family, column int) {
	if s.anchored && s.anchor == f.key && s.anchorColumn == column {
		return
	}
	s.anchor, s.anchorColumn, s.anchored, s.anchorValue = f.key, column, true, math.NaN()
	if n := f.Len(); n > 0 {
		s.anchorValue = f.At(n - 1).Value(column)
	}
}

// LastPlain is the last line without a number, and how many segments came
// before it.
func (s *Set) LastPlain() (string, int64) { return s.plain, s.plainSequence }

// dayClock makes stamps that are only a time of day go on past midnight.
type dayClock struct {
	last int64
	days int64
}

// NewSet returns an empty set.
func NewSet(limits Limits) *Set {
	return &Set{limits: limits, families: make(map[uint64]*Family), midnight: make(map[int32]dayClock), wholes: make(map[uint64]wholeTrend), evicted: make([]uint64, 16*limits.Families+1)}
}

// Sequence is the number of segments added.
func (s *Set) Sequence() int64 { return s.sequence }

// Families returns all families, the one with the latest line first.
func (s *Set) Families() []*Family {
	out := make([]*Family, 0, len(s.families))
	for _, f := range s.families {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *Family) int {
		return cmp.Or(cmp.Compare(b.last, a.last), cmp.Compare(a.key, b.key))
	})
	return out
}

// Add takes the next segment of the log. It returns the family that the
// segment belongs to, nil when it has no number.
func (s *Set) Add(seg *logs.Segment) *Family {
	s.dropHalf()
	half := seg.End == logs.EndHalf
	sequence := s.sequence + 1
	if !half {
		s.sequence = sequence // a half line will come again
	}
	text := seg.Text
	stamp, stamped := logs.FindStamp(text)
	if stamped && stamp.Nanos > firstYear && !half {
		s.near = stamp.Nanos
	}
	s.fields = logs.FieldsIn(s.fields, text, stamp, &s.notation)
	if len(s.fields) == 0 {
		s.header, s.headerSequence = stamp, 0
		if stamped && !half {
			s.headerSequence = sequence
		}
		if !half {
			s.noteHeader(text, stamp, stamped)
		}
		s.plain, s.plainSequence = string(text[:min(len(text), 200)]), sequence
		return nil
	}
	if f := s.fields[0]; len(s.fields) == 1 && f.Start == 0 && f.End < len(text) && text[f.End] == ':' && !half {
		s.noteHeader(text[f.End+1:], logs.Stamp{}, stamped) // the launcher's label of a rank, not known as such yet
	}
	key := s.key(text, stamp, seg.Label.Rank, half)
	f := s.families[key]
	if f == nil {
		if half {
			return nil // a shape that only a cut line has
		}
		s.evict()
		f = &Family{key: key, again: s.evicted[key%uint64(len(s.evicted))] == key, Rank: seg.Label.Rank, Sample: string(text[:min(len(text), 400)])}
		f.Words = logs.Words(string(withoutStamp(text[:min(len(text), 400)], stamp)))
		f.Lead = leadWords(text, stamp, s.fields)
		s.families[key] = f
	}
	tail := lastByte(text)
	if half && !f.complete(len(s.fields), tail) {
		return nil // flushed in part
	}
	if f.table == nil && f.Count < 2 {
		f.table = s.headerFor(text, s.fields, stamped)
	}
	if !half {
		f.whole(len(s.fields), tail)
	}
	f.last = sequence
	r := f.push(s.limits.History, half)
	r.Byte, r.Line, r.Sequence, r.ArrivedNanos, r.Half = seg.Byte, seg.Line, sequence, seg.ArrivedNanos, half
	r.StampNanos, r.NearNanos = seg.Label.StampNanos, s.near
	if r.StampNanos != 0 {
		r.StampStep = 1
	}
	if !stamped && s.headerSequence > 0 && s.headerSequence == sequence-1 { // a record of two lines, the first with the time
		stamp, stamped = s.header, true
	}
	if stamped {
		r.StampNanos, r.StampStep = s.resolve(stamp, seg.Label.Rank), stamp.Resolution
		if stamp.Resolution > 1e8 && seg.Label.StampNanos != 0 { // the runtime knows better than whole seconds
			r.StampNanos, r.StampStep = seg.Label.StampNanos, 1
		}
	}
	cells, place := cellStarts{}, 0
	if f.table != nil {
		cells = f.table.cellsOf(text)
	}
	for i := range s.fields {
		field := &s.fields[i]
		form, unit, v := normalise(field, text)
		if half && field.UnitEnd == len(text) && (form != Number || unit.Kind != logs.UnitNone || !f.printsDecimals(field)) {
			break // the number may be cut, or its unit: 35 s of 35 steps
		}
		if f.table != nil {
			if cell := cells.at(field.Start); cell != place/numbersOfCell {
				place = cell * numbersOfCell
			}
		}
		c := f.column(field, form, text, unit, place, s.limits.Columns)
		place++
		if c < 0 {
			continue
		}
		if form == Number && f.Columns[c].Unit.Kind == logs.UnitTime && f.Columns[c].Unit.Scale != 0 && unit.Kind == logs.UnitNone {
			v *= f.Columns[c].Unit.Scale
		}
		if math.IsInf(v, 0) {
			continue // 1e308 hours
		}
		if math.IsNaN(v) {
			f.Columns[c].Undefined = sequence
			continue
		}
		f.Columns[c].Count++
		f.Columns[c].Scaled = f.Columns[c].Scaled || field.Scaled
		if f.Columns[c].Count == 1 {
			f.Columns[c].fewest = int(field.Decimals)
		}
		f.Columns[c].Decimals = max(f.Columns[c].Decimals, int(field.Decimals))
		f.Columns[c].fewest = min(f.Columns[c].fewest, int(field.Decimals))
		f.Columns[c].Integer = f.Columns[c].Integer && field.Integer
		r.set(c, v)
	}
	if s.anchored && key == s.anchor {
		if x := r.Value(s.anchorColumn); !math.IsNaN(x) {
			s.anchorValue = x
		}
	}
	r.Anchor = math.NaN()
	if s.anchored {
		r.Anchor = s.anchorValue
	}
	if half {
		s.half = f
	}
	return f
}

// firstYear is before all dates that are printed with their year.
const firstYear = int64(1e18)

// key is the family's. A whole that rises from line to line is no bar's total but
// the count itself: `Batch 5/700`, `Batch 5/800` are one family. Nor is one that
// differs nearly always: fg/bg=(94/418).
func (s *Set) key(text []byte, stamp logs.Stamp, rank int32, half bool) uint64 {
	key, bare, whole := familyKey(text, stamp, s.fields, rank)
	if whole == 0 {
		return key
	}
	t, seen := s.wholes[bare]
	if t.rises >= countingWholes || t.changes >= varyingWholes && 4*t.same < t.changes {
		return bare
	}
	if half {
		return key
	}
	switch {
	case !seen && len(s.wholes) >= maxWholes:
		return key
	case !seen:
	case whole == t.last:
		t.same++
	default:
		t.changes++
	}
	switch {
	case whole > t.last && t.rises >= 0:
		t.rises++
	case whole < t.last:
		t.rises = math.MinInt32
	}
	t.last = whole
	s.wholes[bare] = t
	return key
}

// countingWholes is how many rises without a fall show that a whole counts;
// varyingWholes how many changes show that it varies; maxWholes bounds the shapes
// of which that is watched.
const (
	countingWholes = 5
	varyingWholes  = 8
	maxWholes      = 1024
)

// wholeTrend is how the wholes of lines of one shape went.
type wholeTrend struct {
	last          float64
	rises         int
	changes, same int // against the line before
}

// dropHalf takes back the record of a line that had no end when it was read:
// the line is read again as a whole.
func (s *Set) dropHalf() {
	if s.half != nil {
		s.half.takeBack()
		s.half = nil
	}
}

// resolve makes the nanoseconds of a stamp comparable within the log.
func (s *Set) resolve(stamp logs.Stamp, rank int32) int64 {
	if stamp.Day {
		return stamp.Nanos
	}
	const day = int64(86400e9)
	if len(s.midnight) > 4096 {
		clear(s.midnight)
	}
	c := s.midnight[rank]
	if stamp.Nanos < c.last-day/2 {
		c.days++
	}
	c.last = stamp.Nanos
	s.midnight[rank] = c
	return stamp.Nanos + c.days*day
}

// evict makes room for one more family: the shape not seen for longest goes,
// those with few lines first. A shape that was evicted and came again is worth
// more than one that came once: records may be far apart in a log whose other
// lines are all different.
func (s *Set) evict() {
	if len(s.families) < s.limits.Families {
		return
	}
	all := s.Families()
	worth := func(f *Family) int {
		if f.again {
			return min(f.Count+1, 3)
		}
		return min(f.Count, 3)
	}
	slices.SortFunc(all, func(a, b *Family) int {
		return cmp.Or(cmp.Compare(worth(a), worth(b)), cmp.Compare(a.last, b.last), cmp.Compare(a.key, b.key))
	})
	for _, f := range all[:max(1, len(all)/4)] {
		delete(s.families, f.key)
		s.evicted[f.key%uint64(len(s.evicted))] = f.key
	}
}

// normalise brings a field to its form and base unit.
func normalise(field *logs.Field, text []byte) (Form, logs.Unit, float64) {
	switch field.Kind {
	case logs.Percent:
		return Percent, logs.Unit{}, field.Value
	case logs.Duration:
		return Duration, logs.Unit{Kind: logs.UnitTime, Scale: 1}, field.Value
	case logs.Part:
		return Part, logs.Unit{}, field.Value
	case logs.Whole:
		return Whole, logs.Unit{}, field.Value
	}
	if field.UnitEnd == field.End {
		return Number, logs.Unit{}, field.Value
	}
	unit := logs.UnitOf(text[field.End:field.UnitEnd])
	switch unit.Kind {
	case logs.UnitTime:
		return Duration, unit, field.Value * unit.Scale
	case logs.UnitTimePer:
		return PerItem, unit, field.Value * unit.Scale / unit.Per
	case logs.UnitPerTime:
		return PerTime, unit, field.Value * unit.Scale
	}
	return Number, unit, field.Value
}

// lastByte is the last byte of a line; all digits are one.
func lastByte(text []byte) byte {
	b := text[len(text)-1]
	if b >= '0' && b <= '9' {
		return '0'
	}
	return b
}

func withoutStamp(text []byte, stamp logs.Stamp) []byte {
	if stamp.End <= stamp.Start || stamp.End > len(text) {
		return text
	}
	return append(append([]byte(nil), text[:stamp.Start]...), text[stamp.End:]...)
}
