package schedmate

import (
	"fmt"
	"slices"
)

// ReasonCode says why a job waits. The order is the order of precedence: where
// several hold, the smallest is the binding one, because removing the others
// would not help.
type ReasonCode uint8

const (
	_ ReasonCode = iota
	// ExceedsCluster: no placement exists even on the whole cluster, healthy
	// and empty. Need is the gang, Limit the largest gang that could be placed.
	ExceedsCluster
	// ExceedsQuota: the gang is larger than its VC's whole quota (Limit).
	ExceedsQuota
	// NodesUnavailable: the gang has no place even on the otherwise empty cluster
	// until Nodes take work again.
	NodesUnavailable
	// QuotaUsed: the VC's quota (Limit) leaves Free GPUs of the Need, Short
	// missing, and the end of other VCs' jobs would not help.
	QuotaUsed
	// NotEnoughFree: Free GPUs are free where Need are needed, Short missing.
	NotEnoughFree
	// Fragmented: enough GPUs are free in sum, but not as a consolidated
	// placement.
	Fragmented
	// BehindInQueue: the policy would start the gang now if nobody else waited,
	// but it serves Blockers first.
	BehindInQueue
	// HeldBack: the policy would not start the gang now if it had the healthy
	// cluster to itself. It has planned it for later, or given it up for now. Its
	// Change is empty: nothing but time helps.
	HeldBack
)

var reasonNames = [...]string{
	ExceedsCluster:   "exceeds_cluster",
	ExceedsQuota:     "exceeds_quota",
	NodesUnavailable: "nodes_unavailable",
	QuotaUsed:        "quota_used",
	NotEnoughFree:    "not_enough_free",
	Fragmented:       "fragmented",
	BehindInQueue:    "behind_in_queue",
	HeldBack:         "held_back",
}

func (c ReasonCode) String() string {
	if c == 0 || int(c) >= len(reasonNames) {
		return fmt.Sprintf("reason(%d)", uint8(c))
	}
	return reasonNames[c]
}

// MarshalText writes the name of the code.
func (c ReasonCode) MarshalText() ([]byte, error) {
	if c == 0 || int(c) >= len(reasonNames) {
		return nil, fmt.Errorf("schedmate: no reason has the number %d", uint8(c))
	}
	return []byte(reasonNames[c]), nil
}

// UnmarshalText reads the name of the code.
func (c *ReasonCode) UnmarshalText(text []byte) error {
	i := slices.Index(reasonNames[1:], string(text))
	if i < 0 {
		return fmt.Errorf("schedmate: unknown reason %q", text)
	}
	*c = ReasonCode(i + 1)
	return nil
}

// Reason is why one job waits, in numbers, with a change that would start it.
// All counts are GPUs that the job may use (its VC, its GPU type).
type Reason struct {
	Job      string     `json:"job" yaml:"job"`
	Code     ReasonCode `json:"code" yaml:"code"`
	Need     int        `json:"need" yaml:"need"`
	Free     int        `json:"free" yaml:"free"`
	Short    int        `json:"short" yaml:"short"`
	Limit    int        `json:"limit,omitempty" yaml:"limit,omitempty"`
	Ahead    int        `json:"ahead,omitempty" yaml:"ahead,omitempty"`       // waiting jobs that must step aside
	Blockers []string   `json:"blockers,omitempty" yaml:"blockers,omitempty"` // the first of them, in the policy's order
	Nodes    []string   `json:"nodes,omitempty" yaml:"nodes,omitempty"`

	// Change, applied to the snapshot, lets the same policy start the job.
	Change Change `json:"change" yaml:"change"`
	// Until is when Change is expected to have come about by itself, from the
	// estimates of the jobs it releases; 0 when unknown, or when it asks for more
	// than the end of jobs.
	Until Seconds `json:"until_s,omitempty" yaml:"until_s,omitempty"`
}

// Change is a difference to a snapshot. Its parts are applied together.
type Change struct {
	Resize  int      `json:"resize_gpus,omitempty" yaml:"resize_gpus,omitempty"`     // ask for this many GPUs
	AnyType bool     `json:"any_gpu_type,omitempty" yaml:"any_gpu_type,omitempty"`   // ask for any GPU type
	VC      string   `json:"vc,omitempty" yaml:"vc,omitempty"`                       // submit to this virtual cluster
	Quota   int      `json:"quota_gpus,omitempty" yaml:"quota_gpus,omitempty"`       // raise the VC's quota to this
	Restore []string `json:"restore_nodes,omitempty" yaml:"restore_nodes,omitempty"` // bring these nodes back
	Release []string `json:"release_jobs,omitempty" yaml:"release_jobs,omitempty"`   // these running jobs end
	Hold    []string `json:"hold_jobs,omitempty" yaml:"hold_jobs,omitempty"`         // these waiting jobs step aside
	Alone   bool     `json:"hold_others,omitempty" yaml:"hold_others,omitempty"`     // all other waiting jobs step aside
}

// Empty reports whether the change changes nothing.
func (c *Change) Empty() bool {
	return c.Resize == 0 && !c.AnyType && c.VC == "" && c.Quota == 0 && len(c.Restore) == 0 && len(c.Release) == 0 && len(c.Hold) == 0 && !c.Alone
}
