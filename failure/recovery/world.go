package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedmate"
)

// Owner is the tag on what this program sets.
const Owner = "schedmate"

// World is all that proposals rest on beside the incident.
//
// Invariant: Now leaves room for the longest term; each list is valid and sorted by its key
// without duplicates (Places by node, Pools by name, Quarantines by node, since,
// owner and incident, Gates by service, Made by incident and revision); every
// place is in a pool of Pools.
//
// A World is read-only; [World.With] makes another.
type World struct {
	Now         schedmate.Seconds `json:"now_s" yaml:"now_s"`
	Places      []Place           `json:"places,omitempty" yaml:"places,omitempty"`
	Pools       []Pool            `json:"pools,omitempty" yaml:"pools,omitempty"`
	Ledger      Ledger            `json:"ledger,omitzero" yaml:"ledger,omitempty"`
	Quarantines []Quarantine      `json:"quarantines,omitempty" yaml:"quarantines,omitempty"`
	Gates       []Gate            `json:"gates,omitempty" yaml:"gates,omitempty"`
	Limits      Limits            `json:"limits" yaml:"limits"`
	Made        []Proposal        `json:"made,omitempty" yaml:"made,omitempty"` // proposals for incidents that may come again
}

// Place is where a node stands: what it shares with others. Empty means unknown.
type Place struct {
	Node   string   `json:"node" yaml:"node"`
	Pool   string   `json:"pool" yaml:"pool"`
	Switch string   `json:"switch,omitempty" yaml:"switch,omitempty"`
	Rack   string   `json:"rack,omitempty" yaml:"rack,omitempty"`
	Mounts []string `json:"mounts,omitempty" yaml:"mounts,omitempty"`
	Image  string   `json:"image,omitempty" yaml:"image,omitempty"`
}

// Pool is a set of nodes that stand in for each other.
//
// Invariant: 0 <= Healthy <= Nodes. Healthy are the nodes that take work now:
// those that are down or in quarantine, by whomever, are not.
type Pool struct {
	Name    string `json:"name" yaml:"name"`
	Nodes   int    `json:"nodes" yaml:"nodes"`
	Healthy int    `json:"healthy" yaml:"healthy"`
}

// QuarantineState is where a quarantine is in its life.
//
//	proposed -> standing -> ended
//	    |                     ^
//	    +-- its Until passes -+   nobody carried it out
type QuarantineState string

const (
	Proposed QuarantineState = "proposed" // counts as if it stood, until its Until
	Standing QuarantineState = "standing" // the node takes no work
	Ended    QuarantineState = "ended"    // kept for rates and cool-downs
)

// Quarantine is a node that is out of service, or was, or will be.
//
// Invariant: Until is 0 (open) or after Since; ours has an Incident and an
// Until; Ended is given exactly for those that have ended.
type Quarantine struct {
	Node     string            `json:"node" yaml:"node"`
	Owner    string            `json:"owner" yaml:"owner"` // who set it; only ours, with the tag "schedmate", are ever extended or lifted
	Incident string            `json:"incident,omitempty" yaml:"incident,omitempty"`
	State    QuarantineState   `json:"state" yaml:"state"`
	Since    schedmate.Seconds `json:"since_s" yaml:"since_s"`
	Until    schedmate.Seconds `json:"until_s,omitempty" yaml:"until_s,omitempty"` // of ours: when the node is tested again
	Ended    schedmate.Seconds `json:"ended_s,omitempty" yaml:"ended_s,omitempty"`
	Renewals int               `json:"renewals,omitempty" yaml:"renewals,omitempty"`
}

// active tells whether it holds the node, or will.
func (q *Quarantine) active(now schedmate.Seconds) bool {
	return q.State == Standing || q.State == Proposed && (q.Until == 0 || now < q.Until)
}

func (q *Quarantine) ours() bool { return q.Owner == Owner }

func compareQuarantines(a, b Quarantine) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Since, b.Since), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Incident, b.Incident))
}

// place finds a node by its name, or by its name without the domain when only
// one node has that.
func (w *World) place(node string) *Place {
	i, ok := slices.BinarySearchFunc(w.Places, node, func(p Place, node string) int { return cmp.Compare(p.Node, node) })
	if ok {
		return &w.Places[i]
	}
	var found *Place
	for i := range w.Places {
		if sameHost(w.Places[i].Node, node) {
			if found != nil {
				return nil
			}
			found = &w.Places[i]
		}
	}
	return found
}

