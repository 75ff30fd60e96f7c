package failure

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"schedmate"
	"schedmate/logs"
)

// Diagnosis works out what the logs read so far say. It changes nothing, and may
// be called again after more was read.
func (s *Scanner) Diagnosis() schedmate.Diagnosis { return s.diagnosis(s.reason()) }

func (s *Scanner) diagnosis(c *causes) schedmate.Diagnosis {
	d := schedmate.Diagnosis{Component: schedmate.ComponentNone}
	d.ErrorLines, d.ExplainedErrors = c.countLines()
	d.LastStep = s.lastStep()
	d.LastCheckpoint = s.lastCheckpoint(d.LastStep)
	if len(c.roots) == 0 {
		d.Determined = s.endedWell()
		return d
	}
	root := c.roots[0]
	v := s.inContext(root, c)
	r := v.rule
	d.Determined = true
	d.Class, d.Subclass, d.Component = r.Class, r.Kind, r.Component
	d.Node = s.nodeOf(root)
	if !local(r) && (root.captures["node"] == "" || r.Component == schedmate.ComponentScheduler) {
		d.Node = ""
		if r.Class != schedmate.UserFailure && r.Component != schedmate.ComponentScheduler && r.Tier != TierPeer && !r.Alone {
			d.Node = cmp.Or(signer([]byte(root.text)), root.exception.toldBy()) // where it showed, at least
		}
	}
	if local(r) && r.Class == schedmate.InfrastructureFailure {
		d.Node = cmp.Or(d.Node, c.namedWith(root), s.recorded.only())
	}
	if d.Node == "" && r.Quarantine == QuarantineNo && r.fatalSignal() { // where it happened, which says nothing against the node
		d.Node = s.hosts.ofSignal()
	}
	if root.stream.rank != logs.NoRank {
		rank := int(root.stream.rank)
		d.Rank = &rank
	}
	if v.culprit >= 0 { // not the rank that complains
		rank := int(v.culprit)
		d.Rank, d.Node = &rank, s.hosts.ofRank[v.culprit]
	}
	quote := s.quote(root)
	d.Root = &quote
	quote.Why = v.why
	d.Evidence = append(d.Evidence, quote)
	d.RestartHelps = r.Restart != RestartNo
	d.Confidence = confidence(root, c)
	if s.calledWell(root) {
		d.Evidence = append(d.Evidence, s.recorded.quote(s))
		d.Confidence = min(d.Confidence, inDoubt)
		d.RestartHelps = false // there is nothing to restart
	}
	if r.kind != nil {
		d.NextTest = r.kind.Test.English
	}
	s.quarantine(&d, root, r, c)
	d.Evidence = append(d.Evidence, s.effects(c, root)...)
	d.Alternatives = s.alternatives(root, r, c)
	for _, e := range append(slices.Clone(c.roots[1:]), c.lasting()...) {
		if e.weight() > 0 || e.rule.Kind == r.Kind {
			continue
		}
		q := s.quote(e)
		d.Also = append(d.Also, schedmate.Finding{File: q.File, Line: q.Line, Byte: q.Byte, Class: e.rule.Class, Subclass: e.rule.Kind, Component: e.rule.Component, Node: s.nodeOf(e), Text: q.Text})
	}
	return d
}

// calledWell tells whether the scheduler calls the job completed that the root is said
// to have ended.
func (s *Scanner) calledWell(root *event) bool {
	return s.recorded.well() && root.source != s.recorded.source
}

// maxEffects is how many of the root's effects are quoted as evidence.
const maxEffects = 2

// effects quotes the first line of the findings that the root explains most lines
// of.
func (s *Scanner) effects(c *causes, root *event) []schedmate.Quote {
	g := s.group(c, root, RoleRoot)
	slices.SortStableFunc(g.Effects, func(a, b Effect) int { return cmp.Compare(b.Lines, a.Lines) })
	var out []schedmate.Quote
	for _, e := range g.Effects[:min(len(g.Effects), maxEffects)] {
		q := e.First
		q.Why = e.Why
		out = append(out, q)
	}
	return out
}

// quote is the line of an event.
func (s *Scanner) quote(e *event) schedmate.Quote {
	return schedmate.Quote{File: s.sources[e.source].name, Line: e.line, Byte: e.byte, Text: e.text}
}

// countLines counts the lines that speak of failure, and those of them that are
// roots or explained by them.
func (c *causes) countLines() (all, explained int) {
	for _, e := range c.alive {
		all += e.times
		if c.why[e] != nil || len(c.roots) > 0 && e == c.roots[0] {
			explained += e.times
		}
	}
	return all, explained
}

// nodeOf is the node of an event: what its line says, or what the logs say of
// its rank.
func (s *Scanner) nodeOf(e *event) string {
	if n := e.captures["node"]; n != "" && hostLike(n) {
		return n
	}
	if n := writer([]byte(e.text)); n != "" {
		return n
	}
	if n := cmp.Or(e.stream.host, e.exception.toldBy()); n != "" {
		return n
	}
	if e.tier() > TierTransport {
		return ""
	}
	if e.stream.rank != logs.NoRank {
		if n := s.hosts.ofRank[e.stream.rank]; n != "" {
			return n
		}
	}
	if n := s.hosts.only(); s.hosts.proven(n) {
		return n // the job speaks of others, too: of a server, or of where it was submitted
	}
	return ""
}

