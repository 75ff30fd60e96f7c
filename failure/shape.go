package failure

import (
	"bytes"
	"slices"

	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// maxShapes bounds what is remembered of lines.
const maxShapes = 1 << 16

// shape is what is known of all lines of one template.
type shape struct {
	first    place // the first line of it
	lines    int64
	rules    []int // of which a literal is in it
	class    lineclass.Class
	sure     lineclass.Confidence
	opens    bool // has the head of a stack
	chains   bool
	counters []counter
	rises    int64
	trains   bool // it speaks of training, and not of loading something
	known    bool // a counter in it rises from line to line: each is a record of progress
	names    bool // it may tell hosts or ends
	told     int  // lines of it that were asked for hosts and ends
	loose    bool // an exception is told in it
	errs     bool // it reads like an error
	watches  bool // it tells what a watchdog waits for
	saves    bool // it tells of a checkpoint being written
	saved    bool // or of one that was
	tried    int  // lines of it that the rules were tried on
	matched  bool // one did
}

const (
	toldOften   = 512 // lines of one shape that tell hosts: more tell nothing new
	movesOften  = 16  // rises that make a counter known
	triedOften  = 3   // lines after which a rule that looks at no number has had its say,
	triedEnough = 256 // and any rule when none matched
)

// counter is the last value of a number in lines of one shape.
type counter struct {
	value float64
	rises int
	falls int
}

func (s *Scanner) shape(text []byte, at place) *shape {
	h, record := logs.Template(text), s.sources[at.source].record
	if record {
		h = ^h // its lines are not read as those of other logs
	}
	if sh := s.shapes[h]; sh != nil {
		sh.lines++
		return sh
	}
	if len(s.shapes) >= maxShapes {
		clear(s.shapes)
	}
	s.scratch.lower = appendLower(s.scratch.lower[:0], text)
	class, sure := s.classes.Classify(text[:min(len(text), maxText)])
	sh := &shape{
		first: at, lines: 1, class: class, sure: sure,
		rules:   append([]int(nil), s.rules.index.rules(s.scratch.rules[:0], s.scratch.lower)...),
		opens:   bytes.Contains(text, tracebackHead),
		chains:  containsAny(text, chainMarks),
		names:   tellsHost(s.scratch.lower) || tellsEnd(s.scratch.lower),
		loose:   looseAt(text) != nil,
		errs:    tellsError(text, s.scratch.lower),
		watches: tellsWatch(s.scratch.lower),
		saves:   tellsSaving(s.scratch.lower),
		saved:   tellsSaved(s.scratch.lower),
		trains:  containsAny(s.scratch.lower, trainingWords),
	}
	switch {
	case record:
	case schedulerRecord.matches(text, s.scratch.lower): // it tells nothing in a job's log
		*sh = shape{first: at, lines: 1, class: lineclass.BenignInfo}
	default:
		sh.rules = slices.DeleteFunc(sh.rules, func(n int) bool { return s.rules.Rules[n].Record })
	}
	s.shapes[h] = sh
	return sh
}

// schedulerRecord is a line as Slurm records of a job or a node. Whoever owns a job can
// print it, too.
var schedulerRecord = guard(`\b(?:JobId|NodeName)=\S+ (?:.* )?(?:Job)?State=`)

// completed is in the record of a job that ended well. Its exit code does not tell: it
// is 0 of many that the scheduler ended.
var completed = []byte("JobState=COMPLETED")

func containsAny(text []byte, marks [][]byte) bool {
	for _, m := range marks {
		if bytes.Contains(text, m) {
			return true
		}
	}
	return false
}
