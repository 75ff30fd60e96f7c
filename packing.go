package schedmate

// Packed is what a policy expects of a start on GPUs that another job holds.
//
// Invariant: Beside is not empty; 0 <= Speed, BesideSpeed <= MaxRelative, where 0 is
// "nothing is expected".
type Packed struct {
	Beside      string `json:"beside" yaml:"beside"`                                             // the job that was there before
	Speed       int    `json:"speed_milli,omitempty" yaml:"speed_milli,omitempty"`               // of the newcomer, in thousandths of its speed alone
	BesideSpeed int    `json:"beside_speed_milli,omitempty" yaml:"beside_speed_milli,omitempty"` // of the other
}

// Undo is why a preemption takes back that two jobs share their GPUs: one of them
// has become slower than is tolerated.
//
// Invariant: Beside and Slower are not empty; 1 <= Ratio <= MaxRelative; Tolerated
// >= 1000; Steps >= 1.
type Undo struct {
	Beside    string `json:"beside" yaml:"beside"`                   // the job that stays
	Slower    string `json:"slower" yaml:"slower"`                   // which of the two has become slower
	Ratio     int    `json:"ratio_milli" yaml:"ratio_milli"`         // step time beside the other / alone, in thousandths
	Tolerated int    `json:"tolerated_milli" yaml:"tolerated_milli"` // what would have been no reason
	Steps     int    `json:"steps" yaml:"steps"`                     // logged steps that it took to see it
}

// MaxRelative bounds relative speeds and slowdowns, in thousandths.
const MaxRelative = 1_000_000

// StepTimes are the step times that a tracker has read from the log of a running
// job, in microseconds, the oldest first. What it has not read is missing; nothing
// stands in for it.
//
// Invariant: at most MaxStepTimes each; every one lies in [1, MaxStepMicros].
type StepTimes struct {
	Alone  []int64 `json:"alone_us,omitempty" yaml:"alone_us,omitempty"`   // the last ones logged while nobody shared its GPUs
	Shared []int64 `json:"shared_us,omitempty" yaml:"shared_us,omitempty"` // the first ones since it has shared them with whom it shares them now
}

// MaxStepTimes is how many step times of a kind a snapshot may hold; MaxStepMicros
// is a step of a year.
const (
	MaxStepTimes  = 64
	MaxStepMicros = 366 * 86400 * 1_000_000
)

// validate checks the invariant of StepTimes.
func (t *StepTimes) validate(path string) error {
	if t == nil {
		return nil
	}
	for _, list := range []struct {
		name string
		us   []int64
	}{{".alone_us", t.Alone}, {".shared_us", t.Shared}} {
		if len(list.us) > MaxStepTimes {
			return fieldErr(path+list.name, "must hold at most %d step times, got %d", MaxStepTimes, len(list.us))
		}
		for i, us := range list.us {
			if us < 1 || us > MaxStepMicros {
				return fieldErr(index(path+list.name, i), "must lie in [1, %d] microseconds, got %d", int64(MaxStepMicros), us)
			}
		}
	}
	return nil
}

// Validate checks the invariant of Packed.
func (p *Packed) Validate(path string) error {
	switch {
	case p.Beside == "":
		return fieldErr(path+".beside", "must name a job")
	case p.Speed < 0 || p.Speed > MaxRelative:
		return fieldErr(path+".speed_milli", "must lie in [0, %d], got %d", MaxRelative, p.Speed)
	case p.BesideSpeed < 0 || p.BesideSpeed > MaxRelative:
		return fieldErr(path+".beside_speed_milli", "must lie in [0, %d], got %d", MaxRelative, p.BesideSpeed)
	}
	return nil
}

// Validate checks the invariant of Undo.
func (u *Undo) Validate(path string) error {
	switch {
	case u.Beside == "" || u.Slower == "":
		return fieldErr(path+".beside", "must name the job that stays, and slower the one that has become slower")
	case u.Ratio < 1 || u.Ratio > MaxRelative:
		return fieldErr(path+".ratio_milli", "must lie in [1, %d], got %d", MaxRelative, u.Ratio)
	case u.Tolerated < 1000 || u.Tolerated > MaxRelative:
		return fieldErr(path+".tolerated_milli", "must lie in [1000, %d], got %d", MaxRelative, u.Tolerated)
	case u.Steps < 1:
		return fieldErr(path+".steps", "must be positive, got %d", u.Steps)
	}
	return nil
}
