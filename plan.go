package schedmate

import "slices"

// ActionKind is what a plan does to a job.
type ActionKind string

const (
	// Start gives a waiting job its GPUs now.
	Start ActionKind = "start"
	// Preempt takes a running job's GPUs away now and puts it back in the queue.
	Preempt ActionKind = "preempt"
	// Move gives a running job other GPUs, as many as it has or another of its
	// Sizes. It is a new Attempt. All jobs that a plan moves let go of what they
	// have before its first action, so that they can change places.
	Move ActionKind = "move"
	// Park takes a waiting job into a group that shares GPUs by turns: it counts
	// as started, and gets GPUs by a Start when its turn comes.
	Park ActionKind = "park"
)

// Action is one step of a plan. Actions are carried out in order, so a start
// may use what a preemption before it has freed.
//
// Invariant: a Start and a Move carry the allocations of the whole gang, the
// others none; Lease is 0 but for these two, and then lies after the snapshot's
// Now and not after MaxSeconds. Profile and Packed belong to a Start alone, Undo to
// a Preempt alone; Packed and Undo are valid.
type Action struct {
	Kind        ActionKind   `json:"kind" yaml:"kind"`
	Job         string       `json:"job" yaml:"job"`
	Allocations []Allocation `json:"allocations,omitempty" yaml:"allocations,omitempty"`

	// Lease is until when the policy means the job to keep these GPUs; 0 when it
	// has promised no time.
	Lease Seconds `json:"lease_until_s,omitempty" yaml:"lease_until_s,omitempty"`

	// Packed is set for a Start on GPUs that another job holds, if the policy says
	// what it expects of it; Undo for a Preempt that takes such a start back.
	Packed *Packed `json:"packed,omitempty" yaml:"packed,omitempty"`
	Undo   *Undo   `json:"undo,omitempty" yaml:"undo,omitempty"`

	// Profile marks a start whose purpose is to measure the job: the policy means
	// to take the GPUs back when it has.
	Profile bool `json:"profile,omitempty" yaml:"profile,omitempty"`
}

// Plan is a policy's answer to a Snapshot.
//
// Invariant: no job occurs in two actions, but that a job may be started again
// after it has been preempted, elsewhere or in the same place: a restart.
// Promises
// names no job twice, nor does Measures. Reasons is nil (not asked for) or names every job that waits after the actions exactly once, sorted by Job.
type Plan struct {
	Policy  string   `json:"policy" yaml:"policy"`
	Actions []Action `json:"actions" yaml:"actions"`

	// Wake asks the host to plan again at this instant even if nothing has
	// happened by then; 0 when only an event can change the plan.
	Wake Seconds `json:"wake_s,omitempty" yaml:"wake_s,omitempty"`

	// Memory is what the policy wants to be told when it plans next. A host
	// keeps it until then and reads nothing in it.
	Memory []Note `json:"memory,omitempty" yaml:"memory,omitempty"`

	// Promises are what jobs are told about their deadlines from now on. Who is not
	// named is told what it was told before.
	Promises []PromiseChange `json:"promises,omitempty" yaml:"promises,omitempty"`

	// Measures are measurements of waiting jobs that begin now on GPUs which the policy
	// keeps free for them.
	Measures []Measurement `json:"measures,omitempty" yaml:"measures,omitempty"`

	// Value and Bound are what an optimising policy reached and what it proved
	// to be the most, in its own reward units; nil for a rule.
	Value      *int64 `json:"value" yaml:"value"`
	Bound      *int64 `json:"bound" yaml:"bound"`
	Engine     string `json:"engine" yaml:"engine"` // "rule", or the solver that made the plan
	BudgetUsed int64  `json:"budget_used" yaml:"budget_used"`

	Reasons []Reason `json:"reasons,omitempty" yaml:"reasons,omitempty"`

	// Hash seals the plan to the snapshot it was made for; see Seal.
	Hash string `json:"hash,omitempty" yaml:"hash,omitempty"`
}

// RuleEngine is the Engine of policies that follow a rule and optimise nothing.
const RuleEngine = "rule"

// Seal returns the hash of the plan's content together with the hash of the
// snapshot it answers. A changed field of either changes it.
func (p *Plan) Seal(snapshotHash string) string {
	body := *p
	body.Hash = ""
	return Hash(struct {
		Snapshot string `json:"snapshot"`
		Plan     *Plan  `json:"plan"`
	}{snapshotHash, &body})
}

// Started returns the start action of that job, or nil.
func (p *Plan) Started(job string) *Action {
	i := slices.IndexFunc(p.Actions, func(a Action) bool { return a.Kind == Start && a.Job == job })
	if i < 0 {
		return nil
	}
	return &p.Actions[i]
}

// Decision records one planning step so that it can be derived again: the same
// Snapshot, policy, options and budget must give the same Plan.
//
// Invariant: Snapshot and Plan are hashes of their canonical encodings.
type Decision struct {
	APIVersion string  `json:"apiVersion" yaml:"apiVersion"`
	Kind       string  `json:"kind" yaml:"kind"` // "Decision"
	At         Seconds `json:"at_s" yaml:"at_s"`
	Snapshot   string  `json:"snapshot" yaml:"snapshot"`
	Policy     string  `json:"policy" yaml:"policy"`
	Options    string  `json:"options" yaml:"options"` // canonical JSON of the typed options
	Budget     int64   `json:"budget" yaml:"budget"`
	Plan       string  `json:"plan" yaml:"plan"`
}

// DecisionKind is the value of Decision.Kind.
const DecisionKind = "Decision"

// Decide records that the plan answered the snapshot.
func Decide(s *Snapshot, policy, options string, budget int64, p *Plan) Decision {
	hash := Hash(s)
	return Decision{
		APIVersion: APIVersion, Kind: DecisionKind, At: s.Now,
		Snapshot: hash, Policy: policy, Options: options, Budget: budget, Plan: p.Seal(hash),
	}
}

// ID names the decision by its content.
func (d Decision) ID() string { return Hash(d)[:16] }
