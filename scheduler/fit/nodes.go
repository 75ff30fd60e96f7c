package fit

import (
	"fmt"
	"slices"
	"strings"

	"schedmate"
)

func (a *question) place(s scene) ([]share, bool) {
	s.self = a.self
	return a.c.place(&a.q, a.fields, &s)
}

func (a *question) fits(s scene) bool {
	_, ok := a.place(s)
	return ok
}

func (a *question) licences() bool {
	sc := scene{at: a.c.now}
	if a.c.licensed(&a.q, &sc) {
		return false
	}
	var parts []string
	for _, l := range a.q.licences {
		p := a.c.licences[l.name]
		if p == nil || l.count <= p.free {
			continue
		}
		free := max(0, p.free)
		a.a.Short = append(a.a.Short, Shortage{Resource: "licence " + l.name, Need: int64(l.count), Free: int64(free), Short: int64(l.count - free)})
		part := fmt.Sprintf("%s: needs %d, %d free", l.name, l.count, free)
		if total := a.c.o.Licences[slices.IndexFunc(a.c.o.Licences, func(o schedmate.Licence) bool { return o.Name == l.name })].Total; l.count > total {
			part += fmt.Sprintf(", and there are only %d", total)
		}
		parts = append(parts, part)
		for _, r := range p.held[:min(len(p.held), namesAtMost)] {
			if len(a.a.Jobs) < namesAtMost {
				a.a.Jobs = append(a.a.Jobs, a.c.ref(r.job))
			}
		}
	}
	held := ""
	if len(a.a.Jobs) > 0 {
		held = " Held by " + ids(a.a.Jobs) + "."
	}
	a.a.Until = a.until()
	a.ahead()
	ahead := a.a.Ahead.text()
	if ahead != "" {
		ahead = " " + ahead + "."
	}
	return a.say(Licences, "Too few licences are free (%s).%s%s%s%s", strings.Join(parts, "; "), held, a.ending(), a.besides(), ahead)
}

// besides says of a job that waits for licences that it waits for more in vain.
func (a *question) besides() string {
	q := a.q
	q.licences = nil
	if _, ok := a.c.place(&q, a.fields, &scene{at: a.c.now, empty: true, repaired: true, open: true, self: -1}); ok || a.c.work.unsettled {
		return ""
	}
	return " With them its nodes could not hold it either, even if they were all healthy and empty."
}

// constraint finds names and features that leave too few nodes.
func (a *question) constraint() bool {
	if len(a.q.named) == 0 && len(a.q.excluded) == 0 && a.q.features.none() {
		return false
	}
	if a.enoughNodes(&a.q, a.j) {
		return false
	}
	all := a.q
	all.named, all.excluded, all.features = nil, nil, features{}
	if !a.enoughNodes(&all, a.j) {
		return false // too few without them: it exceeds its partitions
	}
	most := 0
	var missing []string
	for k := range a.fields {
		f := &a.fields[k]
		most = max(most, len(f.nodes))
		for _, name := range a.q.named {
			if at, ok := a.c.byName[name]; (!ok || !f.has(at)) && !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
		}
	}
	if len(missing) > 0 {
		for _, name := range missing {
			a.a.Nodes = append(a.a.Nodes, NodeTrouble{Node: name, Reason: "is not among the nodes that the job may use"})
		}
		return a.say(NodeConstraint, "It names %s, which its partition, features or reservation do not include.", names(missing))
	}
	a.a.Short = []Shortage{{Resource: "nodes", Need: int64(a.q.minNodes), Free: int64(most), Short: int64(a.q.minNodes - most)}}
	what := "names"
	if !a.q.features.none() {
		what = "features " + a.q.features.text
	}
	return a.say(NodeConstraint, "It needs %s with the %s that it asks for, and its partitions have %d.", count(a.q.minNodes, "node"), what, most)
}

func (a *question) enoughNodes(q *request, j *schedmate.ObservedJob) bool {
	fields := a.c.usable(j, q)
	return slices.ContainsFunc(fields, func(f field) bool {
		for _, name := range q.named {
			if at, ok := a.c.byName[name]; !ok || !f.has(at) {
				return false
			}
		}
		return len(f.nodes) >= q.minNodes
	})
}

