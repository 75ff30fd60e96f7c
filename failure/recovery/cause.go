package recovery

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"schedmate"
	"schedmate/failure"
)

// cause is a part that several nodes share which fail alike.
type cause struct {
	part, name string
	nodes      []string // that share it and fail alike
	of         int      // nodes that share it
	jobs       int
	owner      Recipient
}

func (c *cause) String() string {
	jobs := ""
	if c.jobs == 1 {
		jobs = "; all within one job, so look at the job as well"
	}
	if c.part == "user" {
		return fmt.Sprintf("user %s meets it on %d nodes, and nobody else does", c.name, len(c.nodes))
	}
	return fmt.Sprintf("%d of the %d nodes of %s %s fail alike%s", len(c.nodes), c.of, c.part, c.name, jobs)
}

// parts are what a node shares with others, the smallest first, and whose each
// is.
func (p *Place) parts() []cause {
	var out []cause
	add := func(part, name string, owner Recipient) {
		if name != "" {
			out = append(out, cause{part: part, name: name, owner: owner})
		}
	}
	add("switch", p.Switch, Network)
	add("rack", p.Rack, Facility)
	for _, m := range p.Mounts {
		add("mount", m, Storage)
	}
	add("image", p.Image, ImageOwner)
	return out
}

// alike are the nodes that show the incident's kind around its time, with the
// jobs in which they do; own hits included.
func (w *World) alike(in *Incident) (nodes map[string]bool, jobs map[string]bool, users map[string]map[string]bool) {
	nodes, jobs, users = map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}
	add := func(h *Hit) {
		if h.Kind != in.Diagnosis.Subclass || h.At > w.Now || max(h.At-in.At, in.At-h.At) > w.Limits.Common.Window {
			return
		}
		node := w.name(h.Node)
		nodes[node], jobs[h.Job] = true, true
		if users[h.User] == nil {
			users[h.User] = map[string]bool{}
		}
		users[h.User][node] = true
	}
	for i := range w.Ledger.Nodes {
		for j := range w.Ledger.Nodes[i].Hits {
			add(&w.Ledger.Nodes[i].Hits[j])
		}
	}
	own := w.hits(in)
	for i := range own {
		add(&own[i])
	}
	return nodes, jobs, users
}

// commonCause is the part that explains best why several nodes fail alike: the
// one of which the largest share does. It is nil when they are too few.
func (w *World) commonCause(in *Incident) *cause {
	nodes, jobs, users := w.alike(in)
	if len(nodes) < 2 {
		return nil
	}
	places := map[string]*Place{}
	for i := range w.Places {
		places[w.Places[i].Node] = &w.Places[i]
	}
	own := w.hits(in)
	var best *cause
	for _, h := range own {
		if places[h.Node] == nil {
			continue
		}
		for _, c := range places[h.Node].parts() {
			c.jobs = len(jobs)
			for i := range w.Places {
				if p := &w.Places[i]; p.shares(&c) {
					c.of++
					if nodes[p.Node] {
						c.nodes = append(c.nodes, p.Node)
					}
				}
			}
			if !w.Limits.Common.met(len(c.nodes), c.of) {
				continue
			}
			if best == nil || len(c.nodes)*best.of > len(best.nodes)*c.of || len(c.nodes)*best.of == len(best.nodes)*c.of && c.of < best.of {
				best = &c
			}
		}
	}
	if best == nil && len(users) == 1 && len(users[in.User]) >= w.Limits.Common.Nodes {
		best = &cause{part: "user", name: cmp.Or(in.User, "unknown"), nodes: slices.Sorted(maps.Keys(users[in.User])), jobs: len(jobs), owner: OnCall}
	}
	return best
}

func (c *CommonLimits) met(nodes, of int) bool {
	return nodes >= c.Nodes || nodes >= 2 && nodes*1000 > c.Share*of
}

