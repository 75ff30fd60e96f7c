package failure

import "schedmate"

// Finding is what a rule says about a line, before any reasoning over it: the
// line may be a root, fallout of one, or an error that the job got over.
type Finding struct {
	Line   int64  // the first line that says it, from 1
	Byte   int64  // of the same
	Last   int64  // the last line of this stretch of the log that says the same
	Source int    // which log of the incident, from 0
	Text   string // of the first line, without labels and colours

	Rule    string // id of the rule
	Guessed bool   // no rule knows the line, it only looks like an error

	Kind       string
	Class      schedmate.FailureClass
	Component  schedmate.Component
	Tier       Tier
	Restart    Restart
	Quarantine Quarantine
	Node       string // to blame, as far as the line, its rank or the logs name it
}

// Findings are what the rules found in the logs read so far, in reading order.
// Lines of a process that say the same within a stretch of the log are one
// finding; noise is none. A diagnosis is the reasoning over these.
func (s *Scanner) Findings() []Finding {
	var out []Finding
	for _, e := range s.events {
		f := Finding{
			Line: e.line, Byte: e.byte, Last: e.latest.line, Source: e.source, Text: e.text, Rule: e.rule.ID, Guessed: e.rule.guessed(),
			Kind: e.rule.Kind, Class: e.rule.Class, Component: e.rule.Component, Tier: e.rule.Tier, Restart: e.rule.Restart, Quarantine: e.rule.Quarantine,
		}
		if local(e.rule) || e.captures["node"] != "" && e.rule.Component != schedmate.ComponentScheduler { // as in a diagnosis
			f.Node = s.nodeOf(e)
		}
		out = append(out, f)
	}
	return out
}
