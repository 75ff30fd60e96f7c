package failure

import "schedmate"

// otherReadings are the kinds that the same lines could be of, the likeliest
// first: what says that something ended, not why, is of many kinds.
var otherReadings = map[string][]struct{ kind, why string }{
	"killed_sigkill":      {{"host_oom", "the kernel kills what uses too much memory: look for its line"}, {"preempted", "a scheduler ends jobs so: look at its events"}, {"time_limit", "a scheduler ends jobs so: look at its events"}},
	"collective_timeout":  {{"net_ib", "a link that is down leaves all waiting: look at the port counters"}, {"collective_desync", "ranks that call different collectives wait for ever: compare their stacks"}, {"node_failure", "a rank that says nothing may be on a node that is gone"}, {"storage_slow_checkpoint", "ranks wait for one that writes"}},
	"peer_lost":           {{"killed_sigkill", "the peer may have been killed: look for its end"}, {"node_failure", "the peer's node may be gone"}, {"net_socket", "the connection itself may have failed"}},
	"net_gloo_peer":       {{"killed_sigkill", "the peer may have been killed: look for its end"}, {"node_failure", "the peer's node may be gone"}, {"net_socket", "the connection itself may have failed"}},
	"exit_code":           {{"python_exception", "its own output is missing here"}, {"killed_sigkill", "its own output is missing here"}},
	"agent_killed":        {{"preempted", "a scheduler asks jobs to end so"}, {"user_interrupt", "a person asks jobs to end so"}, {"time_limit", "a scheduler asks jobs to end so"}},
	"rendezvous":          {{"launcher_mismatch", "not all processes were started"}, {"net_port_blocked", "the port cannot be reached"}, {"node_failure", "a node is gone"}},
	"gpu_illegal_address": {{"internal_error", "a kernel that reads where it must not does the same on every GPU"}},
	"gpu_launch_failure":  {{"internal_error", "a kernel that fails does the same on every GPU"}},
	"segfault":            {{"cpu_hw", "rarely memory of the host: only if the same node shows it in other jobs"}},
}

// alternatives are other readings of the root, and the next roots.
func (s *Scanner) alternatives(root *event, r *Rule) []schedmate.Alternative {
	var out []schedmate.Alternative
	for _, o := range otherReadings[r.Kind] {
		if k := s.rules.Kinds[o.kind]; k != nil && o.kind != r.Kind {
			out = append(out, schedmate.Alternative{Class: k.Class, Subclass: k.Name, Component: k.Component, Why: o.why})
		}
	}
	if r.Kind != root.rule.Kind { // the context decided
		if k := root.rule.kind; k != nil {
			out = append(out, schedmate.Alternative{Class: root.rule.Class, Subclass: k.Name, Component: root.rule.Component, Why: "the line alone says this"})
		}
	}
	return out
}
