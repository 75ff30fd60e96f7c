package failure

import (
	"fmt"
	"io/fs"
)

// ruleFolder is a folder with files of rules. Those that come with the program are
// known to compile and to fit their samples.
type ruleFolder struct {
	files fs.FS
	known bool
}

// AddRules reads all files *.yaml of a folder beside the built-in ones, as one set.
// A kind or a rule that is there already is an error.
func AddRules(folder fs.FS) (*RuleSet, error) {
	builtIn, err := fs.Sub(embedded, "rules")
	if err != nil {
		return nil, err
	}
	return readRules(ruleFolder{builtIn, true}, ruleFolder{folder, false})
}

// checkSamples tells whether the rules that were given are believed about their own
// samples, and take no line for a failure that the others know to be none.
func (s *RuleSet) checkSamples(given map[*Rule]bool) error {
	if len(given) == 0 {
		return nil
	}
	ofTable := map[string]bool{} // table and sample of a code that matches it
	for _, r := range s.Rules {
		if !given[r] {
			if err := s.spares(given, r); err != nil {
				return err
			}
			continue
		}
		for _, line := range r.Positive {
			if r.table != "" && r.regexp().MatchString(line) {
				ofTable[r.table+"\n"+line] = true
			}
		}
	}
	for _, r := range s.Rules {
		if !given[r] {
			continue
		}
		if err := s.checkOwn(r, ofTable); err != nil {
			return fmt.Errorf("rule %s: %w", r.ID, err)
		}
	}
	return nil
}

// checkOwn checks the samples of one rule.
func (s *RuleSet) checkOwn(r *Rule, ofTable map[string]bool) error {
	for _, line := range r.Positive {
		if !r.regexp().MatchString(line) {
			if ofTable[r.table+"\n"+line] {
				continue // of another code of the table
			}
			return fmt.Errorf("positive: %q is not matched by the pattern: mend one of them", line)
		}
		switch f, ok := s.believed(line, r.sampleStack()); {
		case r.Tries && ok && f.tentative, r.Tries && !ok:
		case !ok:
			return fmt.Errorf("positive: %q is not found: mend the pattern or the sample", line)
		case f.rule.Kind != r.Kind:
			return fmt.Errorf("positive: %q is taken by rule %s of kind %q: make the pattern longer, or give the rule a lower tier", line, f.rule.ID, f.rule.Kind)
		}
	}
	for _, line := range r.Negative {
		if r.Tier == TierNoise && r.regexp().MatchString(line) {
			return fmt.Errorf("negative: %q is matched by the pattern: make it narrower", line)
		}
		if f, ok := s.believed(line, &exception{}); ok && f.rule.Tier != TierNoise && !f.tentative {
			return fmt.Errorf("negative: %q is taken for a failure by rule %s: make its pattern narrower, or take the sample out", line, f.rule.ID)
		}
	}
	for _, line := range r.Near {
		if _, ok := r.find([]byte(line), appendLower(nil, []byte(line)), view{to: len(line)}); ok {
			return fmt.Errorf("near: %q is matched by the pattern: make it narrower", line)
		}
	}
	return nil
}

// spares tells whether the given rules leave alone what another one calls harmless.
func (s *RuleSet) spares(given map[*Rule]bool, owner *Rule) error {
	for _, line := range owner.Negative {
		for _, n := range s.index.rules(nil, appendLower(nil, []byte(line))) {
			r := s.Rules[n]
			if !given[r] || r.Tier == TierNoise || !r.regexp().MatchString(line) {
				continue
			}
			if f, ok := s.believed(line, &exception{}); ok && f.rule == r && !f.tentative {
				return fmt.Errorf("rule %s: the pattern matches %q, which is no failure as rule %s knows: make it narrower", r.ID, line, owner.ID)
			}
		}
	}
	return nil
}

// believed is what the rules say about a sample.
func (s *RuleSet) believed(line string, stack *exception) (finding, bool) {
	return s.among(s.index.rules(nil, appendLower(nil, []byte(line))), []byte(line), stack)
}

// sampleStack is the stack that a sample line would have in a log.
func (r *Rule) sampleStack() *exception {
	switch {
	case r.looksAtStack():
		return &exception{files: r.Stack}
	case r.Exception:
		return &exception{files: []string{"/home/user/train.py"}}
	}
	return nil
}

// match is what the rules say about a text, as a scanner asks them.
func (s *RuleSet) match(text []byte, stack *exception, scratch *matchScratch) (finding, bool) {
	scratch.lower = appendLower(scratch.lower[:0], text)
	scratch.rules = s.index.rules(scratch.rules[:0], scratch.lower)
	return s.among(scratch.rules, text, stack)
}
