package failure

import (
	"cmp"
	"strings"

	"schedmate"
	"schedmate/logs"
)

// startRecords is how little progress a job may have made to be still starting.
const startRecords = 2

// firstCollectives is how many collectives set up a job before it trains.
const firstCollectives = 32

// judgement is the rule of the root as the rest of the logs qualify it.
type judgement struct {
	rule    *Rule
	why     string // they do
	culprit int32  // the rank that is to blame when it is not the root's, else -1
}

// inContext works out the judgement.
func (s *Scanner) inContext(root *event, c *causes) judgement {
	r := *root.rule
	switch r.Kind {
	case "killed_sigkill":
		if s.trained < startRecords && len(s.hosts.seen) < 2 { // what a job loads at its start is what kills it
			return s.as(&r, "host_oom", "killed while it was loading, which points to its own memory")
		}
		if len(c.alive) == 1 && len(s.hosts.seen) < 2 && root.stream.rank == logs.NoRank { // a process of its own, and nobody missed it
			return s.as(&r, "host_oom", "killed, and nothing around it speaks of a scheduler or a peer")
		}
		r.Class, r.Restart = schedmate.InfrastructureFailure, RestartYes
		return judgement{&r, "killed in the middle of its work, and nothing says by whom", -1}
	case "host_oom":
		if r.Class == schedmate.InfrastructureFailure && s.trained < startRecords && len(s.hosts.seen) < 2 && root.rule.Tier == TierDevice {
			r.Class, r.Restart = schedmate.UserFailure, RestartNo
			return judgement{&r, "what a job loads at its start is its own", -1}
		}
	case "tpu_oom_leak":
		if s.trained < startRecords {
			return s.as(&r, "tpu_oom", "the memory did not suffice from the start")
		}
	case "gpu_compute_error":
		if s.trained < startRecords && root.rule.Tier == TierSurfaced && s.ofManyRanks(root) {
			return s.as(&r, "cublas_failure", "the library failed at its first use")
		}
	case "collective_timeout", "net_gloo_peer":
		if v := s.watches.verdict(); v.desync {
			return s.as(&r, "collective_desync", v.why)
		} else if v.culprit >= 0 {
			return judgement{&r, v.why, int32(v.culprit)}
		}
		if n, ok := s.watches.earliest(); ok && s.trained == 0 && r.Kind == "collective_timeout" {
			switch { // the fabric worked for nobody yet: how the job was set up is the first suspect
			case n <= 1:
				return s.as(&r, "launcher_mismatch", "the very first collective never ended")
			case n < firstCollectives:
				return s.as(&r, "nccl_version_bug", "one of the first collectives never ended")
			}
		}
		if s.saving.sequence > s.lastTick.sequence && s.saving.before(root.place) && (r.Kind == "collective_timeout" || strings.Contains(root.text, "Timed out")) {
			return s.as(&r, "storage_slow_checkpoint", "the ranks waited while a checkpoint was written")
		}
	}
	return judgement{&r, "", -1}
}

// ofManyRanks tells whether nothing ties an event to one device: it is the only
// process that speaks, or several say the same.
func (s *Scanner) ofManyRanks(root *event) bool {
	if root.stream.rank == logs.NoRank && root.captures["rank"] == "" {
		return true
	}
	for _, e := range s.events {
		if e != root && e.rule == root.rule && e.stream != root.stream {
			return true
		}
	}
	return false
}

// as turns a rule into one of another kind.
func (s *Scanner) as(r *Rule, kind, why string) judgement {
	k := s.rules.Kinds[kind]
	if k == nil { // a set of rules without it
		return judgement{r, "", -1}
	}
	r.Kind, r.kind = kind, k
	r.Class, r.Component, r.Restart, r.Quarantine = k.Class, k.Component, k.Restart, k.Quarantine
	return judgement{r, cmp.Or(why, k.Title.English), -1}
}
