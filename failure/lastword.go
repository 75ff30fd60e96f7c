package failure

import (
	"bytes"
	"regexp"
	"slices"

	"schedmate/logs/lineclass"
)

// lastWord is the last line of a log that reads like an error and that no rule knows.
// It is a root only where nothing that is known says why the job ended.
type lastWord struct {
	event *event
	said  int64 // the last line of the log that says anything
}

// errorHead begins a line that reports an error: behind what loggers and programs put
// before it, a level, the name of an exception, or that something could not be done.
var errorHead = guard(`(?i)^(?:[\d\s:.,TZ+/\[\](){}<>|=-]|\b[a-z_][\w./-]*: |\[[\w :.,/-]*\]|\b[a-z_][\w.]* - )*` +
	`(?:\b(?:fatal|error|critical|panic|severe|exception)\b(?: error)?\]?(?:\s*(?::|\||-|>)|$|\s+(?:in|at|while|when|during|from|[a-z]+ing)\b)|(?-i:\b(?:FATAL|ERROR|CRITICAL|PANIC|SEVERE)\b)|(?-i:(?:\w+\.)*[A-Z]\w*(?:Error|Exception)\b)|` +
	`(?:can(?:not|'t| not)|could not|failed to|unable to) [a-z]|错误|致命)`)

// notFatal is in lines about errors that the program says it lives with, in those of a
// kernel, which are no program's, and where a collector calls all of stderr an error.
var notFatal = regexp.MustCompile(`(?i)^\[ *\d+\.\d{6}\]|^\W*error\b.{0,60}\bstderr\b|\bretr(?:y|ies|ying)\b|\bskip(?:s|ped|ping)?\b|\bignor(?:e|es|ed|ing)\b|\bfall(?:s|ing)? back\b|\bcontinu(?:e|es|ing)\b|\bnon-?fatal\b|\brecover(?:s|ed|ing)\b|\bwarn(?:ing)?\b|\bno errors?\b|\berrors?[ -](?:rate|bars?|analysis|message|handl\w+|code 0|log)\b`)

// tellsError tells whether a line, given in lower case, too, reads like an error.
func tellsError(text, lower []byte) bool {
	return errorHead.matches(text[:min(len(text), maxRecord)], lower) && !notFatal.Match(text)
}

// overheard keeps a line that no rule knows, where it reads like an error.
func (s *Scanner) overheard(st *stream, sh *shape, text []byte, at place) {
	if !sh.errs || sh.class == lineclass.ProgressMetric || debugLevel(text) || st.surroundings.quotes(text, 0, len(text)) || reportsNone(text[:min(len(text), maxRecord)]) {
		return
	}
	kind := "unknown_user"
	switch {
	case sh.class == lineclass.InfraError && sh.sure >= 0.5:
		kind = "unknown_infrastructure"
	case sh.class == lineclass.FrameworkError && sh.sure >= sureEnough:
		kind = "unknown_framework"
	}
	r := s.rules.last[kind]
	if r == nil {
		return
	}
	at.stamp = stampOf(text, st.label)
	from := s.sources[at.source]
	from.word.event = &event{
		place: at, stream: st, rule: r, text: clipped(text, maxText), ticks: st.ticks, records: from.records, step: from.step(st),
		times: 1, latest: at, lines: []place{at}, lastTicks: st.ticks, lastRecords: from.records,
	}
}

// lastRules are the rules for last words. They match nothing by themselves.
func lastRules(kinds map[string]*Kind) map[string]*Rule {
	out := map[string]*Rule{}
	for _, name := range []string{"unknown_infrastructure", "unknown_framework", "unknown_user"} {
		if k := kinds[name]; k != nil {
			out[name] = &Rule{
				ID: "last-word-" + name, Tier: TierException, Kind: name, Generic: true, guess: true, last: true, kind: k,
				Class: k.Class, Component: k.Component, Restart: k.Restart, Quarantine: k.Quarantine, regexp: anything,
			}
		}
	}
	return out
}

// lastWord is the last word of the latest log that has one, where it may say why the
// job ended: a process left by itself with a code and nothing known says why, or
// nothing at all is known and the log ends with it.
func (s *Scanner) lastWord(c *causes) *event {
	exited := len(c.roots) > 0
	if exited && !c.roots[0].exited() || !exited && (s.endedWell() || s.ranOut() || s.recorded.well()) {
		return nil
	}
	for _, from := range slices.Backward(s.sources) {
		e := from.word.event
		if from.record || e == nil || from.records-e.lastRecords >= guessedAfter || s.wentOnElsewhere(e) {
			continue
		}
		if exited || e.line == from.word.said {
			return e
		}
	}
	return nil
}

// exited tells whether an event says that a process left by itself, with a code.
func (e *event) exited() bool {
	return e.tier() == TierReaper && e.rule.kind != nil && e.rule.kind.Exited
}

// says notes the last line that is not blank.
func (w *lastWord) says(text []byte, line int64) {
	if len(bytes.TrimLeft(text, " \t")) > 0 {
		w.said = line
	}
}