// sameHost tells whether two names are one host's: they are equal, or one is
// the other without its domain.
func sameHost(a, b string) bool {
	if a == b {
		return true
	}
	long, short := a, b
	if len(long) < len(short) {
		long, short = short, long
	}
	return short != "" && strings.HasPrefix(long, short+".")
}

// name is the node's name as the cluster has it, or as it is given when the
// cluster has no such node.
func (w *World) name(node string) string {
	if p := w.place(node); p != nil {
		return p.Node
	}
	return node
}

func (w *World) pool(name string) *Pool {
	i, ok := slices.BinarySearchFunc(w.Pools, name, func(p Pool, name string) int { return cmp.Compare(p.Name, name) })
	if !ok {
		return nil
	}
	return &w.Pools[i]
}

func (w *World) gate(service string) *Gate {
	i, ok := slices.BinarySearchFunc(w.Gates, service, func(g Gate, service string) int { return cmp.Compare(g.Service, service) })
	if !ok {
		return nil
	}
	return &w.Gates[i]
}

// Validate checks the invariant of World.
func (w *World) Validate() error {
	if w.Now < 0 || w.Now > schedmate.MaxSeconds-maxTerm { // so that what is proposed ends in time
		return fieldErr("now_s", "must lie in [0, %d] seconds, got %d", schedmate.MaxSeconds-maxTerm, w.Now)
	}
	if err := first(w.Limits.Validate("limits"), w.Ledger.Validate("ledger")); err != nil {
		return err
	}
	for i := range w.Pools {
		p, at := &w.Pools[i], fmt.Sprintf("pools[%d]", i)
		switch {
		case p.Name == "":
			return fieldErr(at+".name", "must not be empty")
		case i > 0 && w.Pools[i-1].Name >= p.Name:
			return fieldErr(at+".name", "pools must be sorted by name without duplicates: %q follows %q", p.Name, w.Pools[i-1].Name)
		case p.Nodes < 0 || p.Nodes > schedmate.MaxGangGPUs:
			return fieldErr(at+".nodes", "must lie in [0, %d], got %d", schedmate.MaxGangGPUs, p.Nodes)
		case p.Healthy < 0 || p.Healthy > p.Nodes:
			return fieldErr(at+".healthy", "must lie in [0, %d], got %d", p.Nodes, p.Healthy)
		}
	}
	known := make(map[string]int, len(w.Pools))
	for i := range w.Places {
		p, at := &w.Places[i], fmt.Sprintf("places[%d]", i)
		switch {
		case p.Node == "":
			return fieldErr(at+".node", "must not be empty")
		case i > 0 && w.Places[i-1].Node >= p.Node:
			return fieldErr(at+".node", "places must be sorted by node without duplicates: %q follows %q", p.Node, w.Places[i-1].Node)
		case w.pool(p.Pool) == nil:
			return fieldErr(at+".pool", "unknown pool %q: declare it under pools", p.Pool)
		}
		if known[p.Pool]++; known[p.Pool] > w.pool(p.Pool).Nodes {
			return fieldErr(at+".pool", "more places than the %d nodes of pool %q: count them again", w.pool(p.Pool).Nodes, p.Pool)
		}
	}
	for i := range w.Quarantines {
		at := fmt.Sprintf("quarantines[%d]", i)
		if err := w.Quarantines[i].validate(at); err != nil {
			return err
		}
		if i > 0 && compareQuarantines(w.Quarantines[i-1], w.Quarantines[i]) >= 0 {
			return fieldErr(at, "quarantines must be sorted by node, since, owner and incident without duplicates")
		}
	}
	for i := range w.Gates {
		at := fmt.Sprintf("gates[%d]", i)
		if err := w.Gates[i].validate(at); err != nil {
			return err
		}
		if i > 0 && w.Gates[i-1].Service >= w.Gates[i].Service {
			return fieldErr(at+".service", "gates must be sorted by service without duplicates: %q follows %q", w.Gates[i].Service, w.Gates[i-1].Service)
		}
	}
	for i := range w.Made {
		at := fmt.Sprintf("made[%d]", i)
		if err := w.Made[i].Validate(at); err != nil {
			return err
		}
		if w.Made[i].Incident == "" {
			return fieldErr(at+".incident", "must not be empty: reviews are not kept")
		}
		if i > 0 && compareProposals(w.Made[i-1], w.Made[i]) >= 0 {
			return fieldErr(at+".incident", "proposals must be sorted by incident and revision without duplicates")
		}
	}
	return nil
}

