package gandiva

import "schedmate"

// The notes of a plan: each group with its nodes and then its jobs, in order,
// and then the jobs that wait for a group.
const (
	groupNote  = "group" // gang, slots, used, since
	nodeNote   = "node"
	memberNote = "member"
	waitNote   = "waits"
)

func (f *floor) notes() []schedmate.Note {
	notes := make([]schedmate.Note, 0, len(f.status)+2*len(f.cluster.Nodes))
	for _, g := range f.groups() {
		notes = append(notes, schedmate.Note{Kind: groupNote, Numbers: []int64{int64(g.class.gang), int64(g.slots), int64(g.used), int64(g.since)}})
		for _, i := range g.nodes {
			notes = append(notes, schedmate.Note{Kind: nodeNote, Node: f.cluster.Nodes[i].ID})
		}
		for _, id := range g.jobs {
			notes = append(notes, schedmate.Note{Kind: memberNote, Job: id})
		}
	}
	for _, id := range f.waits {
		notes = append(notes, schedmate.Note{Kind: waitNote, Job: id})
	}
	return notes
}

// read reads the notes. What does not make sense is passed over: a group of
// another part of the cluster, a second group on a node, a job's second place.
func read(notes []schedmate.Note, index map[string]int) (groups []*group, waits []string) {
	var g *group
	nodes, jobs := make([]bool, len(index)), make(map[string]bool, len(notes))
	for i := range notes {
		n := &notes[i]
		switch n.Kind {
		case groupNote:
			g = nil
			if len(n.Numbers) == 4 && n.Numbers[0] >= 1 && n.Numbers[0] <= schedmate.MaxGangGPUs && n.Numbers[1] >= 1 && n.Numbers[1] <= schedmate.MaxGangGPUs {
				g = &group{
					class: &class{gang: int(n.Numbers[0])},
					slots: int(n.Numbers[1]),
					used:  int(n.Numbers[2]),
					since: schedmate.Seconds(min(max(n.Numbers[3], 0), int64(schedmate.MaxSeconds))),
				}
				groups = append(groups, g)
			}
		case nodeNote:
			if at, ok := index[n.Node]; g != nil && ok && !nodes[at] {
				nodes[at] = true
				g.nodes = append(g.nodes, at)
			}
		case memberNote:
			if g != nil && !jobs[n.Job] {
				jobs[n.Job] = true
				g.jobs = append(g.jobs, n.Job)
			}
		case waitNote:
			if !jobs[n.Job] {
				jobs[n.Job] = true
				waits = append(waits, n.Job)
			}
		}
	}
	whole := groups[:0]
	for _, g := range groups {
		if len(g.nodes) > 0 {
			whole = append(whole, g)
		}
	}
	return whole, waits
}
