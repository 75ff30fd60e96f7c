package failure

import (
	"regexp"
	"strings"
	"sync"

	"schedmate/logs/lineclass"
)

// anything is the pattern of rules that are applied without looking at the text.
var anything = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^`) })

// sureEnough is the confidence of a line's class from which a line that no rule
// knows is taken for an error.
const sureEnough = 0.7

// unknownRules are the rules for lines that none knows, by what they look like.
// They match nothing by themselves.
func unknownRules(kinds map[string]*Kind) map[lineclass.Class]*Rule {
	out := map[lineclass.Class]*Rule{}
	for class, kind := range map[lineclass.Class]string{
		lineclass.InfraError: "unknown_infrastructure", lineclass.FrameworkError: "unknown_framework", // a user's error is an exception
	} {
		if k := kinds[kind]; k != nil {
			out[class] = &Rule{
				ID: "unknown-" + class.String(), Tier: TierException, Kind: kind, Generic: true, guess: true, kind: k,
				Class: k.Class, Component: k.Component, Restart: k.Restart, Quarantine: k.Quarantine, regexp: anything,
			}
		}
	}
	return out
}

// noMessage are lines that talk of errors and report none: a guess by words is wrong
// there. Each is a kind of text that programs print.
var noMessage = regexp.MustCompile(strings.Join([]string{
	`^\s*(?:\|.*\||[\w ()/.-]{2,40}?\s{2,}: .*)\s*$`,                                                 // a row of a table
	`(?i)\b(?:\w*errors?|failures?|failed|counts?|lost|retries) *(?:[:=]|\.{2,})? *0(?:\.0+)?%?\s*$`, // a counter of none
	`\b(?:PASSED|PASS|XFAIL|SKIPPED)\b|^\S*(?:[Tt]est\w*\.py::|_test\.go:)|^\s+\w*_test\.go:\d+: `,   // of a run of tests
	`^\s*[-+]?\s*(?:raise|except|elif|if|def|class|return|assert|throw|catch)\b.*[:();]`,             // source code,
	`^\s*[-+]?\s*(?:\w+\.)+(?:debug|info|warn(?:ing)?|error|critical|exception)\(`,
}, "|"))

// field is a line of a printed record, which is the text of somebody: a sample, an answer.
var field = regexp.MustCompile(`^\s*"[^"]{1,60}"\s*: *".*"[,}]?\s*$`)

func reportsNone(text []byte) bool {
	return noMessage.Match(text) || field.Match(text) && !logKey.Match(text)
}

// unknown makes an event of a line that no rule knows and that looks like an error,
// the first time that one of its shape comes.
func (s *Scanner) unknown(st *stream, sh *shape, text []byte, at place) {
	if len(text) < 12 {
		return
	}
	s.overheard(st, sh, text, at)
	if sh.lines > 1 || sh.sure < sureEnough {
		return
	}
	if r := s.rules.unknown[sh.class]; r != nil && !st.surroundings.quotes(text, 0, len(text)) && !reportsNone(text[:min(len(text), maxRecord)]) {
		s.event(st, finding{rule: r}, text, at, nil)
	}
}

// guessed tells whether the rule is one for lines that none knows.
func (r *Rule) guessed() bool { return r.guess }
