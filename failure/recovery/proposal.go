package recovery

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
)

// ProposalKind is the value of Proposal.Kind.
const ProposalKind = "Proposal"

// Proposal is what should be done about an incident, in order, and what should
// not be and why. It acts on nothing.
//
// Invariant: every step has a reason, and what its kind asks for; a quarantine
// has our owner tag, an end after Now, a test and quotes; the verdict of a proposal with a
// quarantine is device or suspected.
type Proposal struct {
	APIVersion string            `json:"apiVersion" yaml:"apiVersion"`
	Kind       string            `json:"kind" yaml:"kind"`                             // "Proposal"
	Incident   string            `json:"incident,omitempty" yaml:"incident,omitempty"` // empty: a review of what stands
	Revision   int               `json:"revision,omitempty" yaml:"revision,omitempty"`
	Job        string            `json:"job,omitempty" yaml:"job,omitempty"`
	Now        schedmate.Seconds `json:"now_s" yaml:"now_s"` // when it was made

	Verdict Verdict `json:"verdict,omitempty" yaml:"verdict,omitempty"`
	Pattern Pattern `json:"pattern,omitempty" yaml:"pattern,omitempty"` // how it compares with what failed before
	Steps   []Step  `json:"steps" yaml:"steps"`
	Held    []Held  `json:"held,omitempty" yaml:"held,omitempty"`

	Hits   []Hit  `json:"hits,omitempty" yaml:"hits,omitempty"` // for the ledger
	Try    *Try   `json:"try,omitempty" yaml:"try,omitempty"`   // for the history of the job
	Counts Counts `json:"counts,omitzero" yaml:"counts,omitempty"`
	Limits Limits `json:"limits" yaml:"limits"` // that were in force
}

// Counts are the numbers that the guards looked at, without this proposal.
type Counts struct {
	Restarts      int    `json:"restarts" yaml:"restarts"`             // of the job for this verdict, in the window
	RestartsTotal int    `json:"restarts_total" yaml:"restarts_total"` // for any
	Rate          int    `json:"rate" yaml:"rate"`                     // quarantines of ours that began in the window
	Pool          string `json:"pool,omitempty" yaml:"pool,omitempty"` // of the named node
	Quarantined   int    `json:"quarantined,omitempty" yaml:"quarantined,omitempty"`
	Quarantinable int    `json:"quarantinable,omitempty" yaml:"quarantinable,omitempty"` // the cap of the pool
	Healthy       int    `json:"healthy,omitempty" yaml:"healthy,omitempty"`             // of the pool, without what is proposed
	MinHealthy    int    `json:"min_healthy,omitempty" yaml:"min_healthy,omitempty"`
}

// Verdict is what kind of failure it is, as far as action goes.
type Verdict string

const (
	NoFailure      Verdict = "none"
	Device         Verdict = "device"       // infrastructure, with proof from the node
	Suspected      Verdict = "suspected"    // infrastructure, without
	Timeout        Verdict = "timeout"      // a collective timed out or a peer was lost, and nothing says why
	ServiceOut     Verdict = "service"      // storage or another service that many jobs share
	Scheduling     Verdict = "scheduler"    // time limit, preemption, eviction
	FrameworkFault Verdict = "framework"    // the software stack
	UserFault      Verdict = "user"         // script, configuration, data
	Undetermined   Verdict = "undetermined" // the logs do not tell
)

var verdicts = []Verdict{NoFailure, Device, Suspected, Timeout, ServiceOut, Scheduling, FrameworkFault, UserFault, Undetermined}

// Pattern is how a failure compares with those before it.
type Pattern string

const (
	FirstTime     Pattern = "first"         // of its shape, in this job
	Deterministic Pattern = "deterministic" // the same at the same step on other nodes: it follows the job
	Repeated      Pattern = "repeated"      // a failure of program or stack, for the second time
	OneNode       Pattern = "node"          // the same on this node for other users: it stays with the node
	Flaky         Pattern = "flaky"         // the same at another step
	Again         Pattern = "again"         // the same, and nothing yet tells program from node
)

var patterns = []Pattern{"", FirstTime, Deterministic, Repeated, OneNode, Flaky, Again}

// StepKind is what to do.
type StepKind string

const (
	StepDiagnose   StepKind = "diagnose"   // run Test on Node, or over Nodes
	StepQuarantine StepKind = "quarantine" // of Node until Until, then Test decides
	StepReplace    StepKind = "replace"    // Node by another of Pool
	StepRestart    StepKind = "restart"    // Job, from Checkpoint, without Exclude, not before NotBefore; with Gate: Delay after it opens
	StepReport     StepKind = "report"     // to To
	StepHold       StepKind = "hold"       // Job behind Gate
	StepProbe      StepKind = "probe"      // Gate, by Test, not before NotBefore
	StepOpen       StepKind = "open"       // Gate
	StepRelease    StepKind = "release"    // Job from Gate, not before NotBefore
	StepExtend     StepKind = "extend"     // the quarantine of Node to Until
	StepReturn     StepKind = "return"     // Node to service
)

