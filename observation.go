package schedmate

import (
	"cmp"
	"slices"
)

// Observation is what a cluster's own scheduler says about itself at one
// instant, in its own terms: the queue with its reasons, the nodes with their
// states, partitions, reservations, licences. It is what people ask about; what
// a policy plans with is the [Snapshot] that [Observation.Snapshot] makes of it.
//
// Nothing in it is worked out: a field that the scheduler does not tell is zero,
// and what could not be read at all is a Gap.
//
// Invariant: APIVersion and Kind are the declared ones; 0 <= Now <= MaxSeconds;
// Nodes, Partitions, Reservations and Licences are sorted by name and Jobs by ID
// in [CompareJobIDs] order, all without duplicates; each is valid.
type Observation struct {
	APIVersion string  `json:"apiVersion" yaml:"apiVersion"`
	Kind       string  `json:"kind" yaml:"kind"` // "Observation"
	Now        Seconds `json:"now_s" yaml:"now_s"`
	System     System  `json:"system" yaml:"system"`

	Nodes        []ObservedNode `json:"nodes" yaml:"nodes"`
	Partitions   []Partition    `json:"partitions,omitempty" yaml:"partitions,omitempty"`
	Reservations []Reservation  `json:"reservations,omitempty" yaml:"reservations,omitempty"`
	Licences     []Licence      `json:"licences,omitempty" yaml:"licences,omitempty"`
	Jobs         []ObservedJob  `json:"jobs" yaml:"jobs"`

	Gaps []Gap `json:"gaps,omitempty" yaml:"gaps,omitempty"`
}

// ObservationKind is the value of Observation.Kind.
const ObservationKind = "Observation"

// System names what was observed.
type System struct {
	Name    string `json:"name" yaml:"name"`                           // slurm, or replay
	Version string `json:"version,omitempty" yaml:"version,omitempty"` // of the scheduler, as it says
	Cluster string `json:"cluster,omitempty" yaml:"cluster,omitempty"`
}

// Gap is something that could not be read, so that what rests on it is missing.
type Gap struct {
	What string `json:"what" yaml:"what"` // for example "past jobs"
	Why  string `json:"why" yaml:"why"`
	Next string `json:"next,omitempty" yaml:"next,omitempty"` // what a person can do about it
}

// Partition is a queue of a scheduler, with the nodes that it may use.
//
// Invariant: Name is not empty; times and counts are not negative, where 0 means
// no limit.
type Partition struct {
	Name        string   `json:"name" yaml:"name"`
	State       string   `json:"state" yaml:"state"` // UP, DOWN, DRAIN, INACTIVE, or what the scheduler says
	Default     bool     `json:"default,omitempty" yaml:"default,omitempty"`
	Nodes       []string `json:"nodes,omitempty" yaml:"nodes,omitempty"`
	MaxTime     Seconds  `json:"max_time_s,omitempty" yaml:"max_time_s,omitempty"`
	DefaultTime Seconds  `json:"default_time_s,omitempty" yaml:"default_time_s,omitempty"`
	MaxNodes    int      `json:"max_nodes,omitempty" yaml:"max_nodes,omitempty"`
	MinNodes    int      `json:"min_nodes,omitempty" yaml:"min_nodes,omitempty"`
	Tier        int      `json:"priority_tier,omitempty" yaml:"priority_tier,omitempty"` // jobs of a higher one are served first

	AllowGroups   []string `json:"allow_groups,omitempty" yaml:"allow_groups,omitempty"` // empty: all
	AllowAccounts []string `json:"allow_accounts,omitempty" yaml:"allow_accounts,omitempty"`
	AllowQOS      []string `json:"allow_qos,omitempty" yaml:"allow_qos,omitempty"`

	// Restrictions are what else it demands of jobs, or does to them, as the
	// scheduler writes it: RootOnly=YES, MaxMemPerNode=100, PreemptMode=CANCEL. What
	// they mean for a job is not known here, so that nobody is sent there.
	Restrictions []string `json:"restrictions,omitempty" yaml:"restrictions,omitempty"`
}

// Up reports whether jobs of the partition may start.
func (p *Partition) Up() bool { return p.State == "UP" }

// Reservation keeps nodes for some jobs, or from all of them, for a time.
//
// Invariant: Name is not empty; Start <= End unless End is 0, which means without end.
type Reservation struct {
	Name     string   `json:"name" yaml:"name"`
	Start    Seconds  `json:"start_s" yaml:"start_s"`
	End      Seconds  `json:"end_s,omitempty" yaml:"end_s,omitempty"`
	Nodes    []string `json:"nodes,omitempty" yaml:"nodes,omitempty"`
	Users    []string `json:"users,omitempty" yaml:"users,omitempty"`
	Accounts []string `json:"accounts,omitempty" yaml:"accounts,omitempty"`
	Flags    []string `json:"flags,omitempty" yaml:"flags,omitempty"` // as the scheduler writes them: MAINT, IGNORE_JOBS
	State    string   `json:"state,omitempty" yaml:"state,omitempty"` // ACTIVE or INACTIVE
}