func (q *Quarantine) validate(path string) error {
	if err := first(checkTime(path+".since_s", q.Since), checkTime(path+".until_s", q.Until), checkTime(path+".ended_s", q.Ended)); err != nil {
		return err
	}
	switch {
	case q.Node == "":
		return fieldErr(path+".node", "must not be empty")
	case q.Owner == "":
		return fieldErr(path+".owner", "must name who set it: %q for this program, anything else is left alone", Owner)
	case q.State != Proposed && q.State != Standing && q.State != Ended:
		return fieldErr(path+".state", "must be proposed, standing or ended, got %q", q.State)
	case (q.State == Ended) != (q.Ended != 0):
		return fieldErr(path+".ended_s", "must be given for ended quarantines, and only for them")
	case q.Ended != 0 && q.Ended < q.Since:
		return fieldErr(path+".ended_s", "must not lie before since_s %d, got %d", q.Since, q.Ended)
	case q.Until != 0 && q.Until <= q.Since:
		return fieldErr(path+".until_s", "must lie after since_s %d, got %d", q.Since, q.Until)
	case q.ours() && (q.Until == 0 || q.Incident == ""):
		return fieldErr(path+".until_s", "must be given, and so must the incident: a quarantine of ours always ends and says why it is there")
	case q.Renewals < 0:
		return fieldErr(path+".renewals", "must not be negative, got %d", q.Renewals)
	}
	return nil
}

// With is the world in which a proposal has been made: its hits are on record,
// its quarantines and holds count. Made twice it counts once. A node that is
// proposed to return stays in quarantine until somebody says that it has.
func (w World) With(p *Proposal) World {
	if p.Incident != "" {
		i, made := slices.BinarySearchFunc(w.Made, *p, compareProposals)
		if made {
			return w
		}
		w.Made = slices.Insert(slices.Clone(w.Made), i, *p)
	}
	w.Ledger = w.Ledger.With(p.Hits, nil, nil)
	w.Quarantines, w.Gates = slices.Clone(w.Quarantines), slices.Clone(w.Gates)
	for _, s := range p.Steps {
		switch s.Kind {
		case StepQuarantine:
			w.reserve(Quarantine{Node: s.Node, Owner: Owner, Incident: p.Incident, State: Proposed, Since: p.Now, Until: s.Until})
		case StepExtend:
			for i := range w.Quarantines {
				if q := &w.Quarantines[i]; q.ours() && q.Node == s.Node && q.State == Standing && q.Incident == s.Incident && q.Until < s.Until {
					q.Until = s.Until
					q.Renewals++
				}
			}
		case StepHold, StepOpen:
			w.moveGate(p, &s)
		}
	}
	return w
}

// reserve enters a quarantine, unless an earlier revision has brought it about.
func (w *World) reserve(q Quarantine) {
	for i := range w.Quarantines {
		if o := &w.Quarantines[i]; o.ours() && o.Node == q.Node && o.Incident == q.Incident && o.active(w.Now) {
			return
		}
	}
	i, _ := slices.BinarySearchFunc(w.Quarantines, q, compareQuarantines)
	w.Quarantines = slices.Insert(w.Quarantines, i, q)
}

// Prune forgets what no proposal looks at any more: quarantines, gates and
// proposals that ended longer ago than the longest window of the limits. For the
// ledger see [Ledger.Prune]: its rates may look further back.
func (w World) Prune() World {
	l := &w.Limits
	before := w.Now - max(l.Restarts.Window, l.Quarantine.WitnessWindow, l.Quarantine.RateWindow, l.Quarantine.NodeCoolDown, l.Quarantine.MaxAge, l.Common.Window)
	old := func(t schedmate.Seconds) bool { return t < before }
	w.Quarantines = slices.DeleteFunc(slices.Clone(w.Quarantines), func(q Quarantine) bool {
		return old(q.Since) && !q.active(w.Now) && old(max(q.Ended, q.Until))
	})
	w.Gates = slices.DeleteFunc(slices.Clone(w.Gates), func(g Gate) bool { return g.Opened != 0 && old(g.Opened) })
	w.Made = slices.DeleteFunc(slices.Clone(w.Made), func(p Proposal) bool { return old(p.Now) })
	return w
}
