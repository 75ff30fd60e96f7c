package recovery

import (
	"fmt"

	"schedmate"
)

// Limits are what a site lets proposals do. A number of 0 means none, not "no
// limit".
type Limits struct {
	Restarts   RestartLimits    `json:"restarts" yaml:"restarts"`
	Quarantine QuarantineLimits `json:"quarantine" yaml:"quarantine"`
	Common     CommonLimits     `json:"common_cause" yaml:"common_cause"`
	Gate       GateLimits       `json:"gate" yaml:"gate"`
	Prior      Prior            `json:"prior" yaml:"prior"`
	SuspectAt  float64          `json:"suspect_at" yaml:"suspect_at"` // suspicion from which jobs are placed elsewhere if they can
}

// RestartLimits are how often one job is restarted within Window, by verdict and
// in all. A user's failure is never restarted, so it has no budget.
type RestartLimits struct {
	Window       schedmate.Seconds `json:"window_s" yaml:"window_s"`
	Device       int               `json:"device" yaml:"device"`
	Suspected    int               `json:"suspected" yaml:"suspected"`
	Timeout      int               `json:"timeout" yaml:"timeout"`
	Service      int               `json:"service" yaml:"service"`
	Scheduler    int               `json:"scheduler" yaml:"scheduler"`
	Framework    int               `json:"framework" yaml:"framework"`
	Undetermined int               `json:"undetermined" yaml:"undetermined"`
	Total        int               `json:"total" yaml:"total"`
	Delay        schedmate.Seconds `json:"delay_s" yaml:"delay_s"`         // from the failure to the first restart; doubles with each
	MaxDelay     schedmate.Seconds `json:"max_delay_s" yaml:"max_delay_s"` // at most
}

// QuarantineLimits are how many nodes are taken out, and for how long.
//
// Of a pool of n nodes at most MaxNodes are in quarantine by us at once, and at
// most the share of n. A share that comes to less than one node means one: of
// four nodes, 5 % is none, and a limit that can never be used protects nobody.
// The least healthy capacity is what holds then.
type QuarantineLimits struct {
	MaxNodes        int               `json:"max_nodes" yaml:"max_nodes"`                       // of one pool
	MaxShare        int               `json:"max_share_permille" yaml:"max_share_permille"`     // of one pool, in thousandths
	MinHealthyNodes int               `json:"min_healthy_nodes" yaml:"min_healthy_nodes"`       // of one pool
	MinHealthyShare int               `json:"min_healthy_permille" yaml:"min_healthy_permille"` // of one pool, in thousandths, rounded down
	Rate            int               `json:"rate" yaml:"rate"`                                 // new ones in RateWindow, in all pools together
	RateWindow      schedmate.Seconds `json:"rate_window_s" yaml:"rate_window_s"`
	Term            schedmate.Seconds `json:"term_s" yaml:"term_s"`                     // until the node is tested again
	MaxRenewals     int               `json:"max_renewals" yaml:"max_renewals"`         // after failed tests; then a person decides
	NodeCoolDown    schedmate.Seconds `json:"node_cool_down_s" yaml:"node_cool_down_s"` // after it came back; a node that fails again so soon is a person's
	MaxAge          schedmate.Seconds `json:"max_age_s" yaml:"max_age_s"`               // of an incident
	WitnessWindow   schedmate.Seconds `json:"witness_window_s" yaml:"witness_window_s"` // for the second witness
	Retest          string            `json:"retest" yaml:"retest"`                     // before the node returns
}

// CommonLimits are from when on nodes that fail alike are one fault of what they
// share: Nodes of them, or two and more than the share of the part's nodes.
type CommonLimits struct {
	Nodes  int               `json:"nodes" yaml:"nodes"`
	Share  int               `json:"share_permille" yaml:"share_permille"`
	Window schedmate.Seconds `json:"window_s" yaml:"window_s"`
}

// GateLimits are how a service that is out is probed and its jobs are let go.
type GateLimits struct {
	ProbeEvery schedmate.Seconds `json:"probe_every_s" yaml:"probe_every_s"` // doubles with each failed probe
	MaxProbe   schedmate.Seconds `json:"max_probe_s" yaml:"max_probe_s"`     // at most
	GoodProbes int               `json:"good_probes" yaml:"good_probes"`     // in a row that open the gate
	Spread     schedmate.Seconds `json:"spread_s" yaml:"spread_s"`           // over which the restarts are spread
	MaxHold    schedmate.Seconds `json:"max_hold_s" yaml:"max_hold_s"`       // then a person is called again
}

// DefaultLimits are careful ones. Restarts lean on what NVIDIA's resiliency
// extension grants (1 for a confirmed cause, 3 for a general one); two witnesses
// in seven days on the practice of device health analysers.
func DefaultLimits() Limits {
	return Limits{
		Restarts: RestartLimits{
			Window: 24 * 3600, Device: 3, Suspected: 2, Timeout: 1, Service: 3, Scheduler: 5, Framework: 1, Undetermined: 1, Total: 6,
			Delay: 60, MaxDelay: 1800,
		},
		Quarantine: QuarantineLimits{
			MaxNodes: 2, MaxShare: 50, MinHealthyNodes: 1, MinHealthyShare: 750, Rate: 3, RateWindow: 3600,
			Term: 24 * 3600, MaxRenewals: 2, NodeCoolDown: 24 * 3600, MaxAge: 6 * 3600, WitnessWindow: 7 * 24 * 3600,
			Retest: "dcgmi diag -r 3",
		},
		Common:    CommonLimits{Nodes: 3, Share: 300, Window: 3600},
		Gate:      GateLimits{ProbeEvery: 60, MaxProbe: 900, GoodProbes: 2, Spread: 300, MaxHold: 4 * 3600},
		Prior:     Prior{Hours: 6335, Lemon: 3, Window: 24 * 3600},
		SuspectAt: 0.5,
	}
}

