package slurm

import (
	"cmp"
	"errors"
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

// whoAndWhen is behind the reason of a node: [root@1796025721]. The reason itself
// may hold brackets and what looks like other fields; of those, only these follow it.
var whoAndWhen = regexp.MustCompile(`\s*\[([^\s@\]]+)@([0-9T:-]+|Unknown)\](?:$|\s+(?:Comment|Extra|ReservationName|InstanceId|InstanceType)=)`)

// reasonOf splits off the reason of a node, which is the last of its line but for a
// comment of an administrator.
func reasonOf(p pairs) (why, by string, at schedmate.Seconds) {
	_, why, found := strings.Cut(p[wholeLine], " Reason=")
	if !found {
		return "", "", 0
	}
	m := whoAndWhen.FindStringSubmatchIndex(why)
	if m == nil {
		return p["Reason"], "", 0
	}
	if t, err := instant(why[m[4]:m[5]]); err == nil {
		at = t
	}
	return why[:m[0]], why[m[2]:m[3]], at
}

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
		Name: f.name("NodeName"), States: states(p["State"]), Version: p["Version"], Weight: f.count("Weight"),
		CPUs: cmp.Or(f.count("CPUEfctv"), f.count("CPUTot")), CPUsUsed: f.count("CPUAlloc"),
		MemoryMiB: int64(f.count("RealMemory")), MemoryUsedMiB: int64(f.count("AllocMem")),
		Partitions: sorted(f.list("Partitions")), Features: sorted(splitOutside(cmp.Or(p["ActiveFeatures"], p["AvailableFeatures"]))),
		BootedAt: f.at("BootTime").seconds(),
	}
	why, by, at := reasonOf(p)
	n.Reason, n.ReasonBy, n.ReasonAt = clean(text(why)), clean(text(by)), at
	if len(n.States) == 0 {
		f.fail("State", errors.New("is missing"))
	}
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
	'$': "MAINTENANCE", '@': "REBOOT_REQUESTED", '^': "REBOOT_ISSUED", '-': "PLANNED",
}

// states splits a state such as IDLE+DRAIN or DOWN*, the base first. Words that
// are not known are kept.
func states(s string) []string {
	var out []string
	add := func(w string) {
		if w = strings.ToUpper(clean(text(w))); w != "" && !slices.Contains(out, w) {
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