// exceeds: no placement exists on the whole, healthy, empty cluster.
func (a *question) exceeds() bool {
	if a.fits(scene{at: a.c.now, empty: true, repaired: true, open: true}) || a.c.work.unsettled {
		return false
	}
	a.shortages(scene{at: a.c.now, empty: true, repaired: true, open: true})
	a.forever = true
	gpus, change := a.largest()
	a.a.Largest = gpus
	if change == "" {
		change = "no smaller number of GPUs or nodes would fit either"
	} else {
		change = "what could ever fit: " + change
	}
	return a.say(ExceedsCluster, "Its nodes could not hold it even if they were all healthy and empty (%s); %s.%s", asks(a.j, &a.q), change, a.numbers())
}

// unavailable: the nodes that work could not hold it, even empty.
func (a *question) unavailable() bool {
	if a.fits(scene{at: a.c.now, empty: true, open: true}) || a.c.work.unsettled {
		return false
	}
	for _, at := range a.nodes(func(m *machine, _ *field) bool { return !m.healthy }) {
		n := a.c.machines[at].node
		a.a.Nodes = append(a.a.Nodes, NodeTrouble{n.Name, n.States, n.Reason})
	}
	var list []string
	for _, t := range a.a.Nodes {
		text := t.Node + " is " + strings.Join(t.States, "+")
		if t.Reason != "" {
			text += " (" + t.Reason + ")"
		}
		list = append(list, text)
	}
	return a.say(NodesUnavailable, "The nodes that work could not hold it even if they were empty: %s.", names(list))
}

// nodes returns the nodes of all fields that pass, in order.
func (a *question) nodes(pass func(*machine, *field) bool) []int {
	in := make([]bool, len(a.c.machines))
	for k := range a.fields {
		own, ok := a.q.in(&a.c.o.Partitions[a.fields[k].partition])
		if !ok {
			own = &a.q
		}
		for _, at := range a.fields[k].nodes {
			if len(own.named) >= own.mostNodes() && !slices.Contains(a.q.named, a.c.machines[at].node.Name) {
				continue // it asks for its named nodes first of all
			}
			in[at] = pass(&a.c.machines[at], &a.fields[k]) || in[at]
		}
	}
	var list []int
	for at := range in {
		if in[at] {
			list = append(list, at)
		}
	}
	return list
}

// reserved: nodes that are kept for others, now or before the job would end, make
// the difference.
func (a *question) reserved() bool {
	now := a.c.now
	if a.fits(scene{at: now}) || a.fits(scene{at: now, empty: true}) && !a.fits(scene{at: now, open: true}) {
		return false
	}
	reservations, nodes := a.obstacles(now, func(int) bool { return true })
	for _, k := range reservations {
		a.a.Reservations = append(a.a.Reservations, a.c.o.Reservations[k].Name)
	}
	for _, node := range nodes {
		a.a.Nodes = append(a.a.Nodes, NodeTrouble{Node: a.c.machines[node].node.Name, States: a.c.machines[node].node.States})
	}
	a.a.Until = a.until()
	a.ahead()
	text := fmt.Sprintf("Nodes that it needs are kept for %s, and it asks for %s.", a.keptFor(reservations), within(a.q.limit))
	if ahead := a.a.Ahead.text(); ahead != "" {
		text += " " + ahead + "."
	}
	if a.fresh {
		text += " " + a.news()
	}
	return a.say(NodesReserved, "%s", text)
}

// inLine: it fits now.
func (a *question) inLine() bool {
	shares, _ := a.place(scene{at: a.c.now})
	a.a.Places = a.c.nodesOf(shares)
	a.ahead()
	if a.told.kind == Unknown {
		text := a.told.meaning
		if text == "" {
			text = a.verbatim() + " What that means is not known here."
		}
		return a.say(Unknown, "%s By what is seen here it fits now on %s.", text, names(a.a.Places))
	}
	where := "It fits now on " + names(a.a.Places)
	switch ahead := a.a.Ahead.text(); {
	case a.fresh && ahead == "":
		return a.say(NotLooked, "%s, and nobody is ahead of it. %s", where, a.news())
	case a.fresh:
		return a.say(NotLooked, "%s, and %s. %s", where, ahead, a.news())
	case ahead == "" && a.told.kind == Priority && a.follows():
		return a.say(NotLooked, "%s, and the jobs ahead of it in its partition want other nodes: backfilling may start it.", where)
	case ahead == "":
		return a.say(NotLooked, "%s, and nobody is ahead of it: the scheduler has not looked since, or needs something that is not seen here.", where)
	case a.a.Ahead.Backfill:
		return a.say(Priority, "It would fit now on %s, and %s. It would delay nobody, so backfilling may start it.", names(a.a.Places), ahead)
	default:
		return a.say(Priority, "It would fit now on %s, and %s.", names(a.a.Places), ahead)
	}
}

