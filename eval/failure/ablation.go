package failure

import (
	"context"
	"regexp"
	"slices"

	"schedmate"
	handler "schedmate/failure"
	"schedmate/logs"
)

// Ablation is a handler that lacks a part of the whole one.
type Ablation struct {
	Name     string // kebab-case
	Title    string
	Lacks    string
	Ask      Ask
	RootOnly bool // it finds a line and says nothing else
}

// Ablations are the handlers that the whole one is compared with. They go by the
// same rules.
func Ablations(rules *handler.RuleSet) []Ablation {
	return []Ablation{
		{Name: "no-locator", Title: "no locator: the last finding", Ask: byFindings(rules, last),
			Lacks: "causes: the last line that a rule knows is the root"},
		{Name: "tail", Title: "the last 500 lines only", Ask: tail(Whole(rules), tailLines),
			Lacks: "all but the last 500 lines, as a reader of the end of a log does"},
		{Name: "first-error-word", Title: "the first line with a word for errors", Ask: firstErrorWord, RootOnly: true,
			Lacks: "rules: the first line that says error, failed or the like is the root"},
		{Name: "first-rule", Title: "no causes: the first finding", Ask: byFindings(rules, first),
			Lacks: "causes: the first line that a rule knows is the root"},
	}
}

// byFindings takes one of the findings of the rules for the root. There are no
// causes, no errors that were got over, no second signs.
func byFindings(rules *handler.RuleSet, choose func([]handler.Finding) handler.Finding) Ask {
	return func(_ context.Context, log handler.Log) (Prediction, error) {
		in, err := log.Open()
		if err != nil {
			return Prediction{}, err
		}
		defer in.Close() // it is only read
		s := handler.NewScanner(rules)
		if err := s.Read(log.Name, in); err != nil {
			return Prediction{}, err
		}
		found := slices.DeleteFunc(s.Findings(), func(f handler.Finding) bool { return f.Guessed })
		if len(found) == 0 {
			return Prediction{Class: NoFailure, Component: string(schedmate.ComponentNone)}, nil
		}
		f := choose(found)
		return Prediction{
			Class: string(f.Class), Subclass: f.Kind, Component: string(f.Component), Node: f.Node, RootLine: f.Line,
			RestartHelps: f.Restart != handler.RestartNo, Quarantine: f.Quarantine == handler.QuarantineYes && f.Node != "", Determined: true,
		}, nil
	}
}

func first(found []handler.Finding) handler.Finding { return found[0] }

// last is the finding that was said last, there.
func last(found []handler.Finding) handler.Finding {
	f := slices.MaxFunc(found, func(a, b handler.Finding) int { return int(a.Last - b.Last) })
	f.Line = f.Last
	return f
}

// errorWord finds what people search logs for.
var errorWord = regexp.MustCompile(`(?i)error|exception|\bfail|fatal|traceback|\babort|\bkilled\b|panic`)

// firstErrorWord takes the first line that has a word for errors.
func firstErrorWord(ctx context.Context, log handler.Log) (Prediction, error) {
	p := Prediction{}
	d := logs.NewDecoder(func(seg *logs.Segment) {
		if p.RootLine == 0 && errorWord.Match(seg.Text) {
			p.RootLine, p.Determined = seg.Line, true
		}
	})
	if err := eachPart(ctx, log, func(part []byte) { d.Write(part, 0) }); err != nil {
		return Prediction{}, err
	}
	d.Peek()
	return p, nil
}
