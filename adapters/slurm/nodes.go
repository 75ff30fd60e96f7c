package slurm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"schedmate"
)

// readNodes reads the output of scontrol -d -o show node. A node that cannot be
// read is a gap.
func readNodes(from io.Reader) ([]schedmate.ObservedNode, []schedmate.Gap, error) {
	var nodes []schedmate.ObservedNode
	var gaps []schedmate.Gap
	err := readPairs(from, "NodeName", func(p pairs) error {
		n, err := nodeOf(p)
		if err != nil {
			gaps = append(gaps, unreadable(err, "scontrol -d -o show node"))
			return nil
		}
		nodes = append(nodes, n)
		return nil
	})
	return sortedNodes(nodes), gaps, err
}

func unreadable(err error, command string) schedmate.Gap {
	return schedmate.Gap{What: "a record of Slurm", Why: err.Error(), Next: "report this with the output of '" + command + "'"}
}

func sortedNodes(nodes []schedmate.ObservedNode) []schedmate.ObservedNode {
	slices.SortStableFunc(nodes, func(a, b schedmate.ObservedNode) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(nodes, func(a, b schedmate.ObservedNode) bool { return a.Name == b.Name })
}

// whoAndWhen is behind the reason of a node: [root@2026-11-29T18:16:11].
var whoAndWhen = regexp.MustCompile(`\s*\[([^\s@\]]+)@([^\]\s]+)\]\s*$`)

func nodeOf(p pairs) (schedmate.ObservedNode, error) {
	f := &fields{pairs: p, what: "node " + p["NodeName"]}
	total, err := readTRES(p["CfgTRES"])
	if err != nil {
		f.fail("CfgTRES", err)
	}
	used, err := readTRES(p["AllocTRES"])
	if err != nil {
		f.fail("AllocTRES", err)
	}
	n := schedmate.ObservedNode{
		Name: p["NodeName"], States: states(p["State"]), Version: p["Version"], Weight: f.count("Weight"),
		CPUs: cmp.Or(f.count("CPUEfctv"), f.count("CPUTot")), CPUsUsed: f.count("CPUAlloc"),
		MemoryMiB: int64(f.count("RealMemory")), MemoryUsedMiB: int64(f.count("AllocMem")),
		Partitions: sorted(f.list("Partitions")), Features: sorted(splitOutside(cmp.Or(p["ActiveFeatures"], p["AvailableFeatures"]))),
		BootedAt: f.at("BootTime").seconds(),
	}
	why := p["Reason"]
	if m := whoAndWhen.FindStringSubmatchIndex(why); m != nil {
		n.ReasonBy = why[m[2]:m[3]]
		if at, err := instant(why[m[4]:m[5]]); err == nil {
			n.ReasonAt = at
		}
		why = why[:m[0]]
	}
	n.Reason = clean(text(why))
	if err := devices(&n, p["Gres"], p["GresUsed"], total, used); err != nil {
		f.fail("Gres", err)
	}
	return n, f.err
}

// devices fills in GPUs and shards: what there is, and what is in use.
func devices(n *schedmate.ObservedNode, all, inUse string, total, used tres) error {
	have, err := readGRES(all)
	if err != nil {
		return err
	}
	busy, err := readGRES(inUse)
	if err != nil {
		return err
	}
	for _, g := range have {
		switch {
		case g.name == "shard":
			n.Shards += g.count
		case g.name == "gpu" && g.count > 0:
			i := slices.IndexFunc(n.GPUs, func(d schedmate.Device) bool { return d.Type == g.kind })
			if i < 0 {
				n.GPUs = append(n.GPUs, schedmate.Device{Type: g.kind})
				i = len(n.GPUs) - 1
			}
			n.GPUs[i].Count += g.count
		}
	}
	told := false
	for _, g := range busy {
		switch g.name {
		case "shard":
			n.ShardsUsed += g.count
		case "gpu":
			told = true
			for i := range n.GPUs {
				if d := &n.GPUs[i]; d.Type == g.kind || len(n.GPUs) == 1 {
					d.Used = min(d.Used+g.count, d.Count)
					d.InUse = append(d.InUse, g.indices...)
					break
				}
			}
		}
	}
	if !told && len(n.GPUs) == 1 {
		n.GPUs[0].Used = min(used.gpus, n.GPUs[0].Count)
	}
	if used.told && used.shards > 0 {
		n.ShardsUsed = used.shards // 22.05 counts GPUs that carry shards, not the shards
	}
	if n.Shards == 0 {
		n.Shards = total.shards
	}
	n.ShardsUsed = min(n.ShardsUsed, n.Shards)
	slices.SortFunc(n.GPUs, func(a, b schedmate.Device) int { return cmp.Compare(a.Type, b.Type) })
	return nil
}

// stateMarks are what sinfo puts behind a state (sinfo(1), "node state codes").
var stateMarks = map[byte]string{
	'*': "NOT_RESPONDING", '~': "POWERED_DOWN", '#': "POWERING_UP", '!': "POWER_DOWN", '%': "POWERING_DOWN",
	'$': "MAINT", '@': "REBOOT_REQUESTED", '^': "REBOOT_ISSUED", '-': "PLANNED",
}

// states splits a state such as IDLE+DRAIN or DOWN*, the base first. Words that
// are not known are kept.
func states(s string) []string {
	var out []string
	add := func(w string) {
		if w = strings.ToUpper(w); w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	var marks []string
	for _, word := range strings.Split(s, "+") {
		for word != "" && stateMarks[word[len(word)-1]] != "" {
			marks = append(marks, stateMarks[word[len(word)-1]])
			word = word[:len(word)-1]
		}
		add(word)
	}
	for _, m := range marks {
		add(m)
	}
	return out
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

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
		return n, fmt.Errorf("a node has no name")
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
	var nodes []schedmate.ObservedNode
	var gaps []schedmate.Gap
	err := eachField(from, map[string]func(*json.Decoder) error{
		"nodes": func(d *json.Decoder) error {
			return eachElement(d, func(raw json.RawMessage) error {
				var r nodeRecord
				err := json.Unmarshal(raw, &r)
				var n schedmate.ObservedNode
				if err == nil {
					n, err = r.node()
				}
				if err != nil {
					gaps = append(gaps, unreadable(err, "sinfo --json"))
					return nil
				}
				nodes = append(nodes, n)
				return nil
			})
		},
	})
	return sortedNodes(nodes), gaps, err
}
