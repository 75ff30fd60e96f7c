package schedmate

// PromiseState is what a policy tells a job about its deadline.
type PromiseState string

const (
	// Promised is a guarantee to a strict job: nothing that is admitted later takes
	// it away.
	Promised PromiseState = "promised"
	// Expected is told to a soft job: it will end by that tier, unless promises that
	// are given later overrule it. It may be told again, with another tier.
	Expected PromiseState = "expected"
	// Refused is told to a job whose deadline cannot be promised. It runs as best
	// effort.
	Refused PromiseState = "refused"
	// Broken takes a guarantee back, and Lapsed an expectation.
	Broken PromiseState = "broken"
	Lapsed PromiseState = "lapsed"
)

// PromiseStates lists all states.
func PromiseStates() []PromiseState {
	return []PromiseState{Promised, Expected, Refused, Broken, Lapsed}
}

// Gives reports whether the state says that a deadline will be met.
func (s PromiseState) Gives() bool { return s == Promised || s == Expected }

// PromiseChange says that from now on the job is told something else than before.
//
// Invariant: State is declared; Promised, Broken belong to a strict job, Expected
// and Lapsed to a soft one, Refused to either. Deadline is one of the job's tiers:
// that which will be met, and of a job that loses a promise or is refused the last
// that it could have had. Cause is a word of the policy's closed list, one to 32
// lower-case letters or underscores, and empty exactly if a deadline will be met.
type PromiseChange struct {
	Job      string       `json:"job" yaml:"job"`
	State    PromiseState `json:"state" yaml:"state"`
	Deadline Seconds      `json:"deadline_s" yaml:"deadline_s"`
	Cause    string       `json:"cause,omitempty" yaml:"cause,omitempty"`
}

// Validate checks the invariant of PromiseChange against the job that it names.
func (c *PromiseChange) Validate(path string, j *Job) error {
	var class SLOClass
	switch c.State {
	case Promised, Broken:
		class = Strict
	case Expected, Lapsed:
		class = Soft
	case Refused:
		class = j.SLO.Class
	default:
		return fieldErr(path+".state", "unknown state %q", c.State)
	}
	if !j.SLO.HasDeadline() || j.SLO.Class != class {
		return fieldErr(path+".state", "%s cannot be told to job %s, which is %s", c.State, j.ID, j.SLO.Class)
	}
	if !j.SLO.hasTier(c.Deadline) {
		return fieldErr(path+".deadline_s", "%d is none of the deadlines of job %s", c.Deadline, j.ID)
	}
	if c.State.Gives() != (c.Cause == "") || c.Cause != "" && !word(c.Cause) {
		return fieldErr(path+".cause", "%q: a deadline that will not be met has a cause of 1 to 32 lower-case letters or underscores, any other none", c.Cause)
	}
	return nil
}

func (s SLO) hasTier(deadline Seconds) bool {
	for _, t := range s.Tiers {
		if t.Deadline == deadline {
			return true
		}
	}
	return false
}
