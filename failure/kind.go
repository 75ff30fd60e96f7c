package failure

import (
	"cmp"
	"errors"
	"fmt"

	"schedmate"
)

// Restart tells whether the same job, unchanged, from its last checkpoint, on
// other nodes if need be, has a good chance to get past the failure.
type Restart string

const (
	RestartYes  Restart = "yes"
	RestartOnce Restart = "once" // one try tells whether it comes back
	RestartNo   Restart = "no"
)

// Quarantine tells how far a finding alone justifies taking the named node out
// of service.
type Quarantine string

const (
	QuarantineYes    Quarantine = "yes"
	QuarantineSecond Quarantine = "second" // with a second, independent sign only
	QuarantineNo     Quarantine = "no"
)

// Text is a sentence for people, in the languages of the report.
type Text struct {
	English string `yaml:"en"`
	Chinese string `yaml:"zh"`
}

func (t Text) complete() bool { return t.English != "" && t.Chinese != "" }

// Kind is a sub-class of failures: what a rule that finds it concludes, unless
// the rule says otherwise, and what the reasoning needs to know of it.
type Kind struct {
	Name       string                 `yaml:"name"` // snake_case, such as gpu_ecc
	Class      schedmate.FailureClass `yaml:"class"`
	Component  schedmate.Component    `yaml:"component"`
	Acts       Actor                  `yaml:"acts,omitempty"` // where it is another than who the class says
	Restart    Restart                `yaml:"restart"`
	Quarantine Quarantine             `yaml:"quarantine"`
	Title      Text                   `yaml:"title"`           // what happened, as a heading
	Coded      Text                   `yaml:"coded,omitempty"` // the same where the line tells the exit code or the signal, for which {exit} and {signal} stand
	Advice     Text                   `yaml:"advice"`          // what its owner should do
	Test       Text                   `yaml:"test"`            // the cheapest test that would confirm or refute it

	// Lasts: progress after it does not mend it, as a disk that is full stays full.
	Lasts bool `yaml:"lasts,omitempty"`
	// FatalSignal: a process was ended by a signal that nobody sends to tidy up.
	FatalSignal bool `yaml:"fatal_signal,omitempty"`
	// Exited: a process left by itself, with a code: its last word may say why.
	Exited bool `yaml:"exited,omitempty"`
	// TearsDown: the process that says so ends itself at once, in whatever way.
	TearsDown bool `yaml:"tears_down,omitempty"`
	// Unstarted: the job did not start, so that it has left no checkpoint.
	Unstarted bool `yaml:"unstarted,omitempty"`
	// Waits: it is told at the end of a long wait, so that what is told after it did
	// not bring it about.
	Waits bool `yaml:"waits,omitempty"`

	Otherwise []Otherwise `yaml:"otherwise,omitempty"`
	InContext []InContext `yaml:"in_context,omitempty"`
}

// Otherwise is another reading of lines of a kind, the likeliest first: what says
// that something ended, not why, is of many kinds.
type Otherwise struct {
	Kind string      `yaml:"kind"`
	When []Condition `yaml:"when,omitempty"` // it is one only where all hold
	Why  Text        `yaml:"why"`
}

// InContext is what a root of a kind is where the rest of the logs fulfil all
// conditions; the first of a kind that does counts. One without conditions stands
// last, for all other logs.
type InContext struct {
	When []Condition `yaml:"when"`
	Kind string      `yaml:"kind,omitempty"` // what it is then; empty: the same
	// What the finding says, where that differs from its kind.
	Class     schedmate.FailureClass `yaml:"class,omitempty"`
	Component schedmate.Component    `yaml:"component,omitempty"`
	Restart   Restart                `yaml:"restart,omitempty"`
	Why       Text                   `yaml:"why,omitempty"` // missing where a condition tells it
}

