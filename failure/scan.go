package failure

import (
	"bytes"
	"io"

	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// Scanner reads the logs of one incident, one after another, and keeps what
// speaks of failures. Its memory does not grow with the logs.
type Scanner struct {
	rules    *RuleSet
	classes  *lineclass.Model
	decoder  *logs.Decoder
	sources  []*source
	bytes    int64
	sequence int64
	trained  int64 // records of progress that speak of training, of all streams
	lastTick place
	shapes   map[uint64]*shape
	streams  map[streamName]*stream
	ordered  []*stream
	events   []*event
	recent   map[recentKey]*event // the last event of each kind of line, by which repeats are known
	alike    map[*Rule]int        // events of each rule
	dropped  int                  // events that were one too many
	hosts    hostFinder
	ended    ending
	watches  watchdogs
	chunks   chunks
	saved    savedCheckpoint
	recorded recorded
	saving   place // the last line that tells of a checkpoint being written
	scratch  matchScratch
	fields   []logs.Field
}

// recentKey tells what repeats what: the same rule in one stream.
type recentKey struct {
	stream    *stream // nil: in any
	rule      *Rule
	node      string // whose device it is
	exception string // its name, of one that no rule knows more of
	block     bool
}

// NewScanner returns a scanner that goes by the given rules.
func NewScanner(rules *RuleSet) *Scanner {
	return &Scanner{
		rules: rules, classes: lineclass.Default(), shapes: map[uint64]*shape{},
		streams: map[streamName]*stream{}, recent: map[recentKey]*event{}, alike: map[*Rule]int{},
	}
}

// Read takes one log from its beginning to its end.
func (s *Scanner) Read(name string, r io.Reader) error { return s.read(&source{name: name}, r) }

func (s *Scanner) read(from *source, r io.Reader) error {
	s.sources = append(s.sources, from)
	s.decoder = logs.NewDecoder(s.take)
	buffer := make([]byte, 256<<10)
	for {
		n, err := r.Read(buffer)
		s.decoder.Write(buffer[:n], 0)
		s.bytes += int64(n)
		from.bytes += int64(n)
		if err == io.EOF {
			s.decoder.Peek()
			s.closeBlocks()
			from.lines = s.decoder.Line() - 1
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// headReach is how far into a line hosts and ends are looked for.
const headReach = 2 << 10

// take is given every line.
func (s *Scanner) take(seg *logs.Segment) {
	text := seg.Text
	s.sequence++
	at := place{source: len(s.sources) - 1, line: seg.Line, byte: seg.Byte, sequence: s.sequence}
	st := s.stream(seg.Label, text, at)
	st.last = at
	s.sources[at.source].word.says(text, at.line)
	st.tail, st.label = append(st.tail[:0], text[:min(len(text), stampReach)]...), seg.Label
	sh := s.shape(text, at)
	if sh.names && sh.told < toldOften {
		sh.told++
		head := text[:min(len(text), headReach)]
		s.scratch.lower = appendLower(s.scratch.lower[:0], head)
		s.hosts.read(head, s.scratch.lower, st)
		if !s.sources[at.source].record || bytes.Contains(text, completed) {
			s.ended.read(head, s.scratch.lower, at)
		}
	}
	if s.sources[at.source].record {
		s.recorded.read(text, at)
	}
	if sh.watches {
		s.watches.read(text, at, st)
	}
	if sh.saves {
		s.saving = at
	}
	if sh.saved {
		s.saved.read(text, at)
	}
	interesting := len(sh.rules) > 0 || sh.opens || st.block != nil || sh.chains
	if interesting {
		at.stamp = stampOf(text, seg.Label)
	}
	progress := s.progress(sh, st, text, at)
	s.chunks.add(at, sh.lines == 1 && sh.looksBad() || len(sh.rules) > 0 && sh.matched)
	if b := st.block; b != nil {
		if b.state == inMessage && !b.quotesNext(at) && (progress || sh.chains || !sh.opens && startsRecord(text)) {
			s.closeBlock(st)
		} else if b.take(text, at) {
			if b.state == inMessage {
				s.found(st, sh, text, at, b)
			}
			if !sh.opens || b.last != at {
				return
			}
			s.closeBlock(st) // and the next one begins in the same line
		} else if b.state == closed {
			s.closeBlock(st)
		}
	}
	if sh.chains {
		st.chained = true
		return
	}
	if sh.opens {
		if b := openBlock(text, at); b != nil {
			if st.chained {
				b.cause = st.done
			}
			if bar := bytes.TrimSpace(b.before.text); st.done != nil && len(bar) > 0 && bar[len(bar)-1] == '|' && wrapper.MatchString(st.done.text) {
				b.wraps = st.done.event // one of the group
			}
			if st.named != "" && at.line-st.namedAt <= 1 {
				b.host = st.named
			}
			b.ignore, st.surroundings.ignored = st.surroundings.ignored, false
			st.block, st.chained = b, false
			return
		}
	}
	st.surroundings.read(text)
	if !sh.known { // an error that is glued to a record makes another shape of it
		s.found(st, sh, text, at, nil)
	}
}