// Recipient is who is told.
type Recipient string

const (
	OnCall       Recipient = "on_call"
	Network      Recipient = "network"
	Facility     Recipient = "facility" // racks, power, cooling
	Storage      Recipient = "storage"
	ImageOwner   Recipient = "image_owner" // of the nodes' image
	ServiceOwner Recipient = "service_owner"
	StackOwner   Recipient = "stack_owner"
	Submitter    Recipient = "submitter"
)

var recipients = []Recipient{OnCall, Network, Facility, Storage, ImageOwner, ServiceOwner, StackOwner, Submitter}

// Step is one thing to do. Which fields count, its kind says.
type Step struct {
	Kind     StepKind          `json:"kind" yaml:"kind"`
	Node     string            `json:"node,omitempty" yaml:"node,omitempty"`
	Nodes    []string          `json:"nodes,omitempty" yaml:"nodes,omitempty"`
	Pool     string            `json:"pool,omitempty" yaml:"pool,omitempty"`
	Test     string            `json:"test,omitempty" yaml:"test,omitempty"`
	Owner    string            `json:"owner,omitempty" yaml:"owner,omitempty"`       // tag of a quarantine
	Incident string            `json:"incident,omitempty" yaml:"incident,omitempty"` // of the quarantine that is extended or ends
	Until    schedmate.Seconds `json:"until_s,omitempty" yaml:"until_s,omitempty"`

	Job        string            `json:"job,omitempty" yaml:"job,omitempty"`
	Checkpoint *Checkpoint       `json:"checkpoint,omitempty" yaml:"checkpoint,omitempty"`
	Exclude    []Exclusion       `json:"exclude,omitempty" yaml:"exclude,omitempty"`
	NotBefore  schedmate.Seconds `json:"not_before_s,omitempty" yaml:"not_before_s,omitempty"`
	Gate       string            `json:"gate,omitempty" yaml:"gate,omitempty"` // a service
	Delay      schedmate.Seconds `json:"delay_s,omitempty" yaml:"delay_s,omitempty"`
	To         Recipient         `json:"to,omitempty" yaml:"to,omitempty"`

	Reason   string            `json:"reason" yaml:"reason"`
	Evidence []schedmate.Quote `json:"evidence,omitempty" yaml:"evidence,omitempty"`
	Hits     []Hit             `json:"hits,omitempty" yaml:"hits,omitempty"`   // of the ledger, that it stands on
	Tests    []Test            `json:"tests,omitempty" yaml:"tests,omitempty"` // likewise
	Undo     string            `json:"undo" yaml:"undo"`                       // how a person can stop it or take it back
}

// Checkpoint is where a restart begins.
type Checkpoint struct {
	From string   `json:"from" yaml:"from"`                     // last, before_last, or unknown: the logs show none
	Step *float64 `json:"step,omitempty" yaml:"step,omitempty"` // of the last saved checkpoint
}

// Exclusion keeps a restarted job from a node, or from all that share a part.
type Exclusion struct {
	Node string `json:"node,omitempty" yaml:"node,omitempty"`
	Part string `json:"part,omitempty" yaml:"part,omitempty"` // for example switch:s1
	Hard bool   `json:"hard" yaml:"hard"`                     // false: if there is room elsewhere
	Why  string `json:"why" yaml:"why"`
}

// Guard is what held something back.
type Guard string

const (
	GuardNoRestart     Guard = "no_restart"    // the failure does not go away by itself
	GuardDeterministic Guard = "deterministic" // it follows the job
	GuardRepeated      Guard = "repeated"      // it came back
	GuardBudget        Guard = "restart_budget"
	GuardTotal         Guard = "restart_total"
	GuardDiagnosis     Guard = "diagnosis"    // the logs alone do not carry it
	GuardNoNode        Guard = "no_node"      // no log names the node
	GuardUnknownNode   Guard = "unknown_node" // the cluster has no such node
	GuardForeignNode   Guard = "foreign_node" // the job did not run there
	GuardOld           Guard = "old_incident"
	GuardCommon        Guard = "common_cause"
	GuardOwner         Guard = "other_owner"
	GuardStanding      Guard = "in_quarantine"
	GuardCoolDown      Guard = "cool_down"
	GuardWitness       Guard = "second_witness"
	GuardRate          Guard = "rate"
	GuardCap           Guard = "pool_cap"
	GuardCapacity      Guard = "capacity"
	GuardRenewals      Guard = "renewals"
	GuardHold          Guard = "max_hold"
)

