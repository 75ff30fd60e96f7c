package verify

import (
	"fmt"
	"strings"
)

// Rule is a law that a plan can break.
type Rule string

const (
	Capacity  Rule = "capacity"    // no GPU carries more than it has
	Gang      Rule = "gang"        // all GPUs of a job or none, each once
	Topology  Rule = "topology"    // healthy nodes of the right VC and type, as few as possible
	Quota     Rule = "quota"       // no VC holds more shared GPUs than its quota
	OnePlace  Rule = "one_place"   // a job is in one state and in one action, or preempted and started again
	Sharing   Rule = "sharing"     // a job that is called somebody's mate holds some of the same GPUs
	Promise   Rule = "promise"     // a job is told once, of a deadline that it has, what its class can be told
	NoJobLost Rule = "no_job_lost" // every waiting job is started or has a reason
	Form      Rule = "form"        // fields have values that mean something
	Seal      Rule = "seal"        // the hash belongs to this plan and this snapshot
)

// Violation is one broken law, with the object that breaks it.
type Violation struct {
	Rule   Rule
	Job    string // empty when no job is concerned
	Detail string
}

func (v Violation) String() string {
	if v.Job == "" {
		return fmt.Sprintf("%s: %s", v.Rule, v.Detail)
	}
	return fmt.Sprintf("%s: job %s: %s", v.Rule, v.Job, v.Detail)
}

// Violations is the error of a refused plan.
type Violations []Violation

func (vs Violations) Error() string {
	const most = 5
	var lines []string
	for _, v := range vs[:min(len(vs), most)] {
		lines = append(lines, v.String())
	}
	if len(vs) > most {
		lines = append(lines, fmt.Sprintf("and %d more", len(vs)-most))
	}
	return "plan refused: " + strings.Join(lines, "; ")
}
