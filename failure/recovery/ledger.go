package recovery

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
	"schedmate/failure"
)

// Ledger is what is on record about nodes: failures with their node named, tests,
// and the time that a node was at work. The same facts make the same ledger, in
// whatever order and however often they come.
//
// Invariant: Nodes are sorted by name; Hits by time and incident, each incident
// once; Tests by time and name; Exposure is sorted, and no span touches another.
type Ledger struct {
	Nodes []Record `json:"nodes" yaml:"nodes"`
}

// Record is what is known about one node.
type Record struct {
	Node     string `json:"node" yaml:"node"`
	Exposure []Span `json:"exposure,omitempty" yaml:"exposure,omitempty"` // when jobs ran on it
	Hits     []Hit  `json:"hits,omitempty" yaml:"hits,omitempty"`
	Tests    []Test `json:"tests,omitempty" yaml:"tests,omitempty"`
}

// Span is the time from From to To, To excluded.
type Span struct {
	From schedmate.Seconds `json:"from_s" yaml:"from_s"`
	To   schedmate.Seconds `json:"to_s" yaml:"to_s"`
}

// Hit is a failure of a job that the logs trace to a node. Only those of a grade
// other than no speak against the node: the rest may help to see a pattern.
type Hit struct {
	Node      string                 `json:"node" yaml:"node"`
	Incident  string                 `json:"incident" yaml:"incident"`
	Revision  int                    `json:"revision,omitempty" yaml:"revision,omitempty"`
	At        schedmate.Seconds      `json:"at_s" yaml:"at_s"`
	Job       string                 `json:"job" yaml:"job"`
	User      string                 `json:"user,omitempty" yaml:"user,omitempty"`
	Framework string                 `json:"framework,omitempty" yaml:"framework,omitempty"`
	Kind      string                 `json:"kind" yaml:"kind"`
	Class     schedmate.FailureClass `json:"class" yaml:"class"`
	Grade     failure.Quarantine     `json:"grade" yaml:"grade"`
	Template  string                 `json:"template" yaml:"template"` // of the root line
}

// Test is the result of a test of a node.
type Test struct {
	Node   string            `json:"node" yaml:"node"`
	Name   string            `json:"name" yaml:"name"`
	At     schedmate.Seconds `json:"at_s" yaml:"at_s"`
	Passed bool              `json:"passed" yaml:"passed"`
}

// Work is a span of time in which a node ran jobs.
type Work struct {
	Node string `json:"node" yaml:"node"`
	Span
}

// Record returns what is known about a node, or nil.
func (l *Ledger) Record(node string) *Record {
	i, ok := slices.BinarySearchFunc(l.Nodes, node, func(r Record, node string) int { return cmp.Compare(r.Node, node) })
	if !ok {
		return nil
	}
	return &l.Nodes[i]
}

// With returns the ledger with further facts. The receiver stays as it is.
func (l Ledger) With(hits []Hit, tests []Test, work []Work) Ledger {
	records := map[string]*Record{}
	of := func(node string) *Record {
		if records[node] == nil {
			records[node] = &Record{Node: node}
		}
		return records[node]
	}
	for _, h := range hits {
		r := of(h.Node)
		r.Hits = append(r.Hits, h)
	}
	for _, t := range tests {
		r := of(t.Node)
		r.Tests = append(r.Tests, t)
	}
	for _, w := range work {
		if w.From < w.To {
			r := of(w.Node)
			r.Exposure = append(r.Exposure, w.Span)
		}
	}
	more := Ledger{}
	for _, r := range records {
		r.normalise()
		more.Nodes = append(more.Nodes, *r)
	}
	slices.SortFunc(more.Nodes, func(a, b Record) int { return cmp.Compare(a.Node, b.Node) })
	return Merge(l, more)
}

// Merge joins two ledgers. It is commutative, associative and idempotent, so
// that copies of one ledger can be kept in several places and joined at will. Of
// two accounts of one hit the later revision holds, of two results of one test
// the failed one.
func Merge(a, b Ledger) Ledger {
	out := Ledger{Nodes: make([]Record, 0, len(a.Nodes)+len(b.Nodes))}
	i, j := 0, 0
	for i < len(a.Nodes) || j < len(b.Nodes) {
		switch {
		case j == len(b.Nodes) || i < len(a.Nodes) && a.Nodes[i].Node < b.Nodes[j].Node:
			out.Nodes = append(out.Nodes, a.Nodes[i])
			i++
		case i == len(a.Nodes) || b.Nodes[j].Node < a.Nodes[i].Node:
			out.Nodes = append(out.Nodes, b.Nodes[j])
			j++
		default:
			r := Record{
				Node:     a.Nodes[i].Node,
				Exposure: slices.Concat(a.Nodes[i].Exposure, b.Nodes[j].Exposure),
				Hits:     slices.Concat(a.Nodes[i].Hits, b.Nodes[j].Hits),
				Tests:    slices.Concat(a.Nodes[i].Tests, b.Nodes[j].Tests),
			}
			r.normalise()
			out.Nodes = append(out.Nodes, r)
			i++
			j++
		}
	}
	return out
}