func (k *Kind) validate() error {
	switch {
	case k.Name == "":
		return errors.New("name: must not be empty")
	case !k.Title.complete():
		return errors.New("title: must be given in en and zh")
	case !k.Advice.complete():
		return errors.New("advice: must be given in en and zh")
	case !k.Test.complete():
		return errors.New("test: must be given in en and zh")
	case k.Coded != Text{} && !k.Coded.complete():
		return errors.New("coded: must be given in en and zh, or not at all")
	case !k.Acts.known():
		return fmt.Errorf("acts: must be operator, owner, submitter or both, got %q", k.Acts)
	}
	if err := verdictError(k.Class, k.Component, k.Restart, k.Quarantine); err != nil {
		return err
	}
	for i, o := range k.Otherwise {
		if o.Kind == "" || o.Kind == k.Name {
			return fmt.Errorf("otherwise[%d]: kind: must be another kind, got %q", i, o.Kind)
		}
		if !o.Why.complete() {
			return fmt.Errorf("otherwise[%d]: why: must be given in en and zh", i)
		}
		for _, name := range o.When {
			if _, ok := conditions[name]; !ok {
				return fmt.Errorf("otherwise[%d]: when: %q is none of %v", i, name, conditionNames())
			}
		}
	}
	for i, j := range k.InContext {
		if err := j.validate(k, i == len(k.InContext)-1); err != nil {
			return fmt.Errorf("in_context[%d]: %w", i, err)
		}
	}
	return nil
}

func (j *InContext) validate(k *Kind, last bool) error {
	tells := false
	for _, name := range j.When {
		c, ok := conditions[name]
		if !ok {
			return fmt.Errorf("when: %q is none of %v", name, conditionNames())
		}
		tells = tells || c.tells
	}
	switch {
	case len(j.When) == 0 && !last:
		return errors.New("when: must not be empty but in the last entry: those after it would never count")
	case j.Kind == k.Name:
		return errors.New("kind: leave it out when it stays the same")
	case j.Why.complete():
	case j.Why != (Text{}) || !tells:
		return errors.New("why: must be given in en and zh")
	}
	return verdictError(cmp.Or(j.Class, k.Class), cmp.Or(j.Component, k.Component), cmp.Or(j.Restart, k.Restart), QuarantineNo)
}

// checkReasons checks that all kinds that others name exist, and collects the
// translations of the reasons.
func (s *RuleSet) checkReasons() error {
	s.chinese = map[string]string{}
	for _, p := range principles {
		s.chinese[p.why.English] = p.why.Chinese
	}
	for ends, l := range s.links {
		for _, kind := range ends {
			if s.Kinds[kind] == nil {
				return fmt.Errorf("links: no kind is called %q: add it, or leave it out", kind)
			}
		}
		if !l.Why.complete() {
			return fmt.Errorf("links: from %s to %s: why: must be given in en and zh", ends[0], ends[1])
		}
		s.chinese[l.Why.English] = l.Why.Chinese
	}
	for _, k := range s.Kinds {
		for _, o := range k.Otherwise {
			if s.Kinds[o.Kind] == nil {
				return fmt.Errorf("kind %s: otherwise: no kind is called %q: add it, or leave it out", k.Name, o.Kind)
			}
			s.chinese[o.Why.English] = o.Why.Chinese
		}
		for _, j := range k.InContext {
			if j.Kind != "" && s.Kinds[j.Kind] == nil {
				return fmt.Errorf("kind %s: in_context: no kind is called %q: add it, or leave it out", k.Name, j.Kind)
			}
			s.chinese[j.Why.English] = j.Why.Chinese
		}
	}
	for _, t := range []Text{aloneSaysThis, calledWell} {
		s.chinese[t.English] = t.Chinese
	}
	return nil
}

// Chinese is the translation of a reason that a diagnosis or a report of this set
// gives in English, and the same text when there is none: a reason that quotes
// numbers of the logs.
func (s *RuleSet) Chinese(why string) string {
	if t := s.chinese[why]; t != "" {
		return t
	}
	return why
}

func verdictError(class schedmate.FailureClass, component schedmate.Component, restart Restart, quarantine Quarantine) error {
	switch {
	case !class.Known() || class == schedmate.NoFailure:
		return fmt.Errorf("class: must be infrastructure, framework or user, got %q", class)
	case !component.Known():
		return fmt.Errorf("component: %q is none of %v", component, schedmate.Components())
	case restart != RestartYes && restart != RestartOnce && restart != RestartNo:
		return fmt.Errorf("restart: must be yes, once or no, got %q", restart)
	case quarantine != QuarantineYes && quarantine != QuarantineSecond && quarantine != QuarantineNo:
		return fmt.Errorf("quarantine: must be yes, second or no, got %q", quarantine)
	case quarantine != QuarantineNo && class != schedmate.InfrastructureFailure:
		return fmt.Errorf("quarantine: no node is taken out for a failure of class %s", class)
	}
	return nil
}
