package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"schedmate"
)

// nodeRecord is a node in JSON: of sinfo up to 22.05, of scontrol and the REST
// service later.
type nodeRecord struct {
	Name       text   `json:"name"`
	State      words  `json:"state"`
	Flags      words  `json:"state_flags"`
	Reason     text   `json:"reason"`
	ReasonAt   number `json:"reason_changed_at"`
	ReasonBy   text   `json:"reason_set_by_user"`
	Boot       number `json:"boot_time"`
	CPUs       number `json:"cpus"`
	Effective  number `json:"effective_cpus"`
	CPUsUsed   number `json:"alloc_cpus"`
	Memory     number `json:"real_memory"`
	MemoryUsed number `json:"alloc_memory"`
	GRES       text   `json:"gres"`
	GRESUsed   text   `json:"gres_used"`
	TRES       text   `json:"tres"`
	TRESUsed   text   `json:"tres_used"`
	Partitions words  `json:"partitions"`
	Features   tags   `json:"active_features"`
	Available  tags   `json:"features"`
	Weight     number `json:"weight"`
	Version    text   `json:"version"`
	OldVersion text   `json:"slurmd_version"`
}

// tags is a list of features: one text with commas, or a list.
type tags []string

func (t *tags) UnmarshalJSON(raw []byte) error {
	var w words
	if err := w.UnmarshalJSON(raw); err != nil {
		return err
	}
	*t = nil
	for _, part := range w {
		*t = append(*t, splitOutside(part)...)
	}
	return nil
}

func (r *nodeRecord) node() (schedmate.ObservedNode, error) {
	n := schedmate.ObservedNode{
		Name: clean(r.Name), Reason: clean(r.Reason), ReasonAt: r.ReasonAt.seconds(), ReasonBy: clean(r.ReasonBy), BootedAt: r.Boot.seconds(),
		CPUs: cmp.Or(r.Effective.count(), r.CPUs.count()), CPUsUsed: r.CPUsUsed.count(), MemoryMiB: int64(r.Memory.count()), MemoryUsedMiB: int64(r.MemoryUsed.count()),
		Partitions: sorted(r.Partitions), Weight: r.Weight.count(), Version: clean(cmp.Or(r.Version, r.OldVersion)),
		States: states(strings.Join(slices.Concat(r.State, r.Flags), "+")),
	}
	n.Features = sorted(r.Features)
	if len(n.Features) == 0 {
		n.Features = sorted(r.Available)
	}
	if n.Name == "" {
		return n, errors.New("a node has no name")
	}
	if n.Reason == "" {
		n.ReasonAt, n.ReasonBy = 0, ""
	}
	total, err := readTRES(string(r.TRES))
	if err != nil {
		return n, fmt.Errorf("node %s: tres: %w", n.Name, err)
	}
	used, err := readTRES(string(r.TRESUsed))
	if err != nil {
		return n, fmt.Errorf("node %s: tres_used: %w", n.Name, err)
	}
	if err := devices(&n, string(r.GRES), string(r.GRESUsed), total, used); err != nil {
		return n, fmt.Errorf("node %s: %w", n.Name, err)
	}
	return n, nil
}

// readNodesJSON reads nodes from JSON: the answer to GET nodes, that of
// scontrol show node --json, and that of sinfo --json up to 22.05.
func readNodesJSON(from io.Reader) ([]schedmate.ObservedNode, []schedmate.Gap, error) {
	q := &queue{}
	var nodes []schedmate.ObservedNode
	fields := q.aboutItself()
	fields["nodes"] = func(a *answer) error {
		return eachElement(a, func(r *nodeRecord, err error) {
			var n schedmate.ObservedNode
			if err == nil {
				n, err = r.node()
			}
			if err != nil {
				q.gaps = append(q.gaps, unreadable(err, "sinfo --json"))
				return
			}
			nodes = append(nodes, n)
		})
	}
	err := q.nothing(len(nodes), eachField(from, fields))
	return sortedNodes(nodes), q.gaps, err
}
