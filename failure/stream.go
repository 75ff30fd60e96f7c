package failure

import (
	"bytes"
	"math"

	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// maxStreams bounds the processes that are told apart.
const maxStreams = 1 << 14

// streamName tells streams of one incident apart: what one process wrote into
// one file, as far as labels tell.
type streamName struct {
	source int
	rank   int32
	host   string
}

// stream is what one process wrote.
type stream struct {
	streamName
	first        place
	last         place
	ticks        int64 // records of progress
	lastTick     place
	step         float64 // the counter at the last of them that was read
	field        int     // which of the numbers of a record it is
	record       []byte  // the last of them
	tail         []byte  // where the last line begins
	label        logs.Label
	block        *exception
	done         *exception // the block that ended at the line before
	chained      bool       // the next block came of the last one
	surroundings surroundings
	named        string // the host that a line of it named last
	namedAt      int64  // that line
}

// stream is the one a line belongs to.
func (s *Scanner) stream(label logs.Label, text []byte, at place) *stream {
	name := streamName{at.source, label.Rank, label.Host}
	if st := s.streams[name]; st != nil {
		return st
	}
	if len(s.streams) >= maxStreams { // labels that are none
		name = streamName{source: at.source, rank: logs.NoRank}
		if st := s.streams[name]; st != nil {
			return st
		}
	}
	at.stamp = stampOf(text, label)
	st := &stream{streamName: name, first: at, last: at}
	s.streams[name] = st
	s.ordered = append(s.ordered, st)
	return st
}

// recoveredAfter is how many records of progress after an error show that the
// job got over it.
const recoveredAfter = 10

// progress takes the counters of a line, and tells whether it is a record of
// progress.
func (s *Scanner) progress(sh *shape, st *stream, text []byte, at place) bool {
	if sh.class != lineclass.ProgressMetric || len(sh.rules) > 0 && sh.lines < 3 && sh.matched {
		return false
	}
	if sh.known {
		s.tick(st, sh, at, text)
		st.record = append(st.record[:0], text[:min(len(text), maxRecord)]...)
		return true
	}
	stamp, _ := logs.FindStamp(text)
	s.fields = logs.Fields(s.fields[:0], text, stamp)
	rose, step, field := false, math.NaN(), 0
	for i := range s.fields[:min(len(s.fields), 6)] {
		f := &s.fields[i]
		if i == len(sh.counters) {
			sh.counters = append(sh.counters, counter{value: math.NaN()})
		}
		c := &sh.counters[i]
		switch {
		case percentage(f, text):
		case f.Value > c.value && (f.Integer || epoch(f, text)):
			c.rises++
			if c.falls*4 <= c.rises && (!rose || math.IsNaN(step)) {
				rose, step, field = true, math.NaN(), i
				if f.Integer {
					step = f.Value
				}
			}
		case f.Value < c.value:
			c.falls++
		}
		c.value = f.Value
	}
	if rose {
		s.tick(st, sh, at, text)
		st.step, st.field = step, field
		sh.rises++
		sh.known = sh.rises >= movesOften
		st.record = append(st.record[:0], text[:min(len(text), maxRecord)]...)
	}
	return rose
}

// epoch tells whether a number counts epochs and parts of them: some programs print
// no other counter. It is no step.
func epoch(f *logs.Field, text []byte) bool {
	return bytes.EqualFold(text[f.KeyStart:f.KeyEnd], []byte("epoch"))
}

// percentage tells whether a number is a share of a whole, which rises as a counter
// does and counts nothing.
func percentage(f *logs.Field, text []byte) bool { return f.End < len(text) && text[f.End] == '%' }

// stampReach is how far into a line its stamp is looked for.
const stampReach = 96

// maxRecord is how much of the last record of a stream is kept.
const maxRecord = 512

// reached is the counter at the last record of progress, NaN when only parts of epochs
// are counted.
func (st *stream) reached() float64 {
	stamp, _ := logs.FindStamp(st.record)
	fields := logs.Fields(nil, st.record, stamp)
	if st.field < len(fields) && fields[st.field].Integer {
		return fields[st.field].Value
	}
	return st.step
}

// tick counts a record of progress.
func (s *Scanner) tick(st *stream, sh *shape, at place, text []byte) {
	st.ticks++
	s.sources[at.source].tick(st, text)
	if sh.trains {
		s.trained++
	}
	st.lastTick, s.lastTick = at, at
	s.saved.wentOn()
}