// Held is a step that is not proposed.
type Held struct {
	Kind     StepKind `json:"kind" yaml:"kind"`
	Node     string   `json:"node,omitempty" yaml:"node,omitempty"`
	Job      string   `json:"job,omitempty" yaml:"job,omitempty"`
	Guard    Guard    `json:"guard" yaml:"guard"`
	Why      string   `json:"why" yaml:"why"`
	Override string   `json:"override" yaml:"override"` // how a person can do it all the same
}

func compareProposals(a, b Proposal) int {
	return cmp.Or(cmp.Compare(a.Incident, b.Incident), cmp.Compare(a.Revision, b.Revision))
}

// Step returns the first step of a kind, or nil.
func (p *Proposal) Step(kind StepKind) *Step {
	for i := range p.Steps {
		if p.Steps[i].Kind == kind {
			return &p.Steps[i]
		}
	}
	return nil
}

// Validate checks the invariant of Proposal.
func (p *Proposal) Validate(path string) error {
	switch {
	case p.APIVersion != schedmate.APIVersion:
		return fieldErr(path+".apiVersion", "must be %q, got %q", schedmate.APIVersion, p.APIVersion)
	case p.Kind != ProposalKind:
		return fieldErr(path+".kind", "must be %q, got %q", ProposalKind, p.Kind)
	case p.Incident != "" && !slices.Contains(verdicts, p.Verdict):
		return fieldErr(path+".verdict", "must be one of %v, got %q", verdicts, p.Verdict)
	case !slices.Contains(patterns, p.Pattern):
		return fieldErr(path+".pattern", "must be one of %v, got %q", patterns, p.Pattern)
	}
	if err := first(checkTime(path+".now_s", p.Now), p.Limits.Validate(path+".limits")); err != nil {
		return err
	}
	for i := range p.Steps {
		s, at := &p.Steps[i], fmt.Sprintf("%s.steps[%d]", path, i)
		if err := s.validate(at, p.Now); err != nil {
			return err
		}
		if s.Kind == StepQuarantine && p.Verdict != Device && p.Verdict != Suspected {
			return fieldErr(at+".kind", "no node is quarantined for the verdict %q", p.Verdict)
		}
	}
	for i, h := range p.Held {
		if h.Kind == "" || h.Guard == "" || h.Why == "" || h.Override == "" {
			return fieldErr(fmt.Sprintf("%s.held[%d]", path, i), "must say what is held by which guard, why, and how to override it")
		}
	}
	for i := range p.Hits {
		if err := p.Hits[i].validate(fmt.Sprintf("%s.hits[%d]", path, i)); err != nil {
			return err
		}
	}
	if p.Try != nil {
		return p.Try.validate(path + ".try")
	}
	return nil
}

func (s *Step) validate(path string, now schedmate.Seconds) error {
	need := func(ok bool, field, what string) error {
		if ok {
			return nil
		}
		return fieldErr(path+"."+field, "a step %s %s", s.Kind, what)
	}
	err := first(need(s.Reason != "", "reason", "must say why"), need(s.Undo != "", "undo", "must say how it is taken back"))
	switch s.Kind {
	case StepDiagnose:
		err = first(err, need(s.Test != "", "test", "names the test"))
	case StepQuarantine:
		err = first(err, need(s.Node != "", "node", "names its node"), need(s.Owner == Owner, "owner", "carries our tag"),
			need(s.Until > now, "until_s", "ends after now_s"), need(s.Test != "", "test", "names the test before return"), need(len(s.Evidence) > 0, "evidence", "quotes a line"))
	case StepReplace:
		err = first(err, need(s.Node != "" && s.Pool != "", "node", "names node and pool"))
	case StepRestart:
		err = first(err, need(s.Job != "", "job", "names its job"), need(s.Checkpoint != nil, "checkpoint", "says where to begin"))
	case StepReport:
		err = first(err, need(slices.Contains(recipients, s.To), "to", "goes to somebody"))
	case StepHold, StepRelease:
		err = first(err, need(s.Job != "" && s.Gate != "", "gate", "names job and gate"))
	case StepOpen:
		err = first(err, need(s.Gate != "", "gate", "names its gate"))
	case StepProbe:
		err = first(err, need(s.Gate != "" && s.Test != "", "gate", "names gate and test"))
	case StepExtend:
		err = first(err, need(s.Node != "" && s.Incident != "" && s.Until > now, "until_s", "names node, incident and an end after now_s"))
	case StepReturn:
		err = first(err, need(s.Node != "" && s.Incident != "", "node", "names node and incident"))
	default:
		err = fieldErr(path+".kind", "unknown step %q", s.Kind)
	}
	return err
}
