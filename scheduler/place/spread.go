package place

import "schedmate"

// Spread places a gang as Consolidated does, and where that finds no place and
// the cluster lets gangs be spread, on whatever is free, from the emptiest node
// on.
func Spread(o *schedmate.Occupancy, j *schedmate.Job) []schedmate.Allocation {
	if as := Consolidated(o, j); as != nil || !o.Spread() {
		return as
	}
	nodes, free := candidates(o, j, true)
	if free < j.GPUs {
		return nil
	}
	as, rest := make([]schedmate.Allocation, 0, j.GPUs), j.GPUs
	for _, i := range emptiestFirst(o, nodes) {
		k := min(rest, o.Free(i))
		as = o.Pick(as, i, k)
		if rest -= k; rest == 0 {
			break
		}
	}
	return sorted(as)
}