func (p *Place) shares(c *cause) bool {
	switch c.part {
	case "switch":
		return p.Switch == c.name
	case "rack":
		return p.Rack == c.name
	case "mount":
		return slices.Contains(p.Mounts, c.name)
	case "image":
		return p.Image == c.name
	}
	return false
}

// hits are what the incident puts on record: its node, and further ones that
// show the same. A node that the cluster does not have, or that the job did not
// run on, is not put on record: any job can print a name.
func (w *World) hits(in *Incident) []Hit {
	if !in.failed() {
		return nil
	}
	var out []Hit
	seen := map[string]bool{}
	for _, node := range append([]string{in.Diagnosis.Node}, in.SameOn...) {
		p := w.place(node)
		if node == "" || p == nil || seen[p.Node] || !in.ranOn(node) {
			continue
		}
		seen[p.Node] = true
		out = append(out, Hit{
			Node: p.Node, Incident: in.ID, Revision: in.Revision, At: in.At, Job: in.Job, User: in.User, Framework: in.Framework,
			Kind: in.Diagnosis.Subclass, Class: in.Diagnosis.Class, Grade: in.Grade, Template: in.template(),
		})
	}
	slices.SortFunc(out, func(a, b Hit) int { return cmp.Compare(a.Node, b.Node) })
	return out
}

// clear takes back what is on record against nodes once it is clear that the
// fault is not theirs: it follows the job, or belongs to what they share. The
// hits stay, and speak against no node any more.
func (m *maker) clear() {
	var clears func(h *Hit) bool
	switch {
	case m.p.Pattern == Deterministic:
		tries := map[string]bool{m.in.ID: true}
		for _, t := range m.in.earlier() {
			if t.Kind == m.in.Diagnosis.Subclass && t.Template == m.in.template() {
				tries[t.Incident] = true
			}
		}
		clears = func(h *Hit) bool { return tries[h.Incident] }
	case m.cause != nil:
		clears = func(h *Hit) bool {
			return h.Kind == m.in.Diagnosis.Subclass && max(h.At-m.in.At, m.in.At-h.At) <= m.w.Limits.Common.Window && slices.Contains(m.cause.nodes, m.w.name(h.Node))
		}
	default:
		return
	}
	for i := range m.p.Hits {
		if h := &m.p.Hits[i]; clears(h) {
			h.Grade = failure.QuarantineNo
		}
	}
	for i := range m.w.Ledger.Nodes {
		for _, h := range m.w.Ledger.Nodes[i].Hits {
			if h.Incident != m.in.ID && h.Grade != failure.QuarantineNo && clears(&h) {
				h.Grade = failure.QuarantineNo
				h.Revision++
				m.p.Hits = append(m.p.Hits, h)
			}
		}
	}
}

// takenBefore are the nodes of the common cause that we have in quarantine.
func (m *maker) takenBefore() []string {
	var out []string
	for i := range m.w.Quarantines {
		if q := &m.w.Quarantines[i]; q.ours() && q.active(m.w.Now) && slices.Contains(m.cause.nodes, m.w.name(q.Node)) {
			out = append(out, q.Node)
		}
	}
	return slices.Compact(out)
}

func (in *Incident) ranOn(node string) bool {
	return slices.ContainsFunc(in.Nodes, func(n string) bool { return sameHost(n, node) })
}

// serviceOf is the name of the service that an incident of the verdict service
// is about: the one given, or the mount that all nodes of the job share, or the
// component.
func (w *World) serviceOf(in *Incident) string {
	if in.Service != "" {
		return in.Service
	}
	if in.Diagnosis.Component == schedmate.ComponentStorage && len(in.Nodes) > 0 {
		var shared []string
		for i, n := range in.Nodes {
			p := w.place(n)
			if p == nil {
				shared = nil
				break
			}
			if i == 0 {
				shared = slices.Clone(p.Mounts)
				continue
			}
			shared = slices.DeleteFunc(shared, func(m string) bool { return !slices.Contains(p.Mounts, m) })
		}
		if len(shared) == 1 {
			return "mount:" + shared[0]
		}
	}
	return string(in.Diagnosis.Component)
}
