package fit

import (
	"fmt"
	"slices"
)

// Kind says why a job waits. The order is the order of precedence: where several
// hold, the first is told, because to remove the others would not help.
type Kind uint8

const (
	_ Kind = iota
	// HeldByUser: the owner holds it.
	HeldByUser
	// HeldByAdmin: an operator, or the scheduler itself, holds it.
	HeldByAdmin
	// BeginTime: it asked not to start earlier, or was requeued a moment ago.
	BeginTime
	// DependencyNever: a job that it waits for has ended in a way that rules it out.
	DependencyNever
	// Dependency: it waits for other jobs.
	Dependency
	// PartitionDown: none of its partitions starts jobs.
	PartitionDown
	// PartitionLimit: it asks for more time or nodes than its partitions allow.
	PartitionLimit
	// PolicyLimit: a limit of the account, the QOS, the array or the number of jobs,
	// by the scheduler's word alone.
	PolicyLimit
	// OwnReservation: the reservation that it asks for is not active, or is gone.
	OwnReservation
	// Licences: fewer are free than it asks for.
	Licences
	// NodeConstraint: too few nodes have what it asks of a node by name or feature.
	NodeConstraint
	// ExceedsCluster: its nodes could never hold it, even all healthy and empty.
	ExceedsCluster
	// NodesUnavailable: the nodes that work could not hold it, even empty.
	NodesUnavailable
	// NodesReserved: it would fit but for nodes that are reserved for others.
	NodesReserved
	// Resources: less of something is free on all its nodes together than it needs.
	Resources
	// Fragmented: enough is free in sum, but not together on as many nodes as it needs.
	Fragmented
	// Priority: it would fit now, and others go first.
	Priority
	// NotLooked: it fits now and nobody is ahead: the scheduler has not looked since.
	NotLooked
	// Unknown: the scheduler has a reason that is not known here, or has told none
	// and nothing can be claimed.
	Unknown
)

var kindNames = [...]string{
	HeldByUser: "held_by_user", HeldByAdmin: "held_by_admin", BeginTime: "begin_time",
	DependencyNever: "dependency_never", Dependency: "dependency",
	PartitionDown: "partition_down", PartitionLimit: "partition_limit", PolicyLimit: "policy_limit",
	OwnReservation: "own_reservation", Licences: "licences", NodeConstraint: "node_constraint",
	ExceedsCluster: "exceeds_cluster", NodesUnavailable: "nodes_unavailable", NodesReserved: "nodes_reserved",
	Resources: "resources", Fragmented: "fragmented", Priority: "priority", NotLooked: "not_looked", Unknown: "unknown",
}

func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// MarshalText writes the name of the kind.
func (k Kind) MarshalText() ([]byte, error) {
	if k == 0 || int(k) >= len(kindNames) {
		return nil, fmt.Errorf("fit: no kind has the number %d", uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads the name of the kind.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[1:], string(text))
	if i < 0 {
		return fmt.Errorf("fit: unknown kind %q", text)
	}
	*k = Kind(i + 1)
	return nil
}
