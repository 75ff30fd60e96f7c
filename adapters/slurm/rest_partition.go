package slurm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"schedmate"
)

// partitionRecord is a partition in JSON: flat up to v0.0.38, in groups later.
type partitionRecord struct {
	Name  text  `json:"name"`
	Flags words `json:"flags"` // not in v0.0.39 to v0.0.42

	OldState    text   `json:"state"`
	OldAccounts text   `json:"allowed_accounts"`
	OldGroups   text   `json:"allowed_groups"`
	OldQOS      text   `json:"allowed_qos"`
	OldMaxTime  number `json:"max_time_limit"` // minutes, as in the new form
	OldTime     number `json:"default_time_limit"`
	OldMaxNodes number `json:"maximum_nodes_per_job"`
	OldMinNodes number `json:"min_nodes_per_job"`
	MinNodes22  number `json:"min nodes per job"` // so in v0.0.38
	OldTier     number `json:"priority_tier"`

	Nodes     nodesOfPartition `json:"nodes"`
	Accounts  allowedNames     `json:"accounts"`
	Groups    allowedNames     `json:"groups"`
	QOS       allowedOrName    `json:"qos"`
	Partition struct {
		State     words `json:"state"`
		Exclusive text  `json:"exclusive"`
	} `json:"partition"`
	Maximums struct {
		Nodes         number `json:"nodes"`
		Time          number `json:"time"`
		CPUsPerNode   number `json:"cpus_per_node"`
		CPUsPerSocket number `json:"cpus_per_socket"`
		MemoryPerCPU  number `json:"partition_memory_per_cpu"`
		MemoryPerNode number `json:"partition_memory_per_node"`
	} `json:"maximums"`
	Minimums struct {
		Nodes number `json:"nodes"`
	} `json:"minimums"`
	Defaults struct {
		Time number `json:"time"`
	} `json:"defaults"`
	Priority struct {
		Tier number `json:"tier"`
	} `json:"priority"`
	PreemptMode words `json:"preempt_mode"`
}

type allowedNames struct {
	Allowed text `json:"allowed"`
	Deny    text `json:"deny"`
}

func (p *partitionRecord) partition() (schedmate.Partition, error) {
	nodes, err := Hosts(string(p.Nodes.configured))
	if err != nil {
		return schedmate.Partition{}, err
	}
	state := strings.ToUpper(cmp.Or(clean(text(p.Partition.State.first())), clean(p.OldState), "UNKNOWN"))
	return schedmate.Partition{
		Name: clean(p.Name), State: state, Nodes: nodes,
		Default: slices.ContainsFunc(p.Flags, func(f string) bool { return strings.EqualFold(f, "DEFAULT") }),
		MaxTime: cmp.Or(p.Maximums.Time, p.OldMaxTime).minutes(), DefaultTime: cmp.Or(p.Defaults.Time, p.OldTime).minutes(),
		MaxNodes: cmp.Or(p.Maximums.Nodes, p.OldMaxNodes).count(), MinNodes: cmp.Or(p.Minimums.Nodes, p.OldMinNodes, p.MinNodes22).count(),
		Tier: cmp.Or(p.Priority.Tier, p.OldTier).count(), AllowGroups: names(cmp.Or(p.Groups.Allowed, p.OldGroups)),
		AllowAccounts: names(cmp.Or(p.Accounts.Allowed, p.OldAccounts)), AllowQOS: names(cmp.Or(p.QOS.Allowed, p.OldQOS)),
		Restrictions: p.restrictions(),
	}, nil
}

// restrictions are what else the partition demands, in the words of scontrol. Before
// v0.0.43 its flags are not told.
func (p *partitionRecord) restrictions() []string {
	if p.Flags == nil || len(p.Partition.State) == 0 {
		return []string{notToldByREST}
	}
	flag := func(name string) string {
		if slices.Contains(p.Flags, name) {
			return "YES"
		}
		return ""
	}
	limit := func(n number) string {
		if count := n.count(); count > 0 {
			return strconv.Itoa(count)
		}
		return ""
	}
	told := pairs{
		"AllocNodes": clean(p.Nodes.allocating), "DenyAccounts": clean(p.Accounts.Deny), "DenyQos": clean(p.QOS.Deny), "Exclusive": clean(p.Partition.Exclusive),
		"MaxCPUsPerNode": limit(p.Maximums.CPUsPerNode), "MaxCPUsPerSocket": limit(p.Maximums.CPUsPerSocket),
		"MaxMemPerCPU": limit(p.Maximums.MemoryPerCPU), "MaxMemPerNode": limit(p.Maximums.MemoryPerNode),
		"QoS": clean(p.QOS.Assigned), "ReqResv": flag("REQ_RESV"), "RootOnly": flag("ROOT_ONLY"),
		"ExclusiveUser": flag("EXCLUSIVE_USER"), "ExclusiveTopo": flag("EXCLUSIVE_TOPO"), "PreemptMode": p.PreemptMode.first(),
	}
	return restrictions(told)
}

// notToldByREST stands for what a partition may demand and older versions of the
// service do not tell, so that nobody is sent to another partition by them.
const notToldByREST = "not told by slurmrestd"

// names is a list of names; ALL is no restriction.
func names(t text) []string {
	s := clean(t)
	if s == "" || s == "ALL" {
		return nil
	}
	return strings.Split(s, ",")
}