// news says of a job that came a moment ago that nothing is known of it yet.
func (a *question) news() string {
	return fmt.Sprintf("It came %s ago: the scheduler has not looked at it yet.", span(max(0, a.c.now-max(a.j.Submit, a.j.Eligible))))
}

// turn is how long a scheduler may take until it looks at a new job: Slurm looks at
// the queue every minute, and backfills twice in it, unless told otherwise.
const turn schedmate.Seconds = 60

// unseen reports whether a job came so short a time ago that the scheduler has not
// looked at it.
func (a *question) unseen() bool {
	came := max(a.j.Submit, a.j.Eligible)
	if a.c.o.System.Name == "replay" || a.j.Looked > came || a.j.Start > a.c.now {
		return false
	}
	return (a.told.kind == NotLooked || a.told.kind == Priority) && a.c.now-came < turn
}

// follows reports whether a job stands behind another of one of its partitions. That
// is enough for Slurm to give it the reason Priority, whatever nodes the two want.
func (a *question) follows() bool {
	for place := range a.rank {
		if place != a.self && slices.ContainsFunc(a.c.o.Jobs[a.c.queue[place]].Partitions, func(p string) bool { return slices.Contains(a.j.Partitions, p) }) {
			return true
		}
	}
	return false
}

// nodesOf names the nodes of a placement.
func (c *Cluster) nodesOf(shares []share) []string {
	list := make([]string, len(shares))
	for i, s := range shares {
		list[i] = c.machines[s.node].node.Name
	}
	return list
}

// text says which jobs are ahead, or nothing.
func (x *Ahead) text() string {
	list := ids(x.First)
	if x.More > 0 {
		list += fmt.Sprintf(" and %d more", x.More)
	}
	switch x.Count {
	case 0:
		return ""
	case 1:
		return "1 job is ahead of it (" + list + ")"
	}
	return fmt.Sprintf("%d jobs are ahead of it (%s)", x.Count, list)
}

// firstAhead is how many jobs ahead of another an answer names.
const firstAhead = 3

// ahead counts the jobs that go first and want some of the same nodes, and tells
// whether the job may pass them.
func (a *question) ahead() {
	c := a.c
	rival := c.rivals(a.j, &a.q)
	for place := range a.rank {
		if place == a.self || !rival(place) {
			continue
		}
		j := &c.o.Jobs[c.queue[place]]
		if j.Het != "" && j.Het == a.j.Het {
			continue // it is with it, not ahead of it
		}
		a.a.Ahead.Count += max(1, j.Tasks)
		if len(a.a.Ahead.First) < firstAhead {
			a.a.Ahead.First = append(a.a.Ahead.First, c.ref(c.queue[place]))
		} else {
			a.a.Ahead.More += max(1, j.Tasks)
		}
	}
	if a.a.Ahead.Count == 0 {
		return
	}
	if a.a.Ahead.Unplanned = a.unplanned(); a.a.Ahead.Unplanned {
		return
	}
	if shares, ok := a.place(scene{at: c.now, rank: a.rank}); ok {
		a.a.Ahead.Backfill = true
		a.a.Places = a.c.nodesOf(shares)
	}
	if at, _, ok := c.earliest(&a.q, a.fields, scene{rank: a.rank, self: a.self}, ""); ok && !a.fresh {
		if first, _, ok := c.earliest(&a.q, a.fields, scene{rank: a.rank, self: a.self, sharp: true}, ""); ok && first < at {
			a.a.Ahead.Unplanned = true // it hangs on which nodes the scheduler has in mind for others
			return
		}
		a.a.Until.Planned = at
	}
}