// Prune forgets what lies before an instant, and nodes of which nothing is left.
func (l Ledger) Prune(before schedmate.Seconds) Ledger {
	var out Ledger
	for _, r := range l.Nodes {
		kept := Record{Node: r.Node}
		for _, s := range r.Exposure {
			if s.From = max(s.From, before); s.From < s.To {
				kept.Exposure = append(kept.Exposure, s)
			}
		}
		for _, h := range r.Hits {
			if h.At >= before {
				kept.Hits = append(kept.Hits, h)
			}
		}
		for _, t := range r.Tests {
			if t.At >= before {
				kept.Tests = append(kept.Tests, t)
			}
		}
		if len(kept.Exposure)+len(kept.Hits)+len(kept.Tests) > 0 {
			out.Nodes = append(out.Nodes, kept)
		}
	}
	return out
}

// normalise puts a record in its one order.
func (r *Record) normalise() {
	slices.SortFunc(r.Hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Incident, b.Incident), cmp.Compare(b.Revision, a.Revision), compareHits(a, b))
	})
	r.Hits = slices.CompactFunc(r.Hits, func(a, b Hit) bool { return a.Incident == b.Incident })
	slices.SortFunc(r.Hits, compareHits)

	slices.SortFunc(r.Tests, func(a, b Test) int {
		failedFirst := 0
		if a.Passed != b.Passed {
			failedFirst = 1
			if b.Passed {
				failedFirst = -1
			}
		}
		return cmp.Or(compareTests(a, b), failedFirst)
	})
	r.Tests = slices.CompactFunc(r.Tests, func(a, b Test) bool { return compareTests(a, b) == 0 })

	slices.SortFunc(r.Exposure, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	var joined []Span
	for _, s := range r.Exposure {
		if n := len(joined); n > 0 && s.From <= joined[n-1].To {
			joined[n-1].To = max(joined[n-1].To, s.To)
			continue
		}
		joined = append(joined, s)
	}
	r.Exposure = joined
}

func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Incident, b.Incident), cmp.Compare(a.Job, b.Job), cmp.Compare(a.User, b.User),
		cmp.Compare(a.Framework, b.Framework), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Grade, b.Grade), cmp.Compare(a.Template, b.Template))
}

func compareTests(a, b Test) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Name, b.Name)) }

// Validate checks the invariant of Ledger.
func (l *Ledger) Validate(path string) error {
	for i := range l.Nodes {
		r, at := &l.Nodes[i], fmt.Sprintf("%s.nodes[%d]", path, i)
		switch {
		case r.Node == "":
			return fieldErr(at+".node", "must not be empty")
		case i > 0 && l.Nodes[i-1].Node >= r.Node:
			return fieldErr(at+".node", "nodes must be sorted without duplicates: %q follows %q", r.Node, l.Nodes[i-1].Node)
		}
		if err := r.validate(at); err != nil {
			return err
		}
	}
	return nil
}

func (r *Record) validate(path string) error {
	for i, s := range r.Exposure {
		at := fmt.Sprintf("%s.exposure[%d]", path, i)
		if err := first(checkTime(at+".from_s", s.From), checkTime(at+".to_s", s.To)); err != nil {
			return err
		}
		if s.From >= s.To || i > 0 && r.Exposure[i-1].To >= s.From {
			return fieldErr(at, "spans must be sorted, not empty, and apart: join those that touch")
		}
	}
	seen := map[string]bool{}
	for i := range r.Hits {
		h, at := &r.Hits[i], fmt.Sprintf("%s.hits[%d]", path, i)
		if err := h.validate(at); err != nil {
			return err
		}
		switch {
		case h.Node != r.Node:
			return fieldErr(at+".node", "must be %q, the node of the record, got %q", r.Node, h.Node)
		case seen[h.Incident]:
			return fieldErr(at+".incident", "%q is there twice: an incident counts once", h.Incident)
		case i > 0 && compareHits(r.Hits[i-1], *h) >= 0:
			return fieldErr(at+".at_s", "hits must be sorted by time and incident")
		}
		seen[h.Incident] = true
	}
	for i, t := range r.Tests {
		at := fmt.Sprintf("%s.tests[%d]", path, i)
		switch {
		case t.Node != r.Node:
			return fieldErr(at+".node", "must be %q, the node of the record, got %q", r.Node, t.Node)
		case t.Name == "":
			return fieldErr(at+".name", "must name the test")
		case i > 0 && compareTests(r.Tests[i-1], t) >= 0:
			return fieldErr(at+".at_s", "tests must be sorted by time and name without duplicates")
		}
		if err := checkTime(at+".at_s", t.At); err != nil {
			return err
		}
	}
	return nil
}

func (h *Hit) validate(path string) error {
	switch {
	case h.Node == "":
		return fieldErr(path+".node", "must not be empty")
	case h.Incident == "":
		return fieldErr(path+".incident", "must not be empty: it is what keeps a failure from counting twice")
	case h.Job == "":
		return fieldErr(path+".job", "must not be empty")
	case h.Kind == "":
		return fieldErr(path+".kind", "must not be empty")
	case h.Template == "":
		return fieldErr(path+".template", "must not be empty: it is the shape of the root line")
	case h.Revision < 0:
		return fieldErr(path+".revision", "must not be negative, got %d", h.Revision)
	case !slices.Contains(classes, h.Class):
		return fieldErr(path+".class", "must be infrastructure, framework or user, got %q", h.Class)
	case !slices.Contains([]failure.Quarantine{failure.QuarantineYes, failure.QuarantineSecond, failure.QuarantineNo}, h.Grade):
		return fieldErr(path+".grade", "must be yes, second or no, got %q", h.Grade)
	case h.Grade != failure.QuarantineNo && h.Class != schedmate.InfrastructureFailure:
		return fieldErr(path+".grade", "must be no for a failure of class %s", h.Class)
	}
	return checkTime(path+".at_s", h.At)
}