// Licence is a counted right that jobs ask for.
//
// Invariant: Name is not empty; counts are not negative.
type Licence struct {
	Name     string `json:"name" yaml:"name"`
	Total    int    `json:"total" yaml:"total"`
	Used     int    `json:"used" yaml:"used"`
	Reserved int    `json:"reserved,omitempty" yaml:"reserved,omitempty"`
}

// ObservedNode is one machine as the scheduler counts it.
//
// Invariant: Name is not empty; counts are not negative; a Device has a count,
// of which not more are used.
type ObservedNode struct {
	Name     string   `json:"name" yaml:"name"`
	States   []string `json:"states" yaml:"states"`                     // upper case, the base state first: IDLE, DRAIN
	Reason   string   `json:"reason,omitempty" yaml:"reason,omitempty"` // that a person or a check gave for the state
	ReasonAt Seconds  `json:"reason_s,omitempty" yaml:"reason_s,omitempty"`
	ReasonBy string   `json:"reason_by,omitempty" yaml:"reason_by,omitempty"`
	BootedAt Seconds  `json:"booted_s,omitempty" yaml:"booted_s,omitempty"`

	CPUs          int      `json:"cpus" yaml:"cpus"` // that jobs may use
	CPUsUsed      int      `json:"cpus_used" yaml:"cpus_used"`
	MemoryMiB     int64    `json:"memory_mib" yaml:"memory_mib"`
	MemoryUsedMiB int64    `json:"memory_used_mib" yaml:"memory_used_mib"` // by what jobs asked for
	GPUs          []Device `json:"gpus,omitempty" yaml:"gpus,omitempty"`
	Shards        int      `json:"shards,omitempty" yaml:"shards,omitempty"` // of all its GPUs together
	ShardsUsed    int      `json:"shards_used,omitempty" yaml:"shards_used,omitempty"`

	Partitions []string `json:"partitions,omitempty" yaml:"partitions,omitempty"`
	Features   []string `json:"features,omitempty" yaml:"features,omitempty"`
	Weight     int      `json:"weight,omitempty" yaml:"weight,omitempty"` // nodes of a lower one are used first
	Version    string   `json:"version,omitempty" yaml:"version,omitempty"`
}

// Device is the GPUs of one type of a node.
type Device struct {
	Type  string `json:"type,omitempty" yaml:"type,omitempty"`
	Count int    `json:"count" yaml:"count"`
	Used  int    `json:"used" yaml:"used"`
	InUse []int  `json:"in_use,omitempty" yaml:"in_use,omitempty"` // their indices, where the scheduler tells
}

// GPUCount returns how many GPUs of a type the node has and how many jobs hold; an
// empty type is any.
func (n *ObservedNode) GPUCount(gpuType string) (total, used int) {
	for _, d := range n.GPUs {
		if gpuType == "" || d.Type == gpuType {
			total, used = total+d.Count, used+d.Used
		}
	}
	return total, used
}

// Is reports whether the node is in a state, in upper case.
func (n *ObservedNode) Is(state string) bool { return slices.Contains(n.States, state) }

// Health is what the states say about new work. A state that is not known keeps
// new work away: what it means is not guessed.
func (n *ObservedNode) Health() Health {
	health := Healthy
	for _, state := range n.States {
		switch state {
		case "IDLE", "MIXED", "ALLOCATED", "CLOUD", "PLANNED", "COMPLETING", "POWERED_DOWN", "POWERING_UP", "RESERVED", "DYNAMIC_NORM":
		case "DOWN", "NOT_RESPONDING", "UNKNOWN", "FUTURE", "ERROR", "POWERING_DOWN", "REBOOT_ISSUED", "INVALID_REG":
			health = Down
		default:
			if health == Healthy {
				health = Draining
			}
		}
	}
	if len(n.States) == 0 {
		return Down
	}
	return health
}

// Period says which past jobs are asked for. Fields that are zero ask for all.
type Period struct {
	From, To Seconds  // jobs that were in the system at some time of it
	IDs      []string // array tasks and heterogeneous parts belong to their job
	User     string
}

// Has reports whether a job is asked for.
func (p *Period) Has(j *ObservedJob) bool {
	switch {
	case p.User != "" && j.User != p.User:
		return false
	case p.To > 0 && j.Submit > p.To, p.From > 0 && j.End > 0 && j.End < p.From:
		return false
	case len(p.IDs) == 0:
		return true
	}
	return slices.ContainsFunc(p.IDs, func(id string) bool { return id == j.ID || id == j.Array || id == j.Het })
}

// CompareJobIDs orders job ids such as 7, 7_3, 7_[4-9%2] and 7+1 by their
// numbers, and words behind them.
func CompareJobIDs(a, b string) int {
	for a != "" && b != "" {
		x, restA := leadingNumber(a)
		y, restB := leadingNumber(b)
		if (x == "") != (y == "") {
			return cmp.Compare(len(y), len(x)) // a number before a word
		}
		if x == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
		a, b = restA, restB
	}
	return cmp.Compare(len(a), len(b))
}

// leadingNumber splits off the digits at the beginning, without leading zeros.
func leadingNumber(s string) (digits, rest string) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	from := 0
	for from < end-1 && s[from] == '0' {
		from++
	}
	return s[from:end], s[end:]
}
