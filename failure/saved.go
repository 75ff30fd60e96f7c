package failure

import (
	"math"
	"regexp"
	"strconv"

	"schedmate"
)

// savedCheckpoint is the last checkpoint that was written.
type savedCheckpoint struct {
	checkpointLine
	begun checkpointLine // one whose writing was announced, and nothing came after it
}

// checkpointLine is a line that tells of a checkpoint.
type checkpointLine struct {
	place
	step float64
	text string
}

var (
	savedWords = [][]byte{[]byte("saved"), []byte("saving"), []byte("save "), []byte("written"), []byte("wrote"), []byte("=> checkpoint"), []byte("保存")}
	// savedStep finds the step of a checkpoint in a sentence or in its file's name.
	savedStep    = regexp.MustCompile(`(?i)\b(?:global[ _-]?step|iteration|iter|step|checkpoint|ckpt)[ _=:\-#]{0,3}0*(\d{1,12})\b`)
	savedAlready = regexp.MustCompile(`(?i)\b(?:saved|written|wrote|stored)\b|已保存|保存(?:完成|成功|到|至)`)
	notSaved     = regexp.MustCompile(`(?i)\bfail(?:ed|ure|s|ing)?\b|\bnot\b|失败`)
)

// tellsSaved tells whether a line, in lower case, may say that a checkpoint was
// written.
func tellsSaved(lower []byte) bool {
	return len(lower) < 2048 && containsAny(lower, savedWords) && containsAny(lower, checkpointWords)
}

// read takes what a line says of a checkpoint.
func (c *savedCheckpoint) read(text []byte, at place) {
	if notSaved.Match(text) {
		return
	}
	m := savedStep.FindSubmatch(text)
	if m == nil {
		return
	}
	if n, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
		one := checkpointLine{at, n, clipped(text, maxText)}
		if savedAlready.Match(text) {
			c.checkpointLine, c.begun = one, checkpointLine{}
		} else {
			c.begun = one
		}
	}
}

// wentOn is told of each record of progress: the job went on, so what it was
// writing is written.
func (c *savedCheckpoint) wentOn() {
	if c.begun.text != "" {
		c.checkpointLine, c.begun = c.begun, checkpointLine{}
	}
}

// furthest are the steps of the log whose job came furthest by them, empty when
// nobody read any.
func (s *Scanner) furthest() Steps {
	var best Steps
	for _, from := range s.sources {
		if last := from.steps.Last; last != nil && (best.Last == nil || last.Value > best.Last.Value) {
			best = from.steps
		}
	}
	return best
}

// lastStep is the last value of the step counter, of the process that came
// furthest; nil when there is none.
func (s *Scanner) lastStep() *schedmate.Reading {
	if steps := s.furthest(); steps.Last != nil {
		return steps.Last
	}
	var best *stream
	for _, st := range s.ordered {
		if st.ticks > 0 && !math.IsNaN(st.reached()) && (best == nil || st.reached() > best.reached()) {
			best = st
		}
	}
	if best == nil {
		return nil
	}
	return &schedmate.Reading{Value: best.reached(), Line: best.lastTick.line, Byte: best.lastTick.byte, Name: "step", Method: "the last rise of a counter", Confidence: 0.8}
}

// lastCheckpoint is the step of the last checkpoint that the log says was written,
// nil when it says none, or one that lies ahead of the job.
func (s *Scanner) lastCheckpoint(step *schedmate.Reading) *schedmate.Reading {
	if s.saved.text == "" || step == nil && !s.progressed() || step != nil && s.saved.step > step.Value {
		return nil
	}
	return &schedmate.Reading{Value: s.saved.step, Line: s.saved.line, Byte: s.saved.byte, Name: "checkpoint", Method: "a line that says it was saved", Confidence: 0.7}
}
