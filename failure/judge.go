package failure

import (
	"cmp"

	"schedmate"
)

// judgement is the rule of the root as the rest of the logs qualify it.
type judgement struct {
	rule    *Rule
	why     string // they do
	culprit int32  // the rank that is to blame when it is not the root's, else -1
}

// inContext works out the judgement: what the root's kind says it is in logs like
// these.
func (s *Scanner) inContext(root *event, c *causes) judgement {
	r := *root.rule
	if r.kind != nil {
		for i := range r.kind.InContext {
			at := &situation{scanner: s, causes: c, root: root, culprit: -1}
			if j := &r.kind.InContext[i]; at.fulfils(j.When) {
				s.qualify(&r, j)
				return judgement{&r, cmp.Or(at.why, j.Why.English), at.culprit}
			}
		}
	}
	return judgement{&r, "", -1}
}

// qualify turns a rule into what it means in its context.
func (s *Scanner) qualify(r *Rule, j *InContext) {
	if k := s.rules.Kinds[j.Kind]; k != nil {
		r.Kind, r.kind = k.Name, k
		r.Class, r.Component, r.Restart, r.Quarantine = k.Class, k.Component, k.Restart, k.Quarantine
	}
	r.Class = cmp.Or(j.Class, r.Class)
	r.Component = cmp.Or(j.Component, r.Component)
	r.Restart = cmp.Or(j.Restart, r.Restart)
	if r.Class != schedmate.InfrastructureFailure {
		r.Quarantine = QuarantineNo
	}
}
