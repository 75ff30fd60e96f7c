package failure

import (
	"math"
	"slices"

	"schedmate/logs"
)

// source is one file of an incident.
type source struct {
	name    string
	record  bool // the scheduler's own
	bytes   int64
	lines   int64
	records int64                      // of progress of its busiest stream
	latest  [recoveredAfter]recordHead // of them, by turns
	turn    int
	busiest *stream
	steps   Steps // as somebody else read them
	word    lastWord
}

// recordHead is where a record of progress tells its moment.
type recordHead struct {
	text  []byte
	label logs.Label
}

// tick counts a record of progress of one of its streams.
func (f *source) tick(st *stream, text []byte) {
	if st.ticks <= f.records {
		return
	}
	f.records, f.busiest = st.ticks, st
	head := &f.latest[f.turn]
	head.text, head.label = append(head.text[:0], text[:min(len(text), stampReach)]...), st.label
	f.turn = (f.turn + 1) % recoveredAfter
}

// step is the counter at the last record of progress of a stream, or of the busiest
// one when the stream has none; NaN without any.
func (f *source) step(st *stream) float64 {
	switch {
	case st.ticks > 0:
		return st.reached()
	case f.busiest != nil:
		return f.busiest.reached()
	}
	return math.NaN()
}

// lately is the moment of the record after which as many came as show that a job
// got over an error, 0 when it names none.
func (f *source) lately() int64 {
	head := f.latest[f.turn]
	return stampOf(head.text, head.label)
}

// newest is the moment of its latest record of progress, 0 when it names none.
func (f *source) newest() int64 {
	head := f.latest[(f.turn+recoveredAfter-1)%recoveredAfter]
	return stampOf(head.text, head.label)
}

// progressed tells whether any file holds records of progress.
func (s *Scanner) progressed() bool {
	return slices.ContainsFunc(s.sources, func(f *source) bool { return f.records > 0 })
}
