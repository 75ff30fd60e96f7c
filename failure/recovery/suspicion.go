package recovery

import (
	"cmp"
	"math"
	"slices"

	"schedmate"
	"schedmate/failure"
)

// Prior is what is believed about a node before anything is on record: failures
// come at a rate with a Gamma distribution of shape 1 and mean 1/Hours. Shape 1
// is the exponential distribution, the one that assumes nothing but its mean.
//
// The default mean is that of the Llama 3 training: 419 unplanned interruptions
// in 54 days on 16,384 GPUs, which is 2,048 nodes of 8 (arXiv 2407.21783,
// section 3.3.4): one in 6,335 hours of a node.
type Prior struct {
	Hours int `json:"hours" yaml:"hours"` // of one node from failure to failure
	Lemon int `json:"lemon" yaml:"lemon"` // a lemon fails at least this many times as often
	// One user counts once in this time: a broken script that fails again and
	// again says no more about the node than the first time.
	Window schedmate.Seconds `json:"window_s" yaml:"window_s"`
}

// Rate is what the ledger says about one node.
type Rate struct {
	Node      string  `json:"node" yaml:"node"`
	Hits      int     `json:"hits" yaml:"hits"`           // that count: each user once in the prior's window
	Hours     float64 `json:"hours" yaml:"hours"`         // at work
	PerHour   float64 `json:"per_hour" yaml:"per_hour"`   // mean of the posterior
	Suspicion float64 `json:"suspicion" yaml:"suspicion"` // the probability that the node is a lemon, to three digits
}

// Rate is the posterior of a node's failure rate at an instant: after n hits in
// T hours it is Gamma of shape 1 + n and rate Hours + T. The suspicion is the
// probability that the rate is at least Lemon/Hours. More hits never lower it,
// more hours without hits never raise it.
func (l *Ledger) Rate(node string, now schedmate.Seconds, p Prior) Rate {
	out := Rate{Node: node}
	if r := l.Record(node); r != nil {
		out.Hits = independent(r.Hits, now, p.Window)
		for _, s := range r.Exposure {
			if to := min(s.To, now); s.From < to {
				out.Hours += float64(to-s.From) / 3600
			}
		}
	}
	rate := float64(p.Hours) + out.Hours
	out.PerHour = float64(1+out.Hits) / rate
	// Survival of a Gamma distribution whose shape is a whole number: the
	// probability that a Poisson process of that rate has at most n events.
	// Rounded, so that it is the same on machines whose exponentials differ in
	// the last bit.
	out.Suspicion = math.Round(1000*poissonAtMost(out.Hits, float64(p.Lemon)*rate/float64(p.Hours))) / 1000
	return out
}

// Suspects are the nodes with at least one hit and this suspicion, the most
// suspect first.
func (l *Ledger) Suspects(now schedmate.Seconds, p Prior, least float64) []Rate {
	var out []Rate
	for i := range l.Nodes {
		if r := l.Rate(l.Nodes[i].Node, now, p); r.Hits > 0 && r.Suspicion >= least {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Rate) int {
		return cmp.Or(cmp.Compare(b.Suspicion, a.Suspicion), cmp.Compare(a.Node, b.Node))
	})
	return out
}

// independent counts the hits up to an instant that speak against the node: of
// each user as many as lie at least a window apart. To take the earliest that
// fits gives the largest such number, so that a further hit never lowers it.
func independent(hits []Hit, now, window schedmate.Seconds) int {
	n := 0
	last := map[string]schedmate.Seconds{}
	for _, h := range hits { // in the order of time
		if h.Grade == failure.QuarantineNo || h.At > now {
			continue
		}
		if t, ok := last[h.User]; ok && h.At-t < window {
			continue
		}
		last[h.User] = h.At
		n++
	}
	return n
}

// poissonAtMost is the probability of at most n events where x are expected.
func poissonAtMost(n int, x float64) float64 {
	sum := 0.0
	for i := 0; i <= n; i++ {
		factorial, _ := math.Lgamma(float64(i) + 1)
		sum += math.Exp(float64(i)*math.Log(x) - x - factorial)
	}
	return min(1, sum)
}

// witnesses are what else speaks against a node for an incident: hits by other
// users, and failed tests, within a time, and since the node last passed a
// test. What happened after the incident counts as well: it may be proposed for
// late.
func (l *Ledger) witnesses(node string, in *Incident, now, window schedmate.Seconds) (hits []Hit, tests []Test) {
	r := l.Record(node)
	if r == nil {
		return nil, nil
	}
	since, passed := in.At-window, r.lastPassed(now)
	for _, h := range r.Hits {
		if h.Grade != failure.QuarantineNo && h.Incident != in.ID && h.Job != in.Job && h.At >= since && h.At > passed && h.At <= now &&
			in.User != "" && h.User != "" && h.User != in.User {
			hits = append(hits, h)
		}
	}
	for _, t := range r.Tests {
		if !t.Passed && t.At >= since && t.At >= passed && t.At <= now {
			tests = append(tests, t)
		}
	}
	return hits, tests
}

// lastPassed is when the node last passed a test; -1 when it never did.
func (r *Record) lastPassed(now schedmate.Seconds) schedmate.Seconds {
	last := schedmate.Seconds(-1)
	for _, t := range r.Tests {
		if t.Passed && t.At <= now {
			last = t.At
		}
	}
	return last
}
