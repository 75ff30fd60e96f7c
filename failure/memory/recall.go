package memory

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
)

// RecurrenceWindow is how far back a recurrence is counted: within 20 days most
// failures that come back at all have done so (93.8 % of 653 incidents in
// RCACopilot, EuroSys'24).
const RecurrenceWindow schedmate.Seconds = 20 * 86400

// maxSimilar is how many similar shapes are shown.
const maxSimilar = 5

// Memory answers questions about past incidents. It is read-only.
type Memory struct {
	records []Record         // each incident once, in the order of time
	shapes  map[shape][]int  // indices of records, in the order of time
	vectors map[shape]vector // of the newest text of each shape
	order   []shape          // in a fixed order
}

// shape is what makes two root lines the same: their template, and their kind,
// as a template does not tell one error number from another.
type shape struct{ template, kind string }

// New makes a memory of records in the order of their file.
func New(records []Record) *Memory {
	m := &Memory{records: latest(records), shapes: map[shape][]int{}, vectors: map[shape]vector{}}
	for i, r := range m.records {
		s := shape{r.Template, r.Kind}
		if m.shapes[s] == nil {
			m.order = append(m.order, s)
		}
		m.shapes[s] = append(m.shapes[s], i)
	}
	for s, at := range m.shapes {
		m.vectors[s] = vectorOf(m.records[at[len(at)-1]].Text)
	}
	slices.SortFunc(m.order, func(a, b shape) int {
		return cmp.Or(cmp.Compare(a.template, b.template), cmp.Compare(a.kind, b.kind))
	})
	return m
}

// Recollection is what a memory says about a root line. It informs people, and
// decides nothing.
type Recollection struct {
	New        bool       `json:"new"`                 // nobody has seen the line before
	Exact      []Record   `json:"exact,omitempty"`     // of the same shape and kind, the newest first
	Similar    []Match    `json:"similar,omitempty"`   // other shapes, the most similar first
	Recurrence Recurrence `json:"recurrence,omitzero"` // of the exact ones
	Helped     *Outcome   `json:"helped,omitempty"`    // the newest confirmed outcome that says what helped
	Otherwise  []Record   `json:"otherwise,omitempty"` // exact ones whose confirmed outcome contradicts the rules, the newest first
}

// Match is a similar line.
type Match struct {
	Record  Record   `json:"record"`            // the newest of its shape
	Times   int      `json:"times"`             // incidents of that shape
	Cosine  float64  `json:"cosine"`            // of the texts
	Outcome *Outcome `json:"outcome,omitempty"` // the newest that was confirmed for that shape
}

// Recurrence counts earlier incidents of one shape.
type Recurrence struct {
	Times  int               `json:"times"`           // within RecurrenceWindow before the incident
	Ever   int               `json:"ever"`            // at any time before
	Users  int               `json:"users,omitempty"` // known ones, within the window
	Nodes  int               `json:"nodes,omitempty"`
	LastAt schedmate.Seconds `json:"last_at_s,omitempty"`
}

// Recall looks up the root line of a diagnosis. Incidents after the instant at,
// and the one that is asked about, are not looked at. Without a root there is
// nothing to recognise.
func (m *Memory) Recall(incident string, at schedmate.Seconds, d *schedmate.Diagnosis) Recollection {
	asked, ok := NewRecord(incident, at, d, "", "")
	if !ok || asked.Text == "" {
		return Recollection{}
	}
	var out Recollection
	own := shape{asked.Template, asked.Kind}
	out.Exact = m.before(own, &asked)
	out.New = len(out.Exact) == 0
	out.recur(at)
	for _, r := range out.Exact {
		if o := r.Outcome; o != nil {
			if out.Helped == nil && o.Helped != "" {
				out.Helped = o
			}
			if o.Kind != d.Subclass || o.Class != d.Class {
				out.Otherwise = append(out.Otherwise, r)
			}
		}
	}
	v := vectorOf(asked.Text)
	for _, s := range m.order {
		if s == own {
			continue
		}
		w := m.vectors[s]
		c := cosine(&v, &w)
		if c < Threshold || s.kind != own.kind && c < ThresholdOtherKinds {
			continue
		}
		if past := m.before(s, &asked); len(past) > 0 {
			out.Similar = append(out.Similar, Match{Record: past[0], Times: len(past), Cosine: c, Outcome: newestOutcome(past)})
		}
	}
	slices.SortStableFunc(out.Similar, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), compareRecords(b.Record, a.Record))
	})
	out.Similar = out.Similar[:min(len(out.Similar), maxSimilar)]
	return out
}

// before are the records of a shape up to the time of an incident, without it,
// the newest first.
func (m *Memory) before(s shape, asked *Record) []Record {
	var out []Record
	for _, i := range slices.Backward(m.shapes[s]) {
		if r := m.records[i]; r.At <= asked.At && r.Incident != asked.Incident {
			out = append(out, r)
		}
	}
	return out
}

func newestOutcome(records []Record) *Outcome {
	for _, r := range records {
		if r.Outcome != nil {
			return r.Outcome
		}
	}
	return nil
}

func (c *Recollection) recur(at schedmate.Seconds) {
	users, nodes := map[string]bool{}, map[string]bool{}
	for _, r := range c.Exact {
		c.Recurrence.Ever++
		if r.At <= at-RecurrenceWindow {
			continue
		}
		c.Recurrence.Times++
		if r.User != "" {
			users[r.User] = true
		}
		if r.Node != "" {
			nodes[r.Node] = true
		}
	}
	c.Recurrence.Users, c.Recurrence.Nodes = len(users), len(nodes)
	if len(c.Exact) > 0 {
		c.Recurrence.LastAt = c.Exact[0].At
	}
}

// Annotate adds what was confirmed otherwise to the alternatives of a diagnosis,
// each once, and returns a copy. Nothing else of the diagnosis changes: class,
// node, confidence, restart and quarantine are what the rules say.
func (c *Recollection) Annotate(d schedmate.Diagnosis) schedmate.Diagnosis {
	d.Alternatives = slices.Clone(d.Alternatives)
	for _, r := range c.Otherwise {
		o := r.Outcome
		if slices.ContainsFunc(d.Alternatives, func(a schedmate.Alternative) bool {
			return a.Class == o.Class && a.Subclass == o.Kind && a.Component == o.Component
		}) {
			continue
		}
		d.Alternatives = append(d.Alternatives, schedmate.Alternative{
			Class: o.Class, Subclass: o.Kind, Component: o.Component,
			Why: fmt.Sprintf("the same line in incident %s%s", r.Incident, english.confirmed(o)),
		})
	}
	return d
}