// Validate checks that the limits lie in their ranges.
func (l *Limits) Validate(path string) error {
	r, q, g := &l.Restarts, &l.Quarantine, &l.Gate
	for _, c := range []struct {
		field string
		n     int
	}{
		{"restarts.device", r.Device}, {"restarts.suspected", r.Suspected}, {"restarts.timeout", r.Timeout}, {"restarts.service", r.Service},
		{"restarts.scheduler", r.Scheduler}, {"restarts.framework", r.Framework}, {"restarts.undetermined", r.Undetermined}, {"restarts.total", r.Total},
		{"quarantine.max_nodes", q.MaxNodes}, {"quarantine.min_healthy_nodes", q.MinHealthyNodes}, {"quarantine.rate", q.Rate}, {"quarantine.max_renewals", q.MaxRenewals},
	} {
		if c.n < 0 || c.n > schedmate.MaxGangGPUs {
			return fieldErr(path+"."+c.field, "must lie in [0, %d], got %d", schedmate.MaxGangGPUs, c.n)
		}
	}
	for _, c := range []struct {
		field string
		n     int
	}{
		{"quarantine.max_share_permille", q.MaxShare}, {"quarantine.min_healthy_permille", q.MinHealthyShare}, {"common_cause.share_permille", l.Common.Share},
	} {
		if c.n < 0 || c.n > 1000 {
			return fieldErr(path+"."+c.field, "must lie in [0, 1000] thousandths, got %d", c.n)
		}
	}
	for _, c := range []struct {
		field string
		t, lo schedmate.Seconds
	}{
		{"restarts.window_s", r.Window, 1}, {"restarts.delay_s", r.Delay, 0}, {"restarts.max_delay_s", r.MaxDelay, r.Delay},
		{"quarantine.rate_window_s", q.RateWindow, 1}, {"quarantine.term_s", q.Term, 1}, {"quarantine.node_cool_down_s", q.NodeCoolDown, 0},
		{"quarantine.max_age_s", q.MaxAge, 0}, {"quarantine.witness_window_s", q.WitnessWindow, 1}, {"common_cause.window_s", l.Common.Window, 1},
		{"gate.probe_every_s", g.ProbeEvery, 1}, {"gate.max_probe_s", g.MaxProbe, g.ProbeEvery}, {"gate.spread_s", g.Spread, 0}, {"gate.max_hold_s", g.MaxHold, 1},
		{"prior.window_s", l.Prior.Window, 1},
	} {
		if c.t < c.lo || c.t > maxTerm {
			return fieldErr(path+"."+c.field, "must lie in [%d, %d] seconds, got %d", c.lo, maxTerm, c.t)
		}
	}
	switch {
	case q.Retest == "":
		return fieldErr(path+".quarantine.retest", "must name the test that a node passes before it returns")
	case l.Common.Nodes < 2:
		return fieldErr(path+".common_cause.nodes", "must be at least 2, got %d", l.Common.Nodes)
	case g.GoodProbes < 1:
		return fieldErr(path+".gate.good_probes", "must be at least 1, got %d", g.GoodProbes)
	case l.Prior.Hours < 1 || l.Prior.Hours > 1e9:
		return fieldErr(path+".prior.hours", "must lie in [1, 1000000000] hours, got %d", l.Prior.Hours)
	case l.Prior.Lemon < 2 || l.Prior.Lemon > 1000:
		return fieldErr(path+".prior.lemon", "must lie in [2, 1000], got %d", l.Prior.Lemon)
	case !(l.SuspectAt > 0 && l.SuspectAt <= 1):
		return fieldErr(path+".suspect_at", "must lie in (0, 1], got %g", l.SuspectAt)
	}
	return nil
}

// maxTerm bounds every duration of the limits: ten years.
const maxTerm schedmate.Seconds = 10 * 366 * 86400

// budget is how many restarts a verdict allows.
func (r *RestartLimits) budget(v Verdict) int {
	switch v {
	case Device:
		return r.Device
	case Suspected:
		return r.Suspected
	case Timeout:
		return r.Timeout
	case ServiceOut:
		return r.Service
	case Scheduling:
		return r.Scheduler
	case FrameworkFault:
		return r.Framework
	case Undetermined:
		return r.Undetermined
	}
	return 0
}

// maxQuarantined is how many nodes of a pool may be in quarantine at once, and
// why.
func (q *QuarantineLimits) maxQuarantined(p *Pool) (int, string) {
	share := p.Nodes * q.MaxShare / 1000
	why := fmt.Sprintf("%d per mille of %d nodes", q.MaxShare, p.Nodes)
	if share == 0 && q.MaxShare > 0 {
		share, why = 1, fmt.Sprintf("%s is less than one node, which means one", why)
	}
	if q.MaxNodes <= share {
		return q.MaxNodes, fmt.Sprintf("at most %d of one pool", q.MaxNodes)
	}
	return share, why
}

// minHealthy is how many nodes of a pool must stay healthy.
func (q *QuarantineLimits) minHealthy(p *Pool) int {
	return max(q.MinHealthyNodes, p.Nodes*q.MinHealthyShare/1000)
}
