package fit

import "schedmate"

// Answer is why one job waits.
type Answer struct {
	Job  string `json:"job"`
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // a sentence for a person

	// Told is the scheduler's own word, verbatim, and Agreement whether the fit
	// comes to the same.
	Told      Told      `json:"told"`
	Agreement Agreement `json:"agreement"`

	Short        []Shortage    `json:"short,omitempty"`        // what is missing, the first being what binds
	Largest      int           `json:"largest,omitempty"`      // of ExceedsCluster: the most GPUs that could ever fit
	Nodes        []NodeTrouble `json:"nodes,omitempty"`        // that are not available, or not as asked for
	Reservations []string      `json:"reservations,omitempty"` // that keep the nodes
	Jobs         []JobRef      `json:"jobs,omitempty"`         // it depends on, or that hold the licences, or use what a limit allows
	Use          *Use          `json:"use,omitempty"`          // of a limit, by the running jobs
	Ahead        Ahead         `json:"ahead,omitzero"`
	Fresh        bool          `json:"fresh,omitempty"`  // it came a moment ago, and the scheduler has not looked at it
	Places       []string      `json:"places,omitempty"` // nodes on which it fits now, if it does

	Until   Until    `json:"until,omitzero"`
	Changes []Change `json:"changes,omitempty"` // smallest loss first
	Notes   []string `json:"notes,omitempty"`   // what was not understood or is not known
}

// Told is the scheduler's reason.
type Told struct {
	Word    string `json:"word,omitempty"`
	Text    string `json:"text,omitempty"`    // its own sentence, where it has one
	Meaning string `json:"meaning,omitempty"` // what the word means, for a person; empty: not known
	Kind    Kind   `json:"kind,omitempty"`    // that the word belongs to; 0: none
	// Start is when the scheduler expects to start the job; 0: it does not say.
	Start schedmate.Seconds `json:"start_s,omitempty"`
}

// Agreement compares the scheduler's reason with the fit.
type Agreement string

const (
	Agrees    Agreement = "agrees"
	Differs   Agreement = "differs"
	Unchecked Agreement = "unchecked" // the scheduler gave no reason, or one that nothing here can check
)

// Shortage is one resource of which there is too little. Need, Free and Short
// count all nodes that the job may use. Best has the most free among the nodes that
// have enough of everything else; Rest: nodes without that have more.
type Shortage struct {
	Resource string `json:"resource"` // gpus, shards, cpus, memory_mib, nodes, or a licence
	Type     string `json:"type,omitempty"`
	Need     int64  `json:"need"`
	Free     int64  `json:"free"`
	Short    int64  `json:"short"`
	PerNode  int64  `json:"per_node,omitempty"` // needed of one node
	Best     string `json:"best_node,omitempty"`
	BestFree int64  `json:"best_free,omitempty"`
	Rest     bool   `json:"rest,omitempty"`
}

// NodeTrouble is a node that does not take the job, and why.
type NodeTrouble struct {
	Node   string   `json:"node"`
	States []string `json:"states,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// JobRef names a job with what a person wants to know of it.
type JobRef struct {
	ID    string `json:"id"`
	User  string `json:"user,omitempty"`
	State string `json:"state,omitempty"`
	Asks  string `json:"asks,omitempty"`
}

// Ahead is the jobs that wait, may start, go first, and want some of the same nodes.
type Ahead struct {
	Count int      `json:"count,omitempty"` // tasks of arrays counted one by one
	First []JobRef `json:"first,omitempty"`
	More  int      `json:"more,omitempty"` // counted, and not among the first
	// Backfill: the job fits now and ends before it would delay any of them, so
	// that the next round of backfilling can start it.
	Backfill bool `json:"backfill,omitempty"`
	// Unplanned: their starts, or the nodes that the scheduler has in mind for them,
	// cannot be told, so nothing is said about passing them.
	Unplanned bool `json:"unplanned,omitempty"`
}

// Until is when the job would get what it needs if nobody else took it first.
type Until struct {
	At       schedmate.Seconds `json:"at_s,omitempty"`     // 0: not known
	Releases []Release         `json:"releases,omitempty"` // all of them, and no fewer, are needed
	// Reservations must be over as well: At is later than the last of the releases.
	Reservations []Opening `json:"reservations,omitempty"`
	// Planned is when it is expected to start behind the jobs ahead; 0: not known.
	Planned schedmate.Seconds `json:"planned_s,omitempty"`
}

// Release is the end of one running job.
type Release struct {
	Job   string            `json:"job"`
	At    schedmate.Seconds `json:"at_s,omitempty"`
	Basis Basis             `json:"basis"`
}

// Basis is where an end comes from.
type Basis string

const (
	ByLimit Basis = "limit" // its time limit: it ends then at the latest
	ByLog   Basis = "log"   // its own progress
	Over    Basis = "over"  // it is past its end: any moment
	NoEnd   Basis = "none"  // it has no limit: nobody knows
)
