package failure

import (
	"strconv"
	"strings"

	"schedmate"
)

// Actor is who has to act. The class says whose the failure is, which mostly tells;
// where the advice is for somebody else, the kind says so: a job that reached its time
// limit is of the scheduler, and its submitter asks for more.
type Actor string

const (
	ActsOperator  Actor = "operator"  // of the cluster
	ActsOwner     Actor = "owner"     // of the training software
	ActsSubmitter Actor = "submitter" // of the job
	ActsBoth      Actor = "both"      // the submitter and the operator
)

func (a Actor) known() bool {
	switch a {
	case "", ActsOperator, ActsOwner, ActsSubmitter, ActsBoth:
		return true
	}
	return false
}

// Actor is who has to act on a failure of this kind, which may be nil, and of this
// class; empty where nothing failed.
func (k *Kind) Actor(class schedmate.FailureClass) Actor {
	if k != nil && k.Acts != "" {
		return k.Acts
	}
	switch class {
	case schedmate.InfrastructureFailure:
		return ActsOperator
	case schedmate.FrameworkFailure:
		return ActsOwner
	case schedmate.UserFailure:
		return ActsSubmitter
	}
	return ""
}

// coded is the kind with the title for an exit code or a signal that its line tells,
// which is a number.
func (k *Kind) coded(captures map[string]string) *Kind {
	for _, group := range []string{"exit", "signal"} {
		mark, number := "{"+group+"}", captures[group]
		if _, err := strconv.Atoi(number); err != nil || k == nil || !strings.Contains(k.Coded.English, mark) {
			continue
		}
		c := *k
		c.Title = Text{strings.ReplaceAll(k.Coded.English, mark, number), strings.ReplaceAll(k.Coded.Chinese, mark, number)}
		return &c
	}
	return k
}