// namedWith is the one node that lines of the root's kind name, which tell of it again;
// "" when they name none, or several.
func (c *causes) namedWith(root *event) string {
	named := ""
	for _, e := range c.alive {
		n := e.captures["node"]
		if e == root || e.rule.Kind != root.rule.Kind || n == "" || n == named || !hostLike(n) || strings.ContainsAny(n, "[,") {
			continue
		}
		if named != "" {
			return ""
		}
		named = n
	}
	return named
}

// local tells whether what a rule finds happens to one node: the rest is of the
// job, a service or the cluster, and no node is named.
func local(r *Rule) bool {
	switch r.Component {
	case schedmate.ComponentGPU, schedmate.ComponentNVLink, schedmate.ComponentNVSwitch, schedmate.ComponentPCIe, schedmate.ComponentNPU,
		schedmate.ComponentTPU, schedmate.ComponentDriver, schedmate.ComponentNode, schedmate.ComponentNetwork, schedmate.ComponentContainer:
		return true
	case schedmate.ComponentHostMemory:
		return r.Class == schedmate.InfrastructureFailure
	}
	return false
}

// mostOnNode is how many ranks one node may have: more are of several nodes, though
// the logs name one.
const mostOnNode = 8

// quarantine decides on the node of the root: only on proof from that node, and
// never when many nodes show the same at once.
func (s *Scanner) quarantine(d *schedmate.Diagnosis, root *event, r *Rule, c *causes) {
	if r.Quarantine == QuarantineNo {
		return
	}
	if d.Node == "" {
		d.HeldBack = "the logs do not name the node"
		return
	}
	if !s.hosts.proven(d.Node) && d.Node != s.recorded.only() && root.stream.host != d.Node && root.captures["node"] != d.Node || s.watches.world > mostOnNode && s.hosts.only() == d.Node && s.hosts.ofRank[root.stream.rank] != d.Node && writer([]byte(root.text)) != d.Node {
		d.HeldBack = "nothing but a name in the logs says that it was this node"
		return
	}
	nodes := map[string]bool{d.Node: true}
	var witnesses []*event
	again := 0 // times that it ended an earlier attempt on the same node
	for _, e := range append(slices.Clone(c.alive), c.recovered...) {
		if e.rule.Quarantine == QuarantineNo || e.tier() > TierSurfaced {
			continue
		}
		switch n := s.nodeOf(e); {
		case n == d.Node && e != root && e.rule.Kind == root.rule.Kind && e.tier() == root.tier() && (c.recoveredOf(e) || e.source == root.source && e.records != root.records):
			if !e.sameDeath(root) {
				again++
			}
		case n == d.Node && e != root && (e.rule.Kind != root.rule.Kind || e.tier() != root.tier()):
			witnesses = append(witnesses, e)
		case n != "" && e.rule.Kind == root.rule.Kind:
			nodes[n] = true
		}
	}
	switch {
	case len(nodes) > 2:
		d.HeldBack = "the same is seen on several nodes: look for what they share first"
		return
	case r.Quarantine == QuarantineSecond && len(witnesses) == 0 && again < 2:
		d.HeldBack = "one sign is not enough: a second, independent one is needed"
		return
	}
	if len(witnesses) == 0 && again == 0 && c.endedOtherwise(root) {
		d.HeldBack = "the job ended on something else, which this does not explain: a second sign is needed"
		return
	}
	if s.nodeOf(root) == "" && d.Node == c.namedWith(root) && d.Node != s.recorded.only() {
		d.HeldBack = "another line names the node, and there are several: this one may be of any"
		return
	}
	d.Quarantine = true
	d.Witnesses = append(d.Witnesses, s.quote(root))
	for _, e := range witnesses[:min(len(witnesses), 4)] {
		d.Witnesses = append(d.Witnesses, s.quote(e))
	}
}

// endedOtherwise tells whether the job's own code failed, too, and the root brought
// about nothing: what a job prints is no proof against a node.
func (c *causes) endedOtherwise(root *event) bool {
	other := false
	for _, e := range c.alive {
		own := e != root && e.source == root.source && e.tier() == TierException && e.rule.Class != schedmate.InfrastructureFailure
		if own && root.tier() == TierScheduler && e.rule.Class == schedmate.UserFailure && !e.exception.interrupted() && root.before(e.place) {
			return true // a process whose node is gone says nothing more
		}
		if c.why[e] == root && e.tier() < TierReaper {
			return false
		}
		other = other || own && c.why[e] == nil
	}
	return other
}

// sameStep is how far apart two deaths at one step may be, as a part of the step:
// what a kernel did is noticed some records late.
const sameStep = 0.02

// sameDeath tells whether an earlier attempt ended with the same words at the same
// step: a program that does the same each time fails alike each time, on any node. What
// the kernel or firmware says is not the program's.
func (e *event) sameDeath(root *event) bool {
	if e.tier() == TierDevice || logs.Template([]byte(e.text)) != logs.Template([]byte(root.text)) {
		return false
	}
	if math.IsNaN(e.step) || math.IsNaN(root.step) {
		return math.IsNaN(e.step) && math.IsNaN(root.step)
	}
	return math.Abs(e.step-root.step) <= sameStep*math.Max(math.Abs(e.step), math.Abs(root.step))
}
